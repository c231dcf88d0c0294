import type { AgentTool, ToolResult } from '../tools/agent-tools.js';
import { type Parameters, parametersOf } from './call.js';

/** A tool in the form of the AI SDK. */
export interface AiSdkTool<S> {
  readonly description: string;
  readonly inputSchema: S;
  readonly strict: false;
  readonly execute: (
    input: unknown,
    options?: { readonly abortSignal?: AbortSignal | undefined },
  ) => Promise<ToolResult>;
  readonly toModelOutput: (options: { readonly output: ToolResult }) => {
    type: 'text' | 'error-text';
    value: string;
  };
}

/** Makes a `ToolSet` of tools; `jsonSchema` is the function of that name from `ai`. */
export function aiSdkTools<S>(
  tools: readonly AgentTool[],
  jsonSchema: (schema: Parameters) => S,
): Record<string, AiSdkTool<S>> {
  return Object.fromEntries(
    tools.map((tool) => [
      tool.name,
      {
        description: tool.description,
        inputSchema: jsonSchema(parametersOf(tool)),
        strict: false,
        execute: (input, options) => tool.run(input, { signal: options?.abortSignal }),
        toModelOutput: ({ output: { text, isError } }) => ({ type: isError ? 'error-text' : 'text', value: text }),
      },
    ]),
  );
}
