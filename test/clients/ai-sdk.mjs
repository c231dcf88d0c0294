import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, stepCountIs } from 'ai';

const { MODEL_URL, SERVER } = process.env;
const client = await createMCPClient({ transport: new StdioTransport(JSON.parse(SERVER)) });
const provider = createOpenAICompatible({ name: 'scripted', baseURL: `${MODEL_URL}/v1`, apiKey: 'x' });
const tools = await client.tools();
const { text } = await generateText({
  model: provider('scripted'),
  tools,
  prompt: 'Read the issues.',
  stopWhen: stepCountIs(40),
});
console.log(text);
await client.close();
