import { ConnectorError } from '../call/errors.js';
import type { Target } from './toolset.js';

/** A write that waits for approval. */
export interface PendingWrite {
  /** Name of the connector. */
  readonly connector: string;
  /** Entity of the write. */
  readonly entity: string;
  /** Action of the write. */
  readonly action: string;
  /** What it would do at the vendor. */
  readonly effect: 'write' | 'destroy';
  /** Just what will be sent; a copy, so that nothing done to it changes the call. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Why, in the model’s words. */
  readonly intent: string | undefined;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal | undefined;
}

/** A decision on a write: true lets it happen, false or a reason does not, and `pending` is the id of one that is not made yet. */
export type Decision =
  | boolean
  | string
  | {
      /** Under what the decision waits. */
      readonly pending: string;
    };

/**
 * Decides on a write that is valid and permitted, so that it would be sent. After `pending` the same call asks again,
 * with the same write.
 */
export type Approve = (write: PendingWrite) => Decision | Promise<Decision>;

/** Thrown in place of a write that nobody has decided on yet. */
export class ApprovalPending extends Error {
  readonly id: string;

  constructor(where: string, id: string) {
    super(`${where} needs approval and was not sent. Say so; once it is approved, repeat the call.`);
    this.id = id;
  }
}

/** Waits for approval of whatever changes data; anything but `true` and `pending` is a refusal, an error too. */
export async function requireApproval(
  approve: Approve | undefined,
  { member, entity, action }: Target,
  params: Readonly<Record<string, unknown>>,
  intent: string | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (!approve || action.effect === 'read') return;
  const { effect, name } = action;
  const names = { connector: member.key, entity: entity.name, action: name, effect };
  const where = `${entity.name}.${name}`;
  let answer: Decision;
  try {
    answer = await unlessAborted(approve({ ...names, params: structuredClone(params), intent, signal }), signal);
  } catch {
    signal?.throwIfAborted();
    throw denied(where, 'asking for approval failed');
  }
  if (isPending(answer)) throw new ApprovalPending(where, answer.pending);
  if (answer !== true) throw denied(where, typeof answer === 'string' && answer ? answer : 'it was not approved');
}

const isPending = (answer: Decision): answer is { readonly pending: string } =>
  typeof (answer as { pending?: unknown } | undefined)?.pending === 'string';

const denied = (where: string, reason: string) =>
  new ConnectorError('denied_by_policy', `${where} was refused: ${reason.replace(/\.$/, '')}. Nothing was changed.`, {
    hint: 'Say so and stop.',
  });

/** Whoever has to approve may take longer than the caller wants to wait. */
async function unlessAborted<T>(work: T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
