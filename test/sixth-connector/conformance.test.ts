import { testConnector } from 'agent-connectors-sandbox/testing';
import { LarderConnector } from './connectors/larder/index.js';
import { key, larder } from './vendor.js';

testConnector({
  Connector: LarderConnector,
  sandbox: larder,
  credentials: () => ({ api_key: key }),
  guide: new URL('connectors/larder/guide.md', import.meta.url),
  pages: { sizeParameter: 'size', maxSize: 20 },
  params: {
    'jars.list': () => ({}),
    'jars.get': () => ({ id: 'jar_2' }),
    'jars.create': () => ({ label: 'Quince jelly', grams: 200 }),
    'jars.update': () => ({ id: 'jar_2', grams: 1 }),
    'jars.delete': () => ({ id: 'jar_2' }),
    'jars.download': () => ({ id: 'jar_2' }),
  },
});
