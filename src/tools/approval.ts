import { ConnectorError } from '../errors/connector-error.js';
import type { Target } from './toolset.js';

/** A write awaiting approval. */
export interface PendingWrite {
  /** Name of the connector. */
  readonly connector: string;
  /** Entity of the write. */
  readonly entity: string;
  /** Action of the write. */
  readonly action: string;
  /** Its effect on the vendor's data. */
  readonly effect: 'write' | 'destroy';
  /** Exactly what will be sent; a copy, so modifying it does not change the call. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The model's stated reason. */
  readonly intent: string | undefined;
  /** Aborted when the decision is no longer needed. */
  readonly signal: AbortSignal | undefined;
}

/**
 * A decision on a write: true allows it, false or a reason denies it, and `pending` is the id of a decision yet to be
 * made.
 */
export type Decision =
  | boolean
  | string
  | {
      /** Id of the pending decision. */
      readonly pending: string;
    };

/**
 * Approves or denies a valid and permitted write before it is sent. After `pending`, the same call asks again about the
 * same write.
 */
export type Approve = (write: PendingWrite) => Decision | Promise<Decision>;

/** Thrown while a write's decision is pending. */
export class ApprovalPending extends Error {
  readonly id: string;

  constructor(where: string, id: string) {
    super(`${where} needs approval and was not sent. Tell the user, and repeat the call once it is approved.`);
    this.id = id;
  }
}

/** Waits for the approval of a write; anything but `true` and `pending` denies it, including an error. */
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
    throw denied(where, 'the approval request failed');
  }
  if (isPending(answer)) throw new ApprovalPending(where, answer.pending);
  if (answer !== true) throw denied(where, typeof answer === 'string' ? answer : '');
}

const isPending = (answer: Decision): answer is { readonly pending: string } =>
  typeof (answer as { pending?: unknown } | undefined)?.pending === 'string';

const denied = (where: string, reason: string) =>
  new ConnectorError(
    'denied_by_policy',
    `${where} was not approved${reason && `: ${reason.replace(/\.$/, '')}`}. Nothing was changed.`,
    {
      hint: 'Say so and stop.',
    },
  );

/** Approval may take longer than the caller wants to wait. */
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
