import { createHash } from 'node:crypto';
import { ConnectorError, type ErrorCode } from 'agent-connectors';
import { canonicalJson } from '../canonical.js';
import { refusal } from '../http/errors.js';
import type { Ledger, LedgerKey } from '../state/types.js';

/** What a write was answered with. */
export interface WriteReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
  /** What went wrong, if anything did. */
  readonly failure?: unknown;
}

/** Failures after which the vendor may have done it, or has. */
const doubtful: ReadonlySet<ErrorCode> = new Set(['unknown_outcome', 'invalid_response']);

/** Carries out a write once for each key, and gives what it was answered with to whoever asks again. */
export async function once(
  ledger: Ledger,
  key: LedgerKey,
  bodyHash: string,
  work: () => Promise<WriteReply>,
  report: (error: unknown) => void,
): Promise<WriteReply> {
  const entry = ledger.begin(key, bodyHash);
  switch (entry.state) {
    case 'done':
      return { status: entry.status, headers: { 'idempotent-replayed': 'true' }, body: entry.body };
    case 'other_body':
      throw refusal(409, 'conflict', 'Another body came with this Idempotency-Key before.', {
        hint: 'Use a new key for a new write.',
      });
    case 'in_flight':
      throw entry.abandoned ? abandoned() : inFlight();
    case 'begun': {
      const reply = await work();
      try {
        if (isDone(reply)) ledger.finish(key, reply.status, reply.body);
        else ledger.forget(key);
      } catch (error) {
        // The write itself is done: its answer is worth more than the record of it.
        report(error);
      }
      return reply;
    }
  }
}

/** Whether the vendor has acted, or may have. */
function isDone({ failure }: WriteReply): boolean {
  return failure === undefined || !ConnectorError.is(failure) || doubtful.has(failure.code);
}

const inFlight = () =>
  refusal(409, 'conflict', 'The same write is being carried out.', {
    retryable: true,
    retryAfterMs: 1000,
    hint: 'Ask again with the same key: the answer is then given once more.',
  });

const abandoned = () =>
  refusal(409, 'conflict', 'This write was begun, and the service ended before its outcome was known.', {
    hint: 'Look up whether it was done; if not, send it again with a new Idempotency-Key.',
  });

/** A digest of what a write is to do: the same for the same JSON in whatever order. */
export const digestOf = (value: unknown): string =>
  createHash('sha256').update(canonicalJson(value)).digest('base64url');
