const encoder = new TextEncoder();

/** Bytes that a text takes as UTF-8. */
export const bytesOf = (text: string): number => encoder.encode(text).length;

/** The first of these texts that takes no more than so many bytes, or the last. */
export function firstThatFits(limit: number, texts: ReadonlyArray<() => string>): string {
  let text = '';
  for (const write of texts) {
    text = write();
    if (bytesOf(text) <= limit) break;
  }
  return text;
}
