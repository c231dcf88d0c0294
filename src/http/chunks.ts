import { ConnectorError } from '../errors/connector-error.js';

/**
 * Splits content into chunks of the same size; the last may be shorter. A stream is read while it is sent; when the
 * signal is aborted, the stream is cancelled and this throws the signal's reason.
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
  // Collect parts to build one Blob per chunk: a Blob of Blobs would keep all of them in memory.
  let parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw new ConnectorError('aborted', 'Reading the upload stream failed before everything was sent.', { cause });
      });
      // A cancelled stream ends like one that was read to the end.
      signal?.throwIfAborted();
      if (!done && !(value instanceof Uint8Array)) {
        throw new ConnectorError('invalid_params', 'The upload stream must consist of Uint8Array chunks.');
      }
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
    // If sending was abandoned, stop reading.
    await cancel();
  }
}
