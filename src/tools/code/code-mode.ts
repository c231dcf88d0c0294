import type { Arguments } from '../arguments.js';
import type { ToolDefinition, ToolNames } from '../definitions.js';
import type { ExecuteContext, ToolOutput } from '../execute.js';
import type { Member } from '../toolset.js';

/** What a code tool shares with the other tools in its toolset. */
export interface CodeToolset {
  /** Connectors and their permissions. */
  readonly members: readonly Member[];
  /** Names of the other tools. */
  readonly names: ToolNames;
  /** Context for calls and results. */
  readonly context: ExecuteContext;
}

/** A toolset's `run_code` tool. */
export interface CodeTool {
  /** Its definition. */
  readonly definition: ToolDefinition;
  /** Runs one program. */
  run(
    args: Arguments,
    signal: AbortSignal | undefined,
  ): Promise<
    ToolOutput & {
      /** True if the program failed. */
      readonly isError?: boolean;
    }
  >;
  /** Type declarations of a connector, if the requested section is one of them. */
  section(member: Member, name: string): Promise<string | undefined>;
}

/** Adds `run_code` to a toolset; created by `codeMode` from `agent-connectors/code`. */
export type CodeMode = (toolset: CodeToolset) => CodeTool;

/** Source of code results, as shown in their fence. */
export const codeOrigin = { title: 'the code and the data it read', provenance: 'run_code' } as const;
