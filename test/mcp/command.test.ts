import { PassThrough } from 'node:stream';
import type { Client, ClientOptions } from '@modelcontextprotocol/client';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { createSandbox } from 'agent-connectors-sandbox';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { CliEnvironment } from '../../src/cli/environment.js';
import { runMcp } from '../../src/cli/mcp/command.js';
import { linearKey, startTestService } from '../cli/session.js';
import { clientOf, type Era, eras, listChanges, textOf } from './setup.js';

const noNetwork: typeof globalThis.fetch = async () => {
  throw new TypeError('nothing may be fetched here');
};

/** The command in this process, and its output. */
function started(argv: readonly string[], env: Record<string, string> = {}, fetch = noNetwork) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const written: Record<'out' | 'err', string> = { out: '', err: '' };
  stdout.on('data', (chunk) => {
    written.out += chunk;
  });
  stderr.on('data', (chunk) => {
    written.err += chunk;
  });
  const stop = new AbortController();
  const io = { stdin, stdout, stderr, fetch, signal: stop.signal, platform: 'linux' as const, home: '/nowhere' };
  const exit = runMcp(argv, env, { ...io, browse: () => false } as unknown as Omit<CliEnvironment, 'env'>);
  exit.catch(() => {});
  onTestFinished(() => stop.abort());
  return {
    exit,
    written,
    stop,
    stdin,
    connect: async (era: Era = 'modern', options: ClientOptions = {}): Promise<Client> => {
      const client = clientOf(era, options);
      await client.connect(new StdioServerTransport(stdout, stdin));
      return client;
    },
  };
}

const call = async (client: Client, args: Record<string, unknown>, name = 'execute') =>
  client.callTool({ name, arguments: args });
const createIssue = { entity: 'issues', action: 'create', params: { teamId: 'x', title: 'x' } };

describe('without a service', () => {
  const { fetch, vendors } = createSandbox({ seed: 7 });
  const env = { LINEAR_API_KEY: linearKey, GRANOLA_API_KEY: vendors.granola.credentials.api_key.api_key };

  test.each(eras)('serves the connectors with credentials in the environment, in the %s era', async (era) => {
    const { connect, exit, written, stdin } = started(['--local', '--log'], env, fetch);
    const client = await connect(era);
    const [inspect] = (await client.listTools()).tools;
    expect((inspect!.inputSchema.properties as any).connector.enum).toEqual(['granola', 'linear']);
    const listed = await call(client, { connector: 'granola', entity: 'notes', action: 'list' });
    expect(textOf(listed)).toMatch(/^\d+ records\./);
    expect(textOf(await call(client, { connector: 'linear', ...createIssue }))).toContain('denied_by_policy');
    stdin.end();
    expect(await exit).toBe(0);
    for (const line of written.out.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
    const logged = written.err
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(logged).toMatchObject([
      { event: 'call', connector: 'granola', entity: 'notes', action: 'list', outcome: 'done' },
      { event: 'call', connector: 'linear', outcome: 'failed', code: 'denied_by_policy' },
    ]);
    for (const secret of Object.values(env)) expect(written.out + written.err).not.toContain(secret);
  });

  test('reports the property from the environment and requests its reports', async () => {
    const { credentials, properties } = vendors['google-analytics'];
    const { client_id, client_secret, refresh_token } = credentials.oauth;
    const google = { GOOGLE_CLIENT_ID: client_id, GOOGLE_CLIENT_SECRET: client_secret };
    const { connect } = started(
      ['--local', '--connectors', 'google-analytics'],
      { ...google, GOOGLE_REFRESH_TOKEN: refresh_token, GOOGLE_ANALYTICS_PROPERTY_ID: properties.website },
      fetch,
    );
    const client = await connect();
    const report = await call(client, { entity: 'website_overview', action: 'list', params: { limit: 1 } });
    expect(textOf(report)).toContain(`property_id is ${properties.website}, the only configured value.`);
  });

  test("runs the agent's code with --code", async () => {
    const plain = await started(['--local'], env, fetch).connect();
    expect((await plain.listTools()).tools.map(({ name }) => name)).not.toContain('run_code');
    expect((await plain.listTools()).tools.map(({ name }) => name)).not.toContain('search');
    const client = await started(['--local', '--code', '--structured'], env, fetch).connect();
    const code = 'return (await linear.teams.list()).data.length > 0';
    const result = await client.callTool({ name: 'run_code', arguments: { code } });
    expect(result.structuredContent).toMatchObject({ data: true });
  });

  test('serves only the given connectors, and writes if allowed', async () => {
    const { connect } = started(['--local', '--connectors', 'Linear', '--allow-writes', '--structured'], env, fetch);
    const client = await connect();
    const { tools } = await client.listTools();
    expect(tools.map(({ annotations }) => annotations?.readOnlyHint)).toEqual([true, true, true, false]);
    expect(JSON.stringify(tools)).not.toContain('granola');
    const teams = await call(client, { entity: 'teams', action: 'list', params: { first: 1 } });
    const teamId = (teams.structuredContent as any).data[0].id;
    const made = await call(client, { ...createIssue, params: { teamId, title: 'By MCP' } }, 'execute_write');
    expect(textOf(made)).toContain('"title":"By MCP"');
  });

  test('stops cleanly on request', async () => {
    const { connect, exit, stop, written } = started(['--local'], env, fetch);
    await (await connect()).listTools();
    stop.abort();
    expect(await exit).toBe(0);
    expect(written.err).toBe('');
  });

  test.each([
    ['no credentials', ['--local'], {}, 'no connector credentials'],
    ['credentials for another connector', ['--local', '--connectors=gong'], env, 'no credentials for Gong'],
    ['a connector that does not exist', ['--local', '--connectors=linaer'], env, "Did you mean 'linear'"],
  ] as Array<[string, string[], Record<string, string>, string]>)(
    'does not start with %s',
    async (_, argv, given, message) => {
      const { exit, written } = started(argv, given, fetch);
      await expect(exit).rejects.toThrow(message);
      expect(written.out).toBe('');
    },
  );
});

describe('with a service', async () => {
  const { sandbox, fetch, env, service, organizations, requests } = await startTestService();

  let token = '';
  const send = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${env.AGENT_CONNECTORS_BASE_URL}/api/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    return text === '' ? undefined : JSON.parse(text);
  };
  const executions = () => requests.filter(({ path }) => path.endsWith('/execute'));
  const create = (name: string, connector_type: string, credentials: object) =>
    send('POST', 'integrations/connectors', { workspace_name: 'default', name, connector_type, credentials });

  beforeAll(async () => {
    const { AGENT_CONNECTORS_CLIENT_ID: client_id, AGENT_CONNECTORS_CLIENT_SECRET: client_secret } = env;
    token = (await send('POST', 'account/applications/token', { client_id, client_secret })).access_token;
    await create('Our issues', 'linear', sandbox.vendors.linear.credentials.api_key);
    await create('Notes', 'granola', sandbox.vendors.granola.credentials.api_key);
    expect(service.state).toBeDefined();
    expect(organizations).toHaveLength(1);
  });

  test("serves the workspace's connectors by name", async () => {
    const { connect } = started(['--structured'], env, fetch);
    const client = await connect();
    const inspected = await client.callTool({ name: 'inspect_connector', arguments: {} });
    const { connectors } = inspected.structuredContent as { connectors: Array<Record<string, any>> };
    expect(connectors.map(({ name, mode }) => [name, mode])).toEqual([
      ['notes', 'hosted'],
      ['our-issues', 'hosted'],
    ]);
    const { uri } = (await client.listResources()).resources.find(
      ({ name }) => name === 'our-issues/actions.issues.list',
    )!;
    expect((await client.readResource({ uri })).contents).toHaveLength(1);
    const listed = await call(client, { connector: 'our-issues', entity: 'teams', action: 'list' });
    expect(textOf(listed)).toMatch(/^\d+ records\./);
    const before = executions().length;
    expect(textOf(await call(client, { connector: 'our-issues', ...createIssue }))).toContain('denied_by_policy');
    expect(executions()).toHaveLength(before);
  });

  test("offers the service's search, which uses the tools' connector names", async () => {
    const client = await started([], env, fetch).connect();
    const search = { prompt: 'bank import', connectors: ['our-issues'] };
    const found = textOf(await client.callTool({ name: 'search', arguments: search }));
    expect(found).toMatch(/^0 hits\./);
    expect(found).toContain('Not searched: our-issues/issues:');
    expect(found).not.toContain('notes');
    const unknown = await client.callTool({ name: 'search', arguments: { ...search, connectors: ['our-isues'] } });
    expect(unknown.isError).toBe(true);
    expect(textOf(unknown)).toContain("Did you mean 'our-issues'?");
    const one = await started(['--connectors', 'notes'], env, fetch).connect();
    const narrow = await one.callTool({ name: 'search', arguments: { prompt: 'bank import' } });
    expect(textOf(narrow)).toContain('Not searched: notes/notes:');
    expect(textOf(narrow)).not.toContain('our-issues');
  });

  test('writes with its own key if allowed', async () => {
    const { connect } = started(['--allow-writes', '--connectors', 'linear', '--structured'], env, fetch);
    const client = await connect();
    const teams = await call(client, { entity: 'teams', action: 'list', params: { first: 1 } });
    const teamId = (teams.structuredContent as any).data[0].id;
    const made = await call(client, { ...createIssue, params: { teamId, title: 'By MCP' } }, 'execute_write');
    expect(textOf(made)).toContain('"title":"By MCP"');
    expect(executions().at(-1)!.headers.get('idempotency-key')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test.each(eras)('notices added and removed connectors while running, and notifies a %s-era client', async (era) => {
    const { connect } = started([], env, fetch);
    const { heard, options } = listChanges();
    const client = await connect(era, options);
    const name = `More of ${era}`;
    const { id } = await create(name, 'granola', sandbox.vendors.granola.credentials.api_key);
    const use = (connector: string) => call(client, { connector, entity: 'notes', action: 'list' });
    await use('notes');
    await expect.poll(() => JSON.stringify(heard.tools.at(-1))).toContain(`more-of-${era}`);
    expect((await use(`more-of-${era}`)).isError).not.toBe(true);
    await send('DELETE', `integrations/connectors/${id}`);
    expect((await use(`more-of-${era}`)).isError).toBe(true);
    await expect.poll(() => JSON.stringify(heard.tools.at(-1))).not.toContain(`more-of-${era}`);
    // A client that does not support notifications finds the changes in the list.
    await create(name, 'granola', sandbox.vendors.granola.credentials.api_key).then(({ id: again }) => {
      onTestFinished(() => send('DELETE', `integrations/connectors/${again}`));
    });
    const { tools } = await client.request({ method: 'tools/list', params: {} });
    expect(JSON.stringify(tools)).toContain(`more-of-${era}`);
  });

  test.each([
    ['an unknown connector', ['--connectors', 'calls'], 'has no such connector'],
    ['an unknown workspace', ['--workspace', 'nowhere'], 'nowhere'],
  ])('does not start with %s', async (_, argv, message) => {
    await expect(started(argv, env, fetch).exit).rejects.toThrow(message);
  });

  test('does not start without a login', async () => {
    await expect(started([]).exit).rejects.toThrow('not logged in');
  });
});

describe('the command line', () => {
  test('has help', async () => {
    const { exit, written } = started(['--help']);
    expect(await exit).toBe(0);
    for (const flag of ['--local', '--connectors', '--workspace', '--allow-writes', '--max-output-tokens', '--log']) {
      expect(written.out).toContain(flag);
    }
  });

  test.each([
    [['--alow-writes'], 'Did you mean --allow-writes'],
    [['--connector', 'linear'], 'Did you mean --connectors'],
    [['--max-output-token', '20000'], 'Did you mean --max-output-tokens'],
    [['--api-key=CANARY'], 'Secrets are not accepted as arguments'],
    [['--workspace=a', '--workspace=b'], 'passed twice'],
    [['--local', '--workspace', 'x'], 'requires a service'],
    [['--connectors'], '--connectors needs a value'],
    [['--local=yes'], '--local takes no value'],
    [['--max-output-tokens', '12'], 'from 1000'],
    [['lin_api_CANARY'], 'only flags'],
    [['--lin_api_CANARY=x'], 'Unknown flag'],
    [['--max-output-tokens=lin_api_CANARY'], 'from 1000'],
  ])('rejects %j without quoting a value', async (argv, message) => {
    const error = await started(argv).exit.catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ code: 'invalid_params', message: expect.stringContaining(message) });
    expect(JSON.stringify(error)).not.toContain('CANARY');
  });
});
