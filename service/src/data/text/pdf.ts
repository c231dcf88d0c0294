import { InnerDocuments } from './inner.js';
import { exceedsLimit } from './normalize.js';
import { PdfAttachments } from './pdf-attachments.js';
import { blankPageOf, hasUndecodedContent, widenText } from './pdf-content.js';
import { Pdfium } from './pdfium.js';
import type { Extract, Missing, ReadOptions } from './result.js';
import { UnreadableError } from './unreadable.js';

/** Unreadable pages are skipped; reading stops after this many in a row. */
const maxUnreadablePages = 10;
/** The memory of WebAssembly never shrinks; after a document that needed more, the next one gets a new memory. */
const maxIdleBytes = 64 * 1024 * 1024;

let idle: Pdfium | undefined;

/** Text of a PDF, page by page, with comments and the values of form fields; then the files attached to it. */
export async function pdfText(bytes: Uint8Array, { readInner }: Partial<ReadOptions> = {}): Promise<Extract> {
  const pdfium = idle ?? (await Pdfium.load());
  // A document that makes PDFium abort leaves it unusable.
  idle = undefined;
  const attachments = new PdfAttachments(pdfium);
  const { text, missing } = readDocument(pdfium, bytes, attachments);
  if (pdfium.memoryBytes <= maxIdleBytes) idle = pdfium;
  const inner = new InnerDocuments('attachment', readInner);
  const texts = await attachments.textsWith(inner);
  if (missing && text === '' && texts.length === 0) throw new UnreadableError(missing.cause, missing.detail);
  return { text: [text, ...texts].filter(Boolean).join('\n\n'), missing: missing ?? inner.missing };
}

interface Pages {
  readonly text: string;
  readonly missing: Missing | undefined;
}

function readDocument(pdfium: Pdfium, bytes: Uint8Array, attachments: PdfAttachments): Pages {
  const { functions } = pdfium;
  return pdfium.withMemory(Math.max(1, bytes.length), (data) => {
    functions.HEAPU8.set(bytes, data);
    const document = functions._FPDF_LoadMemDocument(data, bytes.length, 0);
    if (document === 0) throw openingError(functions._FPDF_GetLastError());
    try {
      attachments.addAllOf(document);
      return readPages(pdfium, document, bytes, attachments);
    } finally {
      functions._FPDF_CloseDocument(document);
    }
  });
}

const passwordError = 4;

const openingError = (code: number): Error =>
  code === passwordError
    ? new UnreadableError('password', 'It is password-protected.')
    : new Error('Its structure is damaged.');

/** Size of `FPDF_FORMFILLINFO`, rounded up; only its version is set, since no callback is needed. */
const formCallbacksSize = 256;

/** The type of a form whose pages a program creates from XML; those in the file only ask for such a program. */
const dynamicForm = 2;
const formMissing: Missing = { cause: 'format', detail: 'It contains a form in a format that is not read (XFA).' };

function readPages(pdfium: Pdfium, document: number, bytes: Uint8Array, attachments: PdfAttachments): Pages {
  const { functions } = pdfium;
  const pages: string[] = [];
  const count = functions._FPDF_GetPageCount(document);
  if (count <= 0) throw new Error('None of its pages can be found.');
  const counts = { unreadable: 0, undrawn: 0, unmapped: 0 };
  return pdfium.withMemory(formCallbacksSize, (callbacks) => {
    functions.HEAPU8.fill(0, callbacks, callbacks + formCallbacksSize);
    functions.HEAPU8[callbacks] = 2;
    const form =
      functions._FPDF_GetFormType(document) === 0 ? 0 : functions._FPDFDOC_InitFormFillEnvironment(document, callbacks);
    const fields = new Set<string>();
    let length = 0;
    let failed = 0;
    for (let index = 0; index < count && failed < maxUnreadablePages && !exceedsLimit(length); index += 1) {
      const page = functions._FPDF_LoadPage(document, index);
      if (page === 0) {
        failed += 1;
        counts.unreadable += 1;
        continue;
      }
      failed = 0;
      const text = [pageText(pdfium, page), ...annotationTexts(pdfium, form, page, { fields, attachments })]
        .filter(Boolean)
        .join('\n\n');
      const blank = text === '' ? blankPageOf(pdfium, page) : undefined;
      if (blank) counts[blank] += 1;
      functions._FPDF_ClosePage(page);
      length += text.length;
      if (text !== '') pages.push(text);
    }
    if (form !== 0) functions._FPDFDOC_ExitFormFillEnvironment(form);
    const isDynamic = functions._FPDF_GetFormType(document) === dynamicForm;
    return {
      text: pages.join('\n\n'),
      missing: missingPages(counts, count, bytes) ?? (isDynamic ? formMissing : undefined),
    };
  });
}

/** What the pages without text lack; undefined if they are scanned or blank. */
function missingPages(
  { unreadable, undrawn, unmapped }: Readonly<Record<'unreadable' | 'undrawn' | 'unmapped', number>>,
  count: number,
  bytes: Uint8Array,
): Missing | undefined {
  const damaged = unreadable + (undrawn > 0 && hasUndecodedContent(bytes) ? undrawn : 0);
  if (damaged > 0) return { cause: 'damaged', detail: `${damaged} of its ${count} pages cannot be read.` };
  if (unmapped === 0) return undefined;
  return {
    cause: 'encoding',
    detail: `The fonts of ${unmapped} of its ${count} pages do not tell which characters they display.`,
  };
}

/** Lines in page order, with a blank line where a gap separates paragraphs. */
function pageText(pdfium: Pdfium, page: number): string {
  const { functions } = pdfium;
  widenText(pdfium, page);
  const text = functions._FPDFText_LoadPage(page);
  if (text === 0) return '';
  try {
    const count = functions._FPDFText_CountChars(text);
    if (count <= 0) return '';
    const content = pdfium.withMemory(2 * count + 2, (buffer) => {
      const written = functions._FPDFText_GetText(text, 0, count, buffer);
      return pdfium.utf16(buffer, Math.max(0, 2 * (written - 1)));
    });
    const positionAt = (at: number) => positionOf(pdfium, text, at);
    // Control characters are codes of glyphs that nobody can read.
    return /[^\s\p{Cc}]/u.test(content) ? withParagraphs(withLigatures(content, positionAt), positionAt) : '';
  } finally {
    functions._FPDFText_ClosePage(text);
  }
}

interface GlyphPosition {
  readonly x: number;
  readonly y: number;
  readonly height: number;
}

function positionOf(pdfium: Pdfium, text: number, at: number): GlyphPosition {
  const { functions } = pdfium;
  const index = functions._FPDFText_GetCharIndexFromTextIndex(text, at);
  return pdfium.withMemory(16, (pointer) => {
    functions._FPDFText_GetCharOrigin(text, index, pointer, pointer + 8);
    const view = new DataView(functions.HEAPU8.buffer, pointer);
    return {
      x: view.getFloat64(0, true),
      y: view.getFloat64(8, true),
      height: functions._FPDFText_GetFontSize(text, index),
    };
  });
}

/**
 * PDFium reverses text that is written from right to left letter by letter, even if several letters belong to one glyph,
 * such as lam-alef. Those have the same position.
 */
function withLigatures(content: string, positionAt: (at: number) => GlyphPosition): string {
  if (!/[\u0590-\u08ff]/.test(content)) return content;
  return content.replace(/[\p{Script=Arabic}\p{Script=Hebrew}]{2,}/gu, (word, start: number) => {
    const places = Array.from({ length: word.length }, (_, at) => positionAt(start + at));
    let joined = '';
    for (let at = 0; at < word.length; ) {
      let end = at + 1;
      while (end < word.length && isSamePlace(places[at]!, places[end]!)) end += 1;
      const glyph = word.slice(at, end);
      joined += /\p{M}/u.test(glyph) ? glyph : [...glyph].reverse().join('');
      at = end;
    }
    return joined;
  });
}

const isSamePlace = (one: GlyphPosition, other: GlyphPosition): boolean => one.x === other.x && one.y === other.y;

function withParagraphs(content: string, positionAt: (at: number) => GlyphPosition): string {
  const lines: Array<GlyphPosition & { readonly text: string }> = [];
  let at = 0;
  for (const line of content.split('\n')) {
    const words = line.trim();
    if (words !== '') lines.push({ text: joinSplitWords(words), ...positionAt(at + line.indexOf(words)) });
    at += line.length + 1;
  }
  const lineStep = medianStep(lines.map(({ y }) => y));
  return lines
    .map(({ text, y, height }, index) => {
      const step = index === 0 ? 0 : lines[index - 1]!.y - y;
      return step > 1.3 * Math.max(lineStep, height) ? `\n${text}` : text;
    })
    .join('\n');
}

/**
 * Joins words that are split at the end of a line, where PDFium writes a noncharacter. Before a capital letter or a digit,
 * the hyphen is part of the word.
 */
const joinSplitWords = (line: string): string =>
  line.replace(/\uFFFE(?=([\p{Lu}\d])?)/gu, (_, next) => (next ? '-' : ''));

/** The most common distance between two lines. */
function medianStep(places: readonly number[]): number {
  const steps = places
    .slice(1)
    .map((at, index) => places[index]! - at)
    .filter((step) => step > 0)
    .sort((one, other) => one - other);
  return steps[Math.floor(steps.length / 2)] ?? 0;
}

const subtypes = { link: 2, popup: 16, file: 17, widget: 20 };
const fieldTypes = { pushButton: 1, checkBox: 2, radioButton: 3, text: 6, signature: 7 };
const hiddenFlag = 2;
const passwordFlag = 1 << 13;

/** Comments, and the values of form fields that are not among `fields` yet; adds attached files. */
function annotationTexts(
  pdfium: Pdfium,
  form: number,
  page: number,
  { fields, attachments }: { readonly fields: Set<string>; readonly attachments: PdfAttachments },
): string[] {
  const { functions } = pdfium;
  const texts: string[] = [];
  const count = functions._FPDFPage_GetAnnotCount(page);
  for (let index = 0; index < count; index += 1) {
    const annotation = functions._FPDFPage_GetAnnot(page, index);
    if (annotation === 0) continue;
    const subtype = functions._FPDFAnnot_GetSubtype(annotation);
    if (subtype === subtypes.file) attachments.add(functions._FPDFAnnot_GetFileAttachment(annotation));
    if (subtype === subtypes.widget) {
      const field = form === 0 ? '' : fieldText(pdfium, form, annotation);
      if (field !== '' && !fields.has(field)) texts.push(field);
      fields.add(field);
    } else if (subtype !== subtypes.link && subtype !== subtypes.popup) {
      const isHidden = (functions._FPDFAnnot_GetFlags(annotation) & hiddenFlag) !== 0;
      const comment = isHidden ? '' : pdfium.annotationText(annotation, 'Contents').trim();
      const author = comment === '' ? '' : pdfium.annotationText(annotation, 'T').trim();
      if (comment !== '') texts.push(author === '' ? `Comment: ${comment}` : `Comment by ${author}: ${comment}`);
    }
    functions._FPDFPage_CloseAnnot(annotation);
  }
  return texts;
}

/** A form field's name and value; empty if it has no value. */
function fieldText(pdfium: Pdfium, form: number, annotation: number): string {
  const { functions } = pdfium;
  const type = functions._FPDFAnnot_GetFormFieldType(form, annotation);
  if (type === fieldTypes.pushButton || type === fieldTypes.signature) return '';
  if ((functions._FPDFAnnot_GetFormFieldFlags(form, annotation) & passwordFlag) !== 0 && type === fieldTypes.text)
    return '';
  const isButton = type === fieldTypes.checkBox || type === fieldTypes.radioButton;
  const read = (name: 'Name' | 'AlternateName' | 'Value') =>
    pdfium.text((buffer, size) => functions[`_FPDFAnnot_GetFormField${name}`](form, annotation, buffer, size)).trim();
  const value = read('Value');
  // A button that is not checked is off.
  if (value === '' || (isButton && value === 'Off')) return '';
  const name = read('AlternateName') || read('Name');
  return name === '' ? value : `${name}: ${value}`;
}
