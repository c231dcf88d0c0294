import { Parts } from './archive.js';
import { type Box, boxesOf, type DrawingOptions } from './drawing.js';
import { HiddenContent } from './hidden.js';
import { InnerDocuments } from './inner.js';
import { readMarkup } from './markup.js';
import { exceedsLimit } from './normalize.js';
import { cellFormatsOf } from './number-formats.js';
import {
  attribute,
  embeddedTexts,
  isOn,
  mainPartOf,
  type Relation,
  relatedPaths,
  relationsOf,
  sourceOf,
  unescapeText,
} from './parts.js';
import type { Extract, ReadOptions } from './result.js';
import { commentsOf, peopleOf } from './xlsx-comments.js';
import { rowsOf } from './xlsx-rows.js';

interface Sheet {
  readonly name: string;
  readonly relation: Relation | undefined;
  readonly isHidden: boolean;
}

/**
 * The cells of all sheets in a workbook, one line per row, under the sheet's name; then its text boxes and comments, and
 * last headers and footers.
 */
export async function xlsxText(
  bytes: Uint8Array,
  { indexesHidden = false, readInner }: Partial<ReadOptions> = {},
): Promise<Extract> {
  const parts = Parts.open(bytes);
  const mainPart = await mainPartOf(parts, 'xl/workbook.xml');
  const relations = await relationsOf(parts, mainPart);
  const byType = (type: string) => [...relations.values()].find((one) => one.type === type)?.path ?? '';
  if (!parts.has(mainPart)) throw new Error('It has no workbook part.');
  const { sheets, since1904 } = await workbookOf(sourceOf(parts, mainPart), relations);
  const hidden = new HiddenContent(indexesHidden);
  const context = {
    strings: await stringsOf(sourceOf(parts, byType('sharedStrings'))),
    formats: await cellFormatsOf(sourceOf(parts, byType('styles')), since1904),
    hidden,
  };
  const people = await peopleOf(sourceOf(parts, byType('person')));
  const seen = new Set<string>();
  const drawing: DrawingOptions = { hidden, series: 'titles', seen };
  const embedded = new InnerDocuments('embedded document', readInner);
  const texts: string[] = [];
  const pageTexts = new Set<string>();
  let length = 0;
  for (const { name, relation, isHidden } of sheets) {
    // A workbook may reference a sheet any number of times.
    if (relation === undefined || seen.has(relation.path)) continue;
    seen.add(relation.path);
    if (isHidden && hidden.leaveOut('sheets')) continue;
    const rows = await rowsOf(sourceOf(parts, relation.path), context, pageTexts);
    const boxes: Box[] = [];
    for (const path of await relatedPaths(parts, relation.path, 'drawing')) {
      for (const box of await boxesOf(parts, path, drawing)) boxes.push(box);
    }
    const comments = await commentsOf(parts, relation.path, people, seen);
    const documents = await embeddedTexts(parts, relation.path, embedded, seen);
    const blocks = [rows, ...boxes.map(({ text }) => text), comments, ...documents].filter((block) => block !== '');
    if (blocks.length === 0) continue;
    const text = [`# ${name}${isHidden ? ' [Hidden]' : ''}`, ...blocks].join('\n\n');
    texts.push(text);
    length += text.length;
    if (exceedsLimit(length)) break;
  }
  if (pageTexts.size > 0) texts.push([...pageTexts].join('\n'));
  return { text: texts.join('\n\n'), missing: embedded.missing ?? hidden.missing };
}

async function workbookOf(
  source: string,
  relations: ReadonlyMap<string, Relation>,
): Promise<{ sheets: Sheet[]; since1904: boolean }> {
  const sheets: Sheet[] = [];
  let since1904 = false;
  await readMarkup(source, true, {
    open(name, attributes) {
      if (name === 'workbookPr') since1904 = isOn(attribute(attributes, 'date1904'));
      if (name !== 'sheet') return;
      const relation = relations.get(attribute(attributes, 'id') ?? '');
      const isHidden = /hidden/i.test(attributes.state ?? '');
      sheets.push({ name: unescapeText(attributes.name ?? ''), relation, isHidden });
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
        strings.push(cellText(text));
        text = '';
      }
    },
  });
  return strings;
}

const cellText = (text: string): string => unescapeText(text).replace(/\s+/g, ' ').trim();
