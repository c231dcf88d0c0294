import { ConnectorError } from '../call/errors.js';

/**
 * Cuts content into chunks of one size, the last of which may be shorter. A stream is read as it is sent; when the signal
 * is aborted the stream is cancelled, and this fails with the signal's reason.
 */
export async function* chunksOf(
  content: Blob | ReadableStream<Uint8Array>,
  size: number,
  signal?: AbortSignal,
): AsyncGenerator<Blob> {
  if (content instanceof Blob) {
    for (let at = 0; at < content.size; at += size) yield content.slice(at, at + size);
    return;
  }
  const reader = content.getReader();
  const cancel = () => reader.cancel(signal?.reason).catch(() => {});
  signal?.addEventListener('abort', cancel, { once: true });
  let buffer: Blob = new Blob();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw new ConnectorError('aborted', 'The stream to send failed, so not all of it was sent.', { cause });
      });
      // A stream that is cancelled ends as one that has been read.
      signal?.throwIfAborted();
      if (value) buffer = new Blob([buffer, value as Uint8Array<ArrayBuffer>]);
      for (; buffer.size >= size; buffer = buffer.slice(size)) yield buffer.slice(0, size);
      if (done) break;
    }
    if (buffer.size > 0) yield buffer;
  } finally {
    signal?.removeEventListener('abort', cancel);
    // Nobody is left to read on when sending was given up.
    await cancel();
  }
}
