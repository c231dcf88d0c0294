import * as z from 'zod';
import {
  type AsyncSteps,
  action,
  type Call,
  ConnectorError,
  chunksOf,
  entity,
  type HttpReply,
  type HttpRequest,
  mayHaveActed,
  one,
  reading,
} from '../../src/authoring.js';
import { masks } from './masks.js';
import { compact, id, supportsAllDrives } from './operations.js';
import { byId, reservedId } from './outcome-checks.js';
import { File } from './records.js';
import { blobOf, fileContent, multipartRelated, type Uploadable } from './transfers.js';

/** Google advises its resumable protocol above this. */
const maxMultipartBytes = 5 * 2 ** 20;
/** Google wants multiples of 256 KiB. */
const chunkSize = 8 * 2 ** 20;
/** How often in a row a chunk may break off before the upload is given up. */
const maxChunkFailures = 5;

interface Upload {
  name: string;
  file_content: Uploadable;
  mimeType?: string | undefined;
  parents?: string[] | undefined;
  description?: string | undefined;
  file_mime_type: string;
  uploadType: 'multipart';
  supportsAllDrives: boolean;
}

const url = '/upload/drive/v3/files';

async function* upload(params: Upload, call: Call): AsyncSteps {
  const { file_content, file_mime_type: type, uploadType, supportsAllDrives, ...fileFields } = params;
  const content = blobOf(file_content);
  const fileId: string | undefined = yield* reservedId(call, fileFields.mimeType);
  const metadata = { ...(fileId !== undefined && { id: fileId }), ...fileFields };
  const query = { supportsAllDrives, fields: masks.file, ...compact };
  if (content instanceof Blob && content.size <= maxMultipartBytes) {
    return yield {
      method: 'POST',
      url,
      to: 'upload',
      query: { uploadType, ...query },
      content: multipartRelated(call.id, metadata, type, content),
      settle: byId(fileId),
    };
  }
  const start: HttpReply | ExistingFile = yield {
    method: 'POST',
    url,
    to: 'upload',
    query: { uploadType: 'resumable', ...query },
    headers: {
      'x-upload-content-type': type,
      ...(content instanceof Blob && { 'x-upload-content-length': String(content.size) }),
    },
    json: metadata,
    reply: 'whole',
    // Beginning an upload makes no file.
    recovery: 'repeat',
    settle: byId(fileId, (file): ExistingFile => ({ file })),
  };
  if ('file' in start) return start.file;
  const session = start.headers.get('location');
  if (!session)
    throw new ConnectorError('invalid_response', 'Google began a resumable upload but gave no address for it.');
  const total = content instanceof Blob ? content.size : undefined;
  try {
    return yield* sendChunks(session, chunksOf(content, chunkSize, call.signal), total, type);
  } catch (error) {
    if (fileId === undefined || !ConnectorError.is(error) || error.code !== 'unknown_outcome') throw error;
    return yield* findUploadedFile(fileId, error);
  }
}

/** The file that an earlier call has made. */
interface ExistingFile {
  readonly file: unknown;
}

/** The file, where the upload made it although nobody said so. */
function* findUploadedFile(fileId: string, error: ConnectorError): Generator<HttpRequest, unknown, any> {
  try {
    return yield reading(byId(fileId)!.request);
  } catch {
    throw unfinishedUpload(error.cause, `Before you repeat it, look for ${fileId}, the id that it was given.`);
  }
}

/** Sends chunk after chunk; what Google did not get of one is sent again. */
async function* sendChunks(
  session: string,
  chunks: AsyncIterable<Blob>,
  total: number | undefined,
  type: string,
): AsyncSteps {
  let from = 0;
  // A stream's length is known with its last chunk only, so each one waits for the next.
  let waiting: Blob | undefined;
  for await (const next of chunks) {
    if (waiting) {
      const reply: HttpReply = yield* sendChunk(session, waiting, from, total, type);
      if (reply.status !== 308) return reply.body;
      from += waiting.size;
    }
    waiting = next;
  }
  const last = waiting ?? new Blob();
  const reply: HttpReply = yield* sendChunk(session, last, from, from + last.size, type);
  if (reply.status !== 308) return reply.body;
  throw unfinishedUpload();
}

const unfinishedUpload = (cause?: unknown, hint = 'Before you repeat it, look for a file of that name.') =>
  new ConnectorError('unknown_outcome', 'Google was sent the content but does not say that the upload is finished.', {
    retryable: false,
    hint,
    cause,
  });

/** Whether a reply says how far the upload is: that it goes on, or the file that it made. */
const reportsProgress = ({ status, body }: HttpReply) => status === 308 || (typeof body === 'object' && body !== null);

const put = (session: string, range: string, more: Partial<HttpRequest>): HttpRequest => ({
  method: 'PUT',
  url: session,
  headers: { 'content-range': range },
  reply: 'whole',
  ...more,
});

async function* sendChunk(
  session: string,
  chunk: Blob,
  at: number,
  total: number | undefined,
  type: string,
): AsyncGenerator<HttpRequest, HttpReply, any> {
  const isLast = total === at + chunk.size;
  let sent = 0;
  let mayBeComplete = false;
  const failure = (error: unknown) => (mayBeComplete ? unfinishedUpload(error) : error);
  for (let failures = 0; ; ) {
    const rest = chunk.slice(sent);
    const first = at + sent;
    const range = rest.size === 0 ? '*' : `${first}-${first + rest.size - 1}`;
    let chunkReply: HttpReply | undefined;
    try {
      chunkReply = yield put(session, `bytes ${range}/${total ?? '*'}`, {
        recovery: 'caller',
        content: { type, body: rest },
      });
    } catch (error) {
      if (!ConnectorError.is(error)) throw error;
      if (error.code === 'not_found') throw sessionLost(error);
      mayBeComplete ||= isLast && mayHaveActed(error);
      if (!error.retryable || failures >= maxChunkFailures) throw failure(error);
    }
    // Neither a break nor a reply that cannot be read tells what arrived; the session does.
    const isConclusive = chunkReply !== undefined && reportsProgress(chunkReply);
    if (!isConclusive) failures++;
    let reply: HttpReply;
    try {
      reply = isConclusive ? chunkReply : yield put(session, `bytes */${total ?? '*'}`, { recovery: 'repeat' });
    } catch (error) {
      throw failure(error);
    }
    if (!reportsProgress(reply)) throw unfinishedUpload();
    if (reply.status !== 308) return reply;
    if (failures > maxChunkFailures) throw unfinishedUpload();
    const arrived = receivedBytes(reply) - at;
    mayBeComplete = false;
    if (arrived >= chunk.size) return reply;
    if (arrived < sent)
      throw new ConnectorError('invalid_response', 'Google has lost a part of the upload that it had.');
    sent = arrived;
  }
}

const sessionLost = (cause: ConnectorError) =>
  new ConnectorError('vendor_error', 'Google has given up this upload, so no file was made.', {
    status: cause.status,
    vendor: cause.vendor,
    retryable: true,
    hint: 'Make the call again; a stream has to be opened anew.',
  });

/** Bytes that Google has, from `Range: bytes=0-41`; without the header, none. */
function receivedBytes({ headers }: HttpReply): number {
  const last = /^bytes=0-(\d+)$/.exec(headers.get('range') ?? '')?.[1];
  return last === undefined ? 0 : Number(last) + 1;
}

/** Files with their content. */
export const files_upload = entity({
  description: 'Files with their content.',
  actions: {
    create: action({
      description: 'Upload a file; above 5 MB by a protocol that goes on after a broken connection.',
      params: z.strictObject({
        name: z.string().min(1).describe('Names need not be unique.'),
        file_content: fileContent,
        mimeType: z
          .string()
          .min(1)
          .optional()
          .describe(
            'Type that Drive is to keep; a native one, such as application/vnd.google-apps.document, converts the content.',
          ),
        parents: z
          .array(id('A folder.'))
          .max(1)
          .optional()
          .describe('The folder to put it in, at most one; My Drive when left out.'),
        description: z.string().optional().describe('What it is, in a few words; it is searched too.'),
        file_mime_type: z
          .string()
          .regex(/^(?:[\x21-\x7e]+; )*[\x21-\x7e]+$/, 'must be a media type')
          .default('application/octet-stream')
          .describe('Type of the content.'),
        uploadType: z.literal('multipart').default('multipart').describe('Always multipart; sent by itself.'),
        supportsAllDrives,
      }),
      returns: one(File),
      request: upload,
      example: { name: 'notes.txt', file_content: 'SGVsbG8=', file_mime_type: 'text/plain' },
    }),
  },
});
