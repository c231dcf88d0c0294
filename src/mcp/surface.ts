import { checkOptions } from '../call/options.js';
import { ConnectorError } from '../errors/connector-error.js';
import { type AgentTool, createAgentTools } from '../tools/agent-tools.js';
import type { CodeMode } from '../tools/code/code-mode.js';
import type { AgentToolsOptions } from '../tools/options.js';
import { type Member, membersOf } from '../tools/toolset.js';
import { RecordCompletions } from './completions.js';
import { AskableCalls } from './confirmation.js';
import { type ConnectorEntries, guardedConnectors } from './connector-entries.js';
import { Files } from './files.js';
import { type Skills, skillsOf } from './skills.js';

/** Event emitted after each call: names and numbers, never parameters or results. */
export interface McpCallEvent {
  /** The tool. */
  readonly tool: string;
  /** The call's connector, if any. */
  readonly connector: string | undefined;
  /** The call's entity, if any. */
  readonly entity: string | undefined;
  /** The call's action, if any. */
  readonly action: string | undefined;
  /** Duration in milliseconds. */
  readonly durationMs: number;
  /** The outcome. */
  readonly outcome: 'done' | 'failed' | 'cancelled';
  /** Error code. */
  readonly code: string | undefined;
}

/** What a server offers, and how large results can be. Code run by `codeMode` is read-only. */
export interface McpOptions extends Pick<AgentToolsOptions, 'allow' | 'approve' | 'searchAll' | 'codeMode'> {
  /** Also offers writes; otherwise both the tools and the connector reject them. */
  readonly allowWrites?: boolean | undefined;
  /** Maximum tokens per result, text and structured content combined; 20,000 by default. */
  readonly maxOutputTokens?: number | undefined;
  /** Called after every call. */
  readonly onCall?: ((event: McpCallEvent) => void) | undefined;
}

/** Shared by all servers for the same connectors. */
export interface Surface {
  readonly tools: readonly AgentTool[];
  readonly members: readonly Member[];
  readonly skills: Skills;
  readonly allowWrites: boolean;
  /** Running calls of clients that can ask their user. */
  readonly askable: AskableCalls;
  readonly files: Files;
  readonly completions: RecordCompletions;
  /** Maximum tokens per result, text and structured content combined. */
  readonly maxTokens: number;
  readonly onCall: McpOptions['onCall'];
}

const optionKinds = {
  allowWrites: 'boolean',
  allow: 'strings',
  approve: 'function',
  searchAll: 'function',
  codeMode: 'function',
  maxOutputTokens: 'count',
  onCall: 'function',
} as const;

const minTokens = 1_000;

/** The minimum that the tools accept. */
const minTextTokens = 500;

/** Rejects options with a wrong name or type. */
export function checkMcpOptions(options: McpOptions): void {
  checkOptions(options, optionKinds, 'Options for an MCP server');
  if ((options.maxOutputTokens ?? minTokens) < minTokens) {
    throw new ConnectorError('invalid_params', `maxOutputTokens must be at least ${minTokens}.`);
  }
}

/** Builds the tools and skills for connectors, once for all servers that offer them. */
export function surfaceOf(given: ConnectorEntries, options: McpOptions = {}): Surface {
  checkMcpOptions(options);
  const { allowWrites = false, allow, approve, searchAll, codeMode, maxOutputTokens = 20_000, onCall } = options;
  const readOnly = !allowWrites;
  // Code is read-only here: a client asks its user about one write at a time and may then resend the call with the
  // answer, which would run the code again.
  const readingCode: CodeMode = (toolset) =>
    codeMode!({ ...toolset, members: membersOf(offered, { readOnly: true, allow }) });
  // Clients pass text, structured content or both to the model; structured content may contain the text with escaped
  // quotes.
  const textTokens = Math.max(minTextTokens, Math.floor(maxOutputTokens * 0.45));
  const offered = guardedConnectors(given, allowWrites);
  const members = given.length > 0 ? membersOf(offered, { readOnly, allow }) : [];
  const askable = new AskableCalls();
  const files = new Files();
  const limits = {
    readOnly,
    allow,
    approve: askable.approveWith(approve, () => members),
    split: true,
    searchAll,
    onFile: files.keep,
    codeMode: codeMode && readingCode,
    maxOutputTokens: textTokens,
  };
  return {
    // A workspace may still be empty, which its server then reports.
    tools: members.length > 0 ? createAgentTools(offered, limits) : [],
    members,
    skills: skillsOf(members),
    allowWrites,
    askable,
    files,
    maxTokens: maxOutputTokens,
    onCall,
    completions: new RecordCompletions(),
  };
}
