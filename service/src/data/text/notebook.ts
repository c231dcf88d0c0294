import { htmlText } from './html.js';
import { exceedsLimit } from './normalize.js';
import { decodeText, withoutFiles } from './plain.js';
import type { Extract } from './result.js';

/** A string, or its lines; other values are damaged. */
type Source = unknown;
type Fields = Readonly<Record<string, Source>>;

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});
const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);
const textOf = (source: Source): string =>
  (Array.isArray(source) ? source : [source]).filter((line) => typeof line === 'string').join('');

/** Escape sequences of terminals, such as those of colors; a lone carriage return overwrites the line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
const terminal = /\u001b\[[\d;?]*[A-Za-z]|^.*\r(?!\n)/gm;
const plain = (source: Source): string => textOf(source).replace(terminal, '').trim();

/** Text of a notebook: the text, code and outputs of its cells (format: https://nbformat.readthedocs.io). */
export async function notebookText(bytes: Uint8Array): Promise<Extract> {
  const { cells, worksheets } = fieldsOf(JSON.parse(decodeText(bytes)));
  const all = Array.isArray(cells) ? listOf(cells) : listOf(worksheets).flatMap((sheet) => listOf(sheet.cells));
  if (!Array.isArray(cells) && !Array.isArray(worksheets)) throw new Error('It has no cells.');
  const texts: string[] = [];
  let length = 0;
  for (const { cell_type, level, source, input, outputs } of all) {
    const marker = cell_type === 'heading' ? `${'#'.repeat(Math.min(6, Number(level) || 1))} ` : '';
    const cell = [marker + withoutFiles(textOf(source ?? input)).trim()];
    for (const output of listOf(outputs)) cell.push(await outputText(output));
    for (const text of cell.filter((one) => one !== '')) {
      texts.push(text);
      length += text.length;
    }
    if (exceedsLimit(length)) break;
  }
  return texts.join('\n\n');
}

/** What a cell printed, returned, or failed with. */
async function outputText({ text, data, html, ename, evalue }: Fields): Promise<string> {
  if (ename !== undefined) return `${plain(ename)}: ${plain(evalue)}`;
  // Notebooks before version 4 have no list of types.
  const types = fieldsOf(data);
  const shown = plain(text ?? types['text/plain'] ?? types['text/markdown'] ?? types['text/latex']);
  return shown !== '' ? shown : htmlText(textOf(html ?? types['text/html']));
}
