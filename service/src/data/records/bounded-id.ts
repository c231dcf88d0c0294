import { createHash } from 'node:crypto';

/** Longest id in bytes: two of this length fit into one entry of Postgres's indexes. */
const longest = 1000;
const kept = longest - 70;

/** An id as it is, or one that is short enough for an index and stands for it. */
export function boundedId(id: string): string {
  // No character takes more than three bytes for each of its units.
  if (id.length * 3 <= longest) return id;
  const bytes = Buffer.from(id);
  if (bytes.length <= longest) return id;
  let end = kept;
  while (isWithin(bytes[end]!)) end -= 1;
  return bytes.toString('utf8', 0, end) + createHash('sha256').update(id).digest('hex');
}

// Such a byte of UTF-8 does not begin a character.
const isWithin = (byte: number): boolean => (byte & 0xc0) === 0x80;
