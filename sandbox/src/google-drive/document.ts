import { types } from './mime.js';
import type { FileRow } from './rows.js';

/** The full text of a native Google document: Markdown, CSV, or slides separated by `---`. */
export function documentText({ document }: FileRow): string {
  return (document?.text ?? '').repeat(document?.times ?? 1);
}

/** The text's length in bytes, without building it. */
export function documentLength({ document }: FileRow): number {
  return new TextEncoder().encode(document?.text ?? '').length * (document?.times ?? 1);
}

/** Markdown as plain text. */
export function plainText(markdown: string): string {
  return markdown
    .replace(/^#{1,6} /gm, '')
    .replace(/^[-*] (\[[ x]\] )?/gm, '* ')
    .replace(/\*\*(.+?)\*\*/g, '$1')
    .replace(/`([^`]+)`/g, '$1')
    .replace(/\[([^\]]+)\]\([^)]*\)/g, '$1');
}

/** The text of a native document for full-text search. */
export function searchableText(file: FileRow): string {
  return file.mimeType === types.spreadsheet ? (file.document?.text ?? '') : plainText(file.document?.text ?? '');
}

/** The cells of comma- or tab-separated text. */
export function parseCells(text: string, separator = ','): string[][] {
  const rows: string[][] = [[]];
  let cell = '';
  let isQuoted = false;
  const endCell = () => {
    rows.at(-1)!.push(cell);
    cell = '';
  };
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]!;
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (text[at + 1] === '"') cell += text[++at];
      else isQuoted = false;
    } else if (character === '"' && cell === '') isQuoted = true;
    else if (character === separator) endCell();
    else if (character === '\n') {
      endCell();
      rows.push([]);
    } else if (character !== '\r') cell += character;
  }
  if (cell !== '' || rows.at(-1)!.length > 0) endCell();
  if (rows.at(-1)!.length === 0) rows.pop();
  return rows;
}

/** Cells as CSV with Google Sheets line endings. */
export function toCsv(rows: readonly (readonly string[])[]): string {
  const quoteCell = (cell: string) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  return rows.map((row) => row.map(quoteCell).join(',')).join('\r\n');
}

/** Converts uploaded text to a native Google document. */
export function importText(text: string, from: string, to: string): string {
  const clean = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  if (to === types.spreadsheet)
    return toCsv(parseCells(clean, from === 'text/csv' ? ',' : '\t')).replaceAll('\r\n', '\n');
  if (from !== 'text/html') return clean;
  return clean
    .replace(/<(script|style|head)[\s\S]*?<\/\1>/gi, '')
    .replace(/<h([1-6])[^>]*>/gi, (_, level) => `\n${'#'.repeat(Number(level))} `)
    .replace(/<li[^>]*>/gi, '\n- ')
    .replace(/<(br|\/p|\/h[1-6]|\/div)[^>]*>/gi, '\n')
    .replace(/<[^>]+>/g, '')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, '&')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
