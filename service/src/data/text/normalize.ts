/** How many bytes of UTF-8 a text has at most. */
const maxBytes = 2 * 1024 * 1024;

const truncationNote = '\n\n[Truncated: the file has more text.]';

/** Whether more text would only be cut off. */
export const exceedsLimit = (length: number): boolean => length > maxBytes;

/** A text as it is kept: its lines end alike, databases can hold it, and it is cut where it is too long, which it says. */
export function normalizeText(text: string): string {
  const clean = text
    // No character has less than a byte.
    .slice(0, 2 * maxBytes)
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .replaceAll('\0', '')
    .replace(/\p{Surrogate}/gu, '\uFFFD');
  if (clean.length * 3 <= maxBytes) return clean;
  const bytes = Buffer.from(clean);
  if (bytes.length <= maxBytes) return clean;
  let end = maxBytes - truncationNote.length;
  while ((bytes[end]! & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end) + truncationNote;
}
