import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type SandboxServer, serve } from 'agent-connectors-sandbox/server';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { binary, runToEnd, start, tempFolder } from './binary.js';

const canary = 'lin_api_CANARY0123456789';
let sandbox: SandboxServer;
let env: Record<string, string>;

beforeAll(async () => {
  sandbox = await serve();
  const endpoints = { linear: `${sandbox.url}/linear` };
  env = { LINEAR_API_KEY: 'lin_api_sandbox_full_access', AGENT_CONNECTORS_ENDPOINTS: JSON.stringify(endpoints) };
});

afterAll(() => sandbox.close());

const home = async () => {
  const { path, done } = await tempFolder();
  onTestFinished(done);
  return path;
};

const list = { name: 'linear', entity: 'issues', action: 'list', params: { first: 2 } };
const execute = ['connectors', 'execute', '--local'];

describe('the installed command', () => {
  test('accepts its argument directly, after --json, from a file and from a pipe', async () => {
    const path = join(await home(), 'list.json');
    writeFileSync(path, JSON.stringify(list));
    const forms = await Promise.all([
      runToEnd([...execute, JSON.stringify(list)], env),
      runToEnd([...execute, '--json', JSON.stringify(list)], env),
      runToEnd([...execute, `@${path}`], env),
      runToEnd([...execute, '--json', `@${path}`], env),
      runToEnd([...execute, '-'], env, JSON.stringify(list)),
      runToEnd([...execute, '--json', '-'], env, JSON.stringify(list)),
    ]);
    for (const { code, out, err } of forms) {
      expect([code, err]).toEqual([0, '']);
      expect(JSON.parse(out)).toEqual(JSON.parse(forms[0]!.out));
    }
  });

  test.each([
    [
      1,
      'error',
      ['connectors', 'list'],
      {
        AGENT_CONNECTORS_BASE_URL: 'http://127.0.0.1:9',
        AGENT_CONNECTORS_CLIENT_ID: 'a',
        AGENT_CONNECTORS_CLIENT_SECRET: canary,
      },
    ],
    [2, 'unauthorized', ['whoami'], {}],
    [2, 'unauthorized', [...execute, JSON.stringify(list)], { LINEAR_API_KEY: canary }],
    [3, 'not_found', [...execute, JSON.stringify({ ...list, action: 'get', params: { id: 'NOPE-1' } })], {}],
    [4, 'validation_error', [...execute, '{"name":"linear"}'], {}],
    [4, 'validation_error', ['connectors', 'create', JSON.stringify({ credentials: { api_key: canary } })], {}],
    [4, 'validation_error', ['login', `--client-secret=${canary}`], {}],
    [4, 'unknown_command', ['conectors'], {}],
  ] as Array<[number, string, string[], Record<string, string>]>)(
    'exits with %i and one JSON object on standard error: %s of %j',
    async (exit, type, argv, more) => {
      const { code, out, err } = await runToEnd(argv, { ...env, ...more });
      expect([code, out]).toEqual([exit, '']);
      expect(err.trimEnd().split('\n')).toHaveLength(1);
      const error = JSON.parse(err);
      expect(error).toMatchObject({
        type,
        code: expect.any(String),
        message: expect.any(String),
        retryable: expect.any(Boolean),
      });
      expect(error).toHaveProperty('hint');
      expect(err).not.toContain('CANARY');
    },
  );

  test('exits quietly when its output is closed', async () => {
    const { child, exited } = start([...execute, JSON.stringify({ ...list, params: { first: 50 } }), '--all'], env);
    child.stdout!.once('data', () => child.stdout!.destroy());
    const { code, signal, err } = await exited;
    expect([code, signal, err]).toEqual([0, null, '']);
    const piped = spawnSync('sh', ['-c', `"$0" "$1" --help | head -n 1`, process.execPath, binary], {
      encoding: 'utf8',
    });
    expect([piped.stderr, piped.stdout.includes('Usage')]).toEqual(['', true]);
  });

  test('loads only what it needs at startup', () => {
    // The CPU time of the process: wall-clock time depends on what else is running.
    const probe = `data:text/javascript,process.on('exit',()=>{const{user,system}=process.cpuUsage();process.stderr.write('cpu='+(user+system))})`;
    const time = (...argv: string[]) => {
      const { status, stderr } = spawnSync(process.execPath, ['--import', probe, ...argv], { encoding: 'utf8' });
      expect(status).toBe(0);
      return Number(/cpu=(\d+)$/.exec(stderr)![1]) / 1_000;
    };
    const rounds = Array.from(
      { length: 15 },
      () => [time('-e', '0'), time(binary, '--version'), time(binary, '--help')] as const,
    );
    // The fastest run of each: load from other processes only ever slows a run down.
    const least = (index: 0 | 1 | 2) => Math.min(...rounds.map((round) => round[index]));
    const [bare, version, help] = [least(0), least(1), least(2)];
    const text = [version, help].map((ms) => `${(ms / bare).toFixed(2)} ×`).join(', ');
    console.log(`measured: start of the command line: ${text} bare Node (${bare.toFixed(0)} ms)`);
    // On an idle machine the ratios are 1.4 and 2; a busy machine must not fail this test, but loading all connectors
    // at startup must.
    expect(version / bare).toBeLessThanOrEqual(4);
    expect(help / bare).toBeLessThanOrEqual(4);
  });

  test('prints completions that the shell accepts', async () => {
    const { out } = await runToEnd(['completion', 'bash']);
    const script = `${out}\nCOMP_WORDS=(agent-connectors connectors e); COMP_CWORD=2; _agent_connectors; echo "\${COMPREPLY[*]}"`;
    expect(spawnSync('bash', ['-c', script], { encoding: 'utf8' })).toMatchObject({ stdout: 'execute\n', stderr: '' });
    for (const shell of ['zsh', 'fish']) expect((await runToEnd(['completion', shell])).out).toContain('connectors');
  });

  test('stores nothing from a failed login, and reveals nothing about it to other programs', async () => {
    const path = await home();
    const { child, exited } = start(
      ['login', '-'],
      { HOME: path },
      JSON.stringify({ base_url: 'http://127.0.0.1:9', client_id: 'a', client_secret: canary }),
    );
    const seen = process.platform === 'linux' ? readFileSync(`/proc/${child.pid}/cmdline`, 'utf8') : '';
    const { code, out, err } = await exited;
    expect(code).toBe(1);
    expect(seen + out + err).not.toContain('CANARY');
    expect(readdirSync(path, { recursive: true })).toEqual([]);
  });
});

describe('a download interrupted', () => {
  let server: Server;
  let drive: Record<string, string>;
  let flowing: () => void;

  beforeAll(async () => {
    // Sends a little of a large file, then stalls.
    server = createServer(({ url = '' }, response) => {
      if (!url.includes('alt=media')) {
        response.writeHead(200, { 'content-type': 'application/json' });
        return response.end(JSON.stringify({ id: 'x', name: 'report.pdf' }));
      }
      response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': '1000000' });
      response.write(Buffer.alloc(1000));
      flowing();
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    drive = { GOOGLE_ACCESS_TOKEN: 'ya29.x', AGENT_CONNECTORS_ENDPOINTS: JSON.stringify({ 'google-drive': url }) };
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('by %s leaves no file and reports the interruption', async (name) => {
    const path = await home();
    const flows = new Promise<void>((resolve) => {
      flowing = resolve;
    });
    const argument = { name: 'google-drive', entity: 'files', action: 'download', params: { fileId: 'x' } };
    const { child, exited } = start([...execute, JSON.stringify(argument), '--output', `${path}/`], drive);
    await flows;
    for (let tries = 0; readdirSync(path).length === 0 && tries < 1_000; tries++)
      await new Promise((next) => setTimeout(next, 50));
    expect(readdirSync(path)).toHaveLength(1);
    child.kill(name);
    const { code, out, err } = await exited;
    expect([code, out]).toEqual([130, '']);
    expect(JSON.parse(err)).toMatchObject({ type: 'interrupted', code: 'aborted' });
    expect(readdirSync(path)).toEqual([]);
  });
});
