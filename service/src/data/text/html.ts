import { decodeAny } from './encoding.js';
import { HiddenContent } from './hidden.js';
import { HtmlTables } from './html-tables.js';
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
const formulaParts: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    mfrac: ['', '/'],
    mroot: ['√', ' '],
    msqrt: ['√'],
    msub: ['', '_'],
    msubsup: ['', '_', '^'],
    msup: ['', '^'],
    munder: ['', '_'],
    munderover: ['', '_', '^'],
  }),
);
const listTags = new Set(['ol', 'ul', 'menu']);
/** Types of `<input>` whose value is not displayed. */
const valuelessInputs = new Set(['checkbox', 'color', 'file', 'hidden', 'image', 'password', 'radio', 'range']);
/** Separators between words, weakest first: of two adjacent ones, the stronger wins. */
const separators = ['', ' ', ' | ', '\n', '\n\n'] as const;
const [none, space, cell, line, paragraph] = [0, 1, 2, 3, 4] as const;

/** What an element does to the text around it. */
interface Tag {
  /** Separator before it and after it, as an index into `separators`. */
  readonly before: number;
  readonly after: number;
  /** Prefix of its first words. */
  readonly prefix: string;
}

function tagOf(name: string): Tag {
  const before = blockTags.has(name) ? paragraph : lineTags.has(name) ? line : spacedTags.has(name) ? space : none;
  const level = /^h([1-6])$/.exec(name)?.[1];
  return {
    before,
    after: name === 'td' || name === 'th' ? cell : before,
    prefix: level !== undefined ? `${'#'.repeat(Number(level))} ` : name === 'li' ? '- ' : '',
  };
}

const tags: ReadonlyMap<string, Tag> = new Map(
  [...blockTags, ...lineTags, ...spacedTags, 'td', 'th'].map((name) => [name, tagOf(name)]),
);
const inlineTag = tagOf('');

type Attributes = Readonly<Record<string, string>>;

/** Tags with words in their attributes. */
const attributeTexts: ReadonlyMap<string, (attributes: Attributes) => string | undefined> = new Map([
  ['img', ({ alt }: Attributes) => alt],
  ['area', ({ alt }: Attributes) => alt],
  ['optgroup', ({ label }: Attributes) => label],
  ['textarea', ({ placeholder }: Attributes) => placeholder],
  [
    'input',
    ({ alt, value, type = '', placeholder }: Attributes) => {
      if (type.toLowerCase() === 'image') return alt;
      return valuelessInputs.has(type.toLowerCase()) ? '' : value || placeholder;
    },
  ],
]);

/** Whether an element is displayed only once a script shows it; style sheets are not read. */
const isHidden = (name: string, { hidden, style, popover, open }: Attributes): boolean =>
  (hidden !== undefined && hidden.toLowerCase() !== 'until-found') ||
  popover !== undefined ||
  (name === 'dialog' && open === undefined) ||
  (style !== undefined &&
    /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))(?![\w-])/i.test(style));

/** The number of a list's first item, unless its items have letters, other numerals, no numbers or a falling order. */
function firstNumber({ start = '1', type = '1', reversed, style = '' }: Attributes): number | undefined {
  if (type !== '1' || reversed !== undefined || /list-style(?![^;]{0,80}\bdecimal\b)/i.test(style)) return undefined;
  return integerOf(start) ?? 1;
}

function integerOf(text: string | undefined): number | undefined {
  const number = Number.parseInt(text ?? '', 10);
  return Number.isNaN(number) ? undefined : number;
}

/** Text of a page, decoded as it declares or, failing that, as detected. */
export async function pageText(bytes: Uint8Array, { mimeType, indexesHidden }: ReadOptions): Promise<Extract> {
  const decoded = await decodeAny(bytes, mimeType);
  const { text, missing } = typeof decoded === 'string' ? { text: decoded } : decoded;
  const hidden = new HiddenContent(indexesHidden);
  return { text: await htmlText(text, hidden), missing: missing ?? hidden.missing };
}

/** Pages in pages in pages are read, but not those in them. */
const maxInnerPages = 3;

/**
 * Text of a page, which is itself in as many other pages as `depth` says: headings and lists as in Markdown, cells
 * separated by `|`. Without `hidden`, all of it is read.
 */
export async function htmlText(source: string, hidden?: HiddenContent, depth = 0): Promise<string> {
  const pieces: string[] = [];
  const tables = new HtmlTables(pieces);
  /** Sources of the pages that frames contain, with the places of their texts. */
  const frames: Array<readonly [at: number, source: string]> = [];
  /** Open elements, and the number of children of each so far. */
  const path: string[] = [];
  const children: number[] = [];
  let length = 0;
  let skippedDepth = 0;
  let isInHead = false;
  /** Depth of the open element that is hidden, and whether what it contains is left out, once it contains a text. */
  let hiddenDepth = 0;
  let isLeftOut: boolean | undefined;
  let preformatted = 0;
  /** The next numbers of the open lists; undefined if their items are not numbered. */
  const numbers: Array<number | undefined> = [];
  /** Separator before the next text. */
  let separator: number = none;
  /** Prefix of the next words, such as a heading marker. */
  let prefix = '';
  const addSeparator = (other: number) => {
    if (other > separator) separator = other;
  };
  const append = (text: string) => {
    if (hiddenDepth > 0 && isLeftOut === undefined && /\S/.test(text)) {
      isLeftOut = hidden?.leaveOut('elements') === true;
      if (!isLeftOut) {
        append('[Hidden]');
        addSeparator(space);
      }
    }
    if (hiddenDepth > 0 && isLeftOut) return;
    const piece = (length === 0 ? '' : separators[separator]) + prefix + text;
    pieces.push(piece);
    length += piece.length;
    separator = none;
    prefix = '';
  };

  const addFrame = (page: string, attributes: Attributes) => {
    const isFrameHidden = hidden !== undefined && (hiddenDepth > 0 || isHidden('iframe', attributes));
    if (depth >= maxInnerPages || (isFrameHidden && hidden.leaveOut('elements'))) return;
    frames.push([pieces.push('') - 1, isFrameHidden ? `[Hidden] ${page}` : page]);
    length += 1;
    addSeparator(paragraph);
  };

  await readMarkup(source, false, {
    open(name, attributes) {
      if (name === 'iframe' && attributes.srcdoc && skippedDepth === 0) addFrame(attributes.srcdoc, attributes);
      const isShadowRoot = name === 'template' && attributes.shadowrootmode !== undefined;
      if (name === 'head') isInHead = true;
      else if (isInHead && !headTags.has(name) && skippedDepth === 0) isInHead = false;
      const isSkipped = (skippedTags.has(name) && !isShadowRoot) || (isInHead && name === 'title');
      if (skippedDepth > 0 || isSkipped) {
        skippedDepth += 1;
        return;
      }
      const parent = path.at(-1);
      if (parent !== undefined) {
        const count = children[path.length - 1]!;
        const mark = formulaParts.get(parent)?.[count];
        if (mark) append(mark);
        children[path.length - 1] = count + 1;
      }
      path.push(name);
      children[path.length - 1] = 0;
      if (hidden && hiddenDepth === 0 && isHidden(name, attributes)) {
        hiddenDepth = path.length;
        isLeftOut = undefined;
      }
      if (name === 'pre') preformatted += 1;
      tables.open(name, attributes, hiddenDepth === path.length);
      const tag = tags.get(name) ?? inlineTag;
      addSeparator(tag.before);
      // The number of a note is a link.
      if (name === 'a' && parent === 'sup') addSeparator(space);
      const words = attributeTexts.get(name)?.(attributes)?.replace(/\s+/g, ' ').trim() ?? '';
      if (words !== '') {
        addSeparator(space);
        append(words);
        addSeparator(name === 'optgroup' ? line : space);
      }
      if (listTags.has(name)) numbers.push(name === 'ol' ? firstNumber(attributes) : undefined);
      if (tag.prefix !== '') prefix = tag.prefix;
      const number = name === 'li' && hiddenDepth !== path.length ? numbers.at(-1) : undefined;
      if (number !== undefined) {
        const own = integerOf(attributes.value) ?? number;
        prefix = `${own}. `;
        numbers[numbers.length - 1] = own + 1;
      }
    },
    text(text) {
      if (skippedDepth > 0) return;
      if (preformatted > 0) {
        append(text);
        return;
      }
      const rest = text.trimStart();
      if (rest.length < text.length) addSeparator(space);
      if (rest === '') return;
      const words = rest.trimEnd();
      isInHead = false;
      append(/\s\s|[^\S ]/.test(words) ? words.replace(/\s+/g, ' ') : words);
      if (words.length < rest.length) addSeparator(space);
    },
    close(name) {
      if (skippedDepth > 0) {
        skippedDepth -= 1;
        return;
      }
      if (name === 'head') isInHead = false;
      if (path.length === hiddenDepth) hiddenDepth = 0;
      path.pop();
      length += tables.close(name);
      if (name === 'pre') preformatted -= 1;
      const tag = tags.get(name) ?? inlineTag;
      if (listTags.has(name)) numbers.pop();
      if (tag.prefix !== '') prefix = '';
      addSeparator(tag.after);
    },
    length: () => length,
  });
  for (const [at, page] of frames) pieces[at] = `\n\n${await htmlText(page, hidden, depth + 1)}`;
  const text = pieces.join('');
  return frames.length === 0 ? text : text.replace(/\n{3,}/g, '\n\n').trim();
}
