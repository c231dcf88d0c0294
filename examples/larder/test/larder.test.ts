// #region test
import { createSandbox } from 'agent-connectors-sandbox';
import { beforeEach, expect, test } from 'vitest';
import { LarderConnector } from '../src/larder.js';
import { larderVendor } from '../src/vendor.js';

const sandbox = createSandbox({ vendors: { larder: larderVendor } });
const larder = new LarderConnector({
  credentials: sandbox.vendors.larder.credentials.api_key,
  fetch: sandbox.fetch,
});

beforeEach(() => sandbox.reset());

test('a list is read page by page', async () => {
  const labels: unknown[] = [];
  for await (const { label } of larder.paginate('jars', 'list', { size: 3 })) labels.push(label);
  expect(labels).toEqual(['Plum', 'Quince', 'Rowan', 'Sloe', 'Damson', 'Medlar', 'Elder']);
  expect(sandbox.requests).toHaveLength(3);
});

test('a write returns the record', async () => {
  const { data } = await larder.jars.create({ label: 'Rose hip' });
  expect(data).toEqual({ success: true, jar: { id: 'jar_8', label: 'Rose hip', grams: null } });
});

test('a read is retried after a failure', async () => {
  sandbox.faults.add({ vendor: 'larder', kind: '503' });
  expect((await larder.jars.get({ id: 'jar_1' })).data).toMatchObject({ id: 'jar_1', label: 'Plum' });
  expect(sandbox.requests.map(({ status }) => status)).toEqual([503, 200]);
});

test('failures have a code, and invalid parameters are not sent', async () => {
  await expect(larder.jars.get({ id: 'jar_9' })).rejects.toMatchObject({ code: 'not_found' });
  await expect(larder.jars.list({ size: 21 })).rejects.toMatchObject({ code: 'invalid_params' });
});
// #endregion
