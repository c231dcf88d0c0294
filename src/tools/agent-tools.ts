import { ConnectorError } from '../call/errors.js';
import { checkNames } from '../call/options.js';
import type { Approve } from './approval.js';
import { type Arguments, type Needed, readArguments } from './arguments.js';
import { definitionsOf, type ToolDefinition, type ToolNames, toolNames } from './definitions.js';
import { failureOf, leadsToSearch } from './error-text.js';
import { type ExecuteContext, executeAction, readOn } from './execute.js';
import { inspect } from './inspect.js';
import { Remainders } from './remainder.js';
import { type Member, memberNamed, membersOf, type Target, type ToolConnectors, targetNamed } from './toolset.js';

/** What the tools may do, and how much they may say. */
export interface AgentToolsOptions {
  /** Put before the tools' names, with `_` between, for several toolsets in one agent. */
  readonly prefix?: string | undefined;
  /** Refuses whatever changes data, and does not offer it. */
  readonly readOnly?: boolean | undefined;
  /** What may be done, as `entity.action` with `*` for any; everything when left out. */
  readonly allow?: readonly string[] | undefined;
  /** Asked before every write; whatever it answers but `true` refuses it. */
  readonly approve?: Approve | undefined;
  /** Tokens that a result takes at most, at four bytes each; 20,000 when left out. The rest is kept to be read on. */
  readonly maxOutputTokens?: number | undefined;
}

/** What a tool answers. */
export interface ToolResult {
  /** For the model. */
  readonly text: string;
  /** The same for the program; of a result that was cut only how to read on. */
  readonly data?: unknown;
  /** True where the call failed. */
  readonly isError: boolean;
}

/** A tool that any framework can offer to a model. */
export interface AgentTool extends ToolDefinition {
  /** Runs the tool; every failure is text for the model, save that an aborted signal throws its reason. */
  run(args?: unknown, context?: { readonly signal?: AbortSignal | undefined }): Promise<ToolResult>;
}

const known = {
  prefix: 'text',
  readOnly: 'boolean',
  allow: 'strings',
  approve: 'function',
  maxOutputTokens: 'count',
} as const;

const leastTokens = 500;

/** Makes the three tools through which an agent uses connectors: inspect_connector, read_skill_docs and execute. */
export function createAgentTools(
  connectors: ToolConnectors,
  options: AgentToolsOptions = {},
): readonly [inspect: AgentTool, docs: AgentTool, execute: AgentTool] {
  checkNames(options, known, 'Options of createAgentTools');
  const { prefix, readOnly = false, allow, approve, maxOutputTokens = 20_000 } = options;
  if (prefix !== undefined && !/^[A-Za-z][\w-]{0,40}$/.test(prefix)) {
    throw new ConnectorError('invalid_params', 'prefix must be a letter, then letters, digits, _ or -, 41 at most.');
  }
  if (maxOutputTokens < leastTokens) {
    throw new ConnectorError('invalid_params', `maxOutputTokens must be at least ${leastTokens}.`);
  }
  const members = membersOf(connectors, { readOnly, allow });
  const names = toolNames(prefix);
  const definitions = definitionsOf(members, names);
  const context: ExecuteContext = { approve, bytes: maxOutputTokens * 4, remainders: new Remainders() };
  const chosen = members.length > 1 ? ['connector'] : [];
  const needs: Record<keyof ToolNames, Needed> = {
    inspect: { names: [] },
    docs: { names: chosen },
    execute: {
      names: [...chosen, 'entity', 'action'],
      hint: 'To read on where a result was cut, pass continue with its handle, and nothing else.',
    },
  };
  const tool = (which: keyof ToolNames, work: Work): AgentTool => {
    const definition = definitions[which];
    const toolset: Toolset = { definition, names, members, work, needed: needs[which] };
    return { ...definition, run: (args, call) => answer(toolset, args, call?.signal) };
  };
  return [tool('inspect', inspectWork), tool('docs', docsWork), tool('execute', executeWork(context))];
}

/** What is known of a call when it fails. */
interface Progress {
  member?: Member;
  target?: Target;
}

interface Call {
  readonly args: Arguments;
  readonly members: readonly Member[];
  readonly progress: Progress;
  readonly signal: AbortSignal | undefined;
}

type Work = (call: Call) => Promise<{ readonly text: string; readonly data: unknown; readonly isError?: boolean }>;

/** A tool, and what it shares with the others. */
interface Toolset {
  readonly definition: ToolDefinition;
  readonly names: ToolNames;
  readonly members: readonly Member[];
  readonly work: Work;
  readonly needed: Needed;
}

async function answer(
  { definition, names, members, work, needed }: Toolset,
  given: unknown,
  signal: AbortSignal | undefined,
): Promise<ToolResult> {
  const progress: Progress = {};
  signal?.throwIfAborted();
  try {
    const args = readArguments(given, definition, needed);
    return { isError: false, ...(await work({ args, members, progress, signal })) };
  } catch (error) {
    signal?.throwIfAborted();
    const { member, target } = progress;
    const where = target
      ? `${member?.key}/${target.entity.name}.${target.action.name}`
      : (member?.key ?? definition.name);
    const failed = {
      docsTool: names.docs,
      connector: members.length === 1 ? undefined : member ? `connector "${member.key}"` : 'connector',
      title: member?.whole.title ?? 'the connector',
      where,
      target,
      // To know it may take a request.
      searchable: !leadsToSearch(error) || ((await member?.searchable()) ?? true),
    };
    return { ...failureOf(error, failed), isError: true };
  }
}

const inspectWork: Work = ({ args, members }) =>
  inspect(args.connector === undefined ? members : [memberNamed(members, args.connector as string)]);

const docsWork: Work = async ({ args, members, progress }) => {
  const member = memberNamed(members, args.connector as string | undefined);
  progress.member = member;
  const { id, title, version, hash, outline, overview, section } = await member.docs();
  const metadata = { id, title, version, hash };
  if (args.section === undefined) return { text: overview, data: { metadata, outline, section_id: null } };
  const found = section(args.section as string);
  return { text: found.text, data: { metadata, section_id: found.id }, isError: found.id === null };
};

const executeWork =
  (context: ExecuteContext): Work =>
  async ({ args, members, progress, signal }) => {
    if (args.continue !== undefined) return readOn(args.continue as string, context);
    const member = memberNamed(members, args.connector as string | undefined);
    progress.member = member;
    const target = targetNamed(member, args.entity as string, args.action as string);
    progress.target = target;
    return executeAction(target, args, context, signal);
  };
