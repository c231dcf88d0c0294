import { decodeAny } from './encoding.js';
import { readMarkup } from './markup.js';
import type { Extract } from './result.js';

/** Skipped: what is not displayed, pronunciations within words, and the sources of formulas. */
const skippedTags = new Set(
  'head noscript object script style template rt rp annotation annotation-xml defs metadata'.split(' '),
);
const blockTags = new Set(
  'address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend main menu nav ol p pre search section select summary svg table ul'.split(
    ' ',
  ),
);
const lineTags = new Set(['br', 'dd', 'desc', 'dt', 'li', 'optgroup', 'option', 'text', 'title', 'tr']);
const spacedTags = new Set(['button', 'textarea']);
/** Types of `<input>` whose value is not displayed. */
const valuelessInputs = new Set(['checkbox', 'color', 'file', 'hidden', 'image', 'password', 'radio', 'range']);
/** Separators between words, weakest first: of two adjacent ones, the stronger wins. */
const separators = ['', ' ', ' | ', '\n', '\n\n'];

/** The words that an element displays by its attributes. */
function attributeText(
  name: string,
  { alt = '', value = '', type = '', label = '' }: Readonly<Record<string, string>>,
) {
  if (name === 'img' || name === 'area') return alt;
  if (name === 'input') return valuelessInputs.has(type.toLowerCase()) ? '' : value;
  return name === 'optgroup' ? label : '';
}

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
    open(name, attributes) {
      if (skippedTags.has(name)) skipped += 1;
      if (skipped > 0) return;
      if (name === 'pre') preformatted += 1;
      if (blockTags.has(name)) addSeparator('\n\n');
      else if (lineTags.has(name)) addSeparator('\n');
      else if (spacedTags.has(name)) addSeparator(' ');
      const words = attributeText(name, attributes).replace(/\s+/g, ' ').trim();
      if (words !== '') {
        addSeparator(' ');
        append(words);
        addSeparator(name === 'optgroup' ? '\n' : ' ');
      }
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
      else if (spacedTags.has(name)) addSeparator(' ');
      else if (name === 'td' || name === 'th') addSeparator(' | ');
    },
    length: () => length,
  });
  return pieces.join('');
}
