import { type Parts, unzipParts } from './archive.js';
import { type Block, type BlockContext, headingLevel, readBlocks, type Style } from './docx-blocks.js';
import { readMarkup } from './markup.js';
import { attribute, type Relation, relationsOf, sourceOf } from './parts.js';

/** Text of a Word document: headings and lists as in Markdown, cells separated by `|`, notes at the end. */
export async function docxText(bytes: Uint8Array): Promise<string> {
  const parts = await unzipParts(bytes, (path) => /\.(?:xml|rels)$/i.test(path));
  const main = partOf(parts, await relationsOf(parts, ''), 'officeDocument', 'word/document.xml');
  if (!parts[main]) throw new Error('It has no main document part.');
  const relations = await relationsOf(parts, main);
  const source = (type: string) => sourceOf(parts, partOf(parts, relations, type, `word/${type}.xml`));
  const numbers = new Map<string, number>();
  const context: BlockContext = {
    styles: await stylesOf(source('styles')),
    noteNumber(kind, id) {
      const key = `${kind} ${id}`;
      const number = numbers.get(key) ?? numbers.size + 1;
      numbers.set(key, number);
      return number;
    },
  };
  const blocks: Block[] = [];
  await readBlocks(sourceOf(parts, main), context, blocks);
  const notes = new Map<string, Block[]>();
  for (const type of numbers.size > 0 ? ['footnotes', 'endnotes'] : []) {
    await readBlocks(source(type), context, [], notes);
  }
  for (const [key, number] of numbers) {
    for (const [index, block] of (notes.get(key) ?? []).entries()) {
      blocks.push(index === 0 ? { ...block, text: `[${number}] ${block.text}` } : block);
    }
  }
  return blocks.map((block, index) => separatorOf(blocks[index - 1], block) + block.text).join('');
}

const separatorOf = (previous: Block | undefined, { group }: Block): string =>
  previous === undefined ? '' : group !== undefined && group === previous.group ? '\n' : '\n\n';

/** The path of the part with this relation type, or the default path. */
const partOf = (parts: Parts, relations: ReadonlyMap<string, Relation>, type: string, usual: string): string =>
  [...relations.values()].find((relation) => relation.type === type && parts[relation.path])?.path ?? usual;

/** Paragraph styles by id. */
async function stylesOf(source: string): Promise<ReadonlyMap<string, Style>> {
  const styles = new Map<string, Style>();
  let [id, name, isParagraph] = ['', '', false];
  let numId = '0';
  let level = 0;
  await readMarkup(source, true, {
    open(element, attributes) {
      const value = (key: string) => attribute(attributes, key) ?? '';
      if (element === 'style') {
        [id, isParagraph] = [value('styleId'), value('type') === 'paragraph'];
        [name, numId, level] = ['', '0', 0];
      } else if (element === 'name') name = value('val');
      else if (element === 'numId') numId = value('val');
      else if (element === 'ilvl') level = Number(value('val'));
    },
    close(element) {
      // If several styles share an id, the first one is used.
      if (element !== 'style' || !isParagraph || styles.has(id)) return;
      styles.set(id, { heading: headingLevel(id, name), listLevel: numId === '0' ? undefined : level });
    },
  });
  return styles;
}
