import { decodeAny } from './encoding.js';
import { HiddenContent } from './hidden.js';
import { readMarkup } from './markup.js';
import type { Extract, ReadOptions } from './result.js';

/** Skipped: what is not displayed, pronunciations within words, and the sources of formulas. */
const skippedTags = new Set(
  'noscript object script style template rt rp annotation annotation-xml defs metadata iframe audio video'.split(' '),
);
/** What a head contains; anything else ends it, even without an end tag. */
const headTags = new Set('base bgsound link meta noscript script style template title'.split(' '));
const blockTags = new Set(
  'address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend main menu nav ol p pre search section select summary svg table ul'.split(
    ' ',
  ),
);
const lineTags = new Set(['br', 'dd', 'desc', 'dt', 'li', 'optgroup', 'option', 'text', 'title', 'tr']);
const spacedTags = new Set(['button', 'canvas', 'meter', 'mtd', 'mtr', 'progress', 'textarea']);
/** What precedes the first, second and third part of a formula's element. */
const formulaParts: Readonly<Record<string, readonly string[]>> = {
  mfrac: ['', '/'],
  mroot: ['√', ' '],
  msqrt: ['√'],
  msub: ['', '_'],
  msubsup: ['', '_', '^'],
  msup: ['', '^'],
  munder: ['', '_'],
  munderover: ['', '_', '^'],
};
/** Types of `<input>` whose value is not displayed. */
const valuelessInputs = new Set(['checkbox', 'color', 'file', 'hidden', 'image', 'password', 'radio', 'range']);
/** Separators between words, weakest first: of two adjacent ones, the stronger wins. */
const separators = ['', ' ', ' | ', '\n', '\n\n'];

/** The words that an element displays by its attributes. */
function attributeText(
  name: string,
  { alt = '', value = '', type = '', label = '', placeholder = '' }: Readonly<Record<string, string>>,
) {
  if (name === 'img' || name === 'area') return alt;
  if (name === 'input') {
    if (type.toLowerCase() === 'image') return alt;
    return valuelessInputs.has(type.toLowerCase()) ? '' : value || placeholder;
  }
  return name === 'optgroup' ? label : '';
}

/** Whether an element is displayed only once a script shows it; style sheets are not read. */
const isHidden = (name: string, { hidden, style = '', popover, open }: Readonly<Record<string, string>>): boolean =>
  (hidden !== undefined && hidden.toLowerCase() !== 'until-found') ||
  popover !== undefined ||
  (name === 'dialog' && open === undefined) ||
  /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))(?![\w-])/i.test(style);

/** Text of a page, decoded as it declares or, failing that, as detected. */
export async function pageText(bytes: Uint8Array, { mimeType, indexesHidden }: ReadOptions): Promise<Extract> {
  const decoded = await decodeAny(bytes, mimeType);
  const { text, missing } = typeof decoded === 'string' ? { text: decoded } : decoded;
  const hidden = new HiddenContent(indexesHidden);
  return { text: await htmlText(text, hidden), missing: missing ?? hidden.missing };
}

/** Text of a page: headings and lists as in Markdown, cells separated by `|`. Without `hidden`, all of it is read. */
export async function htmlText(source: string, hidden?: HiddenContent): Promise<string> {
  const pieces: string[] = [];
  /** Open elements, with the number of their children so far. */
  const path: Array<{ readonly name: string; children: number }> = [];
  let length = 0;
  let skippedDepth = 0;
  let isInHead = false;
  /** Depth of the open element that is hidden, and whether what it contains is left out, once it contains a text. */
  let hiddenDepth = 0;
  let isLeftOut: boolean | undefined;
  let preformatted = 0;
  /** Separator before the next text. */
  let separator = '';
  /** Prefix of the next words, such as a heading marker. */
  let prefix = '';
  const addSeparator = (other: string) => {
    if (separators.indexOf(other) > separators.indexOf(separator)) separator = other;
  };
  const append = (text: string) => {
    if (hiddenDepth > 0 && isLeftOut === undefined && /\S/.test(text)) {
      isLeftOut = hidden?.leaveOut('elements') === true;
      if (!isLeftOut) {
        append('[Hidden]');
        addSeparator(' ');
      }
    }
    if (hiddenDepth > 0 && isLeftOut) return;
    const piece = (length === 0 ? '' : separator) + prefix + text;
    pieces.push(piece);
    length += piece.length;
    separator = '';
    prefix = '';
  };

  await readMarkup(source, false, {
    open(name, attributes) {
      const isShadowRoot = name === 'template' && attributes.shadowrootmode !== undefined;
      if (name === 'head') isInHead = true;
      else if (isInHead && !headTags.has(name) && skippedDepth === 0) isInHead = false;
      const isSkipped = (skippedTags.has(name) && !isShadowRoot) || (isInHead && name === 'title');
      if (skippedDepth > 0 || isSkipped) {
        skippedDepth += 1;
        return;
      }
      const parent = path.at(-1);
      if (parent) {
        const mark = formulaParts[parent.name]?.[parent.children];
        if (mark) append(mark);
        parent.children += 1;
      }
      path.push({ name, children: 0 });
      if (hidden && hiddenDepth === 0 && isHidden(name, attributes)) {
        hiddenDepth = path.length;
        isLeftOut = undefined;
      }
      if (name === 'pre') preformatted += 1;
      if (blockTags.has(name)) addSeparator('\n\n');
      else if (lineTags.has(name)) addSeparator('\n');
      // The number of a note is a link.
      else if (spacedTags.has(name) || (name === 'a' && parent?.name === 'sup')) addSeparator(' ');
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
      if (skippedDepth > 0) return;
      if (preformatted > 0) {
        append(text);
        return;
      }
      const words = text.replace(/\s+/g, ' ');
      if (words.startsWith(' ')) addSeparator(' ');
      const inner = words.trim();
      if (inner === '') return;
      isInHead = false;
      append(inner);
      if (words.endsWith(' ')) addSeparator(' ');
    },
    close(name) {
      if (skippedDepth > 0) {
        skippedDepth -= 1;
        return;
      }
      if (name === 'head') isInHead = false;
      if (path.length === hiddenDepth) hiddenDepth = 0;
      path.pop();
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
