// #region guarded
import { LinearConnector } from 'agent-connectors/linear';

const linear = new LinearConnector({
  credentials: { api_key: process.env.LINEAR_API_KEY ?? '' },
  allow: ['issues.*', '*.list'], // only these, whatever an agent requests
  readOnly: true, // and only those that do not change anything
  timeoutMs: 20_000, // for the whole call, including retries
  hooks: { onRetry: ({ entity, action, delayMs }) => console.log(`${entity}.${action} again in ${delayMs} ms`) },
});

const { data } = await linear.issues.list(
  { first: 10 },
  { selectFields: ['title', 'assignee.name'], maxStringLength: 200, signal: AbortSignal.timeout(5_000) },
);
console.log(JSON.stringify(data[0]));
// #endregion
