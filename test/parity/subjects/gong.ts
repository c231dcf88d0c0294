import { GongConnector } from 'agent-connectors/gong';
import { createSandbox } from 'agent-connectors-sandbox';
import { paramsAt } from '../../connectors/gong/params.js';
import { start, subjectOf } from '../subject.js';

export const gong = subjectOf({
  Connector: GongConnector,
  sandbox: () => {
    const sandbox = createSandbox({ seed: 7, now: () => start });
    // The clock does not advance, so the rate limit would never refill; pages are small, so there are several.
    sandbox.vendors.gong.limits = { requestsPerSecond: Number.MAX_SAFE_INTEGER, pageSize: 40 };
    return sandbox;
  },
  credentials: ({ vendors }) => ({ ...vendors.gong.credentials.basic }),
  params: paramsAt(start, 99_999),
  small: () => ({}),
});
