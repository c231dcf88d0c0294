import { type FileFormat, type Format, formats } from './formats.js';

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

/** The format that a file is declared as; its name counts if the type is generic or unknown. Undefined if unknown. */
export function declaredFormat(mimeType: string, fileName: string): Format | undefined {
  const type = mimeType.split(';')[0]!.trim().toLowerCase();
  const named = byExtension.get(/\.([^.]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? '');
  if (genericType.test(type)) return named;
  const declared = byType.get(type);
  // An archive may be any document that consists of one.
  if (declared === 'zip') return named ?? declared;
  if (declared) return declared;
  if (mediaType.test(type)) return 'media';
  return plainType.test(type) ? 'plain' : named;
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
    if (byte === 0) zeros[at % 2]! += 1;
    // Escape introduces the characters of ISO-2022-JP.
    else if (byte < 0x20 && (byte < 0x08 || byte > 0x0d) && byte !== 0x1b) controls += 1;
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
const textFormats: ReadonlySet<Format> = new Set(['pdf', 'rtf']);

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
  if (declared === 'plain' || declared === 'html' || declared === 'eml') {
    return isText(bytes, true) ? declared : undefined;
  }
  const mayBeText = declared === undefined || (formats[declared] as FileFormat).isOftenText === true;
  if (!mayBeText || !isStrictText) return declared;
  return isPage(bytes) ? 'html' : 'plain';
}

/** Whether text is a web page, as some programs export documents. */
const isPage = (bytes: Uint8Array): boolean =>
  /^\W*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)?<(?:!doctype html|html)\b/i.test(
    new TextDecoder('latin1').decode(bytes.subarray(0, 1024)).replaceAll('\0', ''),
  );
