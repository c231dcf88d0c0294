import { inflateSync } from 'node:zlib';
import type { Pdfium } from './pdfium.js';

/** PDFium's types of objects: text, and what consists of others. */
const textType = 1;
const formType = 5;
/** So many characters are enough to tell. */
const maxCharacters = 1000;

/** PDFium's mode for text that is drawn as outlines, which have a width. */
const strokeMode = 1;
/** Forms can contain each other. */
const maxFormDepth = 8;

/**
 * Gives text without a width one: PDFium leaves it out. A font that is not embedded, as is usual for Chinese and Japanese,
 * has no glyphs here, so that a single character, or any number of them one below the other, seem to have no width.
 */
export function widenText(pdfium: Pdfium, page: number): void {
  const { functions } = pdfium;
  pdfium.withMemory(16, (bounds) => {
    const widen = (object: number, depth: number): void => {
      const type = functions._FPDFPageObj_GetType(object);
      if (type === formType && depth < maxFormDepth) {
        const count = functions._FPDFFormObj_CountObjects(object);
        for (let at = 0; at < count; at += 1) widen(functions._FPDFFormObj_GetObject(object, at), depth + 1);
      }
      if (type !== textType) return;
      if (functions._FPDFPageObj_GetBounds(object, bounds, bounds + 4, bounds + 8, bounds + 12) === 0) return;
      const [left, , right] = new Float32Array(functions.HEAPU8.buffer, bounds, 4);
      if (left !== right || functions._FPDFFont_GetIsEmbedded(functions._FPDFTextObj_GetFont(object)) !== 0) return;
      functions._FPDFTextObj_SetTextRenderMode(object, strokeMode);
      // This makes PDFium compute the bounds again.
      functions._FPDFPageObj_Transform(object, 1, 0, 0, 1, 0, 0);
    };
    const count = functions._FPDFPage_CountObjects(page);
    for (let index = 0; index < count; index += 1) widen(functions._FPDFPage_GetObject(page, index), 0);
  });
}

/** Why a page has no text: nothing is drawn, or nobody knows which characters its glyphs are; undefined for images. */
export function blankPageOf(pdfium: Pdfium, page: number): 'undrawn' | 'unmapped' | undefined {
  const { functions } = pdfium;
  const count = functions._FPDFPage_CountObjects(page);
  let isDrawn = false;
  for (let index = 0; index < count && !isDrawn; index += 1) {
    const object = functions._FPDFPage_GetObject(page, index);
    isDrawn = functions._FPDFPageObj_GetType(object) !== formType || functions._FPDFFormObj_CountObjects(object) > 0;
  }
  if (!isDrawn) return 'undrawn';
  const text = functions._FPDFText_LoadPage(page);
  if (text === 0) return undefined;
  const length = Math.min(maxCharacters, functions._FPDFText_CountChars(text));
  let isUnmapped = false;
  for (let index = 0; index < length && !isUnmapped; index += 1) {
    isUnmapped = isUnmappedAt(functions, text, index);
  }
  functions._FPDFText_ClosePage(text);
  return isUnmapped ? 'unmapped' : undefined;
}

/** PDFium returns the codes of unmapped glyphs, which are control characters if they are the first ones of a font. */
const isUnmappedAt = (functions: Pdfium['functions'], text: number, index: number): boolean =>
  functions._FPDFText_HasUnicodeMapError(text, index) === 1 ||
  (functions._FPDFText_GetUnicode(text, index) < 32 && functions._FPDFText_IsGenerated(text, index) !== 1);

const knownFilters = /^(?:(?:ASCIIHex|ASCII85|LZW|Flate|RunLength)Decode|AHx|A85|LZW|Fl|RL|Crypt)$/;
const contentEntry =
  /\/(?:Length\s+\d+(?:\s+\d+\s+R)?|Filter\s*(?:\/\w+|\[[^\]]*\])|DecodeParms\s*(?:null|<<[^<>]*>>|\[[^\]]*\]))/g;
/** Dictionaries of streams are short. */
const maxDictionaryLength = 1024;
const maxContentLength = 1024 * 1024;

/** Whether a document has content that cannot be decoded: streams with an unknown filter, and damaged ones. */
export function hasUndecodedContent(bytes: Uint8Array): boolean {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const isEncrypted = source.includes('/Encrypt');
  for (let at = source.indexOf('stream'); at >= 0; at = source.indexOf('stream', at + 6)) {
    if (source.toString('latin1', at - 3, at) === 'end') continue;
    const before = source.toString('latin1', Math.max(0, at - maxDictionaryLength), at);
    const dictionary = before.slice(before.lastIndexOf('obj') + 3);
    if (!isContent(dictionary)) continue;
    const start = at + 6 + (source[at + 6] === 13 ? 2 : 1);
    const end = source.indexOf('endstream', start);
    const content = source.subarray(start, end < 0 ? undefined : end);
    const filters = /\/Filter\s*(\/\w+|\[[^\]]*\])/.exec(dictionary)?.[1]?.match(/\w+/g) ?? [];
    if (content.length > 0 && isUndecoded(content, filters, isEncrypted)) return true;
  }
  return false;
}

/** Content of pages has no entries besides these; content that several pages share is a form. */
const isContent = (dictionary: string): boolean =>
  /\/Subtype\s*\/Form\b/.test(dictionary) || /^[\s<>]*$/.test(dictionary.replace(contentEntry, ''));

function isUndecoded(content: Buffer, filters: readonly string[], isEncrypted: boolean): boolean {
  if (filters.some((filter) => !knownFilters.test(filter))) return true;
  if (isEncrypted || filters.length !== 1 || !/^Fl/.test(filters[0]!)) return false;
  try {
    inflateSync(content, { maxOutputLength: maxContentLength });
    return false;
  } catch (error) {
    return (error as { code?: string }).code !== 'ERR_BUFFER_TOO_LARGE';
  }
}
