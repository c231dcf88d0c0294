import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { build } from 'tsup';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

let folder: string;
beforeAll(async () => {
  // Inside node_modules, so that unbundled modules are found.
  mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
  folder = mkdtempSync(join(root, 'node_modules/.cache/register-'));
  const entry = { register: join(root, 'sandbox/src/register.ts') };
  await build({ entry, outDir: folder, format: 'esm', target: 'es2023', config: false, silent: true, clean: false });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a program with the module preloaded; it prints JSON. */
async function run(program: string, env: Readonly<Record<string, string>> = {}) {
  const args = ['--import', join(folder, 'register.js'), '--input-type=module', '-e', program];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { printed: out && JSON.parse(out), out, err };
}

const linear = `
  const linear = async (query) => {
    const response = await fetch('https://api.linear.app/graphql', {
      method: 'POST',
      headers: { authorization: process.env.LINEAR_API_KEY, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    return response.json();
  };`;

test("a program that names no sandbox gets the vendors' emulated responses, and one line says so", async () => {
  const { printed, err } = await run(`${linear}
    const { data } = await linear('{ teams { nodes { id } } }');
    const teamId = data.teams.nodes[0].id;
    await linear(\`mutation { issueCreate(input: { teamId: "\${teamId}", title: "Kept" }) { success } }\`);
    const found = await linear('{ issues(filter: { title: { eq: "Kept" } }) { nodes { title } } }');
    const notes = await fetch(new URL('https://public-api.granola.ai/v1/notes'), {
      headers: { authorization: \`Bearer \${process.env.GRANOLA_API_KEY}\` },
    });
    const calls = await fetch(new Request('https://api.gong.io/v2/users', {
      headers: { authorization: \`Basic \${btoa(process.env.GONG_ACCESS_KEY + ':' + process.env.GONG_ACCESS_KEY_SECRET)}\` },
    }));
    console.log(JSON.stringify([found.data.issues.nodes, notes.status, calls.status]));`);
  expect(printed).toEqual([[{ title: 'Kept' }], 200, 200]);
  expect(err).toBe('agent-connectors-sandbox: the vendors are emulated in this process.\n');
});

test('requests to other hosts are sent unchanged', async () => {
  const server = createServer((request, response) => response.end(`${request.method} ${request.url}`));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/linear/graphql`;
  const { printed } = await run(`
    const response = await fetch('${url}', { method: 'POST', body: 'x' });
    const failure = await fetch('not a URL').catch((error) => error.message);
    console.log(JSON.stringify([await response.text(), response.url, failure]));`);
  expect(printed).toEqual(['POST /linear/graphql', url, expect.stringContaining('not a URL')]);
});

test('variables that are set keep their values, and the line names them', async () => {
  const { printed, err } = await run(
    `${linear}
    console.log(JSON.stringify([process.env.LINEAR_API_KEY, (await linear('{ teams { nodes { id } } }')).data ?? null]));`,
    { LINEAR_API_KEY: 'lin_api_CANARY', GONG_BASE_URL: 'https://us-1.api.gong.io' },
  );
  expect(printed).toEqual(['lin_api_CANARY', null]);
  expect(err).toBe(
    'agent-connectors-sandbox: the vendors are emulated in this process. Already set, and therefore unchanged: LINEAR_API_KEY, GONG_BASE_URL.\n',
  );
});

test("variables that are empty get the sandbox's values, like those that are not set", async () => {
  const { printed, err } = await run(`console.log(JSON.stringify(process.env.LINEAR_API_KEY))`, { LINEAR_API_KEY: '' });
  expect([printed, err]).toEqual(['lin_api_sandbox_full_access', expect.not.stringContaining('LINEAR_API_KEY')]);
});

test('every variable in the guides and examples gets a value', async () => {
  const names = new Set<string>();
  const read = (path: string, pattern: RegExp) => {
    for (const [, name] of readFileSync(join(root, path), 'utf8').matchAll(pattern)) names.add(name!);
  };
  read('docs/guides/credentials.md', /`((?:LINEAR|GRANOLA|GONG|GOOGLE)_[A-Z_]+)`/g);
  for (const under of ['examples', 'docs/guides']) {
    for (const path of readdirSync(join(root, under), { recursive: true, encoding: 'utf8' })) {
      if (/^(?!.*node_modules).*\.(ts|mjs|md)$/.test(path))
        read(join(under, path), /process\.env\.((?:LINEAR|GRANOLA|GONG|GOOGLE)_[A-Z_]+)/g);
    }
  }
  // A path, so there would have to be a file.
  names.delete('GOOGLE_APPLICATION_CREDENTIALS');
  expect(names.size).toBeGreaterThan(10);
  const { printed } = await run('console.log(JSON.stringify(Object.keys(process.env)))');
  expect(printed).toEqual(expect.arrayContaining([...names]));
});

test('the line is printed once, even if the program starts threads', async () => {
  const { err, out } = await run(`
    import { Worker } from 'node:worker_threads';
    const worker = new Worker('fetch("https://api.linear.app/graphql").then(({ status }) => console.log(status))', { eval: true });
    await new Promise((resolve) => worker.once('exit', resolve));`);
  expect([err.split('\n').length, out]).toEqual([2, expect.stringMatching(/^4\d\d\n$/)]);
});
