import * as z from 'zod';
import { ConnectorError } from '../errors/connector-error.js';
import { copyCause } from '../errors/redact.js';
import type { WireResponse } from '../http/exchange.js';
import { onAbort } from '../http/lifetime.js';
import type { HttpRequest, Query } from '../http/request.js';
import type { ByteStream, DownloadMeta } from './result.js';

/** A byte range as in HTTP: a single range whose end is not before its start. */
export const byteRange = z
  .string()
  .regex(/^bytes=(\d+-\d*|-\d+)$/, 'must be a single byte range, such as bytes=0-1023')
  .refine((range) => {
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? [];
    return from === undefined || Number(from) <= Number(to);
  }, 'ends before it starts')
  .optional()
  .describe('A single byte range, such as bytes=0-1023 or bytes=-500; see meta.content_range for the range returned.');

/** A GET that returns bytes; compression would invalidate lengths and ranges. */
export const download = (url: string, query?: Query, range?: string): HttpRequest => ({
  method: 'GET',
  url,
  query,
  reply: 'bytes',
  headers: { accept: '*/*', 'accept-encoding': 'identity', ...(range !== undefined && { range }) },
});

/** The file name from a `Content-Disposition` header, preferring the extended form; never a path. */
function fileName(disposition: string | null): string | null {
  if (disposition === null) return null;
  const extended = /;\s*filename\*\s*=\s*(?:utf-8|iso-8859-1)'[^']*'([^;]+)/i.exec(disposition)?.[1];
  const quoted = /;\s*filename\s*=\s*"((?:[^"\\]|\\.)*)"/i.exec(disposition)?.[1]?.replaceAll(/\\(.)/g, '$1');
  const name = decodeFileName(extended) ?? quoted ?? /;\s*filename\s*=\s*([^;"\s]+)/i.exec(disposition)?.[1];
  return name?.split(/[/\\]/).at(-1)?.trim() || null;
}

function decodeFileName(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text.trim());
  } catch {
    return undefined;
  }
}

/** Parses the headers of a download. */
export function downloadMeta(
  { status, headers }: Pick<WireResponse, 'status' | 'headers'>,
  { headers: sent }: HttpRequest,
): DownloadMeta {
  const length = headers.get('content-length');
  const isEncoded = !/^(identity)?$/i.test(headers.get('content-encoding') ?? '');
  const isFullContent = sent?.range !== undefined && status !== 206;
  return {
    content_type: headers.get('content-type'),
    // The length of encoded content is not that of the bytes passed on.
    content_length: length === null || !/^\d+$/.test(length) || isEncoded ? null : Number(length),
    content_range: headers.get('content-range'),
    file_name: fileName(headers.get('content-disposition')),
    notice: isFullContent ? `The vendor ignored range ${sent.range} and returned the whole content.` : null,
  };
}

/** The range that requests the rest of a response after so many of its bytes. */
function restOf({ status, headers }: Pick<WireResponse, 'status' | 'headers'>, bytesRead: number): string | undefined {
  if (status !== 206) return `bytes=${bytesRead}-`;
  const [, start, end] = /^bytes (\d+)-(\d+)/.exec(headers.get('content-range') ?? '') ?? [];
  return start === undefined ? undefined : `bytes=${Number(start) + bytesRead}-${end}`;
}

/** What a download stream needs from its call. */
export interface StreamOptions {
  readonly signal: AbortSignal | undefined;
  /** Idle timeout in milliseconds. */
  readonly idleMs: number;
  /** Redacts secrets in a message. */
  readonly clean: (text: string) => string;
}

/**
 * Streams a response's bytes on demand, one chunk at a time.
 *
 * The first chunk has already been read; from here on, the request can no longer be retried.
 */
export function streamBody(
  response: Pick<WireResponse, 'status' | 'headers'>,
  { first, reader }: NonNullable<WireResponse['bytes']>,
  { signal, idleMs, clean }: StreamOptions,
): ByteStream {
  let bytesRead = 0;
  let removeListener: (() => void) | undefined;
  let waitingSince = 0;
  let idleTimer: ReturnType<typeof setTimeout> | undefined;
  let stop: (error: ConnectorError) => void = () => {};
  const abort = () =>
    stop(
      new ConnectorError('aborted', 'The download was aborted by its signal.', {
        cause: copyCause(signal?.reason, clean),
      }),
    );
  const finish = () => {
    clearTimeout(idleTimer);
    removeListener?.();
  };
  // One timer for many chunks: a timer per chunk would cost more than passing the chunk on.
  const checkIdle = () => {
    idleTimer = undefined;
    if (waitingSince === 0) return;
    const left = waitingSince + idleMs - Date.now();
    if (left > 0) idleTimer = setTimeout(checkIdle, left);
    else stop(new ConnectorError('timeout', `The download stalled for ${idleMs} ms.`));
  };
  const streamError = (error: unknown) => {
    const rest = restOf(response, bytesRead);
    return new ConnectorError('network', `The download was interrupted after ${bytesRead} bytes.`, {
      cause: copyCause(error, clean),
      hint: rest && `Request the rest with range_header: '${rest}'.`,
    });
  };
  const pass = (controller: ReadableStreamDefaultController<Uint8Array>, result: typeof first) => {
    waitingSince = 0;
    if (result.done) {
      finish();
      controller.close();
      return;
    }
    bytesRead += result.value.byteLength;
    controller.enqueue(result.value);
  };

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        stop = (error) => {
          finish();
          controller.error(error);
          reader.cancel(error).catch(() => {});
        };
        pass(controller, first);
        if (signal?.aborted) abort();
        else if (!first.done && signal) removeListener = onAbort(signal, abort);
      },
      pull(controller) {
        waitingSince = Date.now();
        idleTimer ??= setTimeout(checkIdle, idleMs);
        return reader.read().then(
          (result) => pass(controller, result),
          (error) => {
            finish();
            controller.error(streamError(error));
          },
        );
      },
      cancel(reason) {
        finish();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
