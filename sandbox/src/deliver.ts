import { bytesOf, type Delivery } from './spoil.js';
import type { VendorReply } from './vendor.js';

/** The error that fetch rejects with when nothing answers, with the system's code as cause. */
export function fetchFailed(code: 'ECONNRESET' | 'ENOTFOUND' | 'ECONNREFUSED', detail: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(detail), { code }) });
}

/** Puts a reply on the wire as a Response, or rejects as a dead connection does. */
export async function deliver(reply: VendorReply, delivery: Delivery, signal?: AbortSignal): Promise<Response> {
  if (delivery.delay !== undefined) await pause(delivery.delay, signal);
  signal?.throwIfAborted();
  if (delivery.reset) throw fetchFailed('ECONNRESET', 'read ECONNRESET');

  const headers = new Headers(reply.headers);
  const bodiless = reply.status === 204 || reply.status === 304 || (reply.status >= 300 && reply.body.length === 0);
  if (bodiless) return new Response(null, { status: reply.status, headers });
  if (delivery.cutAfter === undefined && delivery.trickle === undefined && !signal) {
    return new Response(reply.body, { status: reply.status, headers });
  }

  const bytes = bytesOf(reply.body);
  if (delivery.cutAfter !== undefined) headers.set('content-length', String(bytes.length));
  return new Response(bodyOf(bytes, delivery, signal), { status: reply.status, headers });
}

const chunksOfTrickle = 16;

function bodyOf(bytes: Uint8Array, delivery: Delivery, signal?: AbortSignal): ReadableStream<Uint8Array> {
  const end = delivery.cutAfter ?? bytes.length;
  const step = delivery.trickle === undefined ? end : Math.max(1, Math.ceil(end / chunksOfTrickle));
  let sent = 0;
  let onAbort: (() => void) | undefined;
  const settle = () => {
    if (onAbort) signal?.removeEventListener('abort', onAbort);
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        if (!signal) return;
        onAbort = () => controller.error(signal.reason);
        signal.addEventListener('abort', onAbort, { once: true });
      },
      async pull(controller) {
        if (sent >= end) {
          settle();
          if (delivery.cutAfter !== undefined) {
            return controller.error(
              new TypeError('terminated', { cause: fetchFailed('ECONNRESET', 'other side closed') }),
            );
          }
          return controller.close();
        }
        if (delivery.trickle !== undefined) {
          // An abort has already put its reason into the stream, so the pause's own rejection says nothing new.
          const aborted = await pause(delivery.trickle, signal).then(
            () => false,
            () => true,
          );
          if (aborted) return;
        }
        controller.enqueue(bytes.subarray(sent, Math.min(sent + step, end)));
        sent += step;
      },
      cancel: settle,
    },
    { highWaterMark: 0 },
  );
}

/** Waits, unless the signal is aborted first: then it rejects with the signal's reason. */
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
