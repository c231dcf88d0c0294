import { exceedsLimit } from './normalize.js';

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

/** Cells of an Excel 97-2003 or binary workbook as displayed, without hidden sheets, rows and columns. */
export async function xlsText(bytes: Uint8Array): Promise<string> {
  const XLSX = await import('@e965/xlsx');
  const book = XLSX.read(bytes, { type: 'array', dense: true, cellFormula: false, cellHTML: false, cellStyles: true });
  const texts: string[] = [];
  let length = 0;
  for (const [index, name] of book.SheetNames.entries()) {
    const sheet = book.Sheets[name];
    if (!sheet || book.Workbook?.Sheets?.[index]?.Hidden) continue;
    const rows: string[] = [];
    for (const [at, row] of (sheet['!data'] ?? []).entries()) {
      if (!row || sheet['!rows']?.[at]?.hidden || exceedsLimit(length)) continue;
      const cells = row.flatMap((cell, column) => {
        if (!cell || sheet['!cols']?.[column]?.hidden) return [];
        const text = (cell.t === 'b' ? (cell.v ? 'TRUE' : 'FALSE') : (cell.w ?? String(cell.v ?? '')))
          .replace(/\s+/g, ' ')
          .trim();
        const comment = (cell.c ?? []).map(({ t }) => (t ?? '').replace(/\s+/g, ' ').trim()).join(' ');
        return [text, comment && `(${comment})`].filter(Boolean).join(' ') || [];
      });
      if (cells.length === 0) continue;
      rows.push(cells.join(' | '));
      length += rows.at(-1)!.length;
    }
    if (rows.length > 0) texts.push(`# ${name}\n\n${rows.join('\n')}`);
  }
  return texts.join('\n\n');
}
