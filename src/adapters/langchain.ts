/**
 * Agent tools for LangChain.
 * @module agent-connectors/langchain
 */
import type { AgentTool, ToolResult } from '../tools/agent-tools.js';
import { parametersOf, type ToolInputSchema } from './call.js';

/** Options for LangChain's `tool`. */
export interface LangChainFields {
  /** Tool name. */
  name: string;
  /** Description for the model. */
  description: string;
  /** Schema of the arguments. */
  schema: ToolInputSchema;
  /** Returns text for the model and an artifact for the program. */
  responseFormat: 'content_and_artifact';
  /** Always true, so that the model learns what was wrong with its arguments. */
  verboseParsingErrors: true;
}

/** Text for the model, and the tool's full result for the program. */
export type LangChainAnswer = [content: string, artifact: ToolResult];

/** Creates LangChain tools. Pass the `tool` function from `@langchain/core/tools`. */
export const langchainTools = <T>(
  tools: readonly AgentTool[],
  tool: (
    run: (input: any, config?: { readonly signal?: AbortSignal | undefined }) => Promise<LangChainAnswer>,
    fields: LangChainFields,
  ) => T,
): T[] =>
  tools.map((each) =>
    withStatus(
      tool(
        async (input, config) => {
          const result = await each.run(input, { signal: config?.signal });
          return [result.text, result];
        },
        {
          name: each.name,
          description: each.description,
          schema: parametersOf(each),
          responseFormat: 'content_and_artifact',
          // Otherwise the model would not learn what was wrong.
          verboseParsingErrors: true,
        },
      ),
    ),
  );

/**
 * Marks the messages of failed calls. LangChain gives every message that a tool returns the status `success`, and an
 * error thrown by a tool ends the agent.
 */
function withStatus<T>(made: T): T {
  const invocable = made as { invoke: (...args: unknown[]) => Promise<unknown> };
  const invoke = invocable.invoke.bind(made);
  invocable.invoke = async (...args) => {
    const message = (await invoke(...args)) as { artifact?: ToolResult; status?: 'success' | 'error' } | undefined;
    if (message?.artifact?.isError) message.status = 'error';
    return message;
  };
  return made;
}
