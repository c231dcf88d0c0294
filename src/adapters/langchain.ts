/**
 * The tools in the form of LangChain.
 * @module agent-connectors/langchain
 */
import type { AgentTool, ToolResult } from '../tools/agent-tools.js';
import { parametersOf, type ToolInputSchema } from './call.js';

/** What LangChain's `tool` is given. */
export interface LangChainFields {
  /** Name that the model calls it by. */
  name: string;
  /** What the model reads of it. */
  description: string;
  /** Schema of the arguments. */
  schema: ToolInputSchema;
  /** Text for the model, and beside it an artifact for the program. */
  responseFormat: 'content_and_artifact';
  /** True: the model is told what was wrong with its arguments. */
  verboseParsingErrors: true;
}

/** Text for the model, and for the program what the tool has answered. */
export type LangChainAnswer = [content: string, artifact: ToolResult];

/** Makes tools of LangChain; `tool` is the function of that name from `@langchain/core/tools`. */
export const langchainTools = <T>(
  tools: readonly AgentTool[],
  tool: (
    run: (input: any, config?: { readonly signal?: AbortSignal | undefined }) => Promise<LangChainAnswer>,
    fields: LangChainFields,
  ) => T,
): T[] =>
  tools.map((each) =>
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
        // Without it the model is not told what was wrong.
        verboseParsingErrors: true,
      },
    ),
  );
