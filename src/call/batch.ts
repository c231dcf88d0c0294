import { ConnectorError, type ErrorCode } from '../errors/connector-error.js';

/** Maximum number of writes in a batch. */
export const maxBatchWrites = 25;

/** Outcome of one write of a batch. */
export type BatchOutcome<T> =
  | {
      /** It was executed. */
      readonly status: 'done';
      /** What it returned. */
      readonly result: T;
    }
  | {
      /** `failed` if it was not executed, `unknown` if it may have been. */
      readonly status: 'failed' | 'unknown';
      /** The error that it threw. */
      readonly error: unknown;
    }
  | {
      /** It was not sent, because the outcome of an earlier write is unknown, or the batch was aborted. */
      readonly status: 'not_sent';
    };

/** Whether a value can be an idempotency key. */
export const isIdempotencyKey = (value: unknown): value is string =>
  typeof value === 'string' && /^[\x21-\x7e]([\x20-\x7e]{0,126}[\x21-\x7e])?$/.test(value);

/** Describes the first problem of a batch's keys, by index; undefined if there is none. */
export function keyProblem(keys: readonly unknown[]): { readonly index: number; readonly message: string } | undefined {
  const index = keys.findIndex((key, at) => !isIdempotencyKey(key) || keys.indexOf(key) !== at);
  if (index < 0) return undefined;
  const key = keys[index];
  if (key === undefined) return { index, message: 'is required' };
  return { index, message: isIdempotencyKey(key) ? 'was used above' : 'must be 1 to 128 printable ASCII characters' };
}

/** Failures of a write that may nevertheless have been executed. */
export const uncertainCodes: ReadonlySet<ErrorCode> = new Set([
  'unknown_outcome',
  'invalid_response',
  'timeout',
  'aborted',
]);

/** Runs writes one after the other; after one whose outcome is unknown, none is sent. */
export async function runBatch<T>(
  writes: ReadonlyArray<() => Promise<T>>,
  signal?: AbortSignal,
): Promise<Array<BatchOutcome<T>>> {
  const outcomes: Array<BatchOutcome<T>> = [];
  for (const write of writes) {
    if (signal?.aborted || outcomes.at(-1)?.status === 'unknown') break;
    outcomes.push(
      await write().then(
        (result) => ({ status: 'done', result }),
        (error) => {
          // A write that is still in progress for an earlier request may be executed, and the next ones must wait for it.
          const isInProgress = ConnectorError.is(error) && error.code === 'conflict' && error.retryable;
          const isUnknown = !ConnectorError.is(error) || uncertainCodes.has(error.code) || isInProgress;
          return { status: isUnknown ? 'unknown' : 'failed', error };
        },
      ),
    );
  }
  return writes.map((_, index) => outcomes[index] ?? { status: 'not_sent' });
}
