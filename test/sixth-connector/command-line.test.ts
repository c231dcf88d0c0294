import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { loadConnectors } from 'agent-connectors/node';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { CliEnvironment } from '../../src/cli/environment.js';
import { run } from '../../src/cli/run.js';
import { runCommand, tempFolder } from '../cli/session.js';
import { clientOf } from '../mcp/setup.js';
import { runToEnd } from '../service/cli/terminal.js';
import { startTestService } from '../service/http/setup.js';
import { LarderConnector } from './connectors/larder/index.js';
import { key, larder, watched } from './vendor.js';

const module = fileURLToPath(new URL('connectors/index.ts', import.meta.url));
const credentials = { api_key: key };

describe('the command line with --connectors', () => {
  const env = { LARDER_API_KEY: key };

  test('diagnoses it with doctor, with the parameters, identity and quota that it declares', async () => {
    const { fetch, requests } = watched();
    const argv = ['--connectors', module, 'doctor', '--local'];
    const { exit, json, err } = await runCommand(argv, { env, fetch, home: tempFolder() });
    expect([exit, err]).toEqual([0, '']);
    expect(json.connectors).toMatchObject([
      {
        connector: 'larder',
        ok: true,
        identity: { seen_in: 'jars', label: 'Jam of 2019' },
        quota: [{ name: 'jars', remaining: 1, limit: null }],
        entities: [{ entity: 'jars', action: 'list', status: 'ok' }],
      },
    ]);
    expect(requests).toEqual(['/v1/jars?size=1']);
    const named = await runCommand([...argv, '{"name":"pantry","jar_id":"jar_2"}'], { env, fetch, home: tempFolder() });
    expect(named.exit).toBe(0);
    expect((await runCommand(['doctor', '--local', '{"jar_id":"jar_2"}'], { env })).error.message).toContain('jar_id');
  });

  test('serves it with mcp', async () => {
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const surroundings = { stdin, stdout, stderr, env, fetch: larder().fetch, signal: stop.signal };
    const more = { platform: 'linux', home: '/nowhere', browse: () => false };
    const exit = run(['--connectors', module, 'mcp', '--local', '--connectors', 'larder'], {
      ...surroundings,
      ...more,
    } as unknown as CliEnvironment);
    const client = clientOf('modern');
    await client.connect(new StdioServerTransport(stdout, stdin));
    const listed = await client.callTool({
      name: 'execute',
      arguments: { connector: 'larder', entity: 'jars', action: 'list' },
    });
    expect(JSON.stringify(listed.content)).toContain('7 records.');
    stop.abort();
    expect(await exit).toBe(0);
  });

  test('mcp with a service names the connectors that it skips', async () => {
    const { service, tenant } = await startTestService({ connectors: [LarderConnector], fetch: larder().fetch });
    const { connect, clientId, clientSecret } = await tenant();
    await connect('larder', credentials, { name: 'Cellar', replication_config: { shelf_ids: ['1'] } });
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    // A hostile service can give a type any name.
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const response = await service.fetch(new Request(input, init));
      const text = await response.text();
      return new Response(text.replaceAll('"larder"', '"larder\\u001b[2J"'), response);
    };
    const exit = run(['mcp', '--workspace', 'main'], {
      stdin,
      stdout,
      stderr,
      fetch,
      signal: new AbortController().signal,
      platform: 'linux',
      home: '/nowhere',
      browse: () => false,
      env: {
        AGENT_CONNECTORS_BASE_URL: 'http://service.internal',
        AGENT_CONNECTORS_CLIENT_ID: clientId,
        AGENT_CONNECTORS_CLIENT_SECRET: clientSecret,
      },
    } as unknown as CliEnvironment);
    let printed = '';
    stderr.on('data', (text) => {
      printed += text;
    });
    await expect.poll(() => printed).toMatch(/Skipped 'Cellar': its type larder.+ is not loaded/);
    expect(printed).not.toContain('\u001b');
    stdin.end();
    expect(await exit).toBe(0);
  });

  test('never sends the key of a built-in type to a similarly named type', async () => {
    const { fetch, requests } = watched();
    const path = fileURLToPath(new URL('connectors/impostor.ts', import.meta.url));
    const found = await runCommand(['--connectors', path, 'doctor', '--local'], {
      env: { LINEAR_API_KEY: 'lin_api_built_in' },
      fetch,
      home: tempFolder(),
    });
    expect(found.error.message).toContain("'linear' and 'Linear' share 'linear'");
    expect(requests).toEqual([]);
  });

  test('runs actions of an unknown type and shapes the result as requested', async () => {
    const { service, tenant } = await startTestService({ connectors: [LarderConnector], fetch: larder().fetch });
    const { connect, clientId, clientSecret } = await tenant();
    const id = await connect('larder', credentials, { replication_config: { shelf_ids: ['1'] } });
    const fetch: typeof globalThis.fetch = (input, init) => service.fetch(new Request(input, init));
    const env = {
      AGENT_CONNECTORS_BASE_URL: 'http://service.internal',
      AGENT_CONNECTORS_CLIENT_ID: clientId,
      AGENT_CONNECTORS_CLIENT_SECRET: clientSecret,
    };
    const execute = (argument: object) =>
      runCommand(['connectors', 'execute', JSON.stringify({ id, entity: 'jars', ...argument })], { env, fetch });
    // More paths than a request can contain.
    const exclude_fields = ['label', ...Array.from({ length: 501 }, (_, index) => `field_${index}`)];
    const { json } = await execute({ action: 'get', params: { id: 'jar_1' }, exclude_fields });
    expect(json.data).toMatchObject({ id: 'jar_1' });
    expect(json.data).not.toHaveProperty('label');
    const { error } = await execute({ action: 'create', params: { label: 'x' }, idempotency_key: 'ключ' });
    expect([error.code, error.message]).toEqual([
      'invalid_params',
      'idempotency_key must be 1 to 128 printable ASCII characters.',
    ]);
  });

  test("rejects a registry whose name differs from the manifest's", async () => {
    const argv = [
      '--connectors',
      fileURLToPath(new URL('connectors/misnamed.ts', import.meta.url)),
      'doctor',
      '--local',
    ];
    expect((await runCommand(argv, { env: { LARDER_API_KEY: key } })).error.message).toBe(
      "The class for 'cellar' in connectors is named 'larder': use the same name.",
    );
  });

  test('reports what is wrong with a module', async () => {
    const tried = async (name: string) => (await runCommand(['--connectors', name, 'doctor', '--local'])).error;
    const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));
    expect(await tried('./not-there.js')).toMatchObject({
      message: expect.stringMatching(/^Module '.\/not-there.js' could not be resolved from /),
      hint: expect.stringContaining('installed package'),
    });
    expect((await tried('no-such-package')).message).toContain("Module 'no-such-package' could not be resolved");
    expect(await tried(here('connectors/larder/faults.ts'))).toMatchObject({
      message: expect.stringContaining('exports no connector'),
      hint: expect.stringContaining('registry called connectors'),
    });
    expect((await runCommand(['doctor', '--connectors'])).error.message).toContain('--connectors needs a path');
  });

  test('is also accepted by the service', async () => {
    const { code, error } = await runToEnd(['--connectors', './not-there.js', 'list-clients']);
    expect([code, error]).toEqual([1, expect.stringContaining("Module './not-there.js' could not be resolved")]);
  });
});

test('can export classes from a module instead of a registry', async () => {
  const path = fileURLToPath(new URL('connectors/larder/index.ts', import.meta.url));
  const registry = await loadConnectors([path]);
  expect(Object.keys(registry)).toEqual(['larder']);
  expect((await registry.larder!()).manifest.title).toBe('Larder');
});
