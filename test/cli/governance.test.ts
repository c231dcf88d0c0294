import { beforeAll, describe, expect, test } from 'vitest';
import { linearKey, runCommand, startTestService } from './session.js';

const { env, fetch, sandbox, service, organizations, requests } = await startTestService();
const given = { env, fetch };
const run = (words: string, argument?: object, ...flags: string[]) =>
  runCommand([...words.split(' '), ...(argument ? [JSON.stringify(argument)] : []), ...flags], given);

/** The same command run by another client, such as a colleague. */
async function colleague(words: string, argument: object) {
  const { client, secret } = await service.state.clients.create('colleague', [...organizations]);
  const other = { ...env, AGENT_CONNECTORS_CLIENT_ID: client.id, AGENT_CONNECTORS_CLIENT_SECRET: secret };
  return runCommand([...words.split(' '), JSON.stringify(argument)], { env: other, fetch });
}

const create = async (name: string) => {
  const connector = { name, connector_type: 'linear', credentials: { api_key: linearKey } };
  const { json } = await runCommand(['connectors', 'create', '-'], { ...given, input: JSON.stringify(connector) });
  return json;
};

const writes = () => requests.filter(({ method }) => method !== 'GET' && method !== 'POST').length;

beforeAll(async () => {
  await create('issues');
});

describe('a change to a connector', () => {
  test('is previewed with --dry-run and then applied', async () => {
    const { id } = await create('old');
    const before = writes();
    const shown = await run('connectors rename', { name: 'old', to: 'new' }, '--dry-run');
    expect(shown.json).toMatchObject({ dry_run: true, id, name: 'old', changes: { name: { from: 'old', to: 'new' } } });
    expect(writes()).toBe(before);
    const done = await run('connectors rename', { name: 'old', to: 'new' });
    expect(done.json).toMatchObject({ id, name: 'new', changes: { name: { from: 'old', to: 'new' } } });
    const deletion = await run('connectors delete', { name: 'new' }, '--dry-run', '--pretty');
    expect(deletion.out).toMatch(/^effects .*\n( {16}.*\n)* {16}The stored records/m);
    expect(done.json.effects[0]).toContain("'old'");
    expect((await run('connectors inspect', { name: 'new' })).json).toMatchObject({ connector_id: id, name: 'new' });
    expect((await run('connectors rename', { name: 'new' })).error.message).toContain('new name');
  });

  test('reads credentials from standard input and shows only their names', async () => {
    await create('rotated');
    const canary = 'lin_api_CANARY0123456789';
    const input = JSON.stringify({ name: 'rotated', credentials: { api_key: canary } });
    const done = await runCommand(['connectors', 'update', '-'], { ...given, input });
    expect(done.json).toMatchObject({ name: 'rotated', changes: { credentials: { fields: ['api_key'] } } });
    expect(done.out + done.err).not.toContain('CANARY');
    const refused = await run('connectors update', { name: 'rotated', credentials: { api_key: canary } });
    expect([refused.exit, refused.out]).toEqual([4, '']);
    expect(refused.err).not.toContain('CANARY');
    expect((await run('connectors check', { name: 'rotated' })).json.status).toBe('failed');
    expect((await run('connectors update', { name: 'rotated' })).error.message).toBe('Nothing to change.');
  });

  test('can remove the replication config', async () => {
    await create('timed');
    const set = await run('connectors update', { name: 'timed', replication_config: { interval: '2h' } });
    expect(set.json.replication_config).toEqual({ interval: '2h' });
    const back = await run('connectors update', { name: 'timed', replication_config: null });
    expect(back.json).toMatchObject({
      replication_config: null,
      changes: { replication_config: { from: { interval: '2h' }, to: null } },
    });
  });

  test('describes what a deletion removes and reports its result', async () => {
    const { id } = await create('gone');
    const shown = await run('connectors delete', { name: 'gone' }, '--dry-run');
    expect(shown.json).toMatchObject({ dry_run: true, id, stored_records: 0 });
    expect(shown.json.effects.join(' ')).toContain('credentials');
    const done = await run('connectors delete', { name: 'gone' }, '--yes');
    expect(done.json).toMatchObject({ id, name: 'gone', deleted: true, tokens_ended: false });
  });
});

describe('policies and approvals', () => {
  const write = { name: 'issues', entity: 'issues', action: 'create' };

  test('hold a write until it is approved, then let it execute once', async () => {
    const wanted = { name: 'issues', approval: ['issues.create'] };
    expect((await run('policies set', wanted, '--dry-run')).json).toMatchObject({
      before: null,
      after: { approval: ['issues.create'] },
    });
    expect((await run('policies list')).json.data).toEqual([]);
    await run('policies set', wanted);
    expect((await run('policies list')).json.data).toMatchObject([{ approval: ['issues.create'] }]);
    const teams = await run('connectors execute', { name: 'issues', entity: 'teams', action: 'list' });
    const params = { teamId: teams.json.data[0].id, title: 'Approved' };
    const denied = await run('connectors execute', { ...write, params });
    expect(denied.error.code).toBe('denied_by_policy');
    expect(denied.error.hint).toMatch(
      /^Run agent-connectors approvals request with the same JSON\. .* run agent-connectors approvals execute\.$/,
    );

    const { json: plan } = await run('approvals request', { ...write, params, intent: 'the board wants it' });
    expect(plan).toMatchObject({ status: 'pending', preview: { params } });
    const waiting = await run('approvals list', { name: 'issues' });
    expect(waiting.json.data.map(({ id }: { id: string }) => id)).toEqual([plan.id]);
    const early = await run('approvals execute', { id: plan.id });
    expect(early.exit).toBe(1);
    expect((await run('approvals approve', { id: plan.id })).error.code).toBe('denied_by_policy');
    const approved = await colleague('approvals approve', { id: plan.id, reason: 'fine' });
    expect(approved.json).toMatchObject({ status: 'approved', reason: 'fine', decided_by_name: 'colleague' });
    const done = await run('approvals execute', { id: plan.id });
    expect(done.json.data.issue).toMatchObject({ title: 'Approved' });
    expect((await run('approvals execute', { id: plan.id })).json).toEqual(done.json);
    expect((await run('approvals show', { id: plan.id })).json.status).toBe('executed');

    const second = await run('approvals request', { ...write, params });
    expect((await run('approvals refuse', { id: second.json.id })).json.status).toBe('refused');
    const every = await run('approvals list', { status: 'all' }, '--all');
    expect(every.out.trimEnd().split('\n')).toHaveLength(2);
    await run('policies delete', { name: 'issues' });
    expect((await run('policies list')).json.data).toEqual([]);
  });

  test('are rejected if an argument is missing', async () => {
    expect((await run('policies set', { name: 'issues' })).error.message).toContain('policy is empty');
    expect((await run('approvals show', {})).error.hint).toContain('approvals list');
    expect((await run('approvals show', { id: 'pln_none' })).exit).toBe(3);
    expect((await run('approvals request', { name: 'issues' })).error.message).toBe('entity is missing.');
  });
});

test('verifies the audit log and lists it page by page', async () => {
  const page = await run('audit list', { limit: 2 });
  expect(page.json.data).toHaveLength(2);
  expect(page.json.next).toEqual(expect.any(String));
  const all = await run('audit list', { name: 'issues', limit: 3 }, '--all');
  const lines = all.out.trimEnd().split('\n');
  expect(lines.length).toBeGreaterThan(3);
  expect(new Set(lines.map((line) => JSON.parse(line).connector_type))).toEqual(new Set(['linear']));
  const { exit, error } = await run('audit list', { from: 'yesterday' });
  expect([exit, error.message]).toEqual([4, 'The query: from must be a date-time such as 2026-05-04T12:00:00Z.']);
  expect((await run('audit verify')).json).toMatchObject({ ok: true, broken: null });
});

test('creates a workspace token with scopes and expiry', async () => {
  const { json } = await run('tokens create', { scopes: ['read'] });
  expect(json).toMatchObject({ workspace_name: 'default', scopes: ['read'], expires_in: 1200 });
  expect(Date.parse(json.expires_at)).toBeGreaterThan(0);
  expect((await run('tokens create', { expires_in: 60 })).json.expires_in).toBe(60);
  expect((await run('tokens create', { expires_in: 3600 })).exit).toBe(4);
  expect((await run('tokens create', { scopes: ['rule'] })).exit).toBe(4);
});

test('searches workspaces and deletes them with their contents', async () => {
  await run('workspaces create', { name: 'leaving' });
  const found = await run('workspaces list', { name_contains: 'LEAV' });
  expect(found.json.data.map(({ name }: { name: string }) => name)).toEqual(['leaving']);
  const hits = await run('workspaces search', { prompt: 'late deliveries', limit: 1 });
  expect(hits.json).toMatchObject({ data: [], meta: { has_more: false } });
  const shown = await run('workspaces delete', { name: 'leaving' }, '--dry-run');
  expect(shown.json).toMatchObject({ dry_run: true, name: 'leaving', connectors: [] });
  expect((await run('workspaces delete', { name: 'leaving' })).error.hint).toContain('--yes');
  expect((await run('workspaces delete', { name: 'leaving' }, '--yes')).json).toMatchObject({ deleted: true });
  expect((await run('workspaces delete', { name: 'leaving' }, '--yes')).exit).toBe(3);
});

describe('a write', () => {
  test.each([['hosted'], ['local']])('is shown when planned and executed as planned: %s', async (mode) => {
    const local = mode === 'local';
    const options = local ? { env: { LINEAR_API_KEY: linearKey }, fetch: sandbox.fetch } : given;
    const name = local ? 'linear' : 'issues';
    const call = (argument: object, ...flags: string[]) =>
      runCommand(
        ['connectors', 'execute', JSON.stringify({ name, ...argument }), ...flags, ...(local ? ['--local'] : [])],
        options,
      );
    const teams = await call({ entity: 'teams', action: 'list' });
    const write = { entity: 'issues', action: 'create', params: { teamId: teams.json.data[0].id, title: 'Planned' } };
    const planned = await call(write, '--dry-run');
    expect(planned.json).toMatchObject({ dry_run: true, plan: { entity: 'issues', action: 'create' } });
    expect(JSON.stringify(planned.json)).not.toContain(linearKey);
    const other = { ...write, params: { ...write.params, title: 'Another' } };
    expect((await call({ ...other, plan: planned.json.plan })).error.code).toBe('conflict');
    const done = await call({ ...write, plan: planned.json.plan });
    expect(done.json.data.issue.title).toBe('Planned');
    expect((await call({ entity: 'teams', action: 'list' }, '--dry-run')).exit).toBe(4);
    expect((await call(write, '--dry-run', '--all')).error.message).toContain('--dry-run');
  });

  test("returns the vendor's own fields with --raw, as a read does", async () => {
    const argument = JSON.stringify({ name: 'linear', entity: 'teams', action: 'list' });
    const nodes = [{ id: 't', name: 'Team', unlisted: 1 }];
    const options = {
      env: { LINEAR_API_KEY: linearKey },
      fetch: async () => Response.json({ data: { teams: { nodes, pageInfo: {} } } }),
    };
    const read = (...flags: string[]) => runCommand(['connectors', 'execute', '--local', argument, ...flags], options);
    expect((await read()).json.data[0]).not.toHaveProperty('unlisted');
    expect((await read('--raw')).json.data[0]).toHaveProperty('unlisted', 1);
    expect(JSON.parse((await read('--raw', '--all')).out)).toHaveProperty('unlisted', 1);
  });
});
