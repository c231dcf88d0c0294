import { GongConnector } from 'agent-connectors/gong';
import { createSandbox, type Sandbox } from 'agent-connectors-sandbox';
import { testConnector } from 'agent-connectors-sandbox/testing';
import { paramsAt } from './params.js';

// A whole second: the Date header knows no fractions.
const start = Math.floor(Date.now() / 1000) * 1000;

/** The clock of the sandbox stands still, so that its limit would never end. */
const generous = { requestsPerSecond: Number.MAX_SAFE_INTEGER };

testConnector({
  Connector: GongConnector,
  sandbox: () => {
    const sandbox = createSandbox({ seed: 7, now: () => start });
    sandbox.vendors.gong.limits = generous;
    return sandbox;
  },
  credentials: ({ vendors }) => ({ ...vendors.gong.credentials.basic }),
  guide: new URL('../../../connectors/gong/guide.md', import.meta.url),
  pages: {
    // As many as there are: a larger page would only take longer.
    maxSize: 100,
    setSize: ({ vendors }: Sandbox, size: number) => {
      vendors.gong.limits = { ...generous, pageSize: size };
    },
    // A cursor that is null is the end, as one that is left out.
    faults: ['half_page', 'endless_cursor'],
  },
  unpaginated: ['library_folder_content.list'],
  params: paramsAt(start, 99),
});
