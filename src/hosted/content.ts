import { ConnectorError } from '../errors/connector-error.js';
import type { Lifetime } from '../http/lifetime.js';

/** Maximum content per call in bytes; two copies of it are kept in memory. */
const maxContentBytes = 256 * 2 ** 20;

/** Parameters as JSON, with file contents as base64. */
export async function encodeParams(params: unknown, lifetime: Lifetime): Promise<unknown> {
  if (typeof params !== 'object' || params === null || Array.isArray(params)) return params;
  const entries = Object.entries(params);
  if (!entries.some(([, value]) => isContent(value))) return params;
  const plain = await Promise.all(
    entries.map(async ([name, value]) => [name, isContent(value) ? await base64(value, lifetime) : value] as const),
  );
  return Object.fromEntries(plain);
}

type FileContent = Uint8Array | Blob | ReadableStream<Uint8Array>;

const isContent = (value: unknown): value is FileContent =>
  value instanceof Uint8Array ||
  value instanceof Blob ||
  typeof (value as ReadableStream | null)?.getReader === 'function';

async function base64(content: FileContent, lifetime: Lifetime): Promise<string> {
  const bytes = content instanceof Uint8Array ? content : await read(content, lifetime);
  if (bytes.byteLength > maxContentBytes) throw tooLarge();
  const pieces: string[] = [];
  // A multiple of three bytes, so that the encoded chunks can be concatenated. Chunked because the number of arguments
  // is limited.
  for (let from = 0; from < bytes.length; from += 0x6000) {
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(from, from + 0x6000))));
  }
  return pieces.join('');
}

async function read(content: Blob | ReadableStream<Uint8Array>, lifetime: Lifetime): Promise<Uint8Array> {
  if (content instanceof Blob && content.size > maxContentBytes) throw tooLarge();
  const stream: ReadableStream<Uint8Array> = content instanceof Blob ? content.stream() : content;
  if (stream.locked)
    throw new ConnectorError('invalid_params', 'The upload stream is already locked by another reader.');
  const reader = stream.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await lifetime.within(() => reader.read().catch(throwStreamFailed));
      if (done) break;
      size += value.byteLength;
      if (size > maxContentBytes) throw tooLarge();
      chunks.push(value as Uint8Array<ArrayBuffer>);
    }
  } finally {
    // If sending was abandoned, stop reading.
    reader.cancel().catch(() => {});
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

const throwStreamFailed = (cause: unknown): never => {
  throw new ConnectorError('aborted', 'Reading the upload stream failed, so nothing was sent.', { cause });
};

const tooLarge = () =>
  new ConnectorError(
    'too_large',
    `Content larger than ${maxContentBytes / 2 ** 20} MiB cannot be sent through a service.`,
    {
      hint: 'Upload it with a connector that has its own credentials and does not use a service.',
    },
  );
