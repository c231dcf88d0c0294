import { describe, expect, test } from 'vitest';
import { linearKey, runCommand, startTestService } from './session.js';

const node = (index: number) => ({
  id: `5233f32d-d765-45f7-bdd6-9e79aed5${4000 + index}`,
  url: `https://linear.app/fernhill/issue/SUP-${index}`,
  createdAt: '2026-05-04T09:30:12.000Z',
  priority: 2,
  description: 'word '.repeat(40),
  assignee: { id: 'u1', name: 'Ada Lovelace', email: 'ada@example.com' },
  title: `Issue ${index}`,
  state: { id: 's1', name: 'Backlog', type: 'backlog' },
});
const issues = Array.from({ length: 120 }, (_, index) => node(index));
const fetch = async () => Response.json({ data: { issues: { nodes: issues, pageInfo: { hasNextPage: false } } } });
const run = (argument: object, ...flags: string[]) =>
  runCommand(
    [
      'connectors',
      'execute',
      '--local',
      '--pretty',
      ...flags,
      JSON.stringify({ name: 'linear', entity: 'issues', action: 'list', ...argument }),
    ],
    { env: { LINEAR_API_KEY: linearKey }, fetch },
  );
const headOf = (out: string) => out.split('\n')[0]!.split(/ {2,}/);

describe('--pretty', () => {
  test('shows title, state, people and dates first, no wider than the terminal, and reports what it hides', async () => {
    const { out } = await run({});
    expect(headOf(out).slice(0, 5)).toEqual(['title', 'state', 'priority', 'assignee', 'createdAt']);
    expect(out.split('\n')[1]).toMatch(/^Issue 0 +Backlog +2 +Ada Lovelace +2026-05-04 09:30Z/);
    expect(out).toMatch(/Not shown: .*url/);
    expect(out.split('\n').filter((line) => line.length > 100)).toEqual([]);
  });

  test('shows the selected paths as columns, in order', async () => {
    const { out } = await run({ select_fields: ['assignee.email', 'state.name', 'title'] });
    expect(headOf(out)).toEqual(['assignee.email', 'state.name', 'title']);
    expect(out.split('\n')[1]).toMatch(/^ada@example\.com +Backlog +Issue 0$/);
    expect(out).not.toContain('Not shown');
  });

  test('shows one table with --all, regardless of the number of records', async () => {
    const { out } = await run({ select_fields: ['title', 'state.name'] }, '--all');
    const lines = out.trimEnd().split('\n');
    expect(lines).toHaveLength(121);
    expect(lines[120]).toMatch(/^Issue 119 +Backlog$/);
  });

  test('lists the parameters of an entity’s actions, each with what it is', async () => {
    const { out } = await runCommand([
      'connectors',
      'describe',
      '--local',
      '--pretty',
      '{"name":"linear","entity":"issues"}',
    ]);
    expect(out).toMatch(/^issues\n {2}Issues in all visible teams\.\n\n {2}list\n {4}List issues/);
    expect(out).toMatch(/\n {2}create \[write\]\n/);
    expect(out).toMatch(/\n {4}first\? +Page size, 1 to 250 \(default 50\)\.\n/);
    expect(out).not.toContain('additionalProperties');
    expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
    const get = '{"name":"linear","entity":"issues","action":"get"}';
    const one = await runCommand(['connectors', 'describe', '--local', '--pretty', get]);
    expect(one.out).toMatch(/\n {2}get\n/);
    expect(one.out).not.toMatch(/\n {2}list\n/);
    const wrong = await runCommand([
      'connectors',
      'describe',
      '--local',
      '--pretty',
      '{"name":"linear","entity":"issue"}',
    ]);
    expect([wrong.exit, wrong.err]).toEqual([4, expect.stringContaining("Did you mean 'issues'?")]);
  });

  test('lists entities with their actions for describe', async () => {
    const { out } = await runCommand(['connectors', 'describe', '--local', '--pretty', '{"name":"linear"}']);
    expect(out).toMatch(/\nissues\n/);
    expect(out).toMatch(/\n {2}create \[write\]\n {6}teamId, title/);
    expect(out.match(/context_store_search\n {6}query\?, limit\?, cursor\?, fields\?, semantic\?\n/g)).toHaveLength(2);
    expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  test('shows the id of what a service lists first', async () => {
    const { env, fetch } = await startTestService();
    const input = JSON.stringify({ name: 'Issues', connector_type: 'linear', credentials: { api_key: linearKey } });
    const { json } = await runCommand(['connectors', 'create', '-'], { env, fetch, input });
    const { out } = await runCommand(['connectors', 'list', '--pretty'], { env, fetch });
    expect(headOf(out).slice(0, 2)).toEqual(['id', 'name']);
    expect(out.split('\n')[1]).toMatch(new RegExp(`^${json.id} +Issues `));
  });

  test('shows what is wrong below each row, in full, however narrow the terminal is', async () => {
    const { env, fetch } = await startTestService();
    const detail =
      'The replica of issues belongs to earlier credentials, so a full sync has to read every record again.';
    const rows = [
      {
        id: 'con_5233f32dd76545f7bdd69e79aed54000',
        name: 'Issues',
        status: 'failed',
        error: `Linear rejected the credentials. ${detail}`,
        missing: [{ reason: 'not_synced', entity: 'issues', detail }],
        failures: Array.from({ length: 5 }, (_, index) => ({ id: `i${index}`, message: 'not a date' })),
        hint: 'Update the API key.',
      },
      { id: 'con_2', name: 'Notes', status: 'done', error: null, missing: [], withheld: ['Rare rows are merged.'] },
      { id: 'con_3', name: 'Old', status: 'failed', error: `Linear rejected the credentials. ${detail}` },
    ];
    const listed: typeof globalThis.fetch = async (input, init) => {
      const request = new Request(input, init);
      const isList = new URL(request.url).pathname.endsWith('/connectors');
      return isList ? Response.json({ data: rows, next: null }) : fetch(request);
    };
    const { out } = await runCommand(['connectors', 'list', '--pretty'], { env, fetch: listed, columns: 60 });
    const lines = out.split('\n');
    expect(headOf(out)).toEqual(['id', 'name', 'status']);
    expect(lines[2]).toBe('  ✗ Linear rejected the credentials. The replica of issues');
    const text = out.replaceAll(/\n {4}/g, ' ');
    expect(text).toContain(`✗ Linear rejected the credentials. ${detail}\n`);
    expect(text).toContain(`! ${detail}\n`);
    expect(text).toContain('✗ i2: not a date\n  ✗ and 2 more\n  → Update the API key.\ncon_2');
    expect(text).toMatch(/con_2 .*\n {2}! Rare rows are merged\.\n/);
    expect(text).toMatch(/con_3 .*\n {2}✗ Same error\.\n/);
    expect(lines.filter((line) => line.length > 60)).toEqual([]);
    expect(out).not.toMatch(/Not shown: .*(error|missing)/);
  });

  test('shows the record, score and passage of a semantic hit in columns', async () => {
    const { env, fetch } = await startTestService();
    const hit = {
      entity: { id: 'i1', identifier: 'SUP-1', title: 'Retries charge twice' },
      metadata: { score: 0.0163934426, context: 'charged again', assigneeName: 'Ada' },
    };
    const credentials = { api_key: linearKey };
    const input = JSON.stringify({ name: 'Issues', connector_type: 'linear', credentials });
    await runCommand(['connectors', 'create', '-'], { env, fetch, input });
    const found: typeof globalThis.fetch = async (input, init) => {
      const request = new Request(input, init);
      return request.url.endsWith('/execute')
        ? Response.json({ status: 'success', result: { data: [hit] } })
        : fetch(request);
    };
    const search = { entity: 'issues', action: 'context_store_search', params: { semantic: { prompt: 'paid twice' } } };
    const argv = ['connectors', 'execute', '--pretty', JSON.stringify({ name: 'Issues', ...search })];
    const { out, err } = await runCommand(argv, { env, fetch: found });
    expect(err).toBe('');
    expect(headOf(out)).toEqual(['identifier', 'score', 'title', 'id', 'context', 'assigneeName']);
    expect(out.split('\n')[1]).toMatch(/^SUP-1 +0\.0164 +Retries charge twice +i1 +charged again +Ada$/);
  });
});
