// #region sandbox
import { LinearConnector } from 'agent-connectors/linear';
import { createSandbox } from 'agent-connectors-sandbox';

const sandbox = createSandbox({ seed: 1 });
const linear = new LinearConnector({
  credentials: sandbox.vendors.linear.credentials.api_key,
  fetch: sandbox.fetch, // omit this, and the same program uses Linear itself
});

const { data } = await linear.execute('issues', 'list', { first: 3 });
for (const { title, state } of data) console.log(`${state?.name}: ${title}`);
// #endregion
