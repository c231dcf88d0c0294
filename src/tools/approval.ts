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
  /** All writes of the batch that contains this one, in order: if one is denied, none is sent. */
  readonly batch?: ReadonlyArray<Omit<PendingWrite, 'batch'>> | undefined;
  /** Aborted when the decision is no longer needed. */
  readonly signal: AbortSignal | undefined;
}

/** A valid write. */
export interface ApprovableWrite {
  readonly target: Target;
  readonly params: Readonly<Record<string, unknown>>;
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

/**
 * Waits for the approval of all writes of a call; anything but `true` and `pending` denies it, including an error.
 */
export async function requireApproval(
  approve: Approve | undefined,
  writes: readonly ApprovableWrite[],
  intent: string | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (!approve) return;
  const copies = () =>
    writes.flatMap(({ target: { member, entity, action }, params }) => {
      const { effect, name } = action;
      const names = { connector: member.key, entity: entity.name, action: name };
      return effect === 'read' ? [] : { ...names, effect, params: structuredClone(params), intent, signal };
    });
  const pending = new Set<string>();
  for (const [index, write] of copies().entries()) {
    const where = `${write.entity}.${write.action}`;
    const batch = writes.length > 1 ? { batch: copies() } : {};
    let answer: Decision;
    try {
      answer = await unlessAborted(approve({ ...write, ...batch }), signal);
    } catch {
      signal?.throwIfAborted();
      throw denied(where, 'the approval request failed');
    }
    if (isPending(answer)) pending.add(answer.pending);
    else if (answer !== true) {
      const position = writes.length > 1 ? ` (${index + 1} of ${writes.length})` : '';
      throw denied(where + position, typeof answer === 'string' ? answer : '');
    }
  }
  const [first, ...others] = writes.map(({ target }) => `${target.entity.name}.${target.action.name}`);
  const where = others.length === 0 ? first! : `The batch of ${writes.length} writes`;
  if (pending.size > 0) throw new ApprovalPending(where, [...pending].join(', '));
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
