/**
 * Agent tools for Anthropic’s Messages API and its tool runner.
 * @module agent-connectors/anthropic
 */
import type { AgentTool } from '../tools/agent-tools.js';
import { type CallContext, hasTool, parametersOf, runToolByName, type ToolInputSchema } from './call.js';

/** A Messages API tool, which the tool runner can run. */
export interface AnthropicTool {
  /** Kind of the tool. */
  type: 'custom';
  /** Tool name. */
  name: string;
  /** Description for the model. */
  description: string;
  /** Schema of the arguments. */
  input_schema: ToolInputSchema;
  /** Always false, because strict mode rejects parts of the schema. */
  strict: false;
  /** Runs the tool; on failure, throws the text for the model, as the tool runner expects. */
  run: (input: unknown, context?: CallContext) => Promise<string>;
  /** Passes the arguments through. */
  parse: (content: unknown) => unknown;
}

/** The result of a tool call. */
export interface AnthropicToolResult {
  /** Kind of the block. */
  type: 'tool_result';
  /** Id of the tool call. */
  tool_use_id: string;
  /** Text for the model. */
  content: string;
  /** True if the call failed. */
  is_error: boolean;
}

/** Creates the `tools` for a message or for `toolRunner`. */
export const anthropicTools = (tools: readonly AgentTool[]): AnthropicTool[] =>
  tools.map((tool) => ({
    type: 'custom',
    name: tool.name,
    description: tool.description,
    input_schema: parametersOf(tool),
    strict: false,
    run: async (input, context) => {
      const { text, isError } = await tool.run(input, { signal: context?.signal ?? undefined });
      // The runner marks a result as an error only if it is thrown.
      if (isError) throw new Error(text);
      return text;
    },
    parse: (content) => content,
  }));

/** Runs the calls to these tools in a message's content and returns the content of the next message. */
export function answerAnthropic(
  tools: readonly AgentTool[],
  content: ReadonlyArray<{ readonly type: string }>,
  context?: CallContext,
): Promise<AnthropicToolResult[]> {
  const calls = content.filter(
    (block): block is { type: 'tool_use'; id: string; name: string; input: unknown } =>
      block.type === 'tool_use' && hasTool(tools, (block as { name?: string }).name ?? ''),
  );
  return Promise.all(
    calls.map(async ({ id, name, input }) => {
      const { text, isError } = await runToolByName(tools, name, input, context);
      return { type: 'tool_result', tool_use_id: id, content: text, is_error: isError };
    }),
  );
}
