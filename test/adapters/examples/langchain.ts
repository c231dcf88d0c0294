import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { prompt, signal, tools } from './given.js';

declare const model: BaseChatModel;

// #region langchain
import { tool } from '@langchain/core/tools';
import { langchainTools } from 'agent-connectors/langchain';

const bound = model.bindTools!(langchainTools(tools, tool));
const answer = await bound.invoke(prompt, { signal });

// #endregion
export { answer };
