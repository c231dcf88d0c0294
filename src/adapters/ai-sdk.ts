/**
 * Agent tools for the AI SDK.
 * @module agent-connectors/ai-sdk
 */
import type { AgentTool, ToolResult } from '../tools/agent-tools.js';
import { parametersOf, type ToolInputSchema } from './call.js';

/** A tool in the AI SDK's format. */
export interface AiSdkTool<S> {
  /** Description for the model. */
  readonly description: string;
  /** Schema of the arguments, as returned by `jsonSchema`. */
  readonly inputSchema: S;
  /** Always false, because strict mode rejects parts of the schema. */
  readonly strict: false;
  /** Runs the tool; failures are returned as results. */
  readonly execute: (
    input: unknown,
    options?: { readonly abortSignal?: AbortSignal | undefined },
  ) => Promise<ToolResult>;
  /** Whether a user must approve the call: true for writes if approval is enabled. */
  readonly needsApproval?: (input: unknown) => Promise<boolean>;
  /** The part of a result that the model gets. The AI SDK passes the result as `output`, Mastra passes it as it is. */
  readonly toModelOutput: (result: { readonly output: ToolResult } | ToolResult) => {
    /** `error-text` if the call failed. */
    type: 'text' | 'error-text';
    /** Text for the model. */
    value: string;
  };
}

/** Options for tools in the AI SDK. */
export interface AiSdkToolOptions {
  /** Makes the SDK ask for approval before every write; if set, omit the tools' `approve` option. */
  readonly needsApproval?: boolean | undefined;
}

/** Creates a `ToolSet`. Pass the `jsonSchema` function from `ai`. */
export function aiSdkTools<S>(
  tools: readonly AgentTool[],
  jsonSchema: (schema: ToolInputSchema) => S,
  { needsApproval = false }: AiSdkToolOptions = {},
): Record<string, AiSdkTool<S>> {
  return Object.fromEntries(
    tools.map((tool) => [
      tool.name,
      {
        description: tool.description,
        inputSchema: jsonSchema(parametersOf(tool)),
        strict: false,
        ...(needsApproval && tool.isWrite && { needsApproval: (input: unknown) => tool.isWrite!(input) }),
        execute: (input: unknown, options?: { readonly abortSignal?: AbortSignal | undefined }) =>
          tool.run(input, { signal: options?.abortSignal }),
        toModelOutput: (result) => {
          const { text, isError } = 'output' in result ? result.output : result;
          return { type: isError ? 'error-text' : 'text', value: text };
        },
      },
    ]),
  );
}
