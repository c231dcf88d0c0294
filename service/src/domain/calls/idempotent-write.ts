import { setTimeout as wait } from 'node:timers/promises';
import { ConnectorError, type ErrorCode, type Once, type Sent } from 'agent-connectors';
import type { ExecuteAnswer } from 'agent-connectors/wire';
import { StateConflict } from '../../data/state/rows.js';
import type { Ledger, LedgerEntry, LedgerKey, State } from '../../data/state/types.js';
import { newWriteRecord, type WriteRecord } from '../audit/record-audit.js';
import { errorReply, httpError } from '../http-error.js';

/** A response as stored: its HTTP status and JSON body. */
export interface StoredResponse {
  readonly status: number;
  readonly body: string;
}

/** How a write ended: now, or when an earlier request with the same key executed it. */
export type WriteOutcome =
  | { readonly kind: 'done'; readonly reply: ExecuteAnswer }
  | { readonly kind: 'failed'; readonly failure: unknown }
  | { readonly kind: 'replayed'; readonly stored: StoredResponse };

/** Errors that leave it unclear whether the vendor executed the write. */
const uncertainCodes: ReadonlySet<ErrorCode> = new Set(['unknown_outcome', 'invalid_response']);

/** How often to try to record an outcome: for about an hour. */
const maxRecordTries = 65;

/** A write that this request executes. */
export type BegunWrite = Extract<LedgerEntry, { readonly state: 'begun' }>;

/** What the execution of a write needs. */
export interface ExecutedWrite {
  readonly once: Once;
  readonly record: WriteRecord;
  readonly begun: BegunWrite;
}

/** Where writes are recorded. */
type Records = Pick<State, 'audit' | 'ledger'>;

/** A write with an idempotency key. */
export interface IdempotentWrite {
  readonly key: LedgerKey;
  readonly bodyHash: string;
  /** Appears in a stored error. */
  readonly requestId: string;
  /** Executes the write and records what it is about to send. */
  readonly work: (executed: ExecutedWrite) => Promise<WriteOutcome>;
  /** Returns a stored response if the caller is still allowed to run the action. */
  readonly replay: (stored: StoredResponse) => Promise<WriteOutcome>;
  /** Called with the size of the response that is stored for replay. */
  readonly onStored?: ((bytes: number) => void) | undefined;
  /** Reports errors not caused by the write itself. */
  readonly report: (error: unknown) => void;
}

/** Whose keys a caller uses: those of its client or, for an app, its own, so that apps do not get each other's responses. */
export const ownerOf = (clientId: string, grantId: string | undefined): string =>
  grantId === undefined ? clientId : `${clientId} ${grantId}`;

/** Executes a write once per key; repeated requests get the stored response. */
export async function runIdempotent({ audit, ledger }: Records, write: IdempotentWrite): Promise<WriteOutcome> {
  const entry = await begin(ledger, write);
  switch (entry.state) {
    case 'done':
      return write.replay({ status: entry.status, body: entry.body });
    case 'other_body':
      throw httpError(409, 'conflict', 'Idempotency-Key was already used with a different body.', {
        hint: 'Use a new key for a new write.',
      });
    case 'in_flight':
      throw httpError(409, 'conflict', 'This write is already in progress.', {
        retryable: true,
        retryAfterMs: 1000,
        hint: 'Retry with the same key: the stored response is replayed.',
      });
    case 'begun': {
      const { write: started } = entry;
      const record = newWriteRecord(true);
      const { outcome, end } = await executeWrite(ledger, { write, begun: entry, record });
      const recordEnd = async () => {
        if (end !== 'finish') return void (await ledger[end](started));
        const { status, body } = storedResponse(outcome, write.requestId);
        await ledger.finish(started, status, body, record);
        write.onStored?.(body.length);
        record.onStored?.();
      };
      if (end !== 'finish' && record.entry) {
        await audit.record(record.entry, record).then(record.onStored, write.report);
      }
      try {
        await recordEnd();
      } catch (error) {
        // The caller needs the outcome even if it could not be recorded.
        write.report(error);
        void recordLater(recordEnd).catch(() => ledger.release(started).catch(write.report));
      }
      return outcome;
    }
  }
}

function storedResponse(outcome: WriteOutcome, requestId: string): StoredResponse {
  switch (outcome.kind) {
    case 'done':
      return { status: 200, body: JSON.stringify(outcome.reply) };
    case 'failed':
      return errorReply(outcome.failure, requestId);
    case 'replayed':
      return outcome.stored;
  }
}

/** Records an outcome once the database is back; by then, it changes nothing if the write was taken over. */
async function recordLater(recordEnd: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    await wait(Math.min(500 * 2 ** tries, 60_000), undefined, { ref: false });
    try {
      return await recordEnd();
    } catch (error) {
      if (tries >= maxRecordTries) throw error;
    }
  }
}

async function begin(ledger: Ledger, { key, bodyHash, report }: IdempotentWrite): Promise<LedgerEntry> {
  try {
    return await ledger.begin(key, bodyHash);
  } catch (error) {
    // Its record needs the connector's row; the one that the request found may have been cached.
    if (error instanceof StateConflict) throw new ConnectorError('not_found', error.message);
    report(error);
    throw notRecordedError();
  }
}

/** How to close the ledger row. */
type LedgerEnd = 'finish' | 'release' | 'forget';

/** A write, and what it records. */
interface BegunExecution {
  readonly write: IdempotentWrite;
  readonly begun: BegunWrite;
  readonly record: WriteRecord;
}

async function executeWrite(
  ledger: Ledger,
  { write: { work, report }, begun, record }: BegunExecution,
): Promise<{ readonly outcome: WriteOutcome; readonly end: LedgerEnd }> {
  const { write: started, sent: earlier } = begun;
  let sent: Sent | undefined;
  let isRecorded = true;
  const once: Once = {
    sent: earlier,
    async sending(now) {
      try {
        record.begunAs = await ledger.sending(started, now, record.opening);
        record.opening = undefined;
        sent = now;
      } catch (error) {
        if (error instanceof StateConflict) throw takenOverError(error);
        isRecorded = false;
        report(error);
        throw new ConnectorError('network', 'The request could not be recorded.');
      }
    },
    async attempting() {
      try {
        await ledger.confirm(started);
      } catch (error) {
        if (error instanceof StateConflict) throw takenOverError(error);
        report(error);
        throw new ConnectorError('network', 'The database could not be reached, so the request was not sent.');
      }
    },
  };
  const outcome = await work({ once, record, begun });
  if (outcome.kind !== 'failed') return { outcome, end: 'finish' };
  const { failure } = outcome;
  const isConclusive = ConnectorError.is(failure) && !uncertainCodes.has(failure.code);
  if (!sent) {
    // Nothing was sent this time. An earlier attempt still has to be resolved, regardless of the current failure.
    if (!earlier) return { outcome: isRecorded ? outcome : failed(notRecordedError()), end: 'forget' };
    return unknownEnd(
      isConclusive || !ConnectorError.is(failure) ? stillUnknownError(failure, earlier) : failure,
      earlier,
    );
  }
  if (isConclusive) return { outcome, end: earlier ? 'release' : 'forget' };
  if (ConnectorError.is(failure) || sent.by !== null) return unknownEnd(failure, sent);
  // The stored response must say that it was sent, whatever failed afterwards.
  report(failure);
  return unknownEnd(stillUnknownError(failure, sent), sent);
}

const failed = (failure: unknown): WriteOutcome => ({ kind: 'failed', failure });

/** If the outcome can never be determined, that is stored; otherwise a later request checks again. */
const unknownEnd = (failure: unknown, { by }: Sent): { readonly outcome: WriteOutcome; readonly end: LedgerEnd } =>
  by === null
    ? { outcome: failed(unresolvableError(failure)), end: 'finish' }
    : { outcome: failed(failure), end: 'release' };

const unresolvable = new WeakSet<object>();

/** Whether repeating a write whose outcome is unknown can look the outcome up; otherwise a person must find it out. */
export const isResolvable = (failure: unknown): boolean =>
  typeof failure !== 'object' || failure === null || !unresolvable.has(failure);

/** A failure of a write whose outcome can never be looked up, with what a person can do. */
function unresolvableError(failure: unknown): unknown {
  if (!ConnectorError.is(failure)) return failure;
  const { code, message, status, vendor, hint = '' } = failure;
  const advice =
    'This Idempotency-Key returns the same response for 24 hours: if the change was not made, use a new key.';
  return asUnresolvable(
    new ConnectorError(code, message, { status, vendor, hint: `${hint} ${advice}`.trim(), cause: failure }),
  );
}

/** Marks the stored outcome of a write as one that stays unknown. */
export function asUnresolvable(failure: ConnectorError): ConnectorError {
  if (uncertainCodes.has(failure.code)) unresolvable.add(failure);
  return failure;
}

const notRecordedError = () =>
  httpError(503, 'network', 'The write could not be recorded, so nothing was sent.', {
    retryable: true,
    retryAfterMs: 10_000,
    hint: 'The service’s disk may be full. The service operator can find the cause in the log.',
  });

const takenOverError = ({ message }: StateConflict) =>
  new ConnectorError('conflict', message, {
    retryable: true,
    hint: 'Retry the same call: it returns the outcome of the write.',
  });

const stillUnknownError = (failure: unknown, { by }: Sent) =>
  new ConnectorError(
    'unknown_outcome',
    `The write was already sent, and its outcome could not be determined: ${
      ConnectorError.is(failure) ? failure.message : 'the service failed.'
    }`,
    {
      hint: by === null ? 'Check whether the change was made.' : 'Retry later with the same Idempotency-Key.',
      cause: failure,
    },
  );
