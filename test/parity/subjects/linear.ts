import { LinearConnector } from 'agent-connectors/linear';
import { createSandbox } from 'agent-connectors-sandbox';
import { params } from '../../connectors/linear/params.js';
import { start, subjectOf } from '../subject.js';

export const linear = subjectOf({
  Connector: LinearConnector,
  sandbox: () => createSandbox({ seed: 7, scale: 0.2, now: () => start }),
  credentials: ({ vendors }) => vendors.linear.credentials.api_key,
  params,
  small: () => ({ first: 2 }),
  madeId: (action, data) => (action.endsWith('.create') ? (data.issue ?? data.project ?? data.comment)?.id : undefined),
});
