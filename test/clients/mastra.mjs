import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent } from '@mastra/core/agent';
import { MCPClient } from '@mastra/mcp';

const { MODEL_URL, SERVER } = process.env;
const client = new MCPClient({ servers: { connectors: JSON.parse(SERVER) } });
const provider = createOpenAICompatible({ name: 'scripted', baseURL: `${MODEL_URL}/v1`, apiKey: 'x' });
const agent = new Agent({
  id: 'reader',
  name: 'reader',
  instructions: 'Read.',
  model: provider('scripted'),
  tools: await client.listTools(),
});
const result = await agent.generate('Read the issues.', { maxSteps: 40 });
console.log(result.text);
await client.disconnect();
