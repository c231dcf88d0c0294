import type { ByteArray } from '../../byte-array.js';
import { documentText, parseCells, plainText, toCsv } from '../document.js';
import { office, types } from '../mime.js';
import type { FileRow } from '../rows.js';
import { docxOf, escapeXml, pptxOf, xlsxOf } from './office.js';
import { pdfOf } from './pdf.js';
import { pngOf } from './png.js';
import { zipOf } from './zip.js';

const byteOrderMark = '\uFEFF';

/** Exports a native document; all formats contain the same text. */
export function exportDocument(file: FileRow, format: string): ByteArray {
  const text = documentText(file);
  const content = file.mimeType === types.spreadsheet ? exportSheet(text, format) : exportText(file, text, format);
  return typeof content === 'string' ? new TextEncoder().encode(content) : content;
}

function exportSheet(text: string, format: string): string | ByteArray {
  const rows = parseCells(text);
  switch (format) {
    case 'text/csv':
      return toCsv(rows);
    case 'text/tab-separated-values':
      return rows.map((row) => row.map((cell) => cell.replace(/[\t\r\n]+/g, ' ')).join('\t')).join('\r\n');
    case office.spreadsheet:
      return xlsxOf(rows);
    default:
      return pdfOf(rows.map((row) => row.join('   ')));
  }
}

function exportText(file: FileRow, text: string, format: string): string | ByteArray {
  const slides = file.mimeType === types.presentation ? text.split('\n---\n') : [text];
  const lines = slides.map((slide) => plainText(slide).split('\n'));
  switch (format) {
    case 'text/plain':
      return byteOrderMark + lines.map((slide) => slide.join('\r\n')).join('\r\n\r\n');
    case 'text/markdown':
      return text;
    case 'text/html':
      return htmlOf(file.name, text);
    case 'application/rtf':
      return rtfOf(lines.flat());
    case 'application/zip':
      return zipOf([{ name: `${file.name.replaceAll('/', '_')}.html`, content: htmlOf(file.name, text) }]);
    case office.document:
      return docxOf(lines.flat());
    case office.presentation:
      return pptxOf(lines);
    case 'image/svg+xml':
      return svgOf(lines.flat());
    case 'image/png':
      return pngOf(96, 72, [70, 120, 160]);
    case 'application/vnd.google-apps.script+json':
      return JSON.stringify({ files: [{ id: file.id, name: 'Code', type: 'server_js', source: text }] });
    default:
      return pdfOf(lines.flatMap((slide) => [...slide, '']));
  }
}

function htmlOf(title: string, markdown: string): string {
  const inline = (line: string) =>
    escapeXml(line)
      .replace(/\*\*(.+?)\*\*/g, '<b>$1</b>')
      .replace(/\[([^\]]+)\]\(([^)]*)\)/g, '<a href="$2">$1</a>');
  const blocks = markdown.split('\n').map((line) => {
    const heading = /^(#{1,6}) (.*)$/.exec(line);
    if (heading) return `<h${heading[1]!.length}>${inline(heading[2]!)}</h${heading[1]!.length}>`;
    if (/^[-*] /.test(line)) return `<ul><li>${inline(line.slice(2))}</li></ul>`;
    return `<p>${inline(line)}</p>`;
  });
  return `<html><head><meta content="text/html; charset=UTF-8" http-equiv="content-type"><title>${escapeXml(title)}</title></head><body class="doc-content">${blocks.join('')}</body></html>`;
}

function rtfOf(lines: readonly string[]): string {
  const line = (text: string) =>
    Array.from(text.replace(/[\\{}]/g, '\\$&'), (character) => {
      if (character < '\u0080') return character;
      return Array.from(
        { length: character.length },
        (_, unit) => `\\u${(character.charCodeAt(unit) << 16) >> 16}?`,
      ).join('');
    }).join('');
  return `{\\rtf1\\ansi\\deff0{\\fonttbl{\\f0 Arial;}}\n${lines.map((text) => `${line(text)}\\par`).join('\n')}\n}`;
}

function svgOf(lines: readonly string[]): string {
  const shown = lines.map((line, index) => `<text x="20" y="${40 + index * 24}">${escapeXml(line)}</text>`).join('');
  return `<svg xmlns="http://www.w3.org/2000/svg" width="960" height="720">${shown}</svg>`;
}
