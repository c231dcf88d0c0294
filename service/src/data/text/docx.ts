import { Parts } from './archive.js';
import {
  appendLabeled,
  type Block,
  type BlockContext,
  type BlockPart,
  type Note,
  readBlocks,
  textOfBlocks,
} from './docx-blocks.js';
import { Numbering } from './docx-numbering.js';
import { stylesOf } from './docx-styles.js';
import { graphicText } from './drawing.js';
import { HiddenContent } from './hidden.js';
import { InnerDocuments } from './inner.js';
import { mainPartOf, type Relation, relatedPaths, relationsOf, sourceOf } from './parts.js';
import type { Extract, ReadOptions } from './result.js';

/**
 * Text of a Word document: headings and lists as in Markdown, cells separated by `|`; then notes, headers, footers and
 * comments.
 */
export async function docxText(
  bytes: Uint8Array,
  { indexesHidden = false, readInner }: Partial<ReadOptions> = {},
): Promise<Extract> {
  const parts = Parts.open(bytes);
  const main = await mainPartOf(parts, 'word/document.xml');
  if (!parts.has(main)) throw new Error('It has no main document part.');
  const relations = await relationsOf(parts, main);
  const pathOf = (type: string) => partOf(parts, relations, type, `word/${type}.xml`);
  const numbers = new Map<string, number>();
  const hidden = new HiddenContent(indexesHidden);
  const context: BlockContext = {
    styles: await stylesOf(sourceOf(parts, pathOf('styles'))),
    numbering: await Numbering.read(sourceOf(parts, pathOf('numbering'))),
    hidden,
    noteNumber(kind, id) {
      const key = `${kind} ${id}`;
      const number = numbers.get(key) ?? numbers.size + 1;
      numbers.set(key, number);
      return number;
    },
  };
  const seen = new Set<string>();
  const imported = new InnerDocuments('imported document', readInner);
  const embedded = new InnerDocuments('embedded document', readInner);
  const partWith = async (path: string): Promise<BlockPart> => {
    const graphics = new Map<string, string>();
    for (const [id, { type, path: graphic }] of await relationsOf(parts, path)) {
      if (/^(?:chart|chartEx|diagramData)$/.test(type)) {
        graphics.set(id, await graphicText(parts, graphic, { hidden, series: 'values', seen }));
      } else if (/^(?:aFChunk|oleObject|package)$/.test(type) && !seen.has(graphic)) {
        seen.add(graphic);
        const inner = parts.read(graphic) ?? new Uint8Array();
        const text = type === 'aFChunk' ? imported.textOf(inner, graphic) : embedded.sectionOf(inner, graphic);
        graphics.set(id, await text);
      }
    }
    return { source: sourceOf(parts, path), graphics };
  };
  const blocks: Block[] = [];
  const body = await partWith(main);
  await readBlocks(body, context, blocks);
  const notes = new Map<string, Note>();
  for (const type of numbers.size > 0 ? ['footnotes', 'endnotes'] : []) {
    await readBlocks(await partWith(pathOf(type)), context, [], notes);
  }
  for (const [key, number] of numbers) appendLabeled(blocks, `[${number}] `, notes.get(key)?.blocks ?? []);
  for (const type of ['header', 'footer']) {
    const texts = new Set<string>();
    for (const path of await relatedPaths(parts, main, type)) {
      const lines: Block[] = [];
      await readBlocks(await partWith(path), context, lines);
      texts.add(lines.map(({ text }) => text).join('\n'));
    }
    texts.delete('');
    const label = type === 'header' ? 'Header: ' : 'Footer: ';
    for (const text of texts) blocks.push({ text: label + text, isMarked: false });
  }
  const comments = new Map<string, Note>();
  await readBlocks(await partWith(pathOf('comments')), context, [], comments);
  for (const { author, blocks: comment } of comments.values()) {
    appendLabeled(blocks, author === '' ? 'Comment: ' : `Comment by ${author}: `, comment);
  }
  return { text: textOfBlocks(blocks), missing: imported.missing ?? embedded.missing ?? hidden.missing };
}

/** The path of the part with this relation type, or the default path. */
const partOf = (parts: Parts, relations: ReadonlyMap<string, Relation>, type: string, usual: string): string =>
  [...relations.values()].find((relation) => relation.type === type && parts.has(relation.path))?.path ?? usual;
