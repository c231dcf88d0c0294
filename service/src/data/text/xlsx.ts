import { type Parts, unzipParts } from './archive.js';
import { dateFormats, dateOf } from './dates.js';
import { readMarkup } from './markup.js';
import { exceedsLimit } from './normalize.js';
import { attribute, relationsOf, sourceOf } from './parts.js';

const mainPart = 'xl/workbook.xml';

/** The cells of all sheets in a workbook, one line per row, under the sheet's name. */
export async function xlsxText(bytes: Uint8Array): Promise<string> {
  const parts = await unzipParts(bytes, (path) =>
    /^xl\/(?:[^/]+|worksheets\/.+)\.(?:xml|rels)$|^xl\/_rels\//.test(path),
  );
  if (!parts[mainPart]) throw new Error('It has no workbook part.');
  const relations = await relationsOf(parts, mainPart);
  const { sheets, since1904 } = await workbookOf(parts);
  const byType = (type: string) => [...relations.values()].find((one) => one.type === type)?.path ?? '';
  const strings = await stringsOf(sourceOf(parts, byType('sharedStrings')));
  const dates = await dateFormats(sourceOf(parts, byType('styles')));
  const texts: string[] = [];
  let length = 0;
  const seen = new Set<string>();
  for (const { name, id } of sheets) {
    const path = relations.get(id)?.path ?? '';
    // A workbook may reference a sheet any number of times.
    if (seen.has(path)) continue;
    seen.add(path);
    const source = sourceOf(parts, path);
    const rows = await rowsOf(source, { strings, isDate: (style) => dates.has(style), since1904 });
    if (rows === '') continue;
    texts.push(`# ${name}\n\n${rows}`);
    length += rows.length;
    if (exceedsLimit(length)) break;
  }
  return texts.join('\n\n');
}

async function workbookOf(parts: Parts): Promise<{ sheets: { name: string; id: string }[]; since1904: boolean }> {
  const sheets: { name: string; id: string }[] = [];
  let since1904 = false;
  await readMarkup(sourceOf(parts, mainPart), true, {
    open(name, attributes) {
      if (name === 'workbookPr') since1904 = /^(?:1|true)$/.test(attribute(attributes, 'date1904') ?? '');
      if (name === 'sheet') sheets.push({ name: attributes.name ?? '', id: attribute(attributes, 'id') ?? '' });
    },
  });
  return { sheets, since1904 };
}

/** The shared strings that cells refer to by index, without phonetic guides. */
async function stringsOf(source: string): Promise<string[]> {
  const strings: string[] = [];
  let text = '';
  let isText = false;
  let isPhonetic = false;
  await readMarkup(source, true, {
    open(name) {
      if (name === 't') isText = true;
      else if (name === 'rPh') isPhonetic = true;
    },
    text(piece) {
      if (isText && !isPhonetic) text += piece;
    },
    close(name) {
      if (name === 't') isText = false;
      else if (name === 'rPh') isPhonetic = false;
      else if (name === 'si') {
        // Normalized here rather than per cell, since many cells may refer to the same long text.
        strings.push(normalizeSpaces(text));
        text = '';
      }
    },
  });
  return strings;
}

const normalizeSpaces = (text: string): string => text.replace(/\s+/g, ' ').trim();

interface CellContext {
  readonly strings: readonly string[];
  readonly isDate: (style: number) => boolean;
  readonly since1904: boolean;
}

async function rowsOf(source: string, { strings, isDate, since1904 }: CellContext): Promise<string> {
  const rows: string[] = [];
  let cells: string[] = [];
  let value = '';
  let type = '';
  let style = 0;
  let isValue = false;
  let length = 0;
  const formatValue = (): string => {
    if (type === 's') return strings[Number(value)] ?? '';
    if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE';
    if ((type === '' || type === 'n') && value !== '' && isDate(style)) return dateOf(Number(value), since1904);
    return normalizeSpaces(value);
  };
  await readMarkup(source, true, {
    open(name, attributes) {
      if (name === 'c') {
        type = attributes.t ?? '';
        style = Number(attributes.s ?? 0);
        value = '';
      } else if (name === 'v' || name === 't') isValue = true;
    },
    text(piece) {
      if (isValue) value += piece;
    },
    close(name) {
      if (name === 'v' || name === 't') isValue = false;
      else if (name === 'c') {
        // Many cells may refer to the same long text.
        const text = exceedsLimit(length) ? '' : formatValue();
        length += text.length;
        if (text !== '') cells.push(text);
      } else if (name === 'row') {
        if (cells.length > 0) rows.push(cells.join(' | '));
        cells = [];
      }
    },
    length: () => length,
  });
  return rows.join('\n');
}
