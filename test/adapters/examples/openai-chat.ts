import { answerChat, chatTools } from 'agent-connectors/openai';
import OpenAI from 'openai';
import { prompt, signal, tools } from './given.js';

const openai = new OpenAI();
const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: prompt }];
for (;;) {
  const request = { model: 'gpt-5', messages, tools: chatTools(tools) };
  const { choices } = await openai.chat.completions.create(request);
  const message = choices[0]!.message;
  messages.push(message, ...(await answerChat(tools, message, { signal })));
  if (!message.tool_calls?.length) break;
}
console.log(messages.at(-1));
