import { beforeEach, expect, test } from 'vitest';
import { skipBackoff } from '../../../sandbox/src/testing/time.js';
import { connectorPath, createRequester, execute, startTestService, type Tenant, type TestService } from './setup.js';

let running: TestService;
let acme: Tenant;
let linear: string;
let teamId: string;

beforeEach(async () => {
  skipBackoff();
  running = await startTestService();
  acme = await running.tenant();
  linear = await acme.connect('linear', running.sandbox.vendors.linear.credentials.api_key);
  teamId = (await execute(acme, linear, 'teams', 'list')).body.result[0].id;
});

const batch = (writes: readonly object[]) =>
  acme.ask('POST', `${connectorPath(linear)}/execute/batch`, { json: { writes, intent: 'tidy up' } });
const create = (title: string, key = title) => ({ entity: 'issues', action: 'create', params: { teamId, title }, key });
const mutations = () => running.sandbox.requests.filter(({ rootField }) => rootField === 'issueCreate').length;

test('runs writes in order, each with its own result, and replays them with their keys', async () => {
  const writes = [create('One'), { ...create('Two'), params: { teamId: 'ENG', title: 'Two' } }, create('Three')];
  const { status, body } = await batch(writes);
  expect([status, body.status]).toEqual([200, 'partial']);
  expect(body.results).toMatchObject([
    { key: 'One', status: 'done', result: { issue: { title: 'One' } } },
    { key: 'Two', status: 'failed', error: { code: expect.any(String), message: expect.any(String) } },
    { key: 'Three', status: 'done' },
  ]);
  const sent = mutations();
  const again = await batch([writes[0]!, writes[2]!]);
  expect(again.body.status).toBe('success');
  expect(again.body.results[0].result).toEqual(body.results[0].result);
  expect(mutations()).toBe(sent);
  // A batch and a single call share their keys.
  const single = await execute(acme, linear, 'issues', 'create', writes[0]!.params, {
    headers: { 'idempotency-key': 'One' },
  });
  expect(single.headers.get('idempotent-replayed')).toBe('true');
});

test('stops at the first unknown outcome, and resolves it when the batch is repeated', async () => {
  running.sandbox.faults.add({ kind: 'reset_after', rootField: 'issueCreate', nth: 2, count: 20 });
  running.sandbox.faults.add({ kind: 'reset_before', rootField: 'issue', count: 20 });
  const writes = [create('One'), create('Two'), create('Three')];
  const first = await batch(writes);
  expect(first.body.results.map(({ status }: any) => status)).toEqual(['done', 'unknown', 'not_sent']);
  expect(first.body.results[1]).toMatchObject({ error: { code: 'unknown_outcome' }, resolvable: true });
  running.sandbox.faults.clear();
  running.sandbox.requests.clear();
  expect((await batch(writes)).body.status).toBe('success');
  expect(mutations()).toBe(1);
});

test('a write that can never be looked up says so, and the batch goes on without it or with a new key', async () => {
  const drive = await acme.connect('google-drive', running.sandbox.vendors['google-drive'].credentials.oauth);
  const document = (name: string, key = name) => ({
    entity: 'files',
    action: 'create',
    params: { name, mimeType: 'application/vnd.google-apps.document' },
    key,
  });
  const send = async (...writes: object[]) =>
    (await acme.ask('POST', `${connectorPath(drive)}/execute/batch`, { json: { writes } })).body.results;
  const created = () =>
    running.sandbox.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/files')).length;
  running.sandbox.faults.add({ kind: 'reset_after', path: '/drive/v3/files', count: 1 });
  const first = await send(document('One'), document('Two'));
  expect(first).toMatchObject([{ status: 'unknown', resolvable: false }, { status: 'not_sent' }]);
  expect(first[0].error.hint).toMatch(/check whether the change was made.*if the change was not made, use a new key/);
  const again = await send(document('One'), document('Two'));
  expect(again).toMatchObject([
    { status: 'unknown', resolvable: false, error: { hint: first[0].error.hint } },
    { status: 'not_sent' },
  ]);
  expect(created()).toBe(1);
  expect(await send(document('Two'))).toMatchObject([{ status: 'done' }]);
  expect(await send(document('One', 'new key'))).toMatchObject([{ status: 'done' }]);
  expect(created()).toBe(3);
});

test('a token that cannot read learns that an earlier write is done, not what it returned', async () => {
  const writes = [create('One'), create('Two')];
  expect((await batch([writes[0]!])).body.status).toBe('success');
  const json = { client_id: acme.clientId, client_secret: acme.clientSecret, scopes: ['write'] };
  const token = (await acme.ask('POST', '/api/v1/account/applications/token', { json })).body.access_token;
  const ask = createRequester(running.service, { authorization: `Bearer ${token}` });
  const { status, body } = await ask('POST', `${connectorPath(linear)}/execute/batch`, { json: { writes } });
  expect([status, body.status]).toEqual([200, 'success']);
  expect(body.results).toEqual([
    { key: 'One', status: 'done', result: null },
    { key: 'Two', status: 'done', result: expect.objectContaining({ issue: expect.any(Object) }) },
  ]);
  expect(mutations()).toBe(2);
});

test('an approved write whose outcome is unknown is looked up, not sent again', async () => {
  const rule = { workspace_name: 'main', approval: ['issues.create'], approval_by: 'any' };
  expect((await acme.ask('PUT', '/api/v1/policies', { json: rule })).status).toBe(200);
  const writes = [create('One')];
  const [planned] = (await batch(writes)).body.results;
  expect(planned).toMatchObject({ status: 'failed', error: { code: 'denied_by_policy' } });
  const { data: plans } = (await acme.ask('GET', '/api/v1/plans')).body;
  expect(plans).toHaveLength(1);
  expect((await acme.ask('POST', `/api/v1/plans/${plans[0].id}/approve`)).status).toBe(200);
  running.sandbox.faults.add({ kind: 'reset_after', rootField: 'issueCreate', count: 20 });
  running.sandbox.faults.add({ kind: 'reset_before', rootField: 'issue', count: 20 });
  expect((await batch(writes)).body.results[0].status).toBe('unknown');
  running.sandbox.faults.clear();
  const sent = mutations();
  expect((await batch(writes)).body.results[0]).toMatchObject({ status: 'done', result: { issue: { title: 'One' } } });
  expect(mutations()).toBe(sent);
  expect((await acme.ask('GET', '/api/v1/plans')).body.data).toHaveLength(1);
});

test.each<[string, () => object[]]>([
  ['one is invalid', () => [create('One'), { ...create('Two'), params: { title: 'Two' } }]],
  ['one is a read', () => [create('One'), { entity: 'teams', action: 'list', key: 'x' }]],
  ['a key is used twice', () => [create('One', 'k'), create('Two', 'k')]],
  ['a key is missing', () => [{ entity: 'issues', action: 'create', params: { teamId, title: 'One' } }]],
  ['there are too many', () => Array.from({ length: 26 }, (_, index) => create(`${index}`))],
])('rejects the whole batch if %s', async (_, writes) => {
  const { status, body } = await batch(writes());
  expect([status, body.code]).toEqual([422, 'invalid_params']);
  expect(mutations()).toBe(0);
});

test('enforces policies for each write', async () => {
  const policy = { workspace_name: 'main', connector_id: linear, allow: ['issues.create', 'teams.*'] };
  await acme.ask('PUT', '/api/v1/policies', { json: policy });
  const comment = { entity: 'comments', action: 'create', params: { issueId: 'ENG-1', body: 'x' }, key: 'c' };
  const { body } = await batch([comment, create('One')]);
  expect(body.results).toMatchObject([{ status: 'failed', error: { code: 'denied_by_policy' } }, { status: 'done' }]);
});
