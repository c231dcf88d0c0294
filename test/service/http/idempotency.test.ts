import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandbox } from 'agent-connectors-sandbox';
import { createService } from 'agent-connectors-service';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { asking, execute, type Running, start, type Tenant, tenantOf } from './setup.js';

let running: Running;
let acme: Tenant;
let linear: string;
let teamId: string;

beforeEach(async () => {
  running = start();
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

test('the same write with the same key is done once and answered twice', async () => {
  const first = await create(acme, 'k1');
  expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([200, null]);
  const again = await create(acme, 'k1');
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
  expect(again.text).toBe(first.text);
  expect(await titled('Once')).toHaveLength(1);
});

test('the order of keys and the intent do not make another body', async () => {
  const first = await create(acme, 'k1', 'Once', { intent: 'first try' });
  const { ask } = acme;
  const again = await ask('POST', `/api/v1/integrations/connectors/${linear}/execute`, {
    json: { intent: 'second try', params: { title: 'Once', teamId }, action: 'create', entity: 'issues' },
    headers: { 'idempotency-key': 'k1' },
  });
  expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
});

test('another body with the same key is refused, and nothing is done', async () => {
  await create(acme, 'k1');
  for (const more of [{}, { select_fields: ['issue'] }]) {
    const refused = await create(acme, 'k1', 'select_fields' in more ? 'Once' : 'Other', more);
    expect([refused.status, refused.body.code, refused.body.retryable]).toEqual([409, 'conflict', false]);
  }
  expect(await titled('Other')).toEqual([]);
  expect(await titled('Once')).toHaveLength(1);
});

test('a key stands for itself alone: per client, connector and action', async () => {
  await create(acme, 'k1');
  const { client, secret } = running.service.state.clients.create('second', [acme.organizationId]);
  const { body } = await running.ask('POST', '/api/v1/account/applications/token', {
    json: { client_id: client.id, client_secret: secret },
  });
  const second = { ask: asking(running.service, { authorization: `Bearer ${body.access_token}` }) };
  expect((await create(second, 'k1')).headers.get('idempotent-replayed')).toBeNull();
  expect((await create(acme, 'k2')).headers.get('idempotent-replayed')).toBeNull();
  const [issue] = await titled('Once');
  const update = { headers: { 'idempotency-key': 'k1' } };
  const changed = await execute(acme, linear, 'issues', 'update', { id: issue.id, title: 'Twice' }, update);
  expect([changed.status, changed.headers.get('idempotent-replayed')]).toEqual([200, null]);
  expect(await titled('Once')).toHaveLength(2);
});

test('the same write twice at once is done once; the second is told to ask again', async () => {
  const answers = await Promise.all([create(acme, 'k1'), create(acme, 'k1')]);
  const [done, held] = answers.sort((a, b) => a.status - b.status);
  expect([done!.status, held!.status, held!.body.code, held!.body.retryable]).toEqual([200, 409, 'conflict', true]);
  expect(held!.headers.get('retry-after')).toBe('1');
  expect((await create(acme, 'k1')).text).toBe(done!.text);
  expect(await titled('Once')).toHaveLength(1);
});

test('a write that was surely not done can be sent again with its key', async () => {
  expect((await create(acme, 'k1', '')).status).toBe(422);
  running.sandbox.faults.add({ kind: 'expired_token' });
  expect((await create(acme, 'k1')).status).toBe(424);
  const done = await create(acme, 'k1');
  expect([done.status, done.headers.get('idempotent-replayed')]).toEqual([200, null]);
});

test('a write whose fate is not known is never sent again with its key', async () => {
  const [issue] = (await execute(acme, linear, 'issues', 'list', { first: 1 })).body.result;
  const update = () =>
    execute(
      acme,
      linear,
      'issues',
      'update',
      { id: issue.id, title: 'Changed' },
      { headers: { 'idempotency-key': 'k' } },
    );
  running.sandbox.faults.add({ kind: 'reset_after', count: 10 });
  const lost = await update();
  expect([lost.status, lost.body.code]).toEqual([502, 'unknown_outcome']);
  running.sandbox.faults.clear();
  running.sandbox.requests.clear();
  const again = await update();
  expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([502, lost.text, 'true']);
  expect(running.sandbox.requests).toHaveLength(0);
});

test.each(['', ' ', 'a\tb', 'ä', 'x'.repeat(129)])('a key that is %j is refused', async (key) => {
  const refused = await create(acme, key);
  expect([refused.status, refused.body.errors[0].field]).toEqual([422, 'Idempotency-Key']);
  expect(await titled('Once')).toEqual([]);
});

test('a read takes no notice of a key', async () => {
  for (let asked = 0; asked < 2; asked++) {
    const read = await execute(acme, linear, 'teams', 'list', {}, { headers: { 'idempotency-key': 'k' } });
    expect([read.status, read.headers.get('idempotent-replayed')]).toEqual([200, null]);
  }
});

test('a write is still answered from the ledger after a restart, for 24 hours', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'service-'));
  onTestFinished(() => rmSync(dataFolder, { recursive: true, force: true }));
  const sandbox = createSandbox({ seed: 7, scale: 0.2 });
  let time = Date.now();
  const open = () =>
    createService({ dataFolder, createKey: true, fetch: sandbox.fetch, replicate: false, now: () => time });
  const before = open();
  const tenant = await tenantOf(before, 'Lasting');
  const id = await tenant.connect('linear', sandbox.vendors.linear.credentials.api_key);
  const team = (await execute(tenant, id, 'teams', 'list')).body.result[0].id;
  const send = async (ask: Tenant['ask']) =>
    execute({ ask }, id, 'issues', 'create', { teamId: team, title: 'Kept' }, { headers: { 'idempotency-key': 'k' } });
  const first = await send(tenant.ask);
  expect(first.status).toBe(200);
  await before.close();

  const after = open();
  onTestFinished(() => after.close());
  const ask = asking(after, { authorization: `Bearer ${tenant.token}` });
  const again = await send(ask);
  expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);

  time += 25 * 60 * 60 * 1000;
  const { body } = await asking(after)('POST', '/api/v1/account/applications/token', {
    json: { client_id: tenant.clientId, client_secret: tenant.clientSecret },
  });
  const late = await send(asking(after, { authorization: `Bearer ${body.access_token}` }));
  expect([late.status, late.headers.get('idempotent-replayed')]).toEqual([200, null]);
});

test('a write that was under way when the service ended must be looked up', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'service-'));
  onTestFinished(() => rmSync(dataFolder, { recursive: true, force: true }));
  const sandbox = createSandbox({ seed: 7, scale: 0.2 });
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const dying = createService({
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
  dying.state.close();

  const after = createService({ dataFolder, fetch: sandbox.fetch, replicate: false });
  onTestFinished(() => after.close());
  const refused = await send(asking(after, { authorization: `Bearer ${tenant.token}` }));
  expect([refused.status, refused.body.code, refused.body.retryable]).toEqual([409, 'conflict', false]);
  expect(refused.body.hint).toMatch(/look up/i);
  release();
  await lost;
  await dying.close();
});
