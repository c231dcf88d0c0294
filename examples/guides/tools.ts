// #region tools
import { LinearConnector } from 'agent-connectors/linear';
import { createAgentTools } from 'agent-connectors/tools';

const linear = new LinearConnector({ credentials: { api_key: process.env.LINEAR_API_KEY ?? '' } });
const tools = createAgentTools([linear], { allow: ['*.list', '*.get', 'comments.create'], maxOutputTokens: 10_000 });
console.log(tools.map(({ name }) => name));
// #endregion
