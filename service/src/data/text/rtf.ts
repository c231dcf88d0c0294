import { HiddenContent } from './hidden.js';
import { InnerDocuments, nativeData } from './inner.js';
import { exceedsLimit } from './normalize.js';
import type { Extract, ReadOptions } from './result.js';
import { rowText } from './table.js';

/** Destinations whose text is not part of the document; others are skipped if they are marked as optional. */
const skippedDestinations = new Set(
  'fonttbl colortbl stylesheet info pict objdata fldinst listtable listoverridetable revtbl rsidtbl generator themedata colorschememapping datastore latentstyles xmlnstbl filetbl bkmkstart bkmkend xe tc nonshppict pgptbl mmathPr template operator author datafield formfield listpicture panose falt atrfstart atrfend atnid atndate atntime atnref userprops docvar upr sn sv shprslt mmathPict'.split(
    ' ',
  ),
);
/** Destinations that are marked as optional and are part of the text. */
const readDestinations = new Set('shptxt shpinst shp annotation ud moMath moMathPara'.split(' '));
/** Properties of shapes that are displayed or describe them. */
const shapeTexts = new Set(['gtextUNICODE', 'wzDescription']);
/** What precedes the parts of formulas. */
const formulaMarks: Readonly<Record<string, string>> = { mden: '/', mrad: '√', msub: '_', msup: '^' };
/** Ends a cell, until its row is complete. */
const cellEnd = '\u001f';
const characters: Readonly<Record<string, string>> = {
  par: '\n\n',
  sect: '\n\n',
  page: '\n\n',
  line: '\n',
  lbr: '\n',
  row: '\n',
  cell: cellEnd,
  nestcell: cellEnd,
  nestrow: '\n',
  tab: ' ',
  emdash: '—',
  endash: '–',
  emspace: ' ',
  enspace: ' ',
  bullet: '•',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  '~': '\u00a0',
  _: '\u2011',
};
/** Destinations with paragraphs of their own. */
const blocks = new Set('footnote header headerl headerr headerf footer footerl footerr footerf annotation'.split(' '));

const codePages: Readonly<Record<number, string>> = {
  437: 'windows-1252',
  850: 'windows-1252',
  874: 'windows-874',
  932: 'shift_jis',
  936: 'gb18030',
  949: 'euc-kr',
  950: 'big5',
  10000: 'macintosh',
  65001: 'utf-8',
};
/** Code pages of fonts' character sets. */
const charsets: Readonly<Record<number, number>> = {
  77: 10000,
  128: 932,
  129: 949,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
};

interface Group {
  isSkipped: boolean;
  isHidden: boolean;
  isDeleted: boolean;
  /** Whether its hidden text has been counted. */
  isCounted: boolean;
  /** Characters that follow a Unicode character for readers that do not know it. */
  fallback: number;
  font: number;
  destination: string;
}

const maxDepth = 2000;

/** Text of a Rich Text document, without hidden and deleted text; then the documents embedded in it. */
export async function rtfText(
  bytes: Uint8Array,
  { indexesHidden, readInner }: Partial<ReadOptions> = {},
): Promise<Extract> {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const token = /\\([a-z]+)(-?\d{1,10})? ?|\\'([\da-f]{2})|\\([^a-z'])|([{}])|[\r\n]+|([^\\{}\r\n]+)/gi;
  const groups: Group[] = [];
  let group: Group = {
    isSkipped: false,
    isHidden: false,
    isDeleted: false,
    isCounted: false,
    fallback: 1,
    font: 0,
    destination: '',
  };
  const hidden = new HiddenContent(indexesHidden);
  const embedded = new InnerDocuments('embedded document', readInner);
  const objects: string[][] = [];
  let shapeProperty = '';
  const fontPages = new Map<number, number>();
  const decoders = new Map<string, TextDecoder>();
  let codePage = 1252;
  let pending: number[] = [];
  let pieces: string[] = [];
  let length = 0;
  /** Fallback characters still to skip. */
  let toSkip = 0;
  let isOptional = false;

  const decode = (codes: readonly number[], page: number): string => {
    const encoding = codePages[page] ?? `windows-${page}`;
    let decoder = decoders.get(encoding);
    try {
      decoder ??= new TextDecoder(encoding);
    } catch {
      decoder = new TextDecoder('windows-1252');
    }
    decoders.set(encoding, decoder);
    return decoder.decode(Uint8Array.from(codes));
  };
  const isSilent = () => group.isSkipped || group.isDeleted;
  const write = (text: string) => {
    if (isSilent()) return;
    if (group.isHidden && text.trim() !== '' && !group.isCounted) {
      group.isCounted = true;
      if (!hidden.leaveOut('pieces of text')) pieces.push('[Hidden] ');
    }
    if (group.isHidden && !hidden.isIndexed) return;
    pieces.push(text);
    length += text.length;
  };
  const flush = () => {
    if (pending.length === 0) return;
    const codes = pending;
    pending = [];
    write(decode(codes, fontPages.get(group.font) ?? codePage));
  };
  const addCode = (code: number) => {
    if (toSkip > 0) toSkip -= 1;
    else if (!isSilent()) pending.push(code);
  };

  const startDestination = (name: string) => {
    const isUnknown = isOptional && !readDestinations.has(name);
    isOptional = false;
    const isProperty = /^m\w+Pr$/.test(name);
    if (isUnknown || isProperty || skippedDestinations.has(name))
      group.isSkipped = name !== 'fonttbl' || groups.length > 3;
    group.destination = name;
    if (name === 'fonttbl') group.isSkipped = true;
    // The text in Unicode, in place of the one around it for older programs.
    if (name === 'ud') group.isSkipped = groups.at(-2)?.isSkipped ?? false;
    if (name === 'objdata') objects.push([]);
    if (name === 'sn') shapeProperty = '';
    if (name === 'sv' && shapeTexts.has(shapeProperty.trim())) {
      group.isSkipped = groups.at(-1)?.isSkipped ?? false;
      write(' ');
    }
    if (blocks.has(name)) write('\n\n');
  };

  const apply = (name: string, parameter: number | undefined, end: number): number => {
    const value = parameter ?? 1;
    if (name === 'u') {
      flush();
      if (toSkip === 0) write(String.fromCharCode(value & 0xffff));
      toSkip = group.fallback;
      return end;
    }
    if (toSkip > 0 && name !== 'bin') toSkip -= 1;
    if (name in characters) {
      flush();
      write(characters[name]!);
    } else if (name === 'bin') return end + Math.max(0, parameter ?? 0);
    else if (name === 'uc') group.fallback = Math.max(0, value);
    else if (name === 'ansicpg') codePage = value;
    else if (name === 'mac') codePage = 10000;
    else if (name === 'f' || name === 'af') {
      if (name === 'f') {
        flush();
        group.font = value;
      }
    } else if (name === 'fcharset') {
      if (charsets[value] !== undefined) fontPages.set(group.font, charsets[value]);
      else if (value === 0) fontPages.set(group.font, 1252);
    } else if (name === 'cpg') fontPages.set(group.font, value);
    else if (name in formulaMarks) {
      flush();
      write(formulaMarks[name]!);
    } else if (name === 'v') {
      flush();
      group.isHidden = value !== 0;
      group.isCounted = false;
    } else if (name === 'deleted') {
      flush();
      group.isDeleted = value !== 0;
    } else if (name === 'plain') {
      flush();
      group.isHidden = false;
      group.isDeleted = false;
    } else if (isOptional || /^m\w+Pr$/.test(name) || skippedDestinations.has(name) || blocks.has(name))
      startDestination(name);
    return end;
  };

  for (let match = token.exec(source); match && !exceedsLimit(length); match = token.exec(source)) {
    const [, word, parameter, hex, symbol, brace, text] = match;
    if (text !== undefined && group.destination === 'objdata') objects.at(-1)?.push(text);
    else if (text !== undefined && group.destination === 'sn') shapeProperty += text;
    else if (text !== undefined) {
      for (let at = 0; at < text.length; at += 1) addCode(text.charCodeAt(at));
    } else if (hex !== undefined) addCode(Number.parseInt(hex, 16));
    else if (brace === '{') {
      flush();
      groups.push(group);
      if (groups.length > maxDepth) throw new Error(`groups are nested more than ${maxDepth} levels deep`);
      group = { ...group, destination: '' };
      toSkip = 0;
      isOptional = false;
    } else if (brace === '}') {
      flush();
      toSkip = 0;
      if (blocks.has(group.destination)) write('\n\n');
      else if (group.destination === 'sv') write(' ');
      group = groups.pop() ?? group;
      if (groups.length === 0) break;
    } else if (word !== undefined) {
      token.lastIndex = apply(word, parameter === undefined ? undefined : Number(parameter), token.lastIndex);
    } else if (symbol === '*') isOptional = true;
    else if (symbol === '\n' || symbol === '\r') {
      flush();
      write('\n\n');
    } else if (symbol !== undefined && symbol in characters) {
      flush();
      write(characters[symbol]!);
    } else if (symbol !== undefined && /[\\{}]/.test(symbol)) addCode(symbol.charCodeAt(0));
  }
  flush();
  if (groups.length > 0 && !exceedsLimit(length)) embedded.miss({ cause: 'damaged', detail: 'It is cut off.' });
  const result = pieces.join('');
  pieces = [];
  const body = result
    .replace(/[^\S\n]+/g, ' ')
    .split('\n')
    .map((line) => rowText(line.split(cellEnd).map((cell) => cell.trim())))
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+/, '')
    .trimEnd();
  const texts = [body];
  for (const object of objects) {
    const inner = nativeData(Buffer.from(object.join('').replace(/[^\da-f]/gi, ''), 'hex'));
    if (inner) texts.push(await embedded.sectionOf(inner.bytes, inner.name));
  }
  const text = texts.filter((one) => one !== '').join('\n\n');
  return { text, missing: embedded.missing ?? hidden.missing };
}
