import type { Arguments } from '../arguments.js';
import type { ToolDefinition, ToolNames } from '../definitions.js';
import type { ExecuteContext, ToolOutput } from '../execute.js';
import type { Member } from '../toolset.js';

/** What a tool that runs code shares with the other tools of its toolset. */
export interface CodeToolset {
  /** Connectors, with what is allowed of them. */
  readonly members: readonly Member[];
  /** Names of the other tools. */
  readonly names: ToolNames;
  /** What calls and results go by. */
  readonly context: ExecuteContext;
}

/** The tool `run_code`, for one toolset. */
export interface CodeTool {
  /** How it is announced. */
  readonly definition: ToolDefinition;
  /** Runs one program. */
  run(
    args: Arguments,
    signal: AbortSignal | undefined,
  ): Promise<
    ToolOutput & {
      /** True where the program failed. */
      readonly isError?: boolean;
    }
  >;
  /** Type declarations of a connector, where a section of the documentation is one of them. */
  section(member: Member, name: string): Promise<string | undefined>;
}

/** Adds `run_code` to a toolset; `codeMode` of `agent-connectors/code` makes one. */
export type CodeMode = (toolset: CodeToolset) => CodeTool;

/** Where results of code come from, as their marks say. */
export const codeOrigin = { title: 'the code and what it has read', provenance: 'run_code' } as const;
