import { testConnector } from '../conformance/connector.js';
import { LarderConnector } from './connectors/larder/index.js';
import { key, larder } from './vendor.js';

testConnector({
  Connector: LarderConnector,
  sandbox: larder,
  credentials: () => ({ api_key: key }),
  folder: new URL('connectors/larder/', import.meta.url),
  pages: { parameter: 'size', largest: 20 },
  params: {
    'jars.list': () => ({}),
    'jars.get': () => ({ id: 'jar_2' }),
    'jars.create': () => ({ label: 'Quince jelly', grams: 200 }),
    'jars.update': () => ({ id: 'jar_2', grams: 1 }),
    'jars.delete': () => ({ id: 'jar_2' }),
    'jars.download': () => ({ id: 'jar_2' }),
  },
});
