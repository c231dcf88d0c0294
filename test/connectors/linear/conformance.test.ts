import { LinearConnector } from 'agent-connectors/linear';
import { createSandbox } from 'agent-connectors-sandbox';
import { testConnector } from 'agent-connectors-sandbox/testing';
import { params } from './params.js';

// A whole second, since the Date header has no fractions.
const start = Math.floor(Date.now() / 1000) * 1000;

testConnector({
  Connector: LinearConnector,
  sandbox: () => createSandbox({ seed: 7, scale: 0.2, now: () => start }),
  credentials: ({ vendors }) => vendors.linear.credentials.api_key,
  guide: new URL('../../../connectors/linear/guide.md', import.meta.url),
  pages: { sizeParameter: 'first', maxSize: 250 },
  params,
});
