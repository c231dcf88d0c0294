import type { ByteSource } from './byte-array.js';
import { type Delivery, sourceOf } from './spoil.js';
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
  const isWhole = delivery.cutAfter === undefined && delivery.trickle === undefined && !signal;
  if (isWhole && (typeof reply.body === 'string' || reply.body instanceof Uint8Array)) {
    return new Response(reply.body, { status: reply.status, headers });
  }

  const source = sourceOf(reply.body);
  if (delivery.cutAfter !== undefined) headers.set('content-length', String(source.length));
  return new Response(bodyOf(source, delivery, signal), { status: reply.status, headers });
}

const chunksOfTrickle = 16;

function bodyOf(source: ByteSource, delivery: Delivery, signal?: AbortSignal): ReadableStream<Uint8Array> {
  const end = delivery.cutAfter ?? source.length;
  const atOnce = delivery.trickle === undefined ? end : Math.min(delivery.trickleAfter ?? 0, end);
  const step = Math.max(1, Math.ceil((end - atOnce) / chunksOfTrickle));
  let sent = 0;
  let began = 0;
  let pieces: { next(): unknown; return?(): unknown } | undefined;
  let onAbort: (() => void) | undefined;
  const settle = async () => {
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
            // A file that shrank since it was measured ends here, as a dead disk would.
            if (sent === began) return controller.error(broken(delivery));
          }
          if (signal?.aborted) return;
          if (sent >= end) {
            await settle();
            return delivery.cutAfter === undefined ? controller.close() : controller.error(broken(delivery));
          }
          if (sent >= atOnce && delivery.trickle !== undefined) {
            // An abort has already put its reason into the stream, so the pause's own rejection says nothing new.
            const aborted = await pause(delivery.trickle, signal).then(
              () => false,
              () => true,
            );
            if (aborted) return;
          }
          began = sent;
          const read = source.read(sent, sent < atOnce ? atOnce : Math.min(sent + step, end));
          pieces = Symbol.asyncIterator in read ? read[Symbol.asyncIterator]() : read[Symbol.iterator]();
        }
      },
      cancel: settle,
    },
    { highWaterMark: 0 },
  );
}

/** What a reader of a broken body gets; a reset shows its code, a mere close hides it one level deeper. */
function broken(delivery: Delivery): TypeError {
  const cause = delivery.resets
    ? Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
    : fetchFailed('ECONNRESET', 'other side closed');
  return new TypeError('terminated', { cause });
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
