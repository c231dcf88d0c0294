import { ConnectorError } from '../call/errors.js';
import { checkOptions } from '../call/options.js';
import type { Approve } from './approval.js';
import { type Arguments, type RequiredArguments, readArguments } from './arguments.js';
import type { CodeMode, CodeTool } from './code/code-mode.js';
import { definitionsOf, type ToolDefinition, type ToolNames, toolNames } from './definitions.js';
import { failureOf, suggestsSearch } from './error-text.js';
import { continueResult, type ExecuteContext, executeAction } from './execute.js';
import { inspect } from './inspect.js';
import { Remainders } from './remainder.js';
import { findMember, findTarget, type Member, membersOf, type Target, type ToolConnectors } from './toolset.js';

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
  /** Adds `run_code`, which runs code of the model over the same actions: `codeMode()` of `agent-connectors/code`. */
  readonly codeMode?: CodeMode | undefined;
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

const optionKinds = {
  prefix: 'text',
  readOnly: 'boolean',
  allow: 'strings',
  approve: 'function',
  maxOutputTokens: 'count',
  codeMode: 'function',
} as const;

const minTokens = 500;

/** Makes the three tools through which an agent uses connectors: inspect_connector, read_skill_docs and execute. */
export function createAgentTools(
  connectors: ToolConnectors,
  options: AgentToolsOptions = {},
): readonly [inspect: AgentTool, docs: AgentTool, execute: AgentTool, ...others: AgentTool[]] {
  checkOptions(options, optionKinds, 'Options of createAgentTools');
  const { prefix, readOnly = false, allow, approve, maxOutputTokens = 20_000, codeMode } = options;
  if (prefix !== undefined && !/^[A-Za-z][\w-]{0,40}$/.test(prefix)) {
    throw new ConnectorError('invalid_params', 'prefix must be a letter, then letters, digits, _ or -, 41 at most.');
  }
  if (maxOutputTokens < minTokens) {
    throw new ConnectorError('invalid_params', `maxOutputTokens must be at least ${minTokens}.`);
  }
  const members = membersOf(connectors, { readOnly, allow });
  const names = toolNames(prefix);
  const definitions = definitionsOf(members, names);
  const context: ExecuteContext = { approve, bytes: maxOutputTokens * 4, remainders: new Remainders() };
  const code = codeMode?.({ members, names, context });
  const connectorArgument = members.length > 1 ? ['connector'] : [];
  const requiredArguments: Record<keyof ToolNames, RequiredArguments> = {
    inspect: { names: [] },
    docs: { names: connectorArgument },
    execute: {
      names: [...connectorArgument, 'entity', 'action'],
      hint: 'To read on where a result was cut, pass continue with its handle, and nothing else.',
    },
  };
  const toolOf = (definition: ToolDefinition, handler: ToolHandler, required: RequiredArguments): AgentTool => {
    const toolset: ToolContext = { definition, names, members, handler, required };
    return { ...definition, run: (args, call) => runTool(toolset, args, call?.signal) };
  };
  const tool = (which: keyof ToolNames, handler: ToolHandler) =>
    toolOf(definitions[which], handler, requiredArguments[which]);
  return [
    tool('inspect', inspectHandler),
    tool('docs', docsHandler(code)),
    tool('execute', executeHandler(context)),
    ...(code ? [toolOf(code.definition, ({ args, signal }) => code.run(args, signal), { names: ['code'] })] : []),
  ];
}

/** What is known of a call when it fails. */
interface FailureContext {
  member?: Member;
  target?: Target;
}

interface ToolCall {
  readonly args: Arguments;
  readonly members: readonly Member[];
  readonly progress: FailureContext;
  readonly signal: AbortSignal | undefined;
}

type ToolHandler = (
  call: ToolCall,
) => Promise<{ readonly text: string; readonly data: unknown; readonly isError?: boolean }>;

/** A tool, and what it shares with the others. */
interface ToolContext {
  readonly definition: ToolDefinition;
  readonly names: ToolNames;
  readonly members: readonly Member[];
  readonly handler: ToolHandler;
  readonly required: RequiredArguments;
}

async function runTool(
  { definition, names, members, handler, required }: ToolContext,
  given: unknown,
  signal: AbortSignal | undefined,
): Promise<ToolResult> {
  const progress: FailureContext = {};
  signal?.throwIfAborted();
  try {
    const args = readArguments(given, definition, required);
    return { isError: false, ...(await handler({ args, members, progress, signal })) };
  } catch (error) {
    signal?.throwIfAborted();
    const { member, target } = progress;
    const where = target
      ? `${member?.key}/${target.entity.name}.${target.action.name}`
      : (member?.key ?? definition.name);
    const failedCall = {
      docsTool: names.docs,
      connector: members.length === 1 ? undefined : member ? `connector "${member.key}"` : 'connector',
      title: member?.fullDescription.title ?? 'the connector',
      where,
      target,
      // To know it may take a request.
      searchable: !suggestsSearch(error) || ((await member?.searchable()) ?? true),
    };
    return { ...failureOf(error, failedCall), isError: true };
  }
}

const inspectHandler: ToolHandler = ({ args, members }) =>
  inspect(args.connector === undefined ? members : [findMember(members, args.connector as string)]);

const docsHandler =
  (code: CodeTool | undefined): ToolHandler =>
  async ({ args, members, progress }) => {
    const member = findMember(members, args.connector as string | undefined);
    progress.member = member;
    const { id, title, version, hash, outline, overview, section } = await member.docs();
    const metadata = { id, title, version, hash };
    if (args.section === undefined) return { text: overview, data: { metadata, outline, section_id: null } };
    const declarations = await code?.section(member, args.section as string);
    if (declarations !== undefined) return { text: declarations, data: { metadata, section_id: args.section } };
    const found = section(args.section as string);
    return { text: found.text, data: { metadata, section_id: found.id }, isError: found.id === null };
  };

const executeHandler =
  (context: ExecuteContext): ToolHandler =>
  async ({ args, members, progress, signal }) => {
    if (args.continue !== undefined) return continueResult(args.continue as string, context);
    const member = findMember(members, args.connector as string | undefined);
    progress.member = member;
    const target = findTarget(member, args.entity as string, args.action as string);
    progress.target = target;
    return executeAction(target, args, context, signal);
  };
