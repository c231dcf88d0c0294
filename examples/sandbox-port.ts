// #region port
import { LinearConnector } from 'agent-connectors/linear';

const linear = new LinearConnector({
  credentials: { api_key: 'lin_api_sandbox_full_access' },
  endpoints: process.env.SANDBOX_LINEAR ?? 'http://127.0.0.1:4010/linear',
});
// #endregion

console.log((await linear.teams.list()).data.length);
