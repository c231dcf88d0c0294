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

/** The text of a text file. */
export const plainText = (bytes: Uint8Array, { mimeType }: { readonly mimeType: string }): Promise<Extract> =>
  decodeAny(bytes, mimeType);
