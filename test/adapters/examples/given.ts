import { LinearConnector } from 'agent-connectors/linear';
import { createAgentTools } from 'agent-connectors/tools';

const linear = new LinearConnector({ credentials: { api_key: process.env.LINEAR_API_KEY ?? '' } });
export const tools = createAgentTools(linear, { readOnly: true });
export const prompt = 'Which issues are due this week?';
export const { signal } = new AbortController();
