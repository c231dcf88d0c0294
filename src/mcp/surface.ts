import type { McpServer } from '@modelcontextprotocol/server';
import { checkOptions } from '../call/options.js';
import { ConnectorError } from '../errors/connector-error.js';
import { type AgentTool, createAgentTools } from '../tools/agent-tools.js';
import type { CodeMode } from '../tools/code/code-mode.js';
import type { HandleSigner } from '../tools/handle.js';
import type { AgentToolsOptions } from '../tools/options.js';
import { bytesOf, estimateTokens, type OutputBudget } from '../tools/tokens.js';
import { type Member, membersOf } from '../tools/toolset.js';
import { RecordCompletions } from './completions.js';
import { AskableCalls } from './confirmation.js';
import { type ConnectorEntries, guardedConnectors } from './connector-entries.js';
import { Files, type Reserve } from './files.js';
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

/** What results contain: text, or also structured content, which the tools then declare. */
export type ResultMode = 'text' | 'structured';

/** Names of the modes. */
export const resultModes: readonly ResultMode[] = ['text', 'structured'];

/** What a server offers, and how large results can be. Code run by `codeMode` is read-only. */
export interface McpOptions extends Pick<AgentToolsOptions, 'allow' | 'approve' | 'searchAll' | 'codeMode'> {
  /** Also offers writes; otherwise both the tools and the connector reject them. */
  readonly allowWrites?: boolean | undefined;
  /** `structured` sends structured content with every result and declares its schemas; `text` by default. */
  readonly results?: ResultMode | undefined;
  /** Adds a `resource_link` to the result of a download; some clients fail on links, so they are off by default. */
  readonly resourceLinks?: boolean | undefined;
  /**
   * Maximum tokens per result, text and structured content combined. By default, each of the two has at most 9,500
   * bytes, which clients pass to their models whole.
   */
  readonly maxOutputTokens?: number | undefined;
  /** Called after every call. */
  readonly onCall?: ((event: McpCallEvent) => void) | undefined;
  /** Adds tools, resources or prompts of your own to each server, before a client connects. */
  readonly extend?: ((server: McpServer) => void) | undefined;
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
  readonly results: ResultMode;
  readonly resourceLinks: boolean;
  /** The most that a result's text may have, and also its structured content. */
  readonly budget: OutputBudget;
  readonly onCall: McpOptions['onCall'];
  readonly extend: McpOptions['extend'];
}

const optionKinds = {
  allowWrites: 'boolean',
  results: 'text',
  resourceLinks: 'boolean',
  allow: 'strings',
  approve: 'function',
  searchAll: 'function',
  codeMode: 'function',
  maxOutputTokens: 'count',
  onCall: 'function',
  extend: 'function',
} as const;

const minTokens = 1_000;

/** Rejects options with a wrong name or type. */
export function checkMcpOptions(options: McpOptions): void {
  checkOptions(options, optionKinds, 'Options for an MCP server');
  if ((options.maxOutputTokens ?? minTokens) < minTokens) {
    throw new ConnectorError('invalid_params', `maxOutputTokens must be at least ${minTokens}.`);
  }
  if (options.results !== undefined && !resultModes.includes(options.results)) {
    throw new ConnectorError('invalid_params', `results must be ${resultModes.join(' or ')}.`);
  }
}

/**
 * Bytes of JSON that every known client passes to its model whole, even if it shows both text and structured content
 * (docs/guides/mcp-clients.md).
 */
const clientBytes = 9_500;

const bytesPerToken = 3;

/** Clients limit what they receive, which is JSON. */
const inJson = (text: string): string => JSON.stringify(text);

const defaultBudget: OutputBudget = {
  max: Math.floor(clientBytes / bytesPerToken),
  // A text with more characters has too many bytes, however many there are.
  count: (text) => Math.ceil((text.length > clientBytes ? text.length : bytesOf(inJson(text))) / bytesPerToken),
};

function budgetOf(maxOutputTokens: number | undefined, results: ResultMode): OutputBudget {
  if (maxOutputTokens === undefined) return defaultBudget;
  const max = results === 'text' ? maxOutputTokens : Math.floor(maxOutputTokens / 2);
  return { max, count: (text) => estimateTokens(inJson(text)) };
}

/** Builds the tools and skills for connectors, once for all servers that offer them. */
export function surfaceOf(
  given: ConnectorEntries,
  options: McpOptions = {},
  signer?: HandleSigner,
  reserve?: Reserve,
): Surface {
  checkMcpOptions(options);
  const { allow, approve, searchAll, codeMode, maxOutputTokens, onCall, extend, ...rest } = options;
  const { allowWrites = false, results = 'text', resourceLinks = false } = rest;
  const readOnly = !allowWrites;
  // Code is read-only here: a client asks its user about one write at a time and may then resend the call with the
  // answer, which would run the code again.
  const readingCode: CodeMode = (toolset) =>
    codeMode!({ ...toolset, members: membersOf(offered, { readOnly: true, allow }) });
  const offered = guardedConnectors(given, allowWrites);
  const members = given.length > 0 ? membersOf(offered, { readOnly, allow }) : [];
  const askable = new AskableCalls();
  const files = new Files(reserve);
  const budget = budgetOf(maxOutputTokens, results);
  const limits = {
    readOnly,
    allow,
    approve: askable.approveWith(approve, () => members),
    split: true,
    searchAll,
    onFile: files.keep,
    codeMode: codeMode && readingCode,
    maxOutputTokens: budget.max,
    countTokens: budget.count,
    signer,
  };
  return {
    // A workspace may still be empty, which its server then reports.
    tools: members.length > 0 ? createAgentTools(offered, limits) : [],
    members,
    skills: skillsOf(members),
    allowWrites,
    askable,
    files,
    results,
    resourceLinks,
    budget,
    onCall,
    extend,
    completions: new RecordCompletions(),
  };
}
