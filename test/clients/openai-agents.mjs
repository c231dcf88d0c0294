import { Agent, MCPServerStdio, OpenAIChatCompletionsModel, run, setTracingDisabled } from '@openai/agents';
import OpenAI from 'openai';

const { MODEL_URL, SERVER } = process.env;
setTracingDisabled(true);
const { command, args, env } = JSON.parse(SERVER);
const server = new MCPServerStdio({ command, args, env });
await server.connect();
const client = new OpenAI({ apiKey: 'x', baseURL: `${MODEL_URL}/v1` });
const model = new OpenAIChatCompletionsModel(client, 'scripted');
const agent = new Agent({ name: 'reader', model, mcpServers: [server] });
const result = await run(agent, 'Read the issues.', { maxTurns: 40 });
console.log(result.finalOutput);
await server.close();
