import { expect, test } from 'vitest';
import { connectorPath, startTestService } from './setup.js';

const canary = 'CANARY-3f1c';
const linear = { api_key: 'lin_api_sandbox_full_access' };

async function begun() {
  const running = await startTestService();
  const acme = await running.tenant();
  const id = await acme.connect('linear', linear);
  const execute = (entity: string, action: string, params: object, more: object = {}) =>
    acme.ask('POST', connectorPath(id, '/execute'), { json: { entity, action, params, ...more } });
  const entries = async (query = '') => (await acme.ask('GET', `/api/v1/audit${query}`)).body.data;
  return { ...running, acme, id, execute, entries };
}

test('records who, what, why and the outcome, but only a digest of the parameters', async () => {
  const { acme, id, execute, entries } = await begun();
  await execute('teams', 'list', {});
  await execute('comments', 'create', { issueId: 'ENG-1', body: canary }, { intent: 'to answer a question' });
  await execute('issues', 'get', { id: 'ENG-999999' });
  const text = (await acme.ask('GET', '/api/v1/audit')).text;
  expect(text).not.toContain(canary);
  expect(text).not.toContain(linear.api_key);
  const [missing, done, beginning, list, created] = await entries();
  expect(created).toMatchObject({ event: 'connector.created', connector_id: id, client_id: acme.clientId });
  expect(list).toMatchObject({ event: 'execute', entity: 'teams', effect: 'read', outcome: 'success', via: 'http' });
  expect(beginning).toMatchObject({ action: 'create', outcome: 'begun', intent: 'to answer a question' });
  expect(done).toMatchObject({ action: 'create', outcome: 'success', begun_as: beginning.seq });
  expect(done.params_digest).toBe(beginning.params_digest);
  expect(missing).toMatchObject({ entity: 'issues', outcome: 'not_found' });
  expect(missing.duration_ms).toBeGreaterThanOrEqual(0);
});

test('lists only successes, or only failures', async () => {
  const { execute, entries } = await begun();
  await execute('comments', 'create', { issueId: 'ENG-1', body: canary });
  await execute('issues', 'get', { id: 'ENG-999999' });
  const outcomes = async (query: string) => (await entries(query)).map(({ outcome }: any) => outcome);
  expect(await outcomes('')).toContain('begun');
  expect(new Set(await outcomes('?outcome=success'))).toEqual(new Set(['success']));
  expect(await outcomes('?outcome=failure')).toEqual(['not_found']);
});

test('pages are complete, whether filtered by connector or by start time', async () => {
  const { acme, id, execute, entries } = await begun();
  const other = await acme.connect('granola', { api_key: 'grn_x' }, { name: 'Notes' });
  for (let number = 0; number < 6; number += 1) await execute('teams', 'list', {});
  const all = await entries();
  const paged = [];
  let cursor = '';
  do {
    const { body } = await acme.ask('GET', `/api/v1/audit?limit=3${cursor}`);
    paged.push(...body.data);
    cursor = body.next === null ? '' : `&cursor=${body.next}`;
  } while (cursor !== '');
  expect(paged).toEqual(all);
  expect((await entries(`?connector_id=${other}`)).map(({ event }: any) => event)).toEqual(['connector.created']);
  expect(await entries(`?connector_id=${id}`)).toHaveLength(7);
  expect(await entries(`?from=${encodeURIComponent('2999-01-01T00:00:00Z')}`)).toEqual([]);
  expect((await acme.ask('GET', '/api/v1/audit?cursor=abc')).status).toBe(422);
  for (const moment of ['9999-12-31T23:59:59-23:59', '0000-01-01T00:00:00+23:59']) {
    const refused = await acme.ask('GET', `/api/v1/audit?from=${encodeURIComponent(moment)}`);
    expect([refused.status, refused.body.errors]).toEqual([422, [expect.objectContaining({ field: 'from' })]]);
  }
});

test('other organizations see no entries, and a workspace token sees only those for its workspace', async () => {
  const { acme, tenant, execute } = await begun();
  await execute('teams', 'list', {});
  const other = await tenant('Other');
  const { data } = (await other.ask('GET', '/api/v1/audit')).body;
  expect(data.map(({ event, client_id }: any) => [event, client_id])).toEqual([['token', other.clientId]]);
  expect((await other.ask('GET', '/api/v1/audit/verify')).body).toMatchObject({ entries: 1, broken: null });
  const { body } = await acme.ask('POST', '/api/v1/account/applications/scoped-token', {
    json: { workspace_name: 'second', scopes: ['admin'] },
  });
  const scoped = { headers: { authorization: `Bearer ${body.token}` } };
  const own = (await acme.ask('GET', '/api/v1/audit', scoped)).body.data;
  expect(own.map(({ event }: any) => event)).toEqual(['token.scoped', 'workspace.created']);
  expect((await acme.ask('GET', '/api/v1/audit/verify', scoped)).status).toBe(403);
});

test('two hundred concurrent calls leave a log without gaps', async () => {
  const { acme, execute } = await begun();
  await Promise.all(
    Array.from({ length: 200 }, (_, number) =>
      number % 4 === 0
        ? execute('comments', 'create', { issueId: 'ENG-1', body: `number ${number}` })
        : execute('teams', 'list', {}),
    ),
  );
  const { body } = await acme.ask('GET', '/api/v1/audit/verify');
  expect(body).toMatchObject({ entries: 2 + 150 + 2 * 50, broken: null });
});

test('policies apply to every call, and denied calls are never sent', async () => {
  const { acme, id, sandbox, execute, entries } = await begun();
  const put = (json: object) => acme.ask('PUT', '/api/v1/policies', { json: { workspace_name: 'main', ...json } });
  await put({ read_only: true });
  const asked = sandbox.requests.length;
  const refused = await execute('comments', 'create', { issueId: 'ENG-1', body: 'x' });
  expect([refused.status, refused.body.code]).toEqual([403, 'denied_by_policy']);
  const unknown = await execute('comments', 'obliterate', {});
  expect(unknown.body.code).toBe('denied_by_policy');
  expect(sandbox.requests).toHaveLength(asked);
  expect((await execute('teams', 'list', {})).status).toBe(200);
  await put({ read_only: false, connector_id: id, allow: ['issues.*'] });
  expect((await execute('teams', 'list', {})).body.code).toBe('denied_by_policy');
  expect((await execute('issues', 'list', {})).status).toBe(200);
  expect((await acme.ask('GET', '/api/v1/policies')).body.data).toMatchObject([
    { workspace_name: 'main', connector_id: null, read_only: true, allow: null },
    { workspace_name: 'main', connector_id: id, read_only: false, allow: ['issues.*'] },
  ]);
  await put({});
  await put({ connector_id: id });
  expect((await acme.ask('GET', '/api/v1/policies')).body.data).toEqual([]);
  expect((await execute('comments', 'create', { issueId: 'ENG-1', body: 'x' })).status).toBe(200);
  expect((await entries()).filter(({ event }: any) => event === 'policy.changed')).toHaveLength(4);
});

test.each([
  ['issues', /must be entity.action/],
  ['isues.list', /issues/],
  ['issues.lst', /list/],
  ['jira:issues.list', /type/],
])('a policy with %s is rejected because it matches nothing', async (pattern, message) => {
  const { acme } = await begun();
  const { status, body } = await acme.ask('PUT', '/api/v1/policies', {
    json: { workspace_name: 'main', allow: ['issues.list', pattern] },
  });
  expect([status, body.errors[0].field]).toEqual([422, 'allow.1']);
  expect(body.errors[0].message).toMatch(message);
});

test('a write is planned, shown, and executed as shown or not at all', async () => {
  const { acme, id, sandbox, execute, entries } = await begun();
  const params = { issueId: 'ENG-1', body: canary };
  const planned = await execute('comments', 'create', params, { dry_run: true });
  expect(planned.body).toMatchObject({ status: 'planned', plan: { entity: 'comments', request: { method: 'POST' } } });
  expect(planned.text).not.toContain(linear.api_key);
  const { plan } = planned.body;
  expect(sandbox.requests).toEqual([]);
  const other = await execute('comments', 'create', { ...params, body: 'other' }, { plan });
  expect([other.status, other.body.code]).toEqual([409, 'conflict']);
  expect(sandbox.requests).toEqual([]);
  const done = await execute('comments', 'create', params, { plan });
  expect(done.body.result.comment.id).toBe(plan.id);
  expect((await entries()).map(({ action, outcome }: any) => [action, outcome]).slice(0, 5)).toEqual([
    ['create', 'success'],
    ['create', 'begun'],
    ['create', 'conflict'],
    ['create', 'begun'],
    ['create', 'success'],
  ]);
  const read = await acme.ask('POST', connectorPath(id, '/execute'), {
    json: { entity: 'teams', action: 'list', dry_run: true },
  });
  expect(read.body.code).toBe('invalid_params');
});
