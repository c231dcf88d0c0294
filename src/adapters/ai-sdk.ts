/**
 * The tools in the form of the AI SDK.
 * @module agent-connectors/ai-sdk
 */
import type { AgentTool, ToolResult } from '../tools/agent-tools.js';
import { parametersOf, type ToolInputSchema } from './call.js';

/** A tool in the form of the AI SDK. */
export interface AiSdkTool<S> {
  /** What the model reads of it. */
  readonly description: string;
  /** Schema of the arguments, as `jsonSchema` made it. */
  readonly inputSchema: S;
  /** False: the schema has parts that strict mode refuses. */
  readonly strict: false;
  /** Runs the tool; what fails comes back as a result. */
  readonly execute: (
    input: unknown,
    options?: { readonly abortSignal?: AbortSignal | undefined },
  ) => Promise<ToolResult>;
  /** What of a result the model gets. */
  readonly toModelOutput: (options: { readonly output: ToolResult }) => {
    /** `error-text` where the call failed. */
    type: 'text' | 'error-text';
    /** Text for the model. */
    value: string;
  };
}

/** Makes a `ToolSet` of tools; `jsonSchema` is the function of that name from `ai`. */
export function aiSdkTools<S>(
  tools: readonly AgentTool[],
  jsonSchema: (schema: ToolInputSchema) => S,
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
