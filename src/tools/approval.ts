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

/** Decides on a write: true lets it happen, false or a reason does not. */
export type Approve = (write: PendingWrite) => boolean | string | Promise<boolean | string>;

/** Waits for approval of whatever changes data; anything but `true` is a refusal, an error too. */
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
  let answer: boolean | string;
  try {
    answer = await unlessAborted(approve({ ...names, params: structuredClone(params), intent, signal }), signal);
  } catch {
    signal?.throwIfAborted();
    throw denied(where, 'asking for approval failed');
  }
  if (answer !== true) throw denied(where, typeof answer === 'string' && answer ? answer : 'it was not approved');
}

const denied = (where: string, reason: string) =>
  new ConnectorError('denied_by_policy', `${where} was refused: ${reason.replace(/\.$/, '')}. Nothing was changed.`, {
    hint: 'Tell the user; do not try another way.',
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
