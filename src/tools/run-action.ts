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

/** Prepares a model's call: copies its parameters, chooses a page size, and gets approval for a write. */
export async function preparedAction(
  target: Target,
  args: Arguments,
  { approve }: ActionContext,
  signal: AbortSignal | undefined,
): Promise<PreparedAction> {
  const { member, entity, action } = target;
  // A copy, so what was approved is sent even if the caller's object changes in the meantime.
  const { params: given, notes } = await withKnown(target, cloneParams((args.params ?? {}) as Record<string, unknown>));
  const sized = action.paginated ? withPageSize(action.params, given) : given;
  const params = action.hosted_only ? withContextSize(sized) : sized;
  const fields: ExecuteOptions = {
    ...(args.select_fields !== undefined && { selectFields: args.select_fields as string[] }),
    ...(args.exclude_fields !== undefined && { excludeFields: args.exclude_fields as string[] }),
  };
  // Do not ask for approval of an invalid call.
  if (approve && action.effect !== 'read') await member.connector.check?.(entity.name, action.name, params, fields);
  await requireApproval(approve, target, params, args.intent as string | undefined, signal);
  const options: ExecuteOptions = {
    ...fields,
    ...(signal && { signal }),
    ...(args.intent !== undefined && { intent: args.intent as string }),
  };
  const run = (sent: object) =>
    member.connector.execute(entity.name, action.name, sent, options).catch(async (error) => {
      throw await namingKnown(error, target, params);
    });
  return { params, run, notes };
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
