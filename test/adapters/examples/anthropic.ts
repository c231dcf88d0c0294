// #region runner
import Anthropic from '@anthropic-ai/sdk';
import { anthropicTools } from 'agent-connectors/anthropic';
import { prompt, signal, tools } from './given.js';

const anthropic = new Anthropic();
const request = { model: 'claude-sonnet-5', max_tokens: 4_096, tools: anthropicTools(tools) };
const last = await anthropic.beta.messages.toolRunner({ ...request, messages: [{ role: 'user', content: prompt }] });
// #endregion
console.log(last.content);

// #region messages
import { answerAnthropic } from 'agent-connectors/anthropic';

const messages: Anthropic.MessageParam[] = [{ role: 'user', content: prompt }];
for (;;) {
  const { content } = await anthropic.messages.create({ ...request, messages });
  const answers = await answerAnthropic(tools, content, { signal });
  messages.push({ role: 'assistant', content });
  if (answers.length === 0) break;
  messages.push({ role: 'user', content: answers });
}
// #endregion
