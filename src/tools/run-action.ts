import type { Result } from '../action/result.js';
import type { ExecuteOptions } from '../call/execute-options.js';
import { ConnectorError } from '../errors/connector-error.js';
import { type Approve, requireApproval } from './approval.js';
import type { Arguments } from './arguments.js';
import { namingKnown, withKnown } from './known-parameters.js';
import { withContextSize, withPageSize } from './page-size.js';
import type { Target } from './toolset.js';

/** State shared by all ways of running an action through tools. */
export interface ActionContext {
  readonly approve: Approve | undefined;
}

/** An action ready to run, with the approved parameters. */
export interface PreparedAction {
  readonly params: Readonly<Record<string, unknown>>;
  readonly run: (params: object) => Promise<Result>;
  /** Notes on what was chosen for the caller. */
  readonly notes: readonly string[];
}

/** An action before its approval. */
export interface UncheckedAction extends PreparedAction {
  /** Validates it without sending anything. */
  readonly check: () => Promise<void>;
}

/** Prepares a model's call: copies its parameters, chooses a page size, and gets approval for a write. */
export async function preparedAction(
  target: Target,
  args: Arguments,
  { approve }: ActionContext,
  signal: AbortSignal | undefined,
): Promise<PreparedAction> {
  const prepared = await uncheckedAction(target, args, signal);
  const isWrite = target.action.effect !== 'read';
  // Do not ask for approval of an invalid call.
  if (approve && isWrite) await prepared.check();
  if (isWrite)
    await requireApproval(approve, [{ target, params: prepared.params }], args.intent as string | undefined, signal);
  return prepared;
}

/** Prepares a call, without its approval. */
export async function uncheckedAction(
  target: Target,
  args: Arguments,
  signal: AbortSignal | undefined,
): Promise<UncheckedAction> {
  const { member, entity, action } = target;
  // A copy, so what was approved is sent even if the caller's object changes in the meantime.
  const { params: given, notes } = await withKnown(target, cloneParams((args.params ?? {}) as Record<string, unknown>));
  const sized = action.paginated ? withPageSize(action.params, given) : given;
  const params = action.hosted_only ? withContextSize(sized) : sized;
  const fields: ExecuteOptions = {
    ...(args.select_fields !== undefined && { selectFields: args.select_fields as string[] }),
    ...(args.exclude_fields !== undefined && { excludeFields: args.exclude_fields as string[] }),
  };
  const options: ExecuteOptions = {
    ...fields,
    ...(signal && { signal }),
    ...(args.intent !== undefined && { intent: args.intent as string }),
    ...(args.key !== undefined && { idempotencyKey: args.key as string }),
  };
  const run = (sent: object) =>
    member.connector.execute(entity.name, action.name, sent, options).catch(async (error) => {
      throw await namingKnown(error, target, params);
    });
  return { params, run, notes, check: async () => member.connector.check?.(entity.name, action.name, params, fields) };
}

function cloneParams(params: Record<string, unknown>): Record<string, unknown> {
  try {
    return structuredClone(params);
  } catch {
    throw new ConnectorError('invalid_params', 'params must be plain JSON.', {
      issues: [{ path: 'params', message: 'must be plain JSON' }],
    });
  }
}
