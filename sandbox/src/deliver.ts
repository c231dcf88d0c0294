import { type Delivery, toByteSource } from './apply-fault.js';
import type { ByteSource } from './byte-array.js';
import type { VendorReply } from './vendor.js';

/** The error of a failed fetch, with the system's error code as its cause. */
export function fetchError(code: 'ECONNRESET' | 'ENOTFOUND' | 'ECONNREFUSED', detail: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(detail), { code }) });
}

/** Whether an error is one of `fetchError`. */
export const isFetchError = (error: unknown): boolean => error instanceof TypeError && error.message === 'fetch failed';

/** Delivers a response as a `Response`, or rejects like a broken connection. */
export async function deliver(reply: VendorReply, delivery: Delivery, signal?: AbortSignal): Promise<Response> {
  if (delivery.delayMs !== undefined) await pause(delivery.delayMs, signal);
  signal?.throwIfAborted();
  if (delivery.reset) throw fetchError('ECONNRESET', 'read ECONNRESET');

  const headers = new Headers(reply.headers);
  const bodiless = reply.status === 204 || reply.status === 304 || (reply.status >= 300 && reply.body.length === 0);
  if (bodiless) return new Response(null, { status: reply.status, headers });
  const isWhole = delivery.cutAfterBytes === undefined && delivery.trickleDelayMs === undefined && !signal;
  if (isWhole && (typeof reply.body === 'string' || reply.body instanceof Uint8Array)) {
    return new Response(reply.body, { status: reply.status, headers });
  }

  const source = toByteSource(reply.body);
  if (delivery.cutAfterBytes !== undefined) headers.set('content-length', String(source.length));
  return new Response(bodyOf(source, delivery, signal), { status: reply.status, headers });
}

const trickleChunkCount = 16;

function bodyOf(source: ByteSource, delivery: Delivery, signal?: AbortSignal): ReadableStream<Uint8Array> {
  const end = delivery.cutAfterBytes ?? source.length;
  const atOnce = delivery.trickleDelayMs === undefined ? end : Math.min(delivery.trickleAfterBytes ?? 0, end);
  const step = Math.max(1, Math.ceil((end - atOnce) / trickleChunkCount));
  let sent = 0;
  let pieceStart = 0;
  let pieces: { next(): unknown; return?(): unknown } | undefined;
  let onAbort: (() => void) | undefined;
  const cleanUp = async () => {
    if (onAbort) signal?.removeEventListener('abort', onAbort);
    await pieces?.return?.();
    pieces = undefined;
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        if (!signal) return;
        onAbort = () => controller.error(signal.reason);
        signal.addEventListener('abort', onAbort, { once: true });
      },
      async pull(controller) {
        for (;;) {
          if (pieces) {
            const { value, done } = (await pieces.next()) as IteratorResult<Uint8Array>;
            if (!done) {
              sent += value.length;
              return controller.enqueue(value);
            }
            pieces = undefined;
            // If the file has shrunk since it was measured, the stream ends with an error.
            if (sent === pieceStart) return controller.error(brokenBodyError(delivery));
          }
          if (signal?.aborted) return;
          if (sent >= end) {
            await cleanUp();
            return delivery.cutAfterBytes === undefined
              ? controller.close()
              : controller.error(brokenBodyError(delivery));
          }
          if (sent >= atOnce && delivery.trickleDelayMs !== undefined) {
            // The stream already has the abort reason, so the rejection of the delay adds nothing.
            const aborted = await pause(delivery.trickleDelayMs, signal).then(
              () => false,
              () => true,
            );
            if (aborted) return;
          }
          pieceStart = sent;
          const read = source.read(sent, sent < atOnce ? atOnce : Math.min(sent + step, end));
          pieces = Symbol.asyncIterator in read ? read[Symbol.asyncIterator]() : read[Symbol.iterator]();
        }
      },
      cancel: cleanUp,
    },
    { highWaterMark: 0 },
  );
}

/** The error of a broken body: a reset shows its code, a close nests it one level deeper. */
function brokenBodyError(delivery: Delivery): TypeError {
  const cause = delivery.endsWithReset
    ? Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
    : fetchError('ECONNRESET', 'other side closed');
  return new TypeError('terminated', { cause });
}

/** Waits; rejects with the signal's reason if it is aborted first. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
