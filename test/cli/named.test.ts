import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { keyboard, linearKey, runCommand, startTestService, tempFolder } from './session.js';

const { env, fetch } = await startTestService();
const run = (...argv: string[]) => runCommand(argv, { env, fetch });
const onTerminal = (...argv: string[]) => runCommand(argv, { env, fetch, terminal: true });
const create = async (name: string, workspace = 'default'): Promise<string> => {
  await run('workspaces', 'create', workspace);
  const connector = { workspace, name, connector_type: 'linear', credentials: { api_key: linearKey } };
  const { json } = await runCommand(['connectors', 'create', '-'], { env, fetch, input: JSON.stringify(connector) });
  return json.id;
};
const id = await create('Our issues');

describe('a name works wherever an id does', () => {
  test.each([
    ['connectors', 'inspect'],
    ['connectors', 'describe'],
    ['connectors', 'check'],
    ['connectors', 'jobs'],
    ['skills', 'docs'],
    ['doctor'],
    ['audit', 'list'],
    ['logs'],
    ['approvals', 'list'],
  ])('for %s %s: as text, as name, and as id', async (...words) => {
    const command = words.filter((word) => typeof word === 'string');
    for (const argument of ['Our issues', id, '{"name":"Our issues"}', `{"name":"${id}"}`]) {
      const { exit, err } = await run(...command, argument);
      expect([exit, err]).toEqual([0, '']);
    }
    const key = ['audit', 'logs', 'approvals'].includes(command[0]!) ? 'connector_id' : 'id';
    for (const value of ['Our issues', id])
      expect((await run(...command, JSON.stringify({ [key]: value }))).exit).toBe(0);
  });

  test('for searches, connect sessions, policies, clients, workspaces and organizations', async () => {
    const search = await run('workspaces', 'search', '{"prompt":"late","connector_ids":["Our issues"]}');
    expect(search.exit, search.err).toBe(0);
    const unknown = await run('workspaces', 'search', '{"prompt":"late","connector_ids":["Our isues"]}');
    expect([unknown.exit, unknown.error.message]).toEqual([3, expect.stringContaining("Did you mean 'Our issues'?")]);
    const policy = await run('policies', 'set', '{"connector_id":"Our issues","read_only":true}');
    expect(JSON.stringify(policy.json), policy.err).toContain(id);
    await run('policies', 'delete', '{"connector_id":"Our issues"}');
    const origins = ['https://app.example.com'];
    expect((await run('connect', 'origins', JSON.stringify({ client_id: 'tests', origins }))).exit).toBe(0);
    expect((await run('connect', 'key', '{"client_id":"nobody"}')).error.code).toBe('not_found');
    expect((await run('workspaces', 'create', 'sales')).json.name).toBe('sales');
    expect((await run('workspaces', 'delete', 'sales', '--dry-run')).json.dry_run).toBe(true);
  });

  test('of another workspace only by id, and an unknown one is not repeated, since it may be a secret', async () => {
    const other = await create('Elsewhere', 'other');
    expect((await run('connectors', 'inspect', other)).json.connector_id).toBe(other);
    expect((await run('connectors', 'inspect', 'Elsewhere')).exit).toBe(3);
    const { exit, err } = await run('connectors', 'inspect', 'lin_api_CANARY');
    expect(exit).toBe(3);
    expect(err).not.toContain('CANARY');
  });

  test('and a name that is not unique is refused with the ids it may mean', async () => {
    const ids = [await create('Twins', 'twins'), await create('twins', 'twins')];
    const { exit, err } = await onTerminal('connectors', 'jobs', '{"name":"Twins","workspace":"twins"}');
    expect(exit).toBe(4);
    for (const each of ids) expect(err).toContain(each);
  });

  test('a name shows a table on a terminal, as no argument does', async () => {
    expect((await onTerminal('connectors', 'inspect', 'Our issues')).json).toBeUndefined();
    expect((await onTerminal('connectors', 'inspect', '{"name":"Our issues"}')).json).toMatchObject({
      connector_id: id,
    });
    expect((await onTerminal('connectors', 'inspect', 'Our issues', '--json')).json).toMatchObject({
      connector_id: id,
    });
  });
});

describe('workspaces search on a terminal', () => {
  test('shows the gaps in three lines at most', async () => {
    for (let index = 0; index < 4; index++) await create(`Team ${index}`);
    const { exit, out } = await onTerminal('workspaces', 'search', 'late deliveries');
    const lines = out.trimEnd().split('\n');
    expect([exit, lines[0]]).toEqual([0, 'No results.']);
    expect(lines.filter((line) => line.includes('!')).length).toBe(3);
    expect(lines.at(-1)).toContain('more connectors');
    expect(lines.filter((line) => line.length > 110)).toEqual([]);
  });

  test('shows what matched, with its record, connector and page', async () => {
    const connector = { id, name: 'Our issues', type: 'linear' };
    const hit = {
      connector,
      entity_name: 'comments',
      field: 'body',
      title: 'Two-factor reset',
      url: 'https://linear.app/a/issue/SUP-1',
      date: new Date(Date.now() - 300_000).toISOString(),
      person: 'Ada',
      people: [],
      snippet: 'The **reset** link \u001b[2Jis late',
      duplicates: 0,
      entity: { id: '1' },
      metadata: { score: 1, context: '' },
    };
    const meta = { has_more: false, cursor: null, took_ms: 1, rankers: [], skipped: [], missing: [] };
    const answering: typeof globalThis.fetch = async (input, init) => {
      const request = new Request(input, init);
      return request.url.endsWith('/search')
        ? Response.json({ data: [hit, { ...hit, url: `${hit.url}#comment-2`, entity: { id: '2' } }], meta })
        : fetch(request);
    };
    const { out } = await runCommand(['workspaces', 'search', 'reset'], { env, fetch: answering, terminal: true });
    expect(out).toContain('Two-factor reset');
    expect(out).toContain(']8;;https://linear.app/a/issue/SUP-1');
    expect(out).toContain('comments · Our issues · Ada · 5 min ago');
    expect(out).toMatch(/The .*reset.* link/);
    expect(out.split('Two-factor reset')).toHaveLength(2);
    expect(out).not.toContain('**');
    expect(out).not.toContain('\u001b[2J');
  });
});

describe('Ctrl-C on a terminal', () => {
  test('ends a running command without an error', async () => {
    const stop = new AbortController();
    const waiting: typeof globalThis.fetch = async (input, init) => {
      const request = new Request(input, init);
      if (request.url.endsWith('/token')) return fetch(request);
      stop.abort();
      return new Promise((_, reject) => reject(stop.signal.reason));
    };
    const options = { env, fetch: waiting, signal: stop.signal };
    const { exit, err } = await runCommand(['connectors', 'list'], { ...options, terminal: true });
    expect([exit, err]).toEqual([130, '\n']);
  });

  test('ends a question without an error', async () => {
    const stdin = keyboard('\u0003');
    const { exit, err } = await runCommand(['connectors', 'delete', 'Our issues'], {
      env,
      fetch,
      stdin,
      terminal: true,
    });
    expect(exit).toBe(130);
    expect(err).toMatch(/Type yes to continue: \n$/);
  });
});

describe('init without a connector type', () => {
  test('asks on a terminal', async () => {
    const file = join(tempFolder(), 'first.mjs');
    const argument = JSON.stringify({ file });
    const { exit, err } = await runCommand(['init', argument], { stdin: keyboard('gong\r'), terminal: true });
    expect(exit, err).toBe(0);
    expect(err).toContain('gong, google-analytics');
    expect(readFileSync(file, 'utf8')).toContain('GongConnector');
  });

  test('lists the types elsewhere, and takes one without JSON', async () => {
    const { exit, error } = await runCommand(['init']);
    expect([exit, error.hint]).toEqual([4, expect.stringContaining('granola')]);
    expect((await runCommand(['init', 'lineer'])).error.message).toContain('linear');
  });
});
