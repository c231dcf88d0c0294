import { LinearConnector } from 'agent-connectors/linear';
import { createAgentTools } from 'agent-connectors/tools';

/** What the examples have at hand. */
export const prompt = 'Which issues are due this week?';
export const tools = createAgentTools(new LinearConnector({ credentials: { api_key: 'lin_api_…' } }));
export const { signal } = new AbortController();
