import Anthropic from '@anthropic-ai/sdk';
import { answerAnthropic, anthropicTools } from 'agent-connectors/anthropic';
import { prompt, signal, tools } from './given.js';

const anthropic = new Anthropic();
const request = { model: 'claude-sonnet-5', max_tokens: 4_096, tools: anthropicTools(tools) };
const messages: Anthropic.MessageParam[] = [{ role: 'user', content: prompt }];
for (;;) {
  const { content } = await anthropic.messages.create({ ...request, messages });
  const answers = await answerAnthropic(tools, content, { signal });
  messages.push({ role: 'assistant', content });
  if (answers.length === 0) break;
  messages.push({ role: 'user', content: answers });
}
console.log(messages.at(-1));
