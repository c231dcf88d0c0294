import { ConnectorError } from '../call/errors.js';

/** Bytes of the longest reply that is read whole: no page of any vendor comes near it, and a server can hold many at once. */
const longestReply = 128 * 1024 * 1024;

/** Reads a reply as text; one without an end is given up where it has become too long. */
export async function textOf(response: Response): Promise<string> {
  const { headers, body } = response;
  const announced = headers.get('content-length');
  // What was packed may unfold to any length.
  const isBounded = announced !== null && Number(announced) <= longestReply && !headers.has('content-encoding');
  if (isBounded || !body) return response.text();
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return parts.join('') + decoder.decode();
    length += value.length;
    if (length > longestReply) {
      void reader.cancel().catch(() => {});
      throw new ConnectorError('too_large', `The vendor's reply is longer than ${longestReply / 1024 / 1024} MiB.`, {
        hint: 'Ask for less at once: fewer records a page, fewer fields.',
      });
    }
    parts.push(decoder.decode(value, { stream: true }));
  }
}
