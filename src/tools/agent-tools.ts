import { ConnectorError } from '../errors/connector-error.js';
import { ApprovalPending } from './approval.js';
import { type Arguments, type RequiredArguments, readArguments } from './arguments.js';
import { checkBatch, joinResults, mostCallsIn, titleOf } from './batch.js';
import type { CodeTool } from './code/code-mode.js';
import { callDefinition, definitionsOf, type ToolDefinition, type ToolNames, toolNames } from './definitions.js';
import { failureOf, suggestsSearch } from './error-text.js';
import { type ExecuteContext, executeAction } from './execute.js';
import { invalidHandle, readHandle } from './handle.js';
import { inspect } from './inspect.js';
import { type AgentToolsOptions, readOptions } from './options.js';
import type { PartPosition } from './parts.js';
import type { ReportedGaps } from './render/missing.js';
import { type SearchAll, searchEverything } from './search-tool.js';
import type { OutputBudget } from './tokens.js';
import { findMember, findTarget, type Member, membersOf, type Target, type ToolConnectors } from './toolset.js';

/** Result of a tool. */
export interface ToolResult {
  /** The result for the model. */
  readonly text: string;
  /** The same for the program; for a truncated result, only how to continue. */
  readonly data?: unknown;
  /** True if the call failed. */
  readonly isError: boolean;
}

/** Context of a tool call. */
export interface ToolRunContext {
  readonly signal?: AbortSignal | undefined;
  /** Permanent gaps that the conversation was told of, which are not repeated; by default, those of the toolset. */
  readonly reported?: Set<string> | undefined;
}

/** A tool that any framework can offer to a model. */
export interface AgentTool extends ToolDefinition {
  /**
   * Runs the tool; every failure is returned as text for the model, except that an aborted signal throws its reason.
   */
  run(args?: unknown, context?: ToolRunContext): Promise<ToolResult>;
  /** Whether a call with these arguments would send a write; undefined for read-only tools. */
  isWrite?(args?: unknown): Promise<boolean>;
}

/**
 * Creates an agent's tools for connectors: inspect_connector, read_skill_docs and execute; also execute_write if
 * `split`, search if `searchAll`, and run_code if `codeMode` is set.
 */
export function createAgentTools(
  connectors: ToolConnectors,
  options: AgentToolsOptions = {},
): readonly [inspect: AgentTool, docs: AgentTool, execute: AgentTool, ...others: AgentTool[]] {
  const { prefix, approve, split, searchAll, onFile, codeMode, ...rest } = readOptions(options);
  const { readOnly, allow, maxOutputTokens, countTokens, signer } = rest;
  const members = membersOf(connectors, { readOnly, allow });
  const names = toolNames(prefix);
  const definitions = definitionsOf(members, names, { split, mostCalls: mostCallsIn(maxOutputTokens) });
  const budget = { max: maxOutputTokens, count: countTokens };
  const allReported: ReportedGaps = new Set();
  const context: ExecuteContext = { approve, budget, signer, onFile };
  const hasWrites = !definitions.write.annotations.readOnly;
  const single = callDefinition(members, names, hasWrites);
  const code = codeMode?.({ members, names, context });
  const connectorArgument = members.length > 1 ? ['connector'] : [];
  const calling = [...connectorArgument, 'entity', 'action'];
  const requiredArguments: Record<keyof ToolNames, RequiredArguments> = {
    inspect: { names: [] },
    docs: { names: connectorArgument },
    execute: {
      names: calling,
      unless: ['continue', 'calls'],
      hint: 'To read more of a truncated result, pass only continue with its handle.',
    },
    write: { names: calling, unless: ['calls'] },
    search: { names: ['prompt'] },
  };
  const toolOf = (definition: ToolDefinition, handler: ToolHandler, required: RequiredArguments): AgentTool => {
    const toolset: ToolContext = { definition, names, members, handler, required };
    return {
      ...definition,
      run: (args, call) => runTool(toolset, args, call?.signal, call?.reported ?? allReported),
    };
  };
  const tool = (which: keyof ToolNames, handler: ToolHandler) =>
    toolOf(definitions[which], handler, requiredArguments[which]);
  const otherwise = split ? names.write : `${names.execute} with only this action`;
  const runOne: RunOne = (call, { signal, reported }, max) =>
    runTool(
      {
        definition: single,
        names,
        members,
        isBrief: true,
        handler: executeHandler({ ...context, budget: { ...budget, max } }, single, { effect: 'read', otherwise }),
        required: { names: calling },
      },
      call,
      signal,
      reported,
    );
  const isWrite = async (args: unknown) => {
    let isSent = false;
    const approveNothing = () => {
      isSent = true;
      return false;
    };
    await runTool(
      {
        definition: definitions.execute,
        names,
        members,
        required: requiredArguments.execute,
        handler: executeHandler({ ...context, approve: approveNothing }, single, { effect: 'write' }),
      },
      args,
      undefined,
    );
    return isSent;
  };
  const codeTool = ({ definition, run }: CodeTool): AgentTool => {
    const handler: ToolHandler = ({ args, signal, rejectUnknown }) => {
      if (!definition.annotations.readOnly) rejectUnknown();
      return run(args, signal);
    };
    const tool = toolOf(definition, handler, { names: ['code'] });
    // What code writes is unknown until it has run.
    return definition.annotations.readOnly ? tool : { ...tool, isWrite: async () => true };
  };
  const runsBoth = hasWrites && !split;
  const execute = tool(
    'execute',
    executeHandler(context, single, { effect: split ? 'read' : 'both', otherwise, runOne }),
  );
  return [
    tool('inspect', inspectHandler(budget)),
    tool('docs', docsHandler(code)),
    runsBoth ? { ...execute, isWrite } : execute,
    ...(hasWrites && split
      ? [{ ...tool('write', executeHandler(context, single, { effect: 'write', otherwise: names.execute })), isWrite }]
      : []),
    ...(searchAll ? [tool('search', searchHandler(searchAll, budget))] : []),
    ...(code ? [codeTool(code)] : []),
  ];
}

/** Runs one call of a batch within a token limit. */
type RunOne = (call: unknown, context: Pick<ToolCall, 'signal' | 'reported'>, max: number) => Promise<ToolResult>;

/** Context of a failed call. */
interface FailureContext {
  member?: Member;
  target?: Target;
}

interface ToolCall {
  readonly args: Arguments;
  readonly members: readonly Member[];
  readonly progress: FailureContext;
  readonly signal: AbortSignal | undefined;
  readonly reported: ReportedGaps;
  /** Rejects arguments that the tool does not have; reads ignore them. */
  readonly rejectUnknown: () => void;
}

type ToolHandler = (
  call: ToolCall,
) => Promise<{ readonly text: string; readonly data: unknown; readonly isError?: boolean }>;

/** What every tool needs, including its handler. */
interface ToolContext {
  readonly definition: ToolDefinition;
  readonly names: ToolNames;
  readonly members: readonly Member[];
  readonly handler: ToolHandler;
  readonly required: RequiredArguments;
  /** Whether to omit the instructions for calling the action. */
  readonly isBrief?: boolean;
}

async function runTool(
  { definition, names, members, handler, required, isBrief = false }: ToolContext,
  given: unknown,
  signal: AbortSignal | undefined,
  reported: ReportedGaps = new Set(),
): Promise<ToolResult> {
  const progress: FailureContext = {};
  let notes: readonly string[] = [];
  signal?.throwIfAborted();
  try {
    const { args, rejectUnknown, ...parsed } = readArguments(given, definition, required);
    notes = parsed.notes;
    const result = await handler({ args, members, progress, signal, reported, rejectUnknown });
    return withNotes({ isError: false, ...result }, notes);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof ApprovalPending) {
      return { text: error.message, data: { status: 'pending', pending: error.id }, isError: false };
    }
    const { member, target } = progress;
    const where = target
      ? `${member?.key}/${target.entity.name}.${target.action.name}`
      : (member?.key ?? definition.name);
    const failedCall = {
      docsTool: names.docs,
      // If it is unclear which connector was intended, there is no section to refer to.
      ...(members.length > 1 && { connector: member?.key ?? null }),
      title: member?.fullDescription.title ?? 'the connector',
      where,
      target,
      isBrief,
      // This check may need a request.
      searchable: !suggestsSearch(error) || ((await member?.searchable()) ?? true),
    };
    return withNotes({ ...failureOf(error, failedCall), isError: true }, notes);
  }
}

function withNotes(result: ToolResult, notes: readonly string[]): ToolResult {
  if (notes.length === 0) return result;
  const { hint, ...data } = (result.data ?? {}) as { readonly hint?: string };
  const note = notes.join(' ');
  return {
    ...result,
    text: `${result.text}\n${note}`,
    data: { ...data, hint: hint === undefined ? note : `${hint} ${note}` },
  };
}

const inspectHandler =
  (budget: OutputBudget): ToolHandler =>
  ({ args, members }) =>
    inspect(args.connector === undefined ? members : [findMember(members, args.connector as string)], budget);

const searchHandler =
  (searchAll: SearchAll, budget: OutputBudget): ToolHandler =>
  async ({ args, members, signal, reported }) => {
    // An unknown name would silently find nothing.
    const searched = (args.connectors as readonly string[] | undefined)?.map((name) => findMember(members, name));
    return searchEverything(searchAll, args, { members, searched, reported }, budget, signal);
  };

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

/** Which actions an execute tool runs. */
interface Runs {
  readonly effect: 'read' | 'write' | 'both';
  /** The tool that runs the others. */
  readonly otherwise?: string;
  /** Runs one of several reads. */
  readonly runOne?: RunOne;
}

/** The call that a handle repeats, and where to read on; otherwise the call as it is. */
function continued(
  call: Arguments,
  single: ToolDefinition,
  { signer }: ExecuteContext,
): { readonly args: Arguments; readonly from: PartPosition | undefined } {
  if (call.continue === undefined) return { args: call, from: undefined };
  const { args, position } = readHandle(call.continue as string, signer);
  // Without a signer, a handle may contain anything.
  const parsed = readArguments(args, single, { names: [] });
  return { args: { ...parsed.args, intent: call.intent }, from: position };
}

const executeHandler =
  (context: ExecuteContext, single: ToolDefinition, { effect, otherwise, runOne }: Runs): ToolHandler =>
  async ({ args: given, members, progress, signal, reported, rejectUnknown }) => {
    const { args, from } = continued(given, single, context);
    const calls = from === undefined ? (args.calls as readonly unknown[] | undefined) : undefined;
    if (calls && effect !== 'read') {
      const { executeWrites, hasWrite } = await import('./write-batch.js');
      if (!runOne || hasWrite(calls, members)) {
        rejectUnknown();
        return executeWrites(args, { members, single, context }, signal);
      }
    }
    if (calls && runOne) {
      const share = checkBatch(args, context.budget.max);
      const results = await Promise.all(calls.map((call) => runOne(call, { signal, reported }, share)));
      return joinResults(
        calls.map((call, index) => titleOf(call, index, members)),
        results,
      );
    }
    const member = findMember(members, args.connector as string | undefined);
    progress.member = member;
    const target = findTarget(member, args.entity as string, args.action as string);
    progress.target = target;
    const isRead = target.action.effect === 'read';
    if (!isRead && from !== undefined) throw invalidHandle();
    if (!isRead) rejectUnknown();
    if (effect !== 'both' && isRead !== (effect === 'read')) {
      const where = `${target.entity.name}.${target.action.name}`;
      const what = isRead ? 'makes no changes' : 'changes data';
      throw new ConnectorError('invalid_params', `${where} ${what}: call ${otherwise}. Nothing was sent.`);
    }
    return executeAction(target, args, context, { from, signal, reported });
  };
