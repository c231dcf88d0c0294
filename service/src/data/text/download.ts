/** Enough bytes to recognize a format. */
const startBytes = 4096;

/** What became of a download. */
export type Download =
  | { readonly bytes: Uint8Array }
  /** It was cancelled. */
  | { readonly cancelled: 'not needed' | 'too large'; readonly start: Uint8Array };

/** Downloads a file, unless its first bytes show that it is not needed or it exceeds the maximum size. */
export async function downloadFile(
  stream: ReadableStream<Uint8Array>,
  maxBytes: number,
  isNeeded: (start: Uint8Array) => boolean,
): Promise<Download> {
  let chunks: Uint8Array[] = [];
  let length = 0;
  let isChecked = false;
  for await (const chunk of stream) {
    length += chunk.byteLength;
    chunks.push(chunk);
    if (!isChecked && length >= startBytes) {
      isChecked = true;
      chunks = [concatenate(chunks)];
      // Returning cancels the stream.
      if (!isNeeded(chunks[0]!)) return { cancelled: 'not needed', start: chunks[0]! };
    }
    if (length > maxBytes) return { cancelled: 'too large', start: chunks[0]! };
  }
  return { bytes: concatenate(chunks) };
}

function concatenate(chunks: readonly Uint8Array[]): Uint8Array {
  if (chunks.length === 1) return chunks[0]!;
  const bytes = new Uint8Array(chunks.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}
