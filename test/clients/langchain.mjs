import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent } from 'langchain';

const { MODEL_URL, SERVER } = process.env;
const client = new MultiServerMCPClient({ mcpServers: { connectors: { transport: 'stdio', ...JSON.parse(SERVER) } } });
const model = new ChatOpenAI({ model: 'scripted', apiKey: 'x', configuration: { baseURL: `${MODEL_URL}/v1` } });
const agent = createAgent({ model, tools: await client.getTools() });
const messages = [{ role: 'user', content: 'Read the issues.' }];
const result = await agent.invoke({ messages }, { recursionLimit: 100 });
console.log(result.messages.at(-1).content);
await client.close();
