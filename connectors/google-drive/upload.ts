import * as z from 'zod';
import {
  type AsyncSteps,
  action,
  type Call,
  ConnectorError,
  entity,
  type HttpReply,
  type HttpRequest,
  one,
  reading,
} from '../../src/authoring.js';
import { masks } from './masks.js';
import { compact, fileIdParam, supportsAllDrives } from './operations.js';
import { byId, reservedId } from './outcome-checks.js';
import { File } from './records.js';
import { resumeUpload, sendContent, unfinishedUpload } from './resumable.js';
import { blobOf, fileContent, multipartRelated, sizeOf, type Uploadable } from './transfers.js';

/** Google recommends the resumable protocol above this size. */
const maxMultipartBytes = 5 * 2 ** 20;
/**
 * Default upload timeout in milliseconds: the usual call timeout, plus the time to send the content at 128 KiB per
 * second.
 */
const timeoutForBytes = (bytes: number) => Math.min(2 ** 31 - 1, 120_000 + Math.ceil(bytes / 131.072));
/** Default upload timeout for content of unknown size. */
const timeoutForStreams = 6 * 3_600_000;

interface UploadParams {
  name: string;
  file_content?: Uploadable | undefined;
  text?: string | undefined;
  mimeType?: string | undefined;
  parents?: string[] | undefined;
  description?: string | undefined;
  file_mime_type: string;
  uploadType: 'multipart';
  supportsAllDrives: boolean;
  resume?: string | undefined;
}

const unknownType = 'application/octet-stream';

const path = '/upload/drive/v3/files';

async function* upload(params: UploadParams, call: Call): AsyncSteps {
  const { file_content = '', text, file_mime_type, uploadType, supportsAllDrives, resume, ...fileFields } = params;
  const content = text === undefined ? blobOf(file_content) : new Blob([text]);
  const type = text !== undefined && file_mime_type === unknownType ? 'text/plain' : file_mime_type;
  if (resume !== undefined) return yield* resumeUpload({ session: resume, content, type }, call);
  const fileId: string | undefined = yield* reservedId(call, fileFields.mimeType);
  const metadata = { ...(fileId !== undefined && { id: fileId }), ...fileFields };
  const query = { supportsAllDrives, fields: masks.file, ...compact };
  if (content instanceof Blob && content.size <= maxMultipartBytes) {
    return yield {
      method: 'POST',
      url: path,
      to: 'upload',
      query: { uploadType, ...query },
      content: multipartRelated(call.id, metadata, type, content),
      requires: ['id'],
      settle: byId(fileId),
    };
  }
  const start: HttpReply | ExistingFile = yield {
    method: 'POST',
    url: path,
    to: 'upload',
    query: { uploadType: 'resumable', ...query },
    headers: {
      'x-upload-content-type': type,
      ...(content instanceof Blob && { 'x-upload-content-length': String(content.size) }),
    },
    json: metadata,
    reply: 'whole',
    // Starting an upload does not create a file.
    recovery: 'repeat',
    settle: byId(fileId, (file): ExistingFile => ({ file })),
  };
  if ('file' in start) return start.file;
  const session = start.headers.get('location');
  if (!session)
    throw new ConnectorError('invalid_response', 'Google started a resumable upload but sent no upload URL.');
  try {
    return yield* sendContent({ session, content, type }, call);
  } catch (error) {
    if (fileId === undefined || !ConnectorError.is(error) || error.code !== 'unknown_outcome') throw error;
    return yield* findUploadedFile(fileId, error);
  }
}

/** A file created by an earlier call. */
interface ExistingFile {
  readonly file: unknown;
}

/** The file, if the upload created it even though no response arrived. */
function* findUploadedFile(fileId: string, error: ConnectorError): Generator<HttpRequest, unknown, any> {
  try {
    return yield reading(byId(fileId)!.request);
  } catch {
    throw unfinishedUpload(
      error.cause,
      `Before you retry, check whether a file with the assigned id ${fileId} exists.`,
    );
  }
}

/** Whether a URL is an upload session: content must not be sent anywhere else. */
const isSession = (address: string): boolean => {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url?.pathname.endsWith(path) === true && url.searchParams.has('upload_id');
};

/** File uploads with content. */
export const files_upload = entity({
  description: 'File uploads with content.',
  actions: {
    create: action({
      description: 'Upload a file. Files over 5 MB use a resumable upload.',
      params: z
        .strictObject({
          name: z.string().min(1).describe('Need not be unique.'),
          file_content: fileContent.optional().meta({ requiredUnless: ['text'] }),
          text: z
            .string()
            .optional()
            .describe('An alternative to file_content, which must then be omitted: the content as text, sent as UTF-8.')
            .meta({ extension: true }),
          mimeType: z
            .string()
            .min(1)
            .optional()
            .describe(
              'Type to store the file as. A native type, such as application/vnd.google-apps.document, converts the content.',
            ),
          parents: z
            .array(fileIdParam('A folder.'))
            .max(1)
            .optional()
            .describe('A single parent folder (default: My Drive).'),
          description: z.string().optional().describe('Short description; searchable.'),
          file_mime_type: z
            .string()
            .regex(/^(?:[\x21-\x7e]+; )*[\x21-\x7e]+$/, 'must be a media type')
            .default(unknownType)
            .describe('Media type of the content (default for text: text/plain).'),
          uploadType: z.literal('multipart').default('multipart').describe('Always multipart; set automatically.'),
          supportsAllDrives,
          resume: z
            .string()
            .refine(isSession, 'must be the value that an earlier call passed to onUploadBegun')
            .optional()
            .describe('Resumes an upload started by a previous call up to a week ago. The content must be identical.')
            .meta({ extension: true }),
        })
        .refine(({ file_content, text }) => (file_content === undefined) !== (text === undefined), {
          path: ['file_content'],
          error: 'is required unless text is set; pass only one of them',
        }),
      returns: one(File),
      request: upload,
      timeoutMs: ({ file_content = '', text }) => {
        const given = text ?? file_content;
        const content = typeof given === 'string' ? given.length : sizeOf(given);
        return content === undefined ? timeoutForStreams : timeoutForBytes(content);
      },
      example: { name: 'notes.txt', file_content: 'SGVsbG8=', file_mime_type: 'text/plain' },
    }),
  },
});
