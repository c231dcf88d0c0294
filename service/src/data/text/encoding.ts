import { isUtf8 } from 'node:buffer';
import { restoreWindows1252 } from './normalize.js';
import type { Extract } from './result.js';

const byteOrderMarks: ReadonlyArray<readonly [encoding: string, mark: readonly number[]]> = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** The encoding that a byte order mark indicates. */
export const markedEncoding = (bytes: Uint8Array): string | undefined =>
  byteOrderMarks.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte))?.[0];

/** The first bytes, as characters. */
export const latin1 = (bytes: Uint8Array, count: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(count, bytes.length)).toString('latin1');

/** The encoding that a page, XML, a style sheet or a script declares near its start. */
export function declaredEncoding(bytes: Uint8Array): string | undefined {
  const start = latin1(bytes, 2048).trimStart();
  // Other texts may mention declarations.
  const declaration = start.startsWith('<')
    ? /<meta[^>]+charset\s*=\s*["']?([\w:-]+)|^<\?xml[^>]+encoding\s*=\s*["']([\w:-]+)/i
    : /^@charset "([\w:-]+)"|^(?:#!.*\n)?#.*?coding[:=]\s*([\w-]+)/;
  const declared = declaration
    .exec(start)
    ?.slice(1)
    .find((name) => name !== undefined);
  // In UTF-16, the declaration itself would not be legible.
  return declared && /^utf-?16/i.test(declared) ? undefined : declared;
}

/** The text, if the bytes are valid in an encoding; undefined if they are not, or the encoding is unknown. */
function decodeExactly(bytes: Uint8Array, encoding: string | undefined, isCut = false): string | undefined {
  if (encoding === undefined) return undefined;
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: isCut });
    return encoding === 'windows-1252' ? restoreWindows1252(text) : text;
  } catch {
    return undefined;
  }
}

/** Encodings without single-byte letters, whose valid texts are hardly ever valid by chance if their words are common. */
const multiByte: ReadonlyArray<readonly [encoding: string, common: RegExp]> = [
  ['shift_jis', /^(?:[\x81\x83\x88-\x97][\x40-\xfc]|\x82[\x4f-\xf1])$/],
  ['euc-jp', /^[\xa1-\xa5\xb0-\xcf][\xa1-\xfe]$/],
  ['gb18030', /^[\xa1-\xa3\xb0-\xd7][\xa1-\xfe]$/],
  ['euc-kr', /^[\xa1-\xa3\xb0-\xc8][\xa1-\xfe]$/],
  ['big5', /^[\xa1-\xc6][\x40-\x7e\xa1-\xfe]$/],
];

/** Certainty of a detected encoding, from 0 to 1, below which a text counts as undecodable. */
const minCertainty = 0.5;
/** Lead in certainty over an encoding in which the text reads differently. */
const minLead = 0.01;
const sampleBytes = 16_384;
const maxWordLength = 64;

/** Lines with bytes beyond ASCII, which tell encodings apart; the last one may be cut. */
function tellingBytes(bytes: Uint8Array): Uint8Array {
  const lines: Uint8Array[] = [];
  let length = 0;
  let start = 0;
  let isTelling = false;
  for (let at = 0; at < bytes.length && length < sampleBytes; at += 1) {
    isTelling ||= bytes[at]! >= 0x80;
    const end = at + 1;
    if (bytes[at] !== 0x0a && end < bytes.length && end - start < sampleBytes) continue;
    if (isTelling) {
      lines.push(bytes.subarray(start, end));
      length += end - start;
      if (bytes[at] !== 0x0a) break;
    }
    start = end;
    isTelling = false;
  }
  return Buffer.concat(lines);
}

/** How much a decoded text looks like words of one script, from 0 to 1. */
function plausibility(text: string): number {
  let plausible = 0;
  let total = 0;
  // A Latin text decoded as another encoding has symbols and capitals within words, or words without ASCII letters.
  for (const [word] of text.matchAll(/(?:(?!\s)[\P{ASCII}A-Za-z])+/gu)) {
    const foreign = [...word.replace(/\p{ASCII}/gu, '')].length;
    if (foreign === 0) continue;
    total += foreign;
    if (word.length > maxWordLength || /[\p{Co}\p{Cn}\p{Cc}\ufffd]/u.test(word)) continue;
    if (/\p{Script=Latin}/u.test(word)) {
      const isWord = /^[“”‘’„‚«»¿¡(–—…]*\p{Script=Latin}[\p{Script=Latin}\p{M}’'·-]*[“”‘’«»–—…€£§©®°²³%ºª]*$/u.test(
        word,
      );
      const isCased = !/\p{Ll}\p{Lu}\p{Ll}*\p{Lu}|\p{Ll}\p{Lu}$|\p{L}(?!\p{ASCII})\p{Lu}\p{Ll}/u.test(word);
      const isDense = /^\P{ASCII}{3}|\P{ASCII}{5}/u.test(word.replace(/[^\p{L}]/gu, ''));
      if (isWord && isCased && !isDense) plausible += foreign;
    } else if (/\p{L}/u.test(word)) {
      const scripts = [
        /^[\p{Script=Cyrillic}\p{P}№]+$/u,
        /^[\p{Script=Greek}\p{P}№]+$/u,
        /^[\p{Script=Hebrew}\p{M}\p{P}]+$/u,
        /^[\p{Script=Arabic}\p{M}\p{P}]+$/u,
        /^[\p{Script=Thai}\p{P}№]+$/u,
      ];
      const isCased = !/\p{Ll}\p{Lu}/u.test(word);
      if (isCased && scripts.some((script) => script.test(word))) plausible += foreign;
    } else if (/^[“”‘’„«»–—…€£¥§©®°²³·•¿¡½¼¾±×÷ºª]{1,2}$/u.test(word)) plausible += foreign;
  }
  return total === 0 ? 1 : plausible / total;
}

/** How common the characters of a text in a multi-byte encoding are, from 0 to 1. */
function commonness(bytes: Uint8Array, text: string, common: RegExp): number {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  let at = 0;
  let total = 0;
  let usual = 0;
  for (const character of text) {
    const isAscii = source.charCodeAt(at) < 0x80;
    const isHalf = character >= '\uff61' && character <= '\uff9f';
    const size = isAscii || isHalf ? 1 : 2;
    if (!isAscii) {
      total += 1;
      if (isHalf) usual += 0.8;
      else if (common.test(source.slice(at, at + size))) usual += 1;
    }
    at += size;
  }
  // A letter of the Latin alphabet on both sides is a sign of accented letters.
  const mixed = text.match(/[A-Za-z]\P{ASCII}[A-Za-z]/gu)?.length ?? 0;
  return total === 0 ? 0 : Math.max(0, usual - 2 * mixed) / total;
}

interface Candidate {
  readonly encoding: string;
  /** The sample in this encoding. */
  readonly text: string;
  /** From 0 to 1. */
  readonly certainty: number;
}

/** The encoding that bytes are most likely in; undefined if that is uncertain. */
async function detectEncoding(bytes: Uint8Array): Promise<string | undefined> {
  const { analyse } = await import('chardet');
  const sample = tellingBytes(bytes);
  const detected = new Map(analyse(sample).map(({ name, confidence }) => [name.toLowerCase(), confidence / 100]));
  const candidates: Candidate[] = [];
  // Only in Big5, half of the characters end with a byte in the range of ASCII.
  const mayBeBig5 = /[\xa1-\xf9][\x40-\x7e]/.test(Buffer.from(sample).toString('latin1'));
  for (const [encoding, common] of multiByte) {
    if (encoding === 'big5' && !mayBeBig5) continue;
    const text = decodeExactly(sample, encoding, true);
    if (text === undefined || /[\p{Co}\p{Cc}]/u.test(text.replace(/\s/g, ''))) continue;
    const certainty = 0.7 * commonness(sample, text, common) + 0.3 * (detected.get(encoding) ?? 0);
    candidates.push({ encoding, text, certainty });
  }
  for (const encoding of new Set([...detected.keys(), 'windows-1252'])) {
    if (!/^(?:windows|iso-8859|koi8)/.test(encoding)) continue;
    const text = decodeExactly(sample, encoding, true);
    if (text === undefined) continue;
    // Of short texts, most are Western European; these letters are more frequent in other encodings.
    const prior = encoding === 'windows-1252' && !/[ðþý]/i.test(text) ? 0.4 : 0;
    const certainty = plausibility(text) * (0.6 + 0.4 * Math.max(detected.get(encoding) ?? 0, prior));
    candidates.push({ encoding, text, certainty });
  }
  candidates.sort((left, right) => right.certainty - left.certainty);
  const [best] = candidates;
  if (!best || best.certainty < minCertainty) return undefined;
  const rival = candidates.find(({ text }) => text !== best.text);
  return rival && best.certainty - rival.certainty < minLead ? undefined : best.encoding;
}

/** UTF-16 without a byte order mark: of each two bytes, only the same one is ever zero, in Latin text nearly always. */
function unmarkedUtf16(bytes: Uint8Array, minZeros: number): string | undefined {
  const sample = bytes.subarray(0, 4096);
  const zeros = [0, 0];
  for (let at = 0; at < sample.length; at += 1) if (sample[at] === 0) zeros[at % 2]! += 1;
  const [even, odd] = zeros as [number, number];
  if (Math.min(even, odd) > 0 || even + odd <= sample.length * minZeros) return undefined;
  return even > 0 ? 'utf-16be' : 'utf-16le';
}

/** Whether most characters beyond ASCII are valid UTF-8. */
function isMostlyUtf8(text: string): boolean {
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  return count(/(?!\ufffd)\P{ASCII}/gu) > 2 * count(/\ufffd/g);
}

/** Decodes a text; if it has bytes that are invalid in the encoding, it says so. */
function decodeAs(encoding: string, bytes: Uint8Array): Extract {
  const text = new TextDecoder(encoding).decode(bytes);
  if (!text.includes('\ufffd') || decodeExactly(bytes, encoding) !== undefined) return text;
  return {
    text,
    missing: { cause: 'encoding', detail: `Some of its bytes are invalid in its encoding (${encoding}).` },
  };
}

/** Decodes a text: by byte order mark, declaration, validity as UTF-8 or, failing that, detection. */
export async function decodeAny(bytes: Uint8Array, mimeType = ''): Promise<Extract> {
  const marked = markedEncoding(bytes);
  if (marked) return decodeAs(marked, bytes);
  const charset = /;\s*charset\s*=\s*"?([\w:-]+)/i.exec(mimeType)?.[1];
  const declared = decodeExactly(bytes, charset) ?? decodeExactly(bytes, declaredEncoding(bytes));
  if (declared !== undefined) return declared;
  const utf16 = unmarkedUtf16(bytes, 1 / 4);
  if (utf16) return decodeAs(utf16, bytes);
  if (isUtf8(bytes)) {
    // This encoding consists of ASCII characters and escape sequences.
    const start = latin1(bytes, 65_536);
    const isJapanese = ['$@', '$B', '(J', '(I'].some((sequence) => start.includes(`\u001b${sequence}`));
    return decodeAs(isJapanese ? 'iso-2022-jp' : 'utf-8', bytes);
  }
  const asianUtf16 = decodeExactly(bytes, unmarkedUtf16(bytes, 0));
  if (asianUtf16 !== undefined && !/[\p{Co}\p{Cn}]/u.test(asianUtf16)) return asianUtf16;
  const text = new TextDecoder().decode(bytes);
  if (isMostlyUtf8(text)) return decodeAs('utf-8', bytes);
  const encoding = await detectEncoding(bytes);
  if (encoding !== undefined) return decodeAs(encoding, bytes);
  return {
    text,
    missing: { cause: 'encoding', detail: 'Its encoding is unknown, so that only its ASCII characters are certain.' },
  };
}
