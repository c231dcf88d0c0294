import type { AgentTool } from '../tools/agent-tools.js';
import { type CallContext, isFor, type Parameters, parametersOf, runNamed } from './call.js';

/** A tool of the Messages API, which its tool runner can run by itself. */
export interface AnthropicTool {
  type: 'custom';
  name: string;
  description: string;
  input_schema: Parameters;
  strict: false;
  run: (input: unknown, context?: CallContext) => Promise<string>;
  parse: (content: unknown) => unknown;
}

/** The answer to a call of a tool. */
export interface AnthropicToolResult {
  type: 'tool_result';
  tool_use_id: string;
  content: string;
  is_error: boolean;
}

/** Makes the `tools` of a message, or of `toolRunner`. */
export const anthropicTools = (tools: readonly AgentTool[]): AnthropicTool[] =>
  tools.map((tool) => ({
    type: 'custom',
    name: tool.name,
    description: tool.description,
    input_schema: parametersOf(tool),
    strict: false,
    run: async (input, context) => {
      const { text, isError } = await tool.run(input, { signal: context?.signal ?? undefined });
      // The runner marks a result as an error only when it is thrown.
      if (isError) throw new Error(text);
      return text;
    },
    parse: (content) => content,
  }));

/** Runs the calls in a message's content that are for these tools, and gives back the content of the next message. */
export function answerAnthropic(
  tools: readonly AgentTool[],
  content: ReadonlyArray<{ readonly type: string }>,
  context?: CallContext,
): Promise<AnthropicToolResult[]> {
  const calls = content.filter(
    (block): block is { type: 'tool_use'; id: string; name: string; input: unknown } =>
      block.type === 'tool_use' && isFor(tools, (block as { name?: string }).name ?? ''),
  );
  return Promise.all(
    calls.map(async ({ id, name, input }) => {
      const { text, isError } = await runNamed(tools, name, input, context);
      return { type: 'tool_result', tool_use_id: id, content: text, is_error: isError };
    }),
  );
}
