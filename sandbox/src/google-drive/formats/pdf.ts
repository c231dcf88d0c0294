import type { ByteArray } from '../../byte-array.js';
/** A minimal valid PDF with forty lines of text per page. */
export function pdfOf(lines: readonly string[]): ByteArray {
  const pages: string[][] = [];
  for (let at = 0; at < Math.max(1, lines.length); at += linesPerPage) pages.push(lines.slice(at, at + linesPerPage));
  const pageIds = pages.map((_, index) => 4 + index * 2);
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${pageIds.map((id) => `${id} 0 R`).join(' ')}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    ...pages.flatMap((page, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${pageIds[index]! + 1} 0 R >>`,
      streamOf(page),
    ]),
  ];
  let text = '%PDF-1.4\n%\xe2\xe3\xcf\xd3\n';
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const start = text.length;
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

const linesPerPage = 40;

function streamOf(lines: readonly string[]): string {
  const shown = lines.map((line) => `(${escapeText(line)}) Tj T*`).join('\n');
  const content = `BT\n/F1 11 Tf\n50 790 Td\n18 TL\n${shown}\nET`;
  return `<< /Length ${content.length} >>\nstream\n${content}\nendstream`;
}

/** The font only supports Latin letters. */
function escapeText(line: string): string {
  return Array.from(line.normalize('NFC'), (character) => {
    if ('\\()'.includes(character)) return `\\${character}`;
    const code = character.codePointAt(0)!;
    return code < 32 || (code > 126 && code < 160) || code > 255 ? '?' : character;
  }).join('');
}
