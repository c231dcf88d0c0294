/** Compiles only if the adapters' types match those of the packages. */
import type Anthropic from '@anthropic-ai/sdk';
import { tool } from '@langchain/core/tools';
import { Agent } from '@openai/agents';
import { aiSdkTools } from 'agent-connectors/ai-sdk';
import { answerAnthropic, anthropicTools } from 'agent-connectors/anthropic';
import { langchainTools } from 'agent-connectors/langchain';
import { agentTools, answerChat, answerResponse, chatTools, responseTools } from 'agent-connectors/openai';
import type { AgentTool } from 'agent-connectors/tools';
import { jsonSchema, type ToolSet } from 'ai';
import type OpenAI from 'openai';

declare const tools: readonly AgentTool[];
declare const message: OpenAI.ChatCompletionMessage;
declare const response: OpenAI.Responses.Response;
declare const reply: Anthropic.Message;

export const set = aiSdkTools(tools, jsonSchema) satisfies ToolSet;
export const chat = chatTools(tools) satisfies OpenAI.ChatCompletionTool[];
export const responses = responseTools(tools) satisfies OpenAI.Responses.Tool[];
export const agent = new Agent({ name: 'agent', tools: agentTools(tools) });
export const messages = anthropicTools(tools) satisfies Anthropic.Tool[];
export const runnable: Parameters<Anthropic['beta']['messages']['toolRunner']>[0]['tools'] = anthropicTools(tools);
export const chain = langchainTools(tools, tool).map(({ name }) => name satisfies string);
export const answers = [
  answerChat(tools, message) satisfies Promise<OpenAI.ChatCompletionMessageParam[]>,
  answerResponse(tools, response.output) satisfies Promise<OpenAI.Responses.ResponseInput>,
  answerAnthropic(tools, reply.content) satisfies Promise<Anthropic.ContentBlockParam[]>,
];
