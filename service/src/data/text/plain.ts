import type { Missing, ReadOptions } from './result.js';

/** A decoded text, and what may be wrong with it. */
interface Decoded {
  readonly text: string;
  readonly missing?: Missing;
}

const byteOrderMarks: ReadonlyArray<readonly [encoding: string, mark: readonly number[]]> = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

const encodingOf = (bytes: Uint8Array, declared = 'utf-8'): string =>
  byteOrderMarks.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte))?.[0] ?? declared;

/** Decodes UTF-8, or UTF-16 if there is a byte order mark; invalid bytes are replaced. */
export const decodeText = (bytes: Uint8Array): string => new TextDecoder(encodingOf(bytes)).decode(bytes);

const unknownEncoding: Missing = {
  cause: 'encoding',
  detail: 'It does not declare its encoding, or not correctly: letters other than English ones may be wrong.',
};

/** Decodes text in the encoding of its byte order mark, the declared one, or UTF-8. */
function decode(bytes: Uint8Array, declared: string | undefined): Decoded {
  try {
    return { text: new TextDecoder(encodingOf(bytes, declared), { fatal: true }).decode(bytes) };
  } catch {
    const text = decodeText(bytes);
    const invalid = text.match(/\ufffd/g)?.length ?? 0;
    if (invalid === 0) return { text };
    // Text in UTF-8 of which a few bytes are invalid has more valid characters; the most common other encoding is for
    // Western European languages.
    const valid = text.match(/[^\0-\x7f\ufffd]/gu)?.length ?? 0;
    const isUtf = encodingOf(bytes) !== 'utf-8' || valid >= invalid;
    return { text: isUtf ? text : new TextDecoder('windows-1252').decode(bytes), missing: unknownEncoding };
  }
}

const xmlEncoding = /^\W*<\?xml[^>]+encoding\s*=\s*["']([\w:-]+)/i;
const pageEncoding = /<meta[^>]+charset\s*=\s*["']?([\w:-]+)/i;

/** The encoding declared near the start of a file. */
function declaredEncoding(bytes: Uint8Array, ...patterns: readonly RegExp[]): string | undefined {
  const beginning = new TextDecoder('latin1').decode(bytes.subarray(0, 2048));
  for (const pattern of patterns) {
    const match = pattern.exec(beginning);
    if (match) return match[1];
  }
  return;
}

/** Decodes a page using the encoding declared near its start. */
export const decodePage = (bytes: Uint8Array): Decoded =>
  decode(bytes, declaredEncoding(bytes, pageEncoding, xmlEncoding));

/** The text of a text file. */
export const plainText = async (bytes: Uint8Array, { mimeType }: ReadOptions): Promise<Decoded> =>
  decode(bytes, /\bcharset\s*=\s*["']?([\w:-]+)/i.exec(mimeType)?.[1] ?? declaredEncoding(bytes, xmlEncoding));
