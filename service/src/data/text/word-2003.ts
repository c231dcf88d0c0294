import { appendLabeled, type Block, type Note, readBlocks, textOfBlocks } from './docx-blocks.js';
import { Numbering } from './docx-numbering.js';
import { stylesOf } from './docx-styles.js';
import { HiddenContent } from './hidden.js';
import { elementIn } from './parts.js';
import { decodePage } from './plain.js';
import type { Extract, Missing, ReadOptions } from './result.js';

/** Text of a document in the XML format of Word 2003, whose elements are mostly those of later formats. */
export async function word2003Text(
  bytes: Uint8Array,
  { indexesHidden = false }: Partial<ReadOptions> = {},
): Promise<Extract> {
  const source = decodePage(bytes);
  if (!source.includes('wordDocument>')) throw new Error('Its XML is truncated.');
  const hidden = new HiddenContent(indexesHidden);
  const context = {
    styles: await stylesOf(elementIn(source, 'styles')),
    numbering: await Numbering.read(''),
    hidden,
    noteNumber: () => 0,
  };
  const blocks: Block[] = [];
  const notes = new Map<string, Note>();
  await readBlocks({ source: elementIn(source, 'body'), graphics: new Map() }, context, blocks, notes);
  for (const [number, note] of notes) appendLabeled(blocks, `[${number}] `, note.blocks);
  const objects: Missing | undefined = /<(?:\w+:)?docOleData\b/.test(source)
    ? { cause: 'format', detail: 'The documents embedded in it are not read.' }
    : undefined;
  return { text: textOfBlocks(blocks), missing: objects ?? hidden.missing };
}
