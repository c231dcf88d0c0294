/** Maximum size of a text in UTF-8 bytes. */
const maxBytes = 2 * 1024 * 1024;

/**
 * What Windows-1252 has in place of the control characters U+0080 to U+009F. Node 20 decodes it as ISO 8859-1
 * (https://github.com/nodejs/node/issues/56542), and many programs label it so.
 */
const windows1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

const truncationNote = '\n\n[Truncated: the file has more text.]';

/** Whether any more text would be truncated. */
export const exceedsLimit = (length: number): boolean => length > maxBytes;

/** Characters of Windows-1252 in place of control characters. */
export const restoreWindows1252 = (text: string): string =>
  text.replace(/[\u0080-\u009f]/g, (control) => windows1252[control.charCodeAt(0) - 0x80]!);

/** Normalizes line endings and characters that databases reject, and truncates long texts with a notice. */
export function normalizeText(text: string): { readonly text: string; readonly isTruncated: boolean } {
  // Every character takes at least one byte.
  const clean = restoreWindows1252(text.slice(0, 2 * maxBytes))
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    // Soft hyphens are not displayed within a line, and would split words.
    .replace(/[\0\u00ad]/g, '')
    .replace(/\p{Surrogate}/gu, '\uFFFD');
  if (clean.length * 3 <= maxBytes) return { text: clean, isTruncated: false };
  const bytes = Buffer.from(clean);
  if (bytes.length <= maxBytes) return { text: clean, isTruncated: false };
  let end = maxBytes - truncationNote.length;
  while ((bytes[end]! & 0xc0) === 0x80) end -= 1;
  return { text: bytes.toString('utf8', 0, end) + truncationNote, isTruncated: true };
}
