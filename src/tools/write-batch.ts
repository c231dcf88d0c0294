import { type BatchOutcome, keyProblem, maxBatchWrites, runBatch } from '../call/batch.js';
import { shapeData } from '../call/shape.js';
import { ConnectorError, type ErrorCode } from '../errors/connector-error.js';
import { requireApproval } from './approval.js';
import { type Arguments, readArguments } from './arguments.js';
import { batchProblem } from './batch.js';
import type { ToolDefinition } from './definitions.js';
import { fenced, hiddenNotice, visibleJson, warning } from './fence.js';
import { viewed } from './render/concise.js';
import { compactJson } from './render/text.js';
import { type ActionContext, type UncheckedAction, uncheckedAction } from './run-action.js';
import { fits, type OutputBudget } from './tokens.js';
import { findMember, findTarget, type Member, type Target } from './toolset.js';

/** Whether a call is known to be a write. */
export const hasWrite = (calls: readonly unknown[], members: readonly Member[]): boolean =>
  calls.some((call) => {
    const { connector, entity, action } = call as Arguments;
    const named =
      members.length === 1 ? members : members.filter(({ key, name }) => [key, name].includes(`${connector}`));
    const actions = named.flatMap(({ fullDescription }) =>
      fullDescription.entities.flatMap(({ name, actions: all }) => (name === entity ? all : [])),
    );
    return actions.some(({ name, effect }) => name === action && effect !== 'read');
  });

interface BatchWrite {
  readonly target: Target;
  readonly args: Arguments;
  readonly action: UncheckedAction;
}

/** The toolset that runs a batch. */
export interface WriteBatchToolset {
  readonly members: readonly Member[];
  /** Schema of one call. */
  readonly single: ToolDefinition;
  readonly context: ActionContext & { readonly budget: OutputBudget };
}

type Results = ReadonlyArray<BatchOutcome<Awaited<ReturnType<UncheckedAction['run']>>>>;

/**
 * Sends writes in order, up to the first unknown outcome, once every one is valid and all of them are approved. If one is
 * not, nothing is sent.
 */
export async function executeWrites(args: Arguments, toolset: WriteBatchToolset, signal: AbortSignal | undefined) {
  const { approve, budget } = toolset.context;
  const intent = args.intent as string | undefined;
  const writes = await prepareAll(args, toolset, signal);
  await requireApproval(
    approve,
    writes.map(({ target, action: { params } }) => ({ target, params })),
    intent,
    signal,
  );
  const outcomes: Results = await runBatch(
    writes.map(
      ({ action }) =>
        () =>
          action.run(action.params),
    ),
    signal,
  );
  signal?.throwIfAborted();
  return {
    text: textOf(writes, outcomes, budget),
    data: { results: outcomes.map((outcome, index) => dataOf(outcome, writes[index]!)) },
    isError: outcomes.every(({ status }) => status !== 'done'),
  };
}

/** Prepares every write, or reports the problems of all. */
async function prepareAll(args: Arguments, { members, single }: WriteBatchToolset, signal: AbortSignal | undefined) {
  const calls = args.calls as readonly Arguments[];
  const problems: string[] = [];
  let code: ErrorCode = 'invalid_params';
  const sizes = batchProblem(args, maxBatchWrites);
  if (sizes !== undefined) throw new ConnectorError(code, `calls ${sizes}. Nothing was sent.`);
  const prepare = async (call: Arguments): Promise<BatchWrite> => {
    const { args: read, rejectUnknown } = readArguments(call, single, { names: ['entity', 'action', 'key'] });
    const member = findMember(members, read.connector as string | undefined);
    const target = findTarget(member, read.entity as string, read.action as string);
    if (target.action.effect === 'read') {
      throw new ConnectorError('invalid_params', `${read.entity}.${read.action} makes no changes: call it separately.`);
    }
    rejectUnknown();
    const action = await uncheckedAction(target, { ...read, intent: args.intent }, signal);
    await action.check();
    return { target, args: read, action };
  };
  const writes: BatchWrite[] = [];
  for (const [index, call] of calls.entries()) {
    try {
      writes.push(await prepare(call));
    } catch (error) {
      if (!ConnectorError.is(error)) throw error;
      if (problems.length === 0) code = error.code;
      problems.push(`${index + 1}. ${error.message}`);
    }
  }
  const problem = problems.length === 0 ? keyProblem(calls.map(({ key }) => key)) : undefined;
  if (problem) problems.push(`${problem.index + 1}. key ${problem.message}.`);
  if (problems.length > 0) throw new ConnectorError(code, `Nothing was sent. ${problems.join('\n')}`);
  return writes;
}

const words = { done: 'done', failed: 'failed', unknown: 'outcome unknown', not_sent: 'not sent' } as const;
const plainKey = /^[\w.:-]{1,64}$/;

/** Texts of results are shortened until all fit; undefined leaves results out. */
const textLengths = [300, 60, undefined];

function textOf(writes: readonly BatchWrite[], outcomes: Results, budget: OutputBudget): string {
  const counts = Object.entries(words).flatMap(([status, word]) => {
    const count = outcomes.filter((outcome) => outcome.status === status).length;
    return count === 0 ? [] : `${count} ${word}`;
  });
  const list = outcomes.map(({ status }, index) => {
    const { target, args } = writes[index]!;
    const key = plainKey.test(String(args.key)) ? ` (${args.key})` : '';
    return `${index + 1}. ${target.member.key}/${target.entity.name}.${target.action.name}${key}: ${words[status]}`;
  });
  const titles = [...new Set(writes.map(({ target }) => target.member.fullDescription.title))].join(', ');
  const isStopped = outcomes.some(({ status }) => status === 'unknown');
  const write = (maxLength: number | undefined) => {
    const lines = outcomes.flatMap((outcome, index) => resultLine(outcome, writes[index]!, index, maxLength));
    const { text, hidden } = visibleJson(lines.join('\n'));
    return [
      `${outcomes.length} writes: ${counts.join(', ')}.`,
      ...list,
      ...hiddenNotice(hidden),
      ...(lines.length > 0 ? [warning(titles), fenced(text, 'batch')] : []),
      ...(maxLength === undefined ? ['Results are left out: read the records to see them.'] : []),
      ...(isStopped
        ? [
            'Say so and stop. The same calls with the same keys look the unknown write up and send only what is not done. If it stays unknown, check the record: leave the write out if it was executed, otherwise give it a new key.',
          ]
        : []),
    ].join('\n');
  };
  let text = '';
  for (const length of textLengths) {
    text = write(length);
    if (fits(text, budget)) break;
  }
  return text;
}

function resultLine(
  outcome: Results[number],
  { target: { action }, args, action: { params } }: BatchWrite,
  index: number,
  maxLength: number | undefined,
): string[] {
  if (outcome.status === 'not_sent') return [];
  if (outcome.status !== 'done') return [`${index + 1} ${failureText(outcome.error)}`];
  if (maxLength === undefined) return [];
  const { data } = viewed(outcome.result.data, action, {
    view: args.view === 'full' ? 'full' : 'concise',
    selectFields: args.select_fields as readonly string[] | undefined,
    params,
  });
  return [
    `${index + 1} ${compactJson(shapeData(data, { maxStringLength: maxLength }), args.select_fields !== undefined)}`,
  ];
}

/** An unexpected error may contain anything, so only its kind is shown. */
function failureText(error: unknown): string {
  if (!ConnectorError.is(error)) return `internal error (${(error as Error)?.name})`;
  const { code, message, hint } = error;
  return JSON.stringify({ code, message: message.slice(0, 500), hint });
}

function dataOf(outcome: Results[number], { args: { key } }: BatchWrite): object {
  const { status } = outcome;
  if (status === 'done') return { key, status, data: outcome.result.data, meta: outcome.result.meta };
  if (status === 'not_sent') return { key, status };
  const { error } = outcome;
  return { key, status, error: ConnectorError.is(error) ? error.toJSON() : { code: 'invalid_response' } };
}
