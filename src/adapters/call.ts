import type { AgentTool, ToolResult } from '../tools/agent-tools.js';

/** Options for a tool call. */
export interface CallContext {
  /** Aborts the call. */
  readonly signal?: AbortSignal | null | undefined;
}

/** Runs a tool by name; the tool parses arguments passed as JSON text. */
export async function runToolByName(
  tools: readonly AgentTool[],
  name: string,
  args: unknown,
  { signal }: CallContext = {},
): Promise<ToolResult> {
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool) return tool.run(args, { signal: signal ?? undefined });
  const valid = tools.map((candidate) => candidate.name).join(', ');
  return { text: `Failed: unknown tool. Valid: ${valid}.`, isError: true };
}

/** Runs a call if it is for one of these tools; others may belong to other toolsets. */
export const hasTool = (tools: readonly AgentTool[], name: string): boolean => tools.some((tool) => tool.name === name);

/** The schema of a tool's arguments, as frameworks type it. */
export interface ToolInputSchema {
  readonly [key: string]: unknown;
  type: 'object';
  properties: Record<string, any>;
  required: string[];
  additionalProperties: false;
}

/** A copy of a tool's schema: some frameworks modify it. */
export const parametersOf = ({ inputSchema }: AgentTool): ToolInputSchema =>
  structuredClone(inputSchema) as unknown as ToolInputSchema;
