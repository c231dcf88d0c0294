import { expect, test } from 'vitest';
import { startConsoleService } from './setup.js';

test('calls and syncs are counted by hour and day, and the interval that applies is returned', async () => {
  const { ask, signIn, connect } = await startConsoleService({ replicate: true });
  const cookie = await signIn();
  const id = await connect(cookie, 'Tickets');
  const activity = async (query = '') =>
    (await ask('GET', `/api/v1/activity?connector_id=${id}${query}`, { cookie })).body;
  await expect.poll(async () => (await activity()).total.syncs).toBe(1);
  for (const first of [1, 0]) {
    const json = { entity: 'issues', action: 'list', params: { first } };
    await ask('POST', `/api/v1/integrations/connectors/${id}/execute`, { json, cookie });
  }
  const { total, data } = await activity('&unit=day&time_zone=Europe/Berlin');
  expect(total).toMatchObject({ calls: 2, errors: 1, syncs: 1, failed: 0 });
  const { body: overview } = await ask('GET', '/api/v1/overview', { cookie });
  expect(data.at(-1)).toMatchObject({ records: overview.data[0].records, changed: total.changed });
  expect(total.changed).toBe(overview.data[0].records);
  const { body: connector } = await ask('GET', `/api/v1/integrations/connectors/${id}`, { cookie });
  expect(connector.sync_interval).toMatch(/^\d+m$/);
  expect(overview.data[0].sync_interval).toBe(connector.sync_interval);
  const json = { replication_config: { interval: '6h' } };
  const changed = await ask('PUT', `/api/v1/integrations/connectors/${id}`, { json, cookie });
  expect(changed.body.sync_interval).toBe('6h');
  const wrong = await ask('GET', '/api/v1/activity?time_zone=Nowhere', { cookie });
  expect([wrong.status, wrong.body.code]).toEqual([422, 'invalid_params']);
});
