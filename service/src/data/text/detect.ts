import { latin1 } from './encoding.js';
import type { FileFormat } from './file-format.js';
import { type Format, formats } from './formats.js';

const table = Object.entries(formats) as ReadonlyArray<[Format, FileFormat]>;
const indexBy = (keys: (format: FileFormat) => readonly string[]): ReadonlyMap<string, Format> =>
  new Map(table.flatMap(([name, format]) => keys(format).map((key) => [key, name] as const)));
const byType = indexBy(({ types }) => types);
const byExtension = indexBy(({ extensions }) => extensions);

const plainType =
  /^text\/|^application\/(?:[\w.-]+\+)?(?:json|xml|yaml)$|^application\/x-(?:javascript|jsonlines|ndjson|sh|tex|toml|yaml)$/;
const mediaType = /^(?:image|audio|video|font)\//;
/** Types that say nothing about the format. */
const genericType = /^$|^(?:application|binary)\/(?:octet-stream|x-unknown|unknown|force-download|x-download)$/;

/** Formats that a text file may be named as, whatever type of text it is declared as. */
const namedTexts: ReadonlySet<Format | undefined> = new Set(['html', 'eml', 'mbox', 'notebook']);

/** The format that a file is declared as; its name counts if the type is generic or unknown. Undefined if unknown. */
export function declaredFormat(mimeType: string, fileName: string): Format | undefined {
  const type = mimeType.split(';')[0]!.trim().toLowerCase();
  const named = byExtension.get(/\.([^.]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? '');
  if (genericType.test(type)) return named;
  const declared = byType.get(type) ?? (plainType.test(type) ? 'plain' : undefined);
  if (declared === 'plain' && namedTexts.has(named)) return named;
  // An archive may be any document that consists of one.
  if (declared === 'zip') return named ?? declared;
  if (declared) return declared;
  if (mediaType.test(type)) return 'media';
  return named;
}

/** Bytes that decide whether a file is text. */
const sampleBytes = 65_536;

/** Whether bytes are text: UTF-16, or any encoding without control characters, except for a few if `isTolerant`. */
function isText(bytes: Uint8Array, isTolerant: boolean): boolean {
  const sample = bytes.subarray(0, sampleBytes);
  if ((sample[0] === 0xff && sample[1] === 0xfe) || (sample[0] === 0xfe && sample[1] === 0xff)) return true;
  const zeros = [0, 0];
  let controls = 0;
  for (let at = 0; at < sample.length; at += 1) {
    const byte = sample[at]!;
    if (byte >= 0x20) continue;
    if (byte === 0) zeros[at % 2]! += 1;
    // Escape introduces the characters of ISO-2022-JP.
    else if ((byte < 0x08 || byte > 0x0d) && byte !== 0x1b) controls += 1;
    if (controls > 0 && !isTolerant) return false;
  }
  const [even, odd] = zeros as [number, number];
  // Latin text in UTF-16 without a byte order mark: every other byte is zero.
  if (controls === 0 && Math.min(even, odd) === 0 && Math.max(even, odd) > sample.length / 4) return true;
  return controls + even + odd <= (isTolerant ? sample.length / 5 : 0);
}

/** Whether bytes start with a pattern from the table. */
function hasMagic(bytes: Uint8Array, pattern: string): boolean {
  for (let at = 0; at < pattern.length / 2; at += 1) {
    const byte = pattern.slice(2 * at, 2 * at + 2);
    if (byte !== '..' && bytes[at] !== Number.parseInt(byte, 16)) return false;
  }
  return true;
}

/** Formats with magic bytes whose files may consist of text. */
const textFormats: ReadonlySet<Format> = new Set(['pdf', 'rtf', 'postScript']);

/**
 * The format of a file: by its first bytes, or else as it is declared. `zip` and `compound` may contain a document; see
 * `formatInside`. Undefined if unknown.
 */
export function formatOf(bytes: Uint8Array, mimeType: string, fileName: string): Format | undefined {
  const declared = declaredFormat(mimeType, fileName);
  const isStrictText = isText(bytes, false);
  const byMagic = table.find(([name, { magic = [] }]) =>
    // A text may start with the magic bytes of a format that is not text, or mention them.
    magic.some((pattern) => (!isStrictText || textFormats.has(name)) && hasMagic(bytes, pattern)),
  )?.[0];
  if (byMagic) return byMagic;
  const isTextual = declared === 'plain' || namedTexts.has(declared);
  const mayBeText = isTextual || declared === undefined || (formats[declared] as FileFormat).isOftenText === true;
  if (!mayBeText) return declared;
  if (isTextual && !isStrictText && !isText(bytes, true)) return undefined;
  if (!isTextual && !isStrictText) return declared;
  return startOf(bytes, declared) ?? (isTextual ? declared : 'plain');
}

/** Formats of Office documents that consist of one XML file, by what its start mentions. */
const flatPackages: ReadonlyArray<readonly [Format, RegExp]> = [
  ['docx', /wordprocessingml|Word\.Document/],
  ['xlsx', /spreadsheetml|Excel\.Sheet/],
  ['pptx', /presentationml|PowerPoint\.Show/],
];
const flatOpenDocuments: Readonly<Record<string, Format>> = {
  text: 'odt',
  spreadsheet: 'ods',
  presentation: 'odp',
  graphics: 'odp',
};
/** Elements with which programs start pages that they name as a document. */
const pageParts = new Set(['head', 'body', 'meta', 'style', 'table', 'div']);
/** Characters in which the root of an XML file, with its namespaces, is found. */
const startChars = 16_384;

/** The format of a text by how it starts; undefined if that says nothing about it. */
function startOf(bytes: Uint8Array, declared: Format | undefined): Format | undefined {
  const start = latin1(bytes, startChars).replaceAll('\0', '');
  const tag = rootTag(start);
  if (tag !== '') {
    const name = (/^<(?:[\w.-]+:)?([\w!.-]+)/.exec(tag)?.[1] ?? '').toLowerCase();
    if (name === '!doctype' || name === 'html') return 'html';
    if (name === 'document') return flatOpenDocuments[/opendocument\.(\w+)/.exec(tag)?.[1] ?? ''];
    if (name === 'worddocument') return 'word2003';
    if (name === 'workbook' && tag.includes('office:spreadsheet')) return 'xls';
    if (name === 'package' && tag.includes('xmlPackage')) {
      return flatPackages.find(([, type]) => type.test(start))?.[0] ?? 'docx';
    }
    return declared !== 'plain' && pageParts.has(name) ? 'html' : undefined;
  }
  if (/^\s*\{\s*"(?:cells|metadata|nbformat|worksheets)\w*"/.test(start)) {
    return start.includes('"cell_type"') ? 'notebook' : undefined;
  }
  if (/^From \S.{0,200}\d\d:\d\d.{0,40}\r?\n>?[\w-]+:/.test(start)) return 'mbox';
  return isEmailHeader(start) ? 'eml' : undefined;
}

/** The first tag of XML or HTML, after declarations and comments; empty if a text does not start with one. */
function rootTag(start: string): string {
  const before = /^\W*?(?=<)/.exec(start);
  if (!before) return '';
  const skipped = /\s*(?:<\?[^>]*>|<!--[\s\S]*?-->|<!(?!doctype html\b)\w[^>]*>)/iy;
  const tag = /\s*(<[\w!][^>]*)/y;
  tag.lastIndex = before[0].length;
  for (skipped.lastIndex = tag.lastIndex; skipped.test(start); ) tag.lastIndex = skipped.lastIndex;
  return tag.exec(start)?.[1] ?? '';
}

/** Whether a text starts with the header of an email or of a saved page; a text may start with a few of its fields. */
function isEmailHeader(start: string): boolean {
  const header = start.split(/\r?\n\r?\n/, 1)[0]!;
  const isHeader = header.split(/\r?\n/).every((line, at) => /^[\w-]+:/.test(line) || (at > 0 && /^[ \t]/.test(line)));
  return isHeader && /^(?:mime-version|message-id|received):/im.test(header);
}
