import { Agent, run } from '@openai/agents';
import { agentTools } from 'agent-connectors/openai';
import { prompt, signal, tools } from './given.js';

const agent = new Agent({ name: 'Planner', tools: agentTools(tools) });
const { finalOutput } = await run(agent, prompt, { signal });
console.log(finalOutput);
