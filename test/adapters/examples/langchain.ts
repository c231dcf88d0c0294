import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { type BaseMessage, HumanMessage } from '@langchain/core/messages';
import { type StructuredToolInterface, tool } from '@langchain/core/tools';
import { langchainTools } from 'agent-connectors/langchain';
import { signal, tools } from './given.js';

/** Takes any chat model that can call tools, such as `ChatOpenAI` from `@langchain/openai`. */
export async function answer(model: BaseChatModel, question: string) {
  const set: StructuredToolInterface[] = langchainTools(tools, tool);
  const bound = model.bindTools!(set);
  const messages: BaseMessage[] = [new HumanMessage(question)];
  for (;;) {
    const message = await bound.invoke(messages, { signal });
    messages.push(message);
    if (!message.tool_calls?.length) return message.text;
    const calls = message.tool_calls.map((call) =>
      set.find(({ name }) => name === call.name)!.invoke(call, { signal }),
    );
    messages.push(...(await Promise.all(calls)));
  }
}
