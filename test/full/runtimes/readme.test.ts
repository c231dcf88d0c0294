import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { emptyFolder, pack, remove } from '../../package/installed.js';
import { installProgram } from './binaries.js';

let scratch: string;
const tarballs: Record<string, string> = {};
beforeAll(async () => {
  scratch = await emptyFolder();
  for (const source of ['.', 'sandbox', 'service']) {
    const name = source === '.' ? 'agent-connectors' : `agent-connectors-${source}`;
    tarballs[name] = (await pack(source, scratch)).file;
  }
});
afterAll(() => remove(scratch));

/** The lines of all shell code blocks, without comments. */
const commandsIn = (readme: string) =>
  [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, text]) =>
    text!.split('\n').map((line) => line.replace(/\s+#.*$/, '')),
  );

/** The code that the README includes from a marked region. */
const programIn = (readme: string, region: string): string => {
  const [, text] = new RegExp(`<!-- snippet: examples/${region} -->\\n\`\`\`ts\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(
    readme,
  )!;
  return text!;
};

/** The pages a new user reads, in this order. */
const pages = ['README.md', 'docs/guides/hosted.md', 'docs/guides/sandbox.md'];

describe.for(['Node 20', 'Node 24'] as const)('with only the README and two guides, on %s', (program) => {
  let folder: string;
  let readme: string;
  let environment: NodeJS.ProcessEnv;
  let sandbox: string;
  const running: ChildProcess[] = [];

  /** Runs a line from the pages in a new shell. */
  const start = (line: string, more: NodeJS.ProcessEnv = {}) => {
    const shell = { cwd: folder, env: { ...environment, ...more }, detached: true };
    return spawn('sh', ['-c', line], shell);
  };
  const done = async (line: string, more: NodeJS.ProcessEnv = {}) => {
    const child = start(line, more);
    const [out, err]: [string[], string[]] = [[], []];
    child.stdout.on('data', (chunk) => out.push(String(chunk)));
    child.stderr.on('data', (chunk) => err.push(String(chunk)));
    const [code] = await once(child, 'close');
    expect(code, err.join('')).toBe(0);
    return out.join('');
  };
  const served = async (line: string, sign: RegExp) => {
    const child = start(line);
    running.push(child);
    for await (const text of createInterface(child.stdout)) {
      const found = sign.exec(text);
      if (!found) continue;
      child.stdout.resume();
      return found[1]!;
    }
    throw new Error(`${line} ended.`);
  };
  /** The first line on the pages that starts with this text. */
  const line = (beginning: string) => {
    const [found] = commandsIn(readme).filter((each) => each.startsWith(beginning));
    expect(found, `a line that begins with ${beginning}`).toBeDefined();
    return found!;
  };
  const runs = async (text: string, more: NodeJS.ProcessEnv) => {
    const { outputText } = ts.transpileModule(text, {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 },
    });
    await writeFile(join(folder, 'program.mjs'), outputText);
    return done('node program.mjs', more);
  };

  beforeAll(async () => {
    const node = await installProgram(program, scratch);
    if ('missing' in node) throw new Error(node.missing);
    folder = join(scratch, `empty-${program.slice(-2)}`);
    await mkdir(folder);
    readme = (await Promise.all(pages.map((page) => readFile(page, 'utf8')))).join('\n');
    const { PATH = '', HOME = '' } = process.env;
    environment = { PATH: dirname(node.path) + delimiter + PATH, HOME, npm_config_prefer_offline: 'true' };
  });
  afterAll(() => {
    for (const { pid } of running) if (pid !== undefined) process.kill(-pid, 'SIGTERM');
  });

  test('the packages are installed', async () => {
    expect(await done('node --version')).toMatch(`v${program.slice(-2)}.`);
    for (const name of ['agent-connectors', 'agent-connectors-service']) {
      expect(await done(line(`npm install ${name}`).replace(name, tarballs[name]!))).toMatch(/added \d+ package/);
    }
    const name = 'agent-connectors-sandbox';
    await done(line(`npm install --save-dev ${name}`).replace(name, tarballs[name]!));
  });

  test('the sandbox starts, and can be called', async () => {
    const command = line('npx agent-connectors-sandbox').replace('4010', '0');
    sandbox = await served(command, /(http:\/\/127\.0\.0\.1:\d+)/);
    const [imports, , ...rest] = programIn(readme, 'first-call.ts#first-call').split('\n\n');
    const text = [imports, programIn(readme, 'sandbox-port.ts#port'), ...rest].join('\n');
    const said = await runs(text, { SANDBOX_LINEAR: `${sandbox}/linear` });
    expect(said.trim().split('\n')).toHaveLength(6);
    expect(said).toMatch(/^next page: /m);
  });

  test('the command line makes the same call', async () => {
    const AGENT_CONNECTORS_ENDPOINTS = JSON.stringify({ linear: `${sandbox}/linear` });
    const LINEAR_API_KEY = 'lin_api_sandbox_full_access';
    const said = await done(line('npx agent-connectors connectors execute'), {
      AGENT_CONNECTORS_ENDPOINTS,
      LINEAR_API_KEY,
    });
    expect(JSON.parse(said).data).toHaveLength(5);
  });

  test('the service stores a connector and runs its actions', async () => {
    const endpoints = `--endpoints '${JSON.stringify({ linear: `${sandbox}/linear` })}'`;
    const file = await served(
      `${line('npx agent-connectors-service --dev')} --port 0 --json ${endpoints}`,
      /"client_file":"([^"]+)"/,
    );
    const { base_url, client_id, client_secret } = JSON.parse(await readFile(file, 'utf8'));
    const given = {
      AGENT_CONNECTORS_BASE_URL: base_url,
      AGENT_CONNECTORS_CLIENT_ID: client_id,
      AGENT_CONNECTORS_CLIENT_SECRET: client_secret,
      LINEAR_API_KEY: 'lin_api_sandbox_full_access',
    };
    for (const variable of Object.keys(given)) expect(readme).toContain(`\`${variable}\``);
    expect(await runs(programIn(readme, 'hosted.ts#client'), given)).toBe('succeeded\n');
    const imports = "import { LinearConnector } from 'agent-connectors/linear';\n";
    const titles = await runs(imports + programIn(readme, 'hosted.ts#hosted'), given);
    expect(titles.split('\n').length).toBeGreaterThan(4);
  });
});
