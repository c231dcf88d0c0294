import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandbox } from 'agent-connectors-sandbox';
import { createService } from 'agent-connectors-service';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { skipBackoff } from '../../../sandbox/src/testing/time.js';
import {
  connectorPath,
  createRequester,
  execute,
  startTestService,
  type Tenant,
  type TestService,
  tenantOf,
} from './setup.js';

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

const create = (tenant: Pick<Tenant, 'ask'>, key: string, title = 'Once', more: object = {}) =>
  execute(tenant, linear, 'issues', 'create', { teamId, title }, { headers: { 'idempotency-key': key }, ...more });

const titled = async (title: string) =>
  (await execute(acme, linear, 'issues', 'list', { first: 50 })).body.result.filter(
    (issue: { title: string }) => issue.title === title,
  );

test('a repeated write with the same key is executed once and gets the same response twice', async () => {
  const first = await create(acme, 'k1');
  expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([200, null]);
  const again = await create(acme, 'k1');
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
  expect(again.text).toBe(first.text);
  expect(await titled('Once')).toHaveLength(1);
});

test('key order and intent are ignored when bodies are compared', async () => {
  const first = await create(acme, 'k1', 'Once', { intent: 'first try' });
  const { ask } = acme;
  const again = await ask('POST', `/api/v1/integrations/connectors/${linear}/execute`, {
    json: { intent: 'second try', params: { title: 'Once', teamId }, action: 'create', entity: 'issues' },
    headers: { 'idempotency-key': 'k1' },
  });
  expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
});

test('a different body with the same key is rejected without sending anything', async () => {
  await create(acme, 'k1');
  for (const more of [{}, { select_fields: ['issue'] }]) {
    const refused = await create(acme, 'k1', 'select_fields' in more ? 'Once' : 'Other', more);
    expect([refused.status, refused.body.code, refused.body.retryable]).toEqual([409, 'conflict', false]);
  }
  expect(await titled('Other')).toEqual([]);
  expect(await titled('Once')).toHaveLength(1);
});

test('a key is scoped to client, connector and action', async () => {
  await create(acme, 'k1');
  const { client, secret } = await running.service.state.clients.create('second', [acme.organizationId]);
  const { body } = await running.ask('POST', '/api/v1/account/applications/token', {
    json: { client_id: client.id, client_secret: secret },
  });
  const second = { ask: createRequester(running.service, { authorization: `Bearer ${body.access_token}` }) };
  expect((await create(second, 'k1')).headers.get('idempotent-replayed')).toBeNull();
  expect((await create(acme, 'k2')).headers.get('idempotent-replayed')).toBeNull();
  const [issue] = await titled('Once');
  const update = { headers: { 'idempotency-key': 'k1' } };
  const changed = await execute(acme, linear, 'issues', 'update', { id: issue.id, title: 'Twice' }, update);
  expect([changed.status, changed.headers.get('idempotent-replayed')]).toEqual([200, null]);
  expect(await titled('Once')).toHaveLength(2);
});

test('two identical concurrent writes are executed once, and the second is told to retry', async () => {
  const answers = await Promise.all([create(acme, 'k1'), create(acme, 'k1')]);
  const [done, held] = answers.sort((a, b) => a.status - b.status);
  expect([done!.status, held!.status, held!.body.code, held!.body.retryable]).toEqual([200, 409, 'conflict', true]);
  expect(held!.headers.get('retry-after')).toBe('1');
  expect((await create(acme, 'k1')).text).toBe(done!.text);
  expect(await titled('Once')).toHaveLength(1);
});

test('a write that was certainly not executed can be sent again with its key', async () => {
  expect((await create(acme, 'k1', '')).status).toBe(422);
  running.sandbox.faults.add({ kind: 'expired_token' });
  expect((await create(acme, 'k1')).status).toBe(424);
  const done = await create(acme, 'k1');
  expect([done.status, done.headers.get('idempotent-replayed')]).toEqual([200, null]);
});

const mutations = (field: string) => running.sandbox.requests.filter(({ rootField }) => rootField === field).length;

describe('a write with an unknown outcome', () => {
  test('is never sent again with its key, and an update is verified by its values', async () => {
    const [issue] = (await execute(acme, linear, 'issues', 'list', { first: 1 })).body.result;
    const update = (key: string, title: string) =>
      execute(acme, linear, 'issues', 'update', { id: issue.id, title }, { headers: { 'idempotency-key': key } });
    for (const kind of ['reset_after', 'reset_before'] as const) {
      running.sandbox.faults.add({ kind, count: 10 });
      const lost = await update(kind, kind);
      expect([lost.status, lost.body.code]).toEqual([502, 'unknown_outcome']);
      expect(lost.body.hint).toContain(issue.id);
      running.sandbox.faults.clear();
      running.sandbox.requests.clear();
      const again = await update(kind, kind);
      const done = kind === 'reset_after';
      expect([again.status, done ? again.body.result.issue.title : again.body.code]).toEqual(
        done ? [200, kind] : [502, 'unknown_outcome'],
      );
      expect((await update(kind, kind)).headers.get('idempotent-replayed')).toBe(done ? 'true' : null);
      expect(mutations('issueUpdate')).toBe(0);
    }
  });

  test('is executed with the same id on retry, or found to have been executed already', async () => {
    for (const kind of ['reset_after', 'reset_before'] as const) {
      running.sandbox.faults.add({ kind, count: 10 });
      const lost = await create(acme, kind, kind);
      expect([lost.status, lost.body.code]).toEqual([502, 'unknown_outcome']);
      running.sandbox.faults.clear();
      running.sandbox.requests.clear();
      const again = await create(acme, kind, kind);
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, null]);
      expect(mutations('issueCreate')).toBe(kind === 'reset_after' ? 0 : 1);
      expect(lost.body.hint).toContain(again.body.result.issue.id);
      expect(await titled(kind)).toHaveLength(1);
      expect((await create(acme, kind, kind)).text).toBe(again.text);
    }
  });

  test('stays unknown while the vendor is unreachable for any reason', async () => {
    const { api_key } = running.sandbox.vendors.linear.credentials.api_key;
    const change = (credentials: object) =>
      acme.ask('PUT', connectorPath(linear), { json: { credentials: { ...credentials } } });
    running.sandbox.faults.add({ kind: 'reset_after', count: 10 });
    await create(acme, 'k', 'Kept');
    running.sandbox.faults.clear();
    const policy = (json: object) =>
      acme.ask('PUT', '/api/v1/policies', { json: { workspace_name: 'main', connector_id: linear, ...json } });
    await policy({ read_only: true });
    const denied = await create(acme, 'k', 'Kept');
    expect([denied.status, denied.body.code, denied.body.hint]).toEqual([
      502,
      'unknown_outcome',
      expect.stringContaining('same Idempotency-Key'),
    ]);
    await policy({});
    running.sandbox.faults.add({ kind: 'expired_token', count: 10 });
    expect((await create(acme, 'k', 'Kept')).body.code).toBe('unknown_outcome');
    running.sandbox.faults.clear();
    expect((await change({ api_key })).status).toBe(200);
    expect((await create(acme, 'k', 'Kept')).status).toBe(200);
    expect(await titled('Kept')).toHaveLength(1);
  });

  test('gets the same response again if the vendor has no lookup', async () => {
    const drive = await acme.connect('google-drive', running.sandbox.vendors['google-drive'].credentials.oauth);
    const document = { name: 'Once', mimeType: 'application/vnd.google-apps.document' };
    const make = () => execute(acme, drive, 'files', 'create', document, { headers: { 'idempotency-key': 'k' } });
    running.sandbox.faults.add({ kind: 'reset_after', path: '/drive/v3/files', count: 10 });
    const lost = await make();
    expect([lost.status, lost.body.code]).toEqual([502, 'unknown_outcome']);
    running.sandbox.faults.clear();
    running.sandbox.requests.clear();
    const again = await make();
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([502, lost.text, 'true']);
    expect(running.sandbox.requests).toHaveLength(0);
  });
});

test('a Google Drive file is created, uploaded and deleted once, even if requests or responses are lost', async () => {
  const drive = await acme.connect('google-drive', running.sandbox.vendors['google-drive'].credentials.oauth);
  const write = (key: string, entity: string, action: string, params: object) =>
    execute(acme, drive, entity, action, params, { headers: { 'idempotency-key': key } });
  const named = async (name: string) =>
    (await execute(acme, drive, 'files', 'list', { q: `name = '${name}'` })).body.result;
  for (const kind of ['reset_after', 'reset_before'] as const) {
    const lose = (method: string) =>
      running.sandbox.faults.add({
        kind,
        path: method === 'upload' ? '/upload/drive/v3/files' : '/drive/v3/files',
        count: 3,
      });
    for (const [entity, path, params] of [
      ['files', 'make', { mimeType: 'application/vnd.google-apps.folder' }],
      ['files_upload', 'upload', { file_content: 'SGVsbG8=' }],
    ] as const) {
      const name = `${entity} ${kind}`;
      lose(path);
      const lost = await write(name, entity, 'create', { ...params, name });
      const again = lost.status === 200 ? lost : await write(name, entity, 'create', { ...params, name });
      expect([again.status, again.body.result?.name]).toEqual([200, name]);
      running.sandbox.faults.clear();
      expect(await named(name)).toEqual([expect.objectContaining({ id: again.body.result.id })]);
    }
    const [{ id: fileId }] = await named(`files ${kind}`);
    running.sandbox.faults.add({ kind, count: 10 });
    expect((await write(`gone ${kind}`, 'files', 'delete', { fileId })).body.code).toBe('unknown_outcome');
    running.sandbox.faults.clear();
    const again = await write(`gone ${kind}`, 'files', 'delete', { fileId });
    expect([again.status, again.body.result]).toEqual([200, { success: true }]);
    expect(await named(`files ${kind}`)).toEqual([]);
  }
});

test.each(['', ' ', 'a\tb', 'ä', 'x'.repeat(129)])('%j is rejected as a key', async (key) => {
  const refused = await create(acme, key);
  expect([refused.status, refused.body.errors[0].field]).toEqual([422, 'Idempotency-Key']);
  expect(await titled('Once')).toEqual([]);
});

test('a read ignores the key', async () => {
  for (let asked = 0; asked < 2; asked++) {
    const read = await execute(acme, linear, 'teams', 'list', {}, { headers: { 'idempotency-key': 'k' } });
    expect([read.status, read.headers.get('idempotent-replayed')]).toEqual([200, null]);
  }
});

test("a write's response is still replayed after a restart, for 24 hours", async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'service-'));
  onTestFinished(() => rmSync(dataFolder, { recursive: true, force: true }));
  const sandbox = createSandbox({ seed: 7, scale: 0.2 });
  let time = Date.now();
  const open = () =>
    createService({ dataFolder, createKey: true, fetch: sandbox.fetch, replicate: false, now: () => time });
  const before = await open();
  const tenant = await tenantOf(before, 'Lasting');
  const id = await tenant.connect('linear', sandbox.vendors.linear.credentials.api_key);
  const team = (await execute(tenant, id, 'teams', 'list')).body.result[0].id;
  const send = async (ask: Tenant['ask']) =>
    execute({ ask }, id, 'issues', 'create', { teamId: team, title: 'Kept' }, { headers: { 'idempotency-key': 'k' } });
  const first = await send(tenant.ask);
  expect(first.status).toBe(200);
  await before.close();

  const after = await open();
  onTestFinished(() => after.close());
  const ask = createRequester(after, { authorization: `Bearer ${tenant.token}` });
  const again = await send(ask);
  expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);

  time += 25 * 60 * 60 * 1000;
  const { body } = await createRequester(after)('POST', '/api/v1/account/applications/token', {
    json: { client_id: tenant.clientId, client_secret: tenant.clientSecret },
  });
  const late = await send(createRequester(after, { authorization: `Bearer ${body.access_token}` }));
  expect([late.status, late.headers.get('idempotent-replayed')]).toEqual([200, null]);
});

test('a write interrupted by a service shutdown is executed once when retried', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'service-'));
  onTestFinished(() => rmSync(dataFolder, { recursive: true, force: true }));
  const sandbox = createSandbox({ seed: 7, scale: 0.2 });
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const dying = await createService({
    dataFolder,
    createKey: true,
    replicate: false,
    fetch: async (input, init) => {
      if (String(init?.body).includes('issueCreate')) await held;
      return sandbox.fetch(input, init);
    },
  });
  const tenant = await tenantOf(dying, 'Lasting');
  const id = await tenant.connect('linear', sandbox.vendors.linear.credentials.api_key);
  const team = (await execute(tenant, id, 'teams', 'list')).body.result[0].id;
  const send = (ask: Tenant['ask']) =>
    execute({ ask }, id, 'issues', 'create', { teamId: team, title: 'Lost' }, { headers: { 'idempotency-key': 'k' } });
  const lost = send(tenant.ask).catch(() => undefined);
  await expect.poll(async () => (await send(tenant.ask)).status).toBe(409);
  await dying.state.close();

  const after = await createService({ dataFolder, fetch: sandbox.fetch, replicate: false });
  onTestFinished(() => after.close());
  const again = await send(createRequester(after, { authorization: `Bearer ${tenant.token}` }));
  expect([again.status, again.body.result.issue.title]).toEqual([200, 'Lost']);
  release();
  await lost;
  const { body } = await execute(
    { ask: createRequester(after, { authorization: `Bearer ${tenant.token}` }) },
    id,
    'issues',
    'list',
  );
  expect(body.result.filter(({ title }: { title: string }) => title === 'Lost')).toHaveLength(1);
  await dying.close();
});
