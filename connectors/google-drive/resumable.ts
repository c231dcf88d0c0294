import {
  type AsyncSteps,
  type Call,
  ConnectorError,
  chunksOf,
  type HttpReply,
  type HttpRequest,
  mayHaveActed,
} from '../../src/authoring.js';
import { sizeOf } from './transfers.js';

/** Google requires multiples of 256 KiB. */
const chunkSize = 8 * 2 ** 20;
/** Consecutive interruptions without progress before an upload is abandoned, after at least nine minutes. */
const maxBreaks = 20;

/** A resumable upload in progress. */
export interface Upload {
  /** Session URL, the only thing needed to continue the upload. */
  readonly session: string;
  readonly content: Blob | ReadableStream<Uint8Array>;
  readonly type: string;
}

/** Sends the content of an upload that has just started. */
export const sendContent = (upload: Upload, call: Call): AsyncSteps => sendChunks(upload, call, 0);

/** Resumes an upload that an earlier call started, at the first byte that Google has not received. */
export async function* resumeUpload(upload: Upload, call: Call): AsyncSteps {
  let outcome: Outcome;
  try {
    outcome = yield* sendChunk(upload, { chunk: new Blob(), at: 0, received: 0, isUnknown: true });
  } catch (error) {
    if (!ConnectorError.is(error) || (error.status !== 404 && error.status !== 410)) throw error;
    throw new ConnectorError('not_found', 'Upload not found: it has already finished or has expired.', {
      status: error.status,
      vendor: error.vendor,
      hint: 'Search for the file by name. If it does not exist, upload it again without resume.',
    });
  }
  return 'file' in outcome ? outcome.file : yield* sendChunks(upload, call, outcome.received);
}

/** Times that content is sent again from where Google has lost it. */
const maxRestarts = 3;

/** Sends the content in chunks, except for the part already received. */
async function* sendChunks(upload: Upload, call: Call, start: number, restarts = 0): AsyncSteps {
  let received = start;
  let at = 0;
  // A stream's length is known only at its last chunk, so each chunk waits for the next.
  let waiting: Blob | undefined;
  for await (const next of chunksOf(upload.content, chunkSize, call.signal)) {
    if (waiting) {
      if (received < at + waiting.size) {
        const outcome: Outcome = yield* sendChunk(upload, { chunk: waiting, at, received });
        // A file without the rest of the content is not what the caller asked for.
        if ('file' in outcome) throw unfinishedUpload();
        received = outcome.received;
        if (received < at) return yield* sendAgain(upload, call, received, restarts);
      }
      at += waiting.size;
    }
    waiting = next;
  }
  const chunk = waiting ?? new Blob();
  const total = at + chunk.size;
  if (received > total) {
    throw new ConnectorError(
      'invalid_params',
      `Google has received ${received} bytes, but the content is only ${total} bytes long.`,
      {
        issues: [{ path: 'file_content', message: 'does not match the content that the resumed upload started with' }],
      },
    );
  }
  const outcome: Outcome = yield* sendChunk({ ...upload, total }, { chunk, at, received });
  return 'file' in outcome ? outcome.file : yield* sendAgain(upload, call, outcome.received, restarts);
}

/** Sends content again that Google has lost; a stream cannot be read again. */
function sendAgain(upload: Upload, call: Call, received: number, restarts: number): AsyncSteps {
  if (upload.content instanceof Blob && restarts < maxRestarts) {
    return sendChunks(upload, call, received, restarts + 1);
  }
  throw new ConnectorError('invalid_response', 'Google lost part of the upload, so no file was created.', {
    retryable: true,
    hint: 'Retry the call with a newly opened stream.',
  });
}

/** The error for an upload that may have created its file even though no response arrived. */
export const unfinishedUpload = (
  cause?: unknown,
  hint = 'Before you retry, check whether a file with that name exists.',
) =>
  new ConnectorError('unknown_outcome', 'Google received the content but did not confirm the upload.', {
    retryable: false,
    hint,
    cause,
  });

/** Whether a response contains the file. */
const hasFile = ({ status, body }: HttpReply): boolean =>
  status !== 308 && typeof (body as { id?: unknown } | null)?.id === 'string';

const put = (session: string, range: string, more: Partial<HttpRequest>): HttpRequest => ({
  method: 'PUT',
  url: session,
  headers: { 'content-range': range },
  reply: 'whole',
  recovery: 'caller',
  ...more,
});

interface Part {
  readonly chunk: Blob;
  /** Offset of the chunk. */
  readonly at: number;
  /** Bytes received by Google. */
  readonly received: number;
  /** Whether to ask Google first how much it has received. */
  readonly isUnknown?: boolean;
}

/** The created file, or the number of bytes that Google has of the content. */
type Outcome = { readonly file: unknown } | { readonly received: number };

/** Consecutive reports of no bytes at all after which they are believed, although Google had received some. */
const maxEmptyReports = 5;

/**
 * Sends a chunk; after an interruption, asks Google how much has arrived and sends the rest.
 *
 * What Google may respond, to a chunk or to a question (developers.google.com/workspace/drive/api/guides/manage-uploads):
 * - 200 or 201 with the file: finished. Without it, the response is not Google's or was cut off: ask.
 * - 308 with `Range`: it has these bytes, which may be fewer than before. 308 with all bytes of the content: ask until
 *   the file exists.
 * - 308 without `Range`: in response to a chunk, ask (it can come at any time: googleapis/google-cloud-cpp #7877); in
 *   response to a question, Google has nothing.
 * - 404: the session has ended. 410: it may have, so ask once more.
 * - 429, 5xx, or none at all: ask, with growing delays.
 */
async function* sendChunk(
  { session, content, type, total = sizeOf(content) }: Upload & { readonly total?: number },
  { chunk, at, received, isUnknown = false }: Part,
): AsyncGenerator<HttpRequest, Outcome, any> {
  const isLast = total === at + chunk.size;
  let sent = Math.max(0, received - at);
  let asks = isUnknown;
  let mayBeComplete = false;
  let emptyReports = 0;
  let backoff: HttpRequest['backoff'];
  let isFirst = at === 0 && received === 0 && !isUnknown;
  for (let breaks = 0; ; ) {
    let failure: ConnectorError | undefined;
    try {
      const rest = chunk.slice(sent);
      const range = asks || rest.size === 0 ? '*' : `${at + sent}-${at + chunk.size - 1}`;
      const reply: HttpReply = yield put(session, `bytes ${range}/${total ?? '*'}`, {
        content: asks ? undefined : { type, body: rest },
        // Only the first request reports how to resume.
        resume: isFirst ? session : undefined,
        continues: isUnknown ? 'resume' : undefined,
        backoff,
      });
      backoff = undefined;
      if (hasFile(reply)) return { file: reply.body };
      if (reply.status === 308) {
        const arrived = receivedBytes(reply) ?? (asks ? 0 : undefined);
        emptyReports = arrived === 0 && at + sent > 0 ? emptyReports + 1 : 0;
        if (arrived !== undefined && (emptyReports === 0 || emptyReports > maxEmptyReports)) {
          const isWhole = arrived >= at + chunk.size;
          if (arrived < at || isUnknown || (isWhole && !isLast)) return { received: arrived };
          mayBeComplete = isWhole;
          const isAnswer = asks && !isWhole;
          if (arrived > at + sent) breaks = 0;
          const goesOn = isAnswer || (arrived > at + sent && !isWhole);
          sent = arrived - at;
          asks = false;
          if (goesOn) continue;
        }
      } else mayBeComplete ||= isLast;
    } catch (error) {
      if (!ConnectorError.is(error)) throw error;
      const isGone = error.code === 'not_found';
      mayBeComplete ||= isLast && !asks && (mayHaveActed(error) || error.status === 410);
      if (isGone && (asks || error.status !== 410)) throw mayBeComplete ? unfinishedUpload(error) : sessionLost(error);
      if (!isGone && !error.retryable) throw mayBeComplete ? unfinishedUpload(error) : error;
      failure = error;
    }
    if (breaks === maxBreaks) {
      if (mayBeComplete) throw unfinishedUpload(failure);
      throw (
        failure ??
        new ConnectorError('invalid_response', 'Google did not confirm more of the upload.', { retryable: true })
      );
    }
    isFirst = false;
    backoff = { breaks: ++breaks, retryAfterMs: failure?.retryAfterMs };
    asks = true;
  }
}

const sessionLost = (cause: ConnectorError) =>
  new ConnectorError('vendor_error', 'Google cancelled this upload, so no file was created.', {
    status: cause.status,
    vendor: cause.vendor,
    retryable: true,
    hint: 'Retry the call with a newly opened stream.',
  });

/** Bytes received by Google, from `Range: bytes=0-41`; undefined without this header. */
function receivedBytes({ headers }: HttpReply): number | undefined {
  const last = /^\s*bytes[= ]0-(\d+)\s*$/.exec(headers.get('range') ?? '')?.[1];
  return last === undefined ? undefined : Number(last) + 1;
}
