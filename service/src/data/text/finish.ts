/** How many bytes of UTF-8 a text has at most. */
const longest = 2 * 1024 * 1024;

const note = '\n\n[Cut here: the file has more text.]';

/** Whether more text would only be cut off. */
export const isEnough = (length: number): boolean => length > longest;

/** A text as it is kept: its lines end alike, databases can hold it, and it is cut where it is too long, which it says. */
export function finished(text: string): string {
  const clean = text
    // No character has less than a byte.
    .slice(0, 2 * longest)
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .replaceAll('\0', '')
    .replace(/\p{Surrogate}/gu, '\uFFFD');
  if (clean.length * 3 <= longest) return clean;
  const bytes = Buffer.from(clean);
  if (bytes.length <= longest) return clean;
  let end = longest - note.length;
  while ((bytes[end]! & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end) + note;
}
