import { decodeAny } from './encoding.js';
import { readMarkup } from './markup.js';
import type { Extract } from './result.js';

const skippedTags = new Set(['head', 'noscript', 'object', 'script', 'style', 'svg', 'template']);
const blockTags = new Set(
  'address article aside blockquote body dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html main nav ol p pre section table ul'.split(
    ' ',
  ),
);
const lineTags = new Set(['br', 'dd', 'dt', 'li', 'tr']);
/** Separators between words, weakest first: of two adjacent ones, the stronger wins. */
const separators = ['', ' ', ' | ', '\n', '\n\n'];

/** Text of a page, decoded as it declares or, failing that, as detected. */
export async function pageText(bytes: Uint8Array, { mimeType }: { readonly mimeType: string }): Promise<Extract> {
  const source = await decodeAny(bytes, mimeType);
  if (typeof source === 'string') return htmlText(source);
  return { ...source, text: await htmlText(source.text) };
}

/** Text of a page: headings and lists as in Markdown, cells separated by `|`. */
export async function htmlText(source: string): Promise<string> {
  const pieces: string[] = [];
  let length = 0;
  let skipped = 0;
  let preformatted = 0;
  /** Separator before the next text. */
  let separator = '';
  /** Prefix of the next words, such as a heading marker. */
  let prefix = '';
  const addSeparator = (other: string) => {
    if (separators.indexOf(other) > separators.indexOf(separator)) separator = other;
  };
  const append = (text: string) => {
    const piece = (length === 0 ? '' : separator) + prefix + text;
    pieces.push(piece);
    length += piece.length;
    separator = '';
    prefix = '';
  };

  await readMarkup(source, false, {
    open(name) {
      if (skippedTags.has(name)) skipped += 1;
      if (skipped > 0) return;
      if (name === 'pre') preformatted += 1;
      if (blockTags.has(name)) addSeparator('\n\n');
      else if (lineTags.has(name)) addSeparator('\n');
      const level = /^h([1-6])$/.exec(name)?.[1];
      if (level !== undefined) prefix = `${'#'.repeat(Number(level))} `;
      else if (name === 'li') prefix = '- ';
    },
    text(text) {
      if (skipped > 0) return;
      if (preformatted > 0) {
        append(text);
        return;
      }
      const words = text.replace(/\s+/g, ' ');
      if (words.startsWith(' ')) addSeparator(' ');
      const inner = words.trim();
      if (inner === '') return;
      append(inner);
      if (words.endsWith(' ')) addSeparator(' ');
    },
    close(name) {
      if (skippedTags.has(name)) skipped = Math.max(0, skipped - 1);
      if (skipped > 0) return;
      if (name === 'pre') preformatted -= 1;
      if (/^h[1-6]$|^li$/.test(name)) prefix = '';
      if (blockTags.has(name)) addSeparator('\n\n');
      else if (lineTags.has(name)) addSeparator('\n');
      else if (name === 'td' || name === 'th') addSeparator(' | ');
    },
    length: () => length,
  });
  return pieces.join('');
}
