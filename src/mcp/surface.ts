import { ConnectorError } from '../call/errors.js';
import { checkOptions } from '../call/options.js';
import { type AgentTool, createAgentTools } from '../tools/agent-tools.js';
import type { CodeMode } from '../tools/code/code-mode.js';
import type { AgentToolsOptions } from '../tools/options.js';
import { type Member, membersOf } from '../tools/toolset.js';
import { RecordCompletions } from './completions.js';
import { AskableCalls } from './confirmation.js';
import { type ConnectorEntries, guardedConnectors } from './connector-entries.js';
import { Files } from './files.js';
import { type Skills, skillsOf } from './skills.js';

/** What is told of a call when it has ended: names and numbers, never parameters or results. */
export interface McpCallEvent {
  /** Tool that was called. */
  readonly tool: string;
  /** Connector, where the call names one. */
  readonly connector: string | undefined;
  /** Entity, where the call names one. */
  readonly entity: string | undefined;
  /** Action, where the call names one. */
  readonly action: string | undefined;
  /** Milliseconds that it took. */
  readonly durationMs: number;
  /** What became of it. */
  readonly outcome: 'done' | 'failed' | 'cancelled';
  /** Code of the failure. */
  readonly code: string | undefined;
}

/** What a server offers, and how much it may say; code that `codeMode` runs only reads. */
export interface McpOptions extends Pick<AgentToolsOptions, 'allow' | 'approve' | 'searchAll' | 'codeMode'> {
  /** Offers what changes data too; without it that is refused twice, by the tools and before the connector. */
  readonly allowWrites?: boolean | undefined;
  /** Tokens that a result takes at most, text and structured content together; 20,000 when left out. */
  readonly maxOutputTokens?: number | undefined;
  /** Told of every call. */
  readonly onCall?: ((event: McpCallEvent) => void) | undefined;
}

/** Everything that servers for the same connectors share. */
export interface Surface {
  readonly tools: readonly AgentTool[];
  readonly members: readonly Member[];
  readonly skills: Skills;
  readonly allowWrites: boolean;
  /** Calls under way whose users can be asked. */
  readonly askable: AskableCalls;
  readonly files: Files;
  readonly completions: RecordCompletions;
  /** Tokens that a result takes at most, text and structured content together. */
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

/** What the tools want at least. */
const minTextTokens = 500;

/** Refuses options of a wrong name or kind. */
export function checkMcpOptions(options: McpOptions): void {
  checkOptions(options, optionKinds, 'Options of an MCP server');
  if ((options.maxOutputTokens ?? minTokens) < minTokens) {
    throw new ConnectorError('invalid_params', `maxOutputTokens must be at least ${minTokens}.`);
  }
}

/** Makes tools and skills of connectors, once for all servers that offer them. */
export function surfaceOf(given: ConnectorEntries, options: McpOptions = {}): Surface {
  checkMcpOptions(options);
  const { allowWrites = false, allow, approve, searchAll, codeMode, maxOutputTokens = 20_000, onCall } = options;
  const readOnly = !allowWrites;
  // Code only reads here: a client asks its user about one write, and may repeat a call to bring the answer.
  const readingCode: CodeMode = (toolset) =>
    codeMode!({ ...toolset, members: membersOf(offered, { readOnly: true, allow }) });
  // Clients pass the text, the structured content or both on to the model; the latter may be the text, with quotes escaped.
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
    // A workspace may be empty still; its server has nothing to offer, and says so.
    tools: members.length > 0 ? createAgentTools(offered, limits) : [],
    members,
    skills: skillsOf(members),
    ...{ allowWrites, askable, files, maxTokens: maxOutputTokens, onCall },
    completions: new RecordCompletions(),
  };
}
