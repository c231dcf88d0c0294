import { ConnectorError } from 'agent-connectors';
import type { Download } from './execute.js';

/** Streams a download; the connection is aborted if the download is shorter or longer than expected. */
export async function downloadResponse({ data, meta }: Download): Promise<Response> {
  const { content_length: expected, content_range, content_type } = meta;
  const reader = data.getReader();
  const first = await reader.read();
  // Nothing has been sent yet, so an unexpectedly empty download can still be reported as an error.
  if (first.done && expected) throw truncatedError(0);
  const headers: Record<string, string> = {
    'content-type': content_type && /^[\x20-\x7e]+$/.test(content_type) ? content_type : 'application/octet-stream',
    'content-disposition': disposition(meta.file_name),
    'content-security-policy': 'sandbox',
  };
  if (expected !== null) headers['content-length'] = String(expected);
  if (content_range !== null) headers['content-range'] = content_range;
  return new Response(checkedStream(first, reader, expected), { status: content_range === null ? 200 : 206, headers });
}

type Piece = ReadableStreamReadResult<Uint8Array>;

function checkedStream(
  first: Piece,
  reader: ReadableStreamDefaultReader<Uint8Array>,
  expected: number | null,
): ReadableStream<Uint8Array> {
  let bytesRead = 0;
  let next: Piece | undefined = first;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = next ?? (await reader.read());
        next = undefined;
        bytesRead += piece.value?.byteLength ?? 0;
        if (expected !== null && (piece.done ? bytesRead < expected : bytesRead > expected)) {
          reader.cancel().catch(() => {});
          throw truncatedError(bytesRead);
        }
        if (piece.done) controller.close();
        else controller.enqueue(piece.value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

const truncatedError = (bytesRead: number) =>
  new ConnectorError('network', `The download was interrupted after ${bytesRead} bytes.`, {
    hint: `Request the rest with range_header: 'bytes=${bytesRead}-'.`,
  });

/** A header that makes browsers save the file, with a safe name (RFC 6266). */
function disposition(fileName: string | null): string {
  const name = fileName?.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}/\\]/gu, '_').slice(0, 255);
  if (!name || /^\.+$/.test(name)) return 'attachment';
  const plain = name.replaceAll(/[^\x20-\x7e]|["%]/g, '_');
  const extended = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${extended}`;
}
