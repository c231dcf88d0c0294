import { startsAsXml } from './flat-package.js';
import { HiddenContent } from './hidden.js';
import { exceedsLimit } from './normalize.js';
import { decodePage } from './plain.js';
import type { Extract, ReadOptions } from './result.js';
import { SheetRows } from './table.js';

/** The parser's result, whose published types do not have the options. */
type WordDocument = Readonly<
  Record<
    `get${'Body' | 'Footnotes' | 'Endnotes' | 'Annotations' | 'Textboxes' | 'Headers'}`,
    (options: { readonly [option: string]: boolean }) => string
  >
>;

/** Text of a Word 97-2003 document, with notes, comments, text boxes, headers and footers at the end. */
export async function docText(bytes: Uint8Array): Promise<string> {
  const { default: WordExtractor } = await import('word-extractor');
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const document = (await new WordExtractor().extract(file)) as unknown as WordDocument;
  const options = { filterUnicode: false };
  return [
    document.getBody(options),
    document.getFootnotes(options),
    document.getEndnotes(options),
    document.getAnnotations(options),
    document.getTextboxes({ ...options, includeHeadersAndFooters: false }),
    document.getHeaders({ ...options, includeFooters: true }),
  ]
    .map((part) =>
      part
        .replace(/\t+\n/g, '\n')
        .replace(/[^\S\n]*\t[^\S\n]*/g, ' | ')
        .replace(/\n{3,}/g, '\n\n')
        .trim(),
    )
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Cells of an Excel 97-2003 or binary workbook, or one in the XML format of Excel 2003, as displayed. */
export async function xlsText(bytes: Uint8Array, { indexesHidden }: Partial<ReadOptions> = {}): Promise<Extract> {
  const XLSX = await import('@e965/xlsx');
  const options = { dense: true, cellFormula: false, cellHTML: false, cellStyles: true } as const;
  const isXml = startsAsXml(bytes);
  const book = isXml
    ? XLSX.read(decodePage(bytes), { ...options, type: 'string' })
    : XLSX.read(bytes, { ...options, type: 'array' });
  const hidden = new HiddenContent(indexesHidden);
  const texts: string[] = [];
  let length = 0;
  for (const [index, name] of book.SheetNames.entries()) {
    const sheet = book.Sheets[name];
    if (!sheet) continue;
    const isSheetHidden = Boolean(book.Workbook?.Sheets?.[index]?.Hidden);
    if (isSheetHidden && hidden.leaveOut('sheets')) continue;
    const rows = new SheetRows();
    for (const [at, row] of (sheet['!data'] ?? []).entries()) {
      if (!row || exceedsLimit(length)) continue;
      const isRowHidden = sheet['!rows']?.[at]?.hidden === true;
      const cells = row.flatMap((cell, column): Array<readonly [column: number, text: string]> => {
        if (!cell) return [];
        const text = (cell.t === 'b' ? (cell.v ? 'TRUE' : 'FALSE') : (cell.w ?? String(cell.v ?? '')))
          .replace(/\s+/g, ' ')
          .trim();
        const comment = (cell.c ?? [])
          // In XML, comments have the elements of web pages.
          .map(({ t = '' }) => (isXml ? t.replace(/<[^>]*>/g, '') : t).replace(/\s+/g, ' ').trim())
          .join(' ');
        const shown = [text, comment && `(${comment})`].filter(Boolean).join(' ');
        const isCellHidden = sheet['!cols']?.[column]?.hidden === true && !isRowHidden;
        if (shown === '' || (isCellHidden && hidden.leaveOut('cells'))) return [];
        length += shown.length;
        return [[column, isCellHidden ? `[Hidden] ${shown}` : shown]];
      });
      if (cells.length === 0 || (isRowHidden && hidden.leaveOut('rows'))) continue;
      rows.add(isRowHidden ? '[Hidden] ' : '', cells);
    }
    const lines = rows.lines();
    if (lines.length > 0) texts.push(`# ${name}${isSheetHidden ? ' [Hidden]' : ''}\n\n${lines.join('\n')}`);
  }
  return { text: texts.join('\n\n'), missing: hidden.missing };
}
