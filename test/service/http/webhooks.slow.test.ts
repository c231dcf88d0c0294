import { describe, expect, test } from 'vitest';
import { executeAll, newFolder, openTestDatabase } from '../state/fixtures.js';
import { openEndpoint, register, settled, startWebhooks, verifyWith } from '../webhooks.js';
import { connectorPath } from './setup.js';

const hooks = '/api/v1/webhooks';
const credentials = { api_key: 'lin_api_1' };
const day = 86_400_000;

describe('an endpoint', () => {
  test("receives a connector's events in order, with signatures", async () => {
    const { tenant } = await startWebhooks();
    const { url, received } = await openEndpoint();
    const { id, secret } = await register(tenant, url);
    const connector = await tenant.connect('linear', credentials, { name: 'Issues' });
    await tenant.ask('PUT', connectorPath(connector), { json: { credentials: { api_key: 'lin_api_2' } } });
    await tenant.ask('DELETE', connectorPath(connector));
    await settled(tenant, id, ['delivered', 'delivered', 'delivered']);
    expect(received.map(({ type }) => type)).toEqual([
      'connector.connected',
      'connector.connected',
      'connector.removed',
    ]);
    const connection = { connector_id: connector, connector_type: 'linear', connector_name: 'Issues' };
    expect(received.map(({ data }) => data)).toEqual([
      { ...connection, workspace_name: 'main', renewed: false },
      { ...connection, workspace_name: 'main', renewed: true },
      { ...connection, workspace_name: 'main' },
    ]);
    for (const message of received) verifyWith(secret, message);
    expect(() => verifyWith('whsec_AAAA', received[0]!)).toThrow();
  });

  test('receives only the events and the workspace it subscribed to', async () => {
    const { tenant, service } = await startWebhooks();
    await service.state.workspaces.create(tenant.organizationId, 'other');
    const { url, received } = await openEndpoint();
    const { id } = await register(tenant, url, { events: ['connector.removed'], workspace_name: 'other' });
    for (const workspace_name of ['main', 'other']) {
      const made = await tenant.connect('linear', credentials, { workspace_name });
      await tenant.ask('DELETE', connectorPath(made));
    }
    await settled(tenant, id, ['delivered']);
    expect(received.map(({ type, data }) => [type, data.workspace_name])).toEqual([['connector.removed', 'other']]);
  });

  test('is notified when a connector needs reauthorization, and when it works again', async () => {
    const { createSandbox } = await import('agent-connectors-sandbox');
    const sandbox = createSandbox({ seed: 7, scale: 0.1 });
    const endpoint = await openEndpoint();
    const { tenant } = await startWebhooks({
      fetch: (input, init) => (String(input) === endpoint.url ? fetch(input, init) : sandbox.fetch(input, init)),
    });
    const { id } = await register(tenant, endpoint.url);
    const connector = await tenant.connect('linear', { api_key: 'lin_api_revoked' });
    const call = () => tenant.ask('POST', connectorPath(connector, '/check'));
    const status = async () => (await tenant.ask('GET', connectorPath(connector))).body.status;
    expect(await status()).toBe('ok');
    for (let time = 0; time < 2; time++) expect((await call()).body.status).toBe('failed');
    expect(await status()).toBe('needs_reauthorization');
    const good = sandbox.vendors.linear.credentials.api_key;
    await tenant.ask('PUT', connectorPath(connector), { json: { credentials: good } });
    for (let time = 0; time < 2; time++) expect((await call()).body.status).toBe('succeeded');
    expect(await status()).toBe('ok');
    await settled(tenant, id, Array(4).fill('delivered'));
    expect(endpoint.received.map(({ type }) => type)).toEqual([
      'connector.connected',
      'connector.needs_reauthorization',
      'connector.connected',
      'connector.recovered',
    ]);
  });

  test('gets a test event, a delivery log, and a replay with the same id', async () => {
    const { tenant } = await startWebhooks();
    const { url, received } = await openEndpoint();
    const { id } = await register(tenant, url);
    const { body } = await tenant.ask('POST', `${hooks}/${id}/test`);
    await settled(tenant, id, ['delivered']);
    const replayed = await tenant.ask('POST', `${hooks}/${id}/deliveries/${body.id}/replay`);
    expect(replayed.body).toMatchObject({ status: 'pending', attempts: 0 });
    await expect.poll(() => received.length).toBe(2);
    expect(received.map((message) => [message.type, message.id])).toEqual(Array(2).fill(['webhook.test', body.id]));
  });

  test('has its secret shown once; the secret can be rolled with an overlap', async () => {
    const { tenant } = await startWebhooks();
    const { url, received } = await openEndpoint();
    const { id, secret } = await register(tenant, url);
    const { body } = await tenant.ask('POST', `${hooks}/${id}/secret`, { json: { overlap_seconds: 3600 } });
    expect((await tenant.ask('GET', hooks)).text).not.toContain('whsec_');
    await tenant.ask('POST', `${hooks}/${id}/test`);
    await settled(tenant, id, ['delivered']);
    for (const each of [secret, body.secret]) verifyWith(each, received[0]!);
    await tenant.ask('POST', `${hooks}/${id}/secret`, { json: { overlap_seconds: 0 } });
    await tenant.ask('POST', `${hooks}/${id}/test`);
    await settled(tenant, id, ['delivered', 'delivered']);
    for (const each of [secret, body.secret]) expect(() => verifyWith(each, received[1]!)).toThrow();
  });
});

describe('a failing endpoint', () => {
  test("is retried; later messages from the same connector wait, but other connectors' messages do not", async () => {
    const { tenant, clock } = await startWebhooks();
    let broken = '';
    const { url, accepted } = await openEndpoint(({ data }) => (data.connector_id === broken ? 500 : 204));
    const { id } = await register(tenant, url);
    const one = await tenant.connect('linear', undefined, { name: 'One' });
    broken = one;
    await tenant.ask('PUT', connectorPath(one), { json: { credentials } });
    await tenant.ask('DELETE', connectorPath(one));
    await tenant.connect('linear', credentials, { name: 'Two' });
    await settled(tenant, id, ['delivered', 'waiting', 'pending']);
    await expect.poll(async () => (await tenant.ask('GET', `${hooks}/${id}`)).body.failing_since).not.toBeNull();
    broken = '';
    clock.ahead += 60_000;
    await settled(tenant, id, ['delivered', 'delivered', 'delivered']);
    const ofOne = accepted.filter(({ data }) => data.connector_id === one).map(({ type }) => type);
    expect(ofOne).toEqual(['connector.connected', 'connector.removed']);
    expect((await tenant.ask('GET', `${hooks}/${id}`)).body.failing_since).toBeNull();
  });

  test('immediately gets a message that is replayed while waiting for its next attempt', async () => {
    const { tenant } = await startWebhooks();
    let status = 500;
    const { url, accepted } = await openEndpoint(() => status);
    const { id } = await register(tenant, url);
    const { body: delivery } = await tenant.ask('POST', `${hooks}/${id}/test`);
    const latest = async () => (await tenant.ask('GET', `${hooks}/${id}/deliveries`)).body.data[0];
    await expect.poll(async () => (await latest()).response_status).toBe(500);
    const before = Date.parse((await latest()).next_attempt_at);
    status = 204;
    const { body } = await tenant.ask('POST', `${hooks}/${id}/deliveries/${delivery.id}/replay`);
    expect(Date.parse(body.next_attempt_at)).toBeLessThan(before);
    await settled(tenant, id, ['delivered']);
    expect(accepted).toHaveLength(1);
  });

  test('is disabled after three days of failures, and can be enabled again', async () => {
    const { tenant, clock } = await startWebhooks();
    let status = 500;
    const { url, received } = await openEndpoint(() => status);
    const { id } = await register(tenant, url);
    const { body: delivery } = await tenant.ask('POST', `${hooks}/${id}/test`);
    await expect.poll(async () => (await tenant.ask('GET', `${hooks}/${id}`)).body.failing_since).not.toBeNull();
    clock.ahead += 3 * day + 1000;
    const hook = async () => (await tenant.ask('GET', `${hooks}/${id}`)).body;
    const ask = tenant.ask;
    // The earlier token has expired by now.
    const { body: fresh } = await ask('POST', '/api/v1/account/applications/token', {
      json: { client_id: tenant.clientId, client_secret: tenant.clientSecret },
    });
    const later = { headers: { authorization: `Bearer ${fresh.access_token}` } };
    const hookLater = async () => (await ask('GET', `${hooks}/${id}`, later)).body;
    expect(await hook()).toMatchObject({ code: 'unauthorized' });
    await expect.poll(async () => (await hookLater()).enabled).toBe(false);
    expect((await hookLater()).disabled_reason).toBe('All deliveries have failed for three days.');
    expect(received).toHaveLength(2);
    status = 204;
    await ask('PUT', `${hooks}/${id}`, { json: { enabled: true }, ...later });
    await ask('POST', `${hooks}/${id}/deliveries/${delivery.id}/replay`, later);
    await expect.poll(() => received.length).toBe(3);
  });

  test('with a secret that cannot be decrypted does not block others, and works again with a new secret', async () => {
    const dataFolder = newFolder();
    const { tenant, clock } = await startWebhooks({ dataFolder, createKey: true });
    const [damaged, other] = [await openEndpoint(), await openEndpoint()];
    const { id } = await register(tenant, damaged.url);
    const { id: otherId } = await register(tenant, other.url);
    const database = await openTestDatabase(dataFolder);
    await executeAll(database, `update webhooks set sealed = x'00' where id = '${id}'`);
    await database.close();
    await tenant.connect('linear', credentials);
    await settled(tenant, otherId, ['delivered']);
    await expect.poll(async () => (await tenant.ask('GET', `${hooks}/${id}`)).body.failing_since).not.toBeNull();
    const [delivery] = (await tenant.ask('GET', `${hooks}/${id}/deliveries`)).body.data;
    expect(delivery).toMatchObject({
      status: 'pending',
      attempts: 1,
      response_status: null,
      error: 'The webhook secret cannot be decrypted. Rotate the secret.',
    });
    const { body } = await tenant.ask('POST', `${hooks}/${id}/secret`);
    clock.ahead += 60_000;
    await settled(tenant, id, ['delivered']);
    expect(damaged.received).toHaveLength(1);
    verifyWith(body.secret, damaged.received[0]!);
  });

  test.each([
    [410, 'The endpoint responded with 410 Gone.'],
    [302, null],
  ])('that responds with %i is recorded as failing, and redirects are not followed', async (status, reason) => {
    const { tenant } = await startWebhooks();
    const { url, received } = await openEndpoint(() => status);
    const { id } = await register(tenant, url);
    await tenant.ask('POST', `${hooks}/${id}/test`);
    await expect.poll(async () => (await tenant.ask('GET', `${hooks}/${id}`)).body.failing_since).not.toBeNull();
    expect((await tenant.ask('GET', `${hooks}/${id}`)).body.disabled_reason).toBe(reason);
    expect(received).toHaveLength(1);
  });
});
