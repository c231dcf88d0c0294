import { aiSdkTools } from 'agent-connectors/ai-sdk';
import { generateText, jsonSchema, stepCountIs } from 'ai';
import { prompt, signal, tools } from './given.js';

const model = 'openai/gpt-5'; // through the AI Gateway; or use a model from a provider's package
const set = aiSdkTools(tools, jsonSchema);
const { text } = await generateText({ model, prompt, tools: set, stopWhen: stepCountIs(20), abortSignal: signal });
console.log(text);
