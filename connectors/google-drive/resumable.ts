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
  let reply: HttpReply;
  try {
    reply = yield* sendChunk(upload, { chunk: new Blob(), at: 0, received: 0, isUnknown: true });
  } catch (error) {
    if (!ConnectorError.is(error) || error.status !== 404) throw error;
    throw new ConnectorError('not_found', 'Upload not found: it has already finished or has expired.', {
      status: error.status,
      vendor: error.vendor,
      hint: 'Search for the file by name. If it does not exist, upload it again without resume.',
    });
  }
  return reply.status === 308 ? yield* sendChunks(upload, call, receivedBytes(reply)) : reply.body;
}

/** Sends the content in chunks, except for the part already received. */
async function* sendChunks(upload: Upload, call: Call, received: number): AsyncSteps {
  let at = 0;
  // A stream's length is known only at its last chunk, so each chunk waits for the next.
  let waiting: Blob | undefined;
  for await (const next of chunksOf(upload.content, chunkSize, call.signal)) {
    if (waiting) {
      if (received < at + waiting.size) {
        const reply: HttpReply = yield* sendChunk(upload, { chunk: waiting, at, received });
        if (reply.status !== 308) return reply.body;
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
  const reply: HttpReply = yield* sendChunk({ ...upload, total }, { chunk, at, received });
  if (reply.status !== 308) return reply.body;
  throw unfinishedUpload();
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

/** Whether a response reports progress: either the upload continues or the file was created. */
const reportsProgress = ({ status, body }: HttpReply) => status === 308 || (typeof body === 'object' && body !== null);

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

/** Sends a chunk; after an interruption, asks Google how much has arrived and sends the rest. */
async function* sendChunk(
  { session, content, type, total = sizeOf(content) }: Upload & { readonly total?: number },
  { chunk, at, received, isUnknown = false }: Part,
): AsyncGenerator<HttpRequest, HttpReply, any> {
  const isLast = total === at + chunk.size;
  let sent = Math.max(0, received - at);
  let asks = isUnknown;
  let mayBeComplete = false;
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
      if (reportsProgress(reply)) {
        if (reply.status !== 308) return reply;
        const arrived = receivedBytes(reply) - at;
        if (arrived >= chunk.size) return reply;
        if (arrived < sent) throw new ConnectorError('invalid_response', 'Google lost part of the upload.');
        if (arrived > sent) breaks = 0;
        const goesOn = asks || arrived > sent;
        sent = arrived;
        mayBeComplete = false;
        asks = false;
        if (goesOn) continue;
      } else mayBeComplete ||= isLast;
    } catch (error) {
      if (!ConnectorError.is(error)) throw error;
      if (error.code === 'not_found') throw sessionLost(error);
      mayBeComplete ||= isLast && !asks && mayHaveActed(error);
      if (!error.retryable) throw mayBeComplete ? unfinishedUpload(error) : error;
      failure = error;
    }
    if (breaks === maxBreaks) {
      if (mayBeComplete) throw unfinishedUpload(failure);
      throw (
        failure ?? new ConnectorError('invalid_response', 'Google did not report how much of the upload it received.')
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

/** Bytes received by Google, from `Range: bytes=0-41`; none if the header is missing. */
function receivedBytes({ headers }: HttpReply): number {
  const last = /^bytes=0-(\d+)$/.exec(headers.get('range') ?? '')?.[1];
  return last === undefined ? 0 : Number(last) + 1;
}
