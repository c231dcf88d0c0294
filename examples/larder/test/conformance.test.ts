// #region conformance
import { createSandbox } from 'agent-connectors-sandbox';
import { testConnector } from 'agent-connectors-sandbox/testing';
import { LarderConnector } from '../src/larder.js';
import { larderVendor } from '../src/vendor.js';

testConnector({
  Connector: LarderConnector,
  sandbox: () => createSandbox({ seed: 1, now: () => Date.UTC(2026, 8, 1), vendors: { larder: larderVendor } }),
  credentials: ({ vendors }) => vendors.larder.credentials.api_key,
  pages: { sizeParameter: 'size', maxSize: 20 },
  params: {
    'jars.list': () => ({}),
    'jars.get': () => ({ id: 'jar_2' }),
    'jars.create': () => ({ label: 'Rose hip' }),
  },
});
// #endregion
