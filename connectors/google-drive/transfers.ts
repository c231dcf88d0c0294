import * as z from 'zod';

/** Content for an upload: base64 text or, in a program, bytes, a Blob or a stream. */
export type Uploadable = string | Uint8Array | Blob | ReadableStream<Uint8Array>;

const isStream = (content: unknown): content is ReadableStream<Uint8Array> =>
  typeof (content as ReadableStream | null)?.getReader === 'function' && isUnread(content as ReadableStream);

/** Whether nothing has been read: a stream does not tell, but a response refuses it as a body otherwise. */
function isUnread(stream: ReadableStream): boolean {
  if (stream.locked) return false;
  try {
    return new Response(stream).body !== null;
  } catch {
    return false;
  }
}

const isBase64 = (text: string) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);

/** The content parameter. Validation is strict, since decoders skip invalid characters. */
export const fileContent = z
  .custom<Uploadable>(
    (content) => {
      if (typeof content === 'string') return isBase64(content);
      return content instanceof Uint8Array || content instanceof Blob || isStream(content);
    },
    { error: 'must be padded base64 without line breaks (programs can also pass bytes, a Blob or an unread stream)' },
  )
  .describe('Base64-encoded content. Programs can also pass bytes, a Blob or a ReadableStream.')
  .meta({ type: 'string', contentEncoding: 'base64' });

function decode(text: string): Uint8Array<ArrayBuffer> {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let at = 0; at < raw.length; at++) bytes[at] = raw.charCodeAt(at);
  return bytes;
}

/** Content of known size as a Blob, which can be sliced repeatedly; a stream is returned unchanged. */
export function blobOf(content: Uploadable): Blob | ReadableStream<Uint8Array> {
  if (typeof content === 'string') return new Blob([decode(content)]);
  if (content instanceof Uint8Array) return new Blob([content as Uint8Array<ArrayBuffer>]);
  return content;
}

/** The content's size, if known before reading it. */
export const sizeOf = (content: Exclude<Uploadable, string>): number | undefined =>
  content instanceof Uint8Array ? content.byteLength : content instanceof Blob ? content.size : undefined;

/** A `multipart/related` body as documented by Google: metadata first, CRLF throughout, no Content-Disposition. */
export function multipartRelated(boundary: string, metadata: object, type: string, content: Blob) {
  const body = new Blob([
    `--${boundary}\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n${JSON.stringify(metadata)}\r\n`,
    `--${boundary}\r\nContent-Type: ${type}\r\n\r\n`,
    content,
    `\r\n--${boundary}--`,
  ]);
  return { type: `multipart/related; boundary=${boundary}`, body };
}
