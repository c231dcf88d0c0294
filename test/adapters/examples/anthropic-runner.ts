import Anthropic from '@anthropic-ai/sdk';
import { anthropicTools } from 'agent-connectors/anthropic';
import { prompt, tools } from './given.js';

const anthropic = new Anthropic();
const { content } = await anthropic.beta.messages.toolRunner({
  model: 'claude-sonnet-5',
  max_tokens: 4_096,
  tools: anthropicTools(tools),
  messages: [{ role: 'user', content: prompt }],
});
console.log(content);
