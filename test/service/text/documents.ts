import { strToU8, zipSync } from 'fflate';

const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const kind = 'application/vnd.openxmlformats-officedocument';

/** MIME types of the documents. */
export const types = {
  docx: `${kind}.wordprocessingml.document`,
  xlsx: `${kind}.spreadsheetml.sheet`,
  pptx: `${kind}.presentationml.presentation`,
  pdf: 'application/pdf',
};

/** An Office document with the given parts. */
export const officeFile = (parts: Readonly<Record<string, string | Uint8Array>>): Uint8Array =>
  zipSync(
    Object.fromEntries(
      Object.entries(parts).map(([path, part]) => [path, typeof part === 'string' ? strToU8(part) : part]),
    ),
  );

/** The part that lists the relationships of another part. */
export const relationsPart = (targets: Readonly<Record<string, readonly [type: string, target: string]>>): string =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${Object.entries(targets)
    .map(([id, [type, target]]) => `<Relationship Id="${id}" Type="${relations}/${type}" Target="${target}"/>`)
    .join('')}</Relationships>`;

/** A Word document with the given body. */
export const wordFile = (body: string, more: Readonly<Record<string, string | Uint8Array>> = {}): Uint8Array =>
  officeFile({
    '[Content_Types].xml': `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="${types.docx}.main+xml"/></Types>`,
    '_rels/.rels': relationsPart({ rId1: ['officeDocument', 'word/document.xml'] }),
    'word/document.xml': `<?xml version="1.0" encoding="UTF-8"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`,
    ...more,
  });

/** A paragraph of a Word document, optionally with a style. */
export const paragraph = (text: string, style?: string): string =>
  `<w:p>${style ? `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>` : ''}<w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;

/** Heading styles of a Word document. */
export const wordStyles = {
  'word/styles.xml':
    '<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style></w:styles>',
  'word/_rels/document.xml.rels': relationsPart({ rId9: ['styles', 'styles.xml'] }),
};

/** A workbook with the given sheets, and additional parts by relationship. */
export function workbook(
  sheets: Readonly<Record<string, string>>,
  more: Readonly<Record<string, readonly [type: string, xml: string | Uint8Array]>> = {},
): Uint8Array {
  const names = Object.keys(sheets);
  return officeFile({
    'xl/workbook.xml': `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${relations}"><sheets>${names
      .map((name, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="s${index}"/>`)
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relationsPart({
      ...Object.fromEntries(names.map((_, index) => [`s${index}`, ['worksheet', `worksheets/sheet${index}.xml`]])),
      ...Object.fromEntries(Object.entries(more).map(([path, [type]]) => [path.replace('.', '-'), [type, path]])),
    }),
    ...Object.fromEntries(
      names.map((name, index) => [
        `xl/worksheets/sheet${index}.xml`,
        `<worksheet><sheetData>${sheets[name]}</sheetData></worksheet>`,
      ]),
    ),
    ...Object.fromEntries(Object.entries(more).map(([path, [, xml]]) => [`xl/${path}`, xml])),
  });
}

/** Encodes text as UTF-16 bytes. */
export function utf16(text: string, isBig: boolean): Uint8Array {
  const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le');
  return new Uint8Array(isBig ? bytes.swap16() : bytes);
}
