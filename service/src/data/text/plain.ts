import { declaredEncoding, decodeAny, markedEncoding } from './encoding.js';
import type { Extract } from './result.js';

/** Decodes UTF-8, or UTF-16 if there is a byte order mark; invalid bytes are replaced. */
export const decodeText = (bytes: Uint8Array, fallback = 'utf-8'): string =>
  new TextDecoder(markedEncoding(bytes) ?? fallback).decode(bytes);

/** Decodes a page using the encoding declared near its start. */
export function decodePage(bytes: Uint8Array): string {
  try {
    return decodeText(bytes, declaredEncoding(bytes));
  } catch {
    // Unknown encoding.
    return decodeText(bytes);
  }
}

/** The text of a text file, with the characters that its format escapes. */
export async function plainText(bytes: Uint8Array, { mimeType }: { readonly mimeType: string }): Promise<Extract> {
  const result = await decodeAny(bytes, mimeType);
  if (typeof result === 'string') return unescaped(withoutFiles(result));
  return { ...result, text: unescaped(withoutFiles(result.text)) };
}

/** A text without the files that its URLs contain, such as images of Markdown exported by Google Docs. */
export const withoutFiles = (text: string): string =>
  text.includes(';base64,') ? text.replace(/(;base64,)[\w+/=-]{64,}/g, '$1') : text;

/** Text of a calendar, a contact, JSON or XML as it is meant; other text as it is. */
export function unescaped(text: string): string {
  const start = text.trimStart();
  if (/^BEGIN:(?:VCALENDAR|VCARD)\b/i.test(start)) return unfolded(text);
  if (jsonStart.test(start)) {
    return text.replace(/\\(u[\da-f]{4}|.)/gi, (written, code: string) =>
      code.length === 5 ? String.fromCharCode(Number.parseInt(code.slice(1), 16)) : (whitespace[code] ?? written),
    );
  }
  if (/^<[?!\w]/.test(start)) return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));/gi, entity);
  return text;
}

/** An object with a first key, or a list of strings, in any number of lists. */
const jsonStart = /^(?:\[\s*){0,9}(?:\{\s*"(?:[^"\\]|\\.)*"\s*:|\[\s*")/;
const whitespace: Readonly<Record<string, string>> = { n: '\n', r: '', t: '\t', f: ' ', b: '' };
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function entity(written: string, decimal?: string, hexadecimal?: string, name?: string): string {
  if (name !== undefined) return entities[name.toLowerCase()]!;
  const code = decimal === undefined ? Number.parseInt(hexadecimal!, 16) : Number(decimal);
  return code <= 0x10ffff ? String.fromCodePoint(code) : written;
}

/**
 * Lines of calendars and contacts are folded within words (https://www.rfc-editor.org/rfc/rfc5545#section-3.1); those
 * of older contacts are quoted-printable (https://www.rfc-editor.org/rfc/rfc2045#section-6.7).
 */
const unfolded = (text: string): string =>
  text
    .replace(/^[^:\n]{0,200}QUOTED-PRINTABLE[^:\n]{0,200}:(?:.*=\r?\n)*.*$/gim, quotedText)
    .replace(/\r?\n[ \t]/g, '')
    // Photos and other files.
    .replace(/^([^:\n]{0,200}ENCODING=B(?:ASE64)?\b[^:\n]{0,200}:).*$/gim, '$1')
    .replace(/\\([nN,;\\])/g, (_, character: string) => (/n/i.test(character) ? '\n' : character));

function quotedText(line: string): string {
  const joined = line.replace(/=\r?\n/g, '');
  const charset = /CHARSET=([\w-]+)/i.exec(joined)?.[1];
  return joined.replace(/(?:=[\da-f]{2})+/gi, (codes) => {
    const bytes = Buffer.from(codes.replaceAll('=', ''), 'hex');
    try {
      return decodeText(bytes, charset);
    } catch {
      return codes;
    }
  });
}
