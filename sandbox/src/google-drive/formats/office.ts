import type { ByteArray } from '../../byte-array.js';
import { type ZipEntry, zipOf } from './zip.js';

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const openTypes = 'application/vnd.openxmlformats-officedocument';

/** A Word document with one paragraph per line. */
export function docxOf(lines: readonly string[]): ByteArray {
  const paragraphs = lines.map((line) => `<w:p><w:r><w:t xml:space="preserve">${escapeXml(line)}</w:t></w:r></w:p>`);
  const body = `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${paragraphs.join('')}</w:body></w:document>`;
  return officePackage('word/document.xml', `${openTypes}.wordprocessingml.document.main+xml`, body, []);
}

/** An Excel workbook with one sheet. */
export function xlsxOf(rows: readonly (readonly string[])[]): ByteArray {
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const cells = (row: readonly string[]) =>
    row.map((cell) =>
      isNumber(cell) ? `<c><v>${cell}</v></c>` : `<c t="inlineStr"><is><t>${escapeXml(cell)}</t></is></c>`,
    );
  const data = rows.map((row) => `<row>${cells(row).join('')}</row>`).join('');
  const workbook = `<workbook xmlns="${main}" xmlns:r="${relations}"><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>`;
  const sheet = `<worksheet xmlns="${main}"><sheetData>${data}</sheetData></worksheet>`;
  return officePackage('xl/workbook.xml', `${openTypes}.spreadsheetml.sheet.main+xml`, workbook, [
    {
      path: 'worksheets/sheet1.xml',
      type: `${openTypes}.spreadsheetml.worksheet+xml`,
      relation: 'worksheet',
      xml: sheet,
    },
  ]);
}

/** A PowerPoint presentation with one text box per slide. */
export function pptxOf(slides: readonly (readonly string[])[]): ByteArray {
  const names =
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"';
  const ids = slides.map((_, index) => `<p:sldId id="${256 + index}" r:id="rId${index + 1}"/>`).join('');
  const presentation = `<p:presentation ${names} xmlns:r="${relations}"><p:sldIdLst>${ids}</p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/></p:presentation>`;
  const group =
    '<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/><p:sp><p:nvSpPr><p:cNvPr id="2" name="Text"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/>';
  const slide = (lines: readonly string[]) =>
    `<p:sld ${names}><p:cSld><p:spTree>${group}<p:txBody><a:bodyPr/>${lines.map((line) => `<a:p><a:r><a:t>${escapeXml(line)}</a:t></a:r></a:p>`).join('')}</p:txBody></p:sp></p:spTree></p:cSld></p:sld>`;
  return officePackage(
    'ppt/presentation.xml',
    `${openTypes}.presentationml.presentation.main+xml`,
    presentation,
    slides.map((lines, index) => ({
      path: `slides/slide${index + 1}.xml`,
      type: `${openTypes}.presentationml.slide+xml`,
      relation: 'slide',
      xml: slide(lines),
    })),
  );
}

interface Part {
  path: string;
  type: string;
  relation: string;
  xml: string;
}

function officePackage(main: string, type: string, xml: string, parts: readonly Part[]): ByteArray {
  const [folder, file] = main.split('/') as [string, string];
  const overrides = [{ path: file, type }, ...parts]
    .map((part) => `<Override PartName="/${folder}/${part.path}" ContentType="${part.type}"/>`)
    .join('');
  const relation = (id: number, name: string, target: string) =>
    `<Relationship Id="rId${id}" Type="${relations}/${name}" Target="${target}"/>`;
  const relationshipsXml = (inner: string) =>
    `${declaration}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${inner}</Relationships>`;
  const entries: ZipEntry[] = [
    {
      name: '[Content_Types].xml',
      content: `${declaration}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${overrides}</Types>`,
    },
    { name: '_rels/.rels', content: relationshipsXml(relation(1, 'officeDocument', main)) },
    { name: main, content: `${declaration}${xml}` },
    ...parts.map((part) => ({ name: `${folder}/${part.path}`, content: `${declaration}${part.xml}` })),
  ];
  if (parts.length > 0) {
    const inner = parts.map((part, index) => relation(index + 1, part.relation, part.path)).join('');
    entries.push({ name: `${folder}/_rels/${file}.rels`, content: relationshipsXml(inner) });
  }
  return zipOf(entries);
}

function isNumber(cell: string): boolean {
  return /^-?\d+(\.\d+)?$/.test(cell);
}

/** Text escaped for XML, without disallowed control characters. */
export function escapeXml(text: string): string {
  return Array.from(text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;'))
    .filter((character) => character >= ' ' || character === '\t')
    .join('');
}
