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
  /** Whether a person is to approve the call: true of writes that would be sent, where that is asked for. */
  readonly needsApproval?: (input: unknown) => Promise<boolean>;
  /** What of a result the model gets. */
  readonly toModelOutput: (options: { readonly output: ToolResult }) => {
    /** `error-text` where the call failed. */
    type: 'text' | 'error-text';
    /** Text for the model. */
    value: string;
  };
}

/** How the tools are to behave in the AI SDK. */
export interface AiSdkToolOptions {
  /** Has the SDK ask for approval before every write that would be sent; leave `approve` of the tools out then. */
  readonly needsApproval?: boolean | undefined;
}

/** Makes a `ToolSet` of tools; `jsonSchema` is the function of that name from `ai`. */
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
        toModelOutput: ({ output: { text, isError } }) => ({ type: isError ? 'error-text' : 'text', value: text }),
      },
    ]),
  );
}
