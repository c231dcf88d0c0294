/**
 * Agent tools for OpenAI: Chat Completions, Responses and the Agents SDK.
 * @module agent-connectors/openai
 */
import type { AgentTool } from '../tools/agent-tools.js';
import { type CallContext, hasTool, parametersOf, runToolByName, type ToolInputSchema } from './call.js';

/** A Chat Completions API tool. */
export interface ChatTool {
  /** Kind of the tool. */
  type: 'function';
  /** The tool itself. */
  function: {
    /** Tool name. */
    name: string;
    /** Description for the model. */
    description: string;
    /** Schema of the arguments. */
    parameters: ToolInputSchema;
    /** Always false, because strict mode rejects parts of the schema. */
    strict: false;
  };
}

/** A Responses API tool. */
export interface ResponseTool {
  /** Kind of the tool. */
  type: 'function';
  /** Tool name. */
  name: string;
  /** Description for the model. */
  description: string;
  /** Schema of the arguments. */
  parameters: ToolInputSchema;
  /** Always false, because strict mode rejects parts of the schema. */
  strict: false;
}

/** An Agents SDK tool. */
export interface OpenAiAgentTool extends ResponseTool {
  /** Runs the tool with arguments as JSON text and returns the text for the model. */
  invoke: (runContext: unknown, input: string, details?: { readonly signal?: AbortSignal }) => Promise<string>;
  /** Resolves to false because the tools' `approve` option handles approval. */
  needsApproval: () => Promise<boolean>;
  /** Resolves to true. */
  isEnabled: () => Promise<boolean>;
}

/** The result of a chat tool call. */
export interface ChatToolMessage {
  /** Role of the message. */
  role: 'tool';
  /** Id of the tool call. */
  tool_call_id: string;
  /** Text for the model. */
  content: string;
}

/** The result of a tool call (Responses API). */
export interface ResponseToolOutput {
  /** Kind of the item. */
  type: 'function_call_output';
  /** Id of the tool call. */
  call_id: string;
  /** Text for the model. */
  output: string;
}

const definitionOf = (tool: AgentTool) => ({
  name: tool.name,
  description: tool.description,
  parameters: parametersOf(tool),
  strict: false as const,
});

/** Creates the `tools` for a chat completion. */
export const chatTools = (tools: readonly AgentTool[]): ChatTool[] =>
  tools.map((tool) => ({ type: 'function', function: definitionOf(tool) }));

/** Runs the tool calls of a chat message concurrently and returns the messages that follow it. */
export function answerChat(
  tools: readonly AgentTool[],
  message: {
    readonly tool_calls?: ReadonlyArray<{
      readonly id: string;
      readonly function?: { readonly name: string; readonly arguments: string };
    }>;
  },
  context?: CallContext,
): Promise<ChatToolMessage[]> {
  const calls = (message.tool_calls ?? []).flatMap(({ id, function: called }) => (called ? [{ id, ...called }] : []));
  return Promise.all(
    calls.map(async ({ id, name, arguments: args }) => {
      const { text } = await runToolByName(tools, name, args, context);
      return { role: 'tool', tool_call_id: id, content: text };
    }),
  );
}

/** Creates the `tools` for a response. */
export const responseTools = (tools: readonly AgentTool[]): ResponseTool[] =>
  tools.map((tool) => ({ type: 'function', ...definitionOf(tool) }));

/** Runs the calls to these tools in a response's output and returns the items to send next. */
export function answerResponse(
  tools: readonly AgentTool[],
  output: ReadonlyArray<{ readonly type: string }>,
  context?: CallContext,
): Promise<ResponseToolOutput[]> {
  const calls = output.filter(
    (item): item is { type: 'function_call'; call_id: string; name: string; arguments: string } =>
      item.type === 'function_call' && hasTool(tools, (item as { name?: string }).name ?? ''),
  );
  return Promise.all(
    calls.map(async ({ call_id, name, arguments: args }) => {
      const { text } = await runToolByName(tools, name, args, context);
      return { type: 'function_call_output', call_id, output: text };
    }),
  );
}

/** Creates the `tools` for an Agents SDK agent. */
export const agentTools = (tools: readonly AgentTool[]): OpenAiAgentTool[] =>
  tools.map((tool) => ({
    type: 'function',
    ...definitionOf(tool),
    invoke: async (_runContext, input, details) => (await tool.run(input, { signal: details?.signal })).text,
    needsApproval: async () => false,
    isEnabled: async () => true,
  }));
