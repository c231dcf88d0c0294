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
  // Parts of one chunk, of which one Blob is made: a Blob made of others would keep all of theirs in memory.
  let parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw new ConnectorError('aborted', 'The stream to send failed before everything was sent.', { cause });
      });
      // A stream that is cancelled ends as one that has been read.
      signal?.throwIfAborted();
      let rest = (value ?? new Uint8Array()) as Uint8Array<ArrayBuffer>;
      for (; length + rest.length >= size; rest = rest.subarray(size - length), parts = [], length = 0) {
        yield new Blob([...parts, rest.subarray(0, size - length)]);
      }
      parts.push(rest);
      length += rest.length;
      if (done) break;
    }
    if (length > 0) yield new Blob(parts);
  } finally {
    signal?.removeEventListener('abort', cancel);
    // Nobody is left to read on when sending was given up.
    await cancel();
  }
}
