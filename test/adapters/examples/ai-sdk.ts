import type { LanguageModel } from 'ai';
import { prompt, signal, tools } from './given.js';

declare const model: LanguageModel;

// #region ai-sdk
import { aiSdkTools } from 'agent-connectors/ai-sdk';
import { generateText, jsonSchema, stepCountIs } from 'ai';

const set = aiSdkTools(tools, jsonSchema);
const { text } = await generateText({ model, prompt, tools: set, stopWhen: stepCountIs(20), abortSignal: signal });

// #endregion
export { text };
