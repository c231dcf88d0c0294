import { createSandbox } from 'agent-connectors-sandbox';
import { expect, test } from 'vitest';
import { LarderConnector } from '../src/larder.js';
import { larderVendor } from '../src/vendor.js';

test('your own vendor is served like the others', async () => {
  const sandbox = createSandbox({ vendors: { larder: larderVendor } });
  const { credentials } = sandbox.vendors.larder;
  const larder = new LarderConnector({ credentials: credentials.api_key, fetch: sandbox.fetch });

  sandbox.faults.add({ vendor: 'larder', kind: '503' });
  expect((await larder.jars.list({ size: 3 })).data).toHaveLength(3);
  expect(sandbox.requests.map(({ vendor, status }) => `${vendor} ${status}`)).toEqual(['larder 503', 'larder 200']);
});
