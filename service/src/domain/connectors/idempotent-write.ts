import { setTimeout as wait } from 'node:timers/promises';
import { ConnectorError, type ErrorCode, type Once, type Sent } from 'agent-connectors';

import { StateConflict } from '../../data/state/rows.js';
import type { Ledger, LedgerEntry, LedgerKey } from '../../data/state/types.js';
import { httpError } from '../http-error.js';

/** The response to a write. */
export interface WriteReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
  /** The error, if any. */
  readonly failure?: unknown;
}

/** Errors that leave it unclear whether the vendor executed the write. */
const uncertainCodes: ReadonlySet<ErrorCode> = new Set(['unknown_outcome', 'invalid_response']);

/** How often to try to record an outcome: for about an hour. */
const maxRecordTries = 65;

/** A write that this request executes. */
export type BegunWrite = Extract<LedgerEntry, { readonly state: 'begun' }>;

/** A write with an idempotency key. */
export interface IdempotentWrite {
  readonly key: LedgerKey;
  readonly bodyHash: string;
  /** Executes the write, records what it is about to send, and converts errors to responses. */
  readonly work: (once: Once, begun: BegunWrite) => Promise<WriteReply>;
  /** Returns a stored response if the caller is still allowed to run the action. */
  readonly replay: (stored: WriteReply) => Promise<WriteReply>;
  /** Converts a failure to a response. */
  readonly toReply: (failure: unknown) => WriteReply;
  /** Reports errors not caused by the write itself. */
  readonly report: (error: unknown) => void;
}

/** Executes a write once per key; repeated requests get the stored response. */
export async function runIdempotent(ledger: Ledger, write: IdempotentWrite): Promise<WriteReply> {
  const entry = await begin(ledger, write);
  switch (entry.state) {
    case 'done':
      return write.replay({ status: entry.status, headers: { 'idempotent-replayed': 'true' }, body: entry.body });
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
      const { reply, end } = await executeWrite(ledger, write, entry);
      const record = async () => {
        if (end === 'finish') await ledger.finish(started, reply.status, reply.body);
        else await ledger[end](started);
      };
      try {
        await record();
      } catch (error) {
        // The caller needs the outcome even if it could not be recorded.
        write.report(error);
        void recordLater(record).catch(() => ledger.release(started).catch(write.report));
      }
      return reply;
    }
  }
}

/** Records an outcome once the database is back; by then, it changes nothing if the write was taken over. */
async function recordLater(record: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    await wait(Math.min(500 * 2 ** tries, 60_000), undefined, { ref: false });
    try {
      return await record();
    } catch (error) {
      if (tries >= maxRecordTries) throw error;
    }
  }
}

async function begin(ledger: Ledger, { key, bodyHash, report }: IdempotentWrite): Promise<LedgerEntry> {
  try {
    return await ledger.begin(key, bodyHash);
  } catch (error) {
    if (error instanceof StateConflict) throw error;
    report(error);
    throw notRecordedError();
  }
}

/** How to close the ledger row. */
type LedgerEnd = 'finish' | 'release' | 'forget';

async function executeWrite(
  ledger: Ledger,
  { work, toReply, report }: IdempotentWrite,
  begun: BegunWrite,
): Promise<{ readonly reply: WriteReply; readonly end: LedgerEnd }> {
  const { write: started, sent: earlier } = begun;
  let sent: Sent | undefined;
  let isRecorded = true;
  const once: Once = {
    sent: earlier,
    async sending(now) {
      try {
        await ledger.sending(started, now);
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
  const reply = await work(once, begun);
  const { failure } = reply;
  if (failure === undefined) return { reply, end: 'finish' };
  const isConclusive = ConnectorError.is(failure) && !uncertainCodes.has(failure.code);
  if (!sent) {
    // Nothing was sent this time. An earlier attempt still has to be resolved, regardless of the current failure.
    if (!earlier) return { reply: isRecorded ? reply : toReply(notRecordedError()), end: 'forget' };
    return {
      reply: isConclusive || !ConnectorError.is(failure) ? toReply(stillUnknownError(failure)) : reply,
      end: ledgerEnd(earlier),
    };
  }
  if (isConclusive) return { reply, end: earlier ? 'release' : 'forget' };
  return { reply, end: ledgerEnd(sent) };
}

/** If the outcome can never be determined, that is stored; otherwise a later request checks again. */
const ledgerEnd = ({ by }: Sent): LedgerEnd => (by === null ? 'finish' : 'release');

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

const stillUnknownError = (failure: unknown) =>
  new ConnectorError(
    'unknown_outcome',
    `The write was already sent, and its outcome could not be determined: ${
      ConnectorError.is(failure) ? failure.message : 'the service failed.'
    }`,
    { hint: 'Retry later with the same Idempotency-Key.', cause: failure },
  );
