import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { prompt, signal, tools } from './given.js';

declare const model: BaseChatModel;

// #region langchain
import { type BaseMessage, HumanMessage } from '@langchain/core/messages';
import { type StructuredToolInterface, tool } from '@langchain/core/tools';
import { langchainTools } from 'agent-connectors/langchain';

const set: StructuredToolInterface[] = langchainTools(tools, tool);
const bound = model.bindTools!(set);
const messages: BaseMessage[] = [new HumanMessage(prompt)];
for (;;) {
  const answer = await bound.invoke(messages, { signal });
  messages.push(answer);
  if (!answer.tool_calls?.length) break;
  const calls = answer.tool_calls.map((call) => set.find(({ name }) => name === call.name)!.invoke(call, { signal }));
  messages.push(...(await Promise.all(calls)));
}

// #endregion
export { messages };
