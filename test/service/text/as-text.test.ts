import { unzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { docxOf, pptxOf } from '../../../sandbox/src/google-drive/formats/office.js';
import { types, utf16 } from './documents.js';
import { openTextReader } from './open-reader.js';

const { read, textOf } = openTextReader();
const bytesOf = (text: string) => new TextEncoder().encode(text);
const generic = 'application/octet-stream';

describe('a notebook', () => {
  const notebook = {
    cells: [
      { cell_type: 'markdown', source: ['# Churn\n', 'Two regions'] },
      {
        cell_type: 'code',
        source: ['frame = load()\n', 'frame.head()'],
        outputs: [
          { output_type: 'stream', name: 'stdout', text: ['10%\r', '100%\n', '\u001b[31mred\u001b[0m alert\n'] },
          {
            output_type: 'execute_result',
            data: { 'text/plain': ['   region\n', '0  North'], 'text/html': ['<table>'] },
          },
          { output_type: 'display_data', data: { 'image/png': 'iVBORw0KGgo=' } },
          { output_type: 'display_data', data: { 'text/html': '<b>Bold</b> claim' } },
          { output_type: 'error', ename: 'KeyError', evalue: "'South'", traceback: ['\u001b[0;31m---'] },
        ],
      },
      { cell_type: 'raw', source: 'raw words', attachments: { 'a.png': { 'image/png': 'iVBORw0KGgo=' } } },
    ],
    metadata: { kernelspec: { name: 'python3' } },
    nbformat: 4,
    nbformat_minor: 5,
  };
  const expected =
    "# Churn\nTwo regions\n\nframe = load()\nframe.head()\n\n100%\nred alert\n\nregion\n0  North\n\nBold claim\n\nKeyError: 'South'\n\nraw words";

  test.each([
    [generic, 'a.ipynb'],
    ['application/json', 'a.ipynb'],
    ['application/x-ipynb+json', 'a'],
    ['application/vnd.google.colaboratory', 'a'],
    ['text/plain', 'a'],
  ])('declared as %s has the text, code and outputs of its cells', async (type, name) => {
    expect(await read(bytesOf(JSON.stringify(notebook)), type, name)).toEqual({ text: expected, state: 'read' });
  });

  test('of an older version has them, too', async () => {
    const cells = [
      { cell_type: 'heading', level: 2, source: ['Scope'] },
      {
        cell_type: 'code',
        input: ['1 + 1'],
        outputs: [
          { output_type: 'pyout', text: ['2'] },
          { output_type: 'pyerr', ename: 'E', evalue: 'v' },
        ],
      },
    ];
    const source = JSON.stringify({ metadata: { name: '' }, nbformat: 3, worksheets: [{ cells }] });
    expect(await textOf(bytesOf(source), generic, 'a')).toBe('## Scope\n\n1 + 1\n\n2\n\nE: v');
  });

  test('that is damaged says so', async () => {
    for (const source of ['{"cells": [', '{"nbformat": 4}', '[]']) {
      expect(await read(bytesOf(source), generic, 'a.ipynb')).toMatchObject({ state: 'not_read', cause: 'damaged' });
    }
  });
});

/** An Office document as a single XML file. */
function flat(document: Uint8Array, program: string): string {
  const parts = Object.entries(unzipSync(document)).map(([path, bytes]) =>
    /\.(?:xml|rels)$/.test(path)
      ? `<pkg:part pkg:name="/${path}" pkg:contentType="application/xml"><pkg:xmlData>${new TextDecoder().decode(bytes).replace(/^<\?xml[^>]*>\s*/, '')}</pkg:xmlData></pkg:part>`
      : `<pkg:part pkg:name="/${path}" pkg:contentType="image/png" pkg:compression="store"><pkg:binaryData>${Buffer.from(bytes).toString('base64')}</pkg:binaryData></pkg:part>`,
  );
  return `<?xml version="1.0" standalone="yes"?>\r\n<?mso-application progid="${program}"?>\r\n<pkg:package xmlns:pkg="http://schemas.microsoft.com/office/2006/xmlPackage">${parts.join('')}</pkg:package>`;
}

const anyType: ReadonlyArray<readonly [type: string, name: string]> = [
  ['text/xml', 'a.xml'],
  ['application/xml', 'a'],
  ['text/plain', 'a.txt'],
  [generic, 'a'],
];
const word = ['application/msword', 'a.doc'] as const;

describe('an Office document as a single XML file', () => {
  test.each([...anyType, [types.docx, 'a.docx'] as const, word])('declared as %s is read', async (type, name) => {
    const document = flat(docxOf(['Müller pays']), 'Word.Document');
    expect(await read(bytesOf(document), type, name)).toEqual({ text: 'Müller pays', state: 'read' });
    expect(await textOf(utf16(document, false), type, name)).toBe('Müller pays');
  });

  test('may be a presentation', async () => {
    const document = flat(pptxOf([['First', 'Second']]), 'PowerPoint.Show');
    expect(await textOf(bytesOf(document), 'text/xml', 'a.xml')).toBe(
      await textOf(pptxOf([['First', 'Second']]), types.pptx, 'a.pptx'),
    );
  });

  test('that is cut off says so', async () => {
    const document = flat(docxOf(['Müller pays']), 'Word.Document');
    const cut = document.slice(0, document.indexOf('pays'));
    expect(await read(bytesOf(cut), 'text/xml', 'a.xml')).toMatchObject({ state: 'not_read', cause: 'damaged' });
  });
});

describe('a Word 2003 XML document', () => {
  const p = (text: string, properties = '') => `<w:p>${properties}<w:r><w:t>${text}</w:t></w:r></w:p>`;
  const wordOf = (body: string) =>
    `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><?mso-application progid="Word.Document"?><w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml" w:macrosPresent="no"><o:DocumentProperties><o:Author>Ada</o:Author></o:DocumentProperties><w:styles><w:style w:type="paragraph" w:styleId="H"><w:name w:val="heading 2"/></w:style></w:styles><w:body><wx:sect>${body}</wx:sect></w:body></w:wordDocument>`;
  const body = [
    p('Scope', '<w:pPr><w:pStyle w:val="H"/></w:pPr>'),
    `<w:p><w:r><w:t>pays</w:t></w:r><w:r><w:footnote><w:p><w:r><w:t>in euros</w:t></w:r></w:p></w:footnote></w:r><w:r><w:t> 顧客</w:t></w:r></w:p>`,
    p('rent', '<w:pPr><w:listPr><w:ilvl w:val="0"/><wx:t wx:val="1."/></w:listPr></w:pPr>'),
    p('gas', '<w:pPr><w:listPr><w:ilvl w:val="0"/><wx:t wx:val="·"/></w:listPr></w:pPr>'),
    `<w:tbl><w:tr><w:tc>${p('a')}</w:tc><w:tc>${p('b')}</w:tc></w:tr></w:tbl>`,
    '<w:p><aml:annotation w:type="Word.Deletion"><aml:content><w:r><w:delText>GONE</w:delText></w:r></aml:content></aml:annotation><aml:annotation w:type="Word.Insertion"><aml:content><w:r><w:t>added</w:t></w:r></aml:content></aml:annotation><w:r><w:pict><w:binData w:name="a.png">iVBORw0KGgo=</w:binData></w:pict></w:r></w:p>',
    `<w:sectPr><w:hdr w:type="odd">${p('HEADER')}</w:hdr></w:sectPr>`,
  ].join('');

  test.each([...anyType, word])('declared as %s is read', async (type, name) => {
    expect(await read(bytesOf(wordOf(body)), type, name)).toEqual({
      text: '## Scope\n\npays[1] 顧客\n\n1. rent\n\n- gas\n\na | b\n\nadded\n\nHEADER\n\n[1] in euros',
      state: 'read',
    });
  });

  test('says what is not read of it', async () => {
    const object = '<w:p><w:r><w:object><w:binData>AA==</w:binData></w:object></w:r></w:p><w:docOleData/>';
    expect(await read(bytesOf(wordOf(p('shown') + object)), 'text/xml', 'a.xml')).toMatchObject({
      text: 'shown',
      state: 'partial',
      cause: 'format',
    });
    const cut = wordOf(body).slice(0, -200);
    expect(await read(bytesOf(cut), 'text/xml', 'a.xml')).toMatchObject({ state: 'not_read', cause: 'damaged' });
  });
});

describe('an Excel 2003 XML workbook', () => {
  const cell = (text: string, type = 'String', more = '') =>
    `<Cell${more}><Data ss:Type="${type}">${text}</Data></Cell>`;
  const book = `<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>\n<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet"><Styles><Style ss:ID="p"><NumberFormat ss:Format="0.0%"/></Style></Styles><Worksheet ss:Name="Offers &amp; more"><Table><Column ss:Index="4" ss:Hidden="1" ss:AutoFitWidth="0" ss:Width="60"/><Row>${cell('M&#252;ller &lt;顧客&gt;')}${cell('0.256', 'Number', ' ss:StyleID="p"')}<Cell><Data ss:Type="String">seen</Data><Comment ss:Author="A"><ss:Data><B>Ada:</B> why</ss:Data></Comment></Cell>${cell('COLUMN')}</Row><Row ss:Hidden="1">${cell('ROW')}</Row><Row ss:Index="5"><Cell ss:Index="2"><ss:Data ss:Type="String"><B>rich</B> text</ss:Data></Cell></Row></Table></Worksheet><Worksheet ss:Name="Secret"><Table><Row>${cell('SHEET')}</Row></Table><WorksheetOptions xmlns="urn:schemas-microsoft-com:office:excel"><Visible>SheetHidden</Visible></WorksheetOptions></Worksheet></Workbook>`;

  test.each([...anyType, ['application/vnd.ms-excel', 'a.xls'] as const])(
    'declared as %s is read',
    async (type, name) => {
      expect(await read(bytesOf(book), type, name)).toMatchObject({
        text: '# Offers & more\n\nMüller <顧客> | 25.6% | seen (Ada: why)\n | rich text',
        state: 'partial',
        cause: 'hidden',
        detail: 'Hidden content is not indexed: cells (1), rows (1), sheets (1).',
      });
    },
  );
});

describe('a flat OpenDocument file', () => {
  const image =
    '<draw:frame><draw:image><office:binary-data>iVBORw0KGgoAAAANSUhEUg==</office:binary-data></draw:image></draw:frame>';
  const flatOf = (kind: string, body: string) =>
    `<?xml version="1.0" encoding="UTF-8"?>\n<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" ${Array.from({ length: 60 }, (_, at) => `xmlns:n${at}="urn:oasis:names:tc:opendocument:xmlns:number:${at}"`).join(' ')} office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.${kind}"><office:meta><meta:generator>LibreOffice</meta:generator></office:meta><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document>`;

  test.each(anyType)('declared as %s is read', async (type, name) => {
    const files = [
      ['text', `<text:p>before${image}after</text:p>`, 'beforeafter'],
      [
        'spreadsheet',
        '<table:table table:name="A"><table:table-row><table:table-cell><text:p>7</text:p></table:table-cell></table:table-row></table:table>',
        '# A\n\n7',
      ],
      [
        'presentation',
        `<draw:page><draw:frame><draw:text-box><text:p>Title</text:p></draw:text-box></draw:frame>${image}</draw:page>`,
        'Title',
      ],
    ] as const;
    for (const [kind, body, text] of files) {
      expect(await read(bytesOf(flatOf(kind, body)), type, name)).toEqual({ text, state: 'read' });
    }
  });
});

describe('a web page or an email', () => {
  test.each([
    ['application/vnd.ms-excel', 'a.xls'],
    ['application/msword', 'a.doc'],
  ])('declared as %s is read', async (type, name) => {
    const table = '<style>td { color: red }</style><table><tr><td>a</td><td>b</td></tr></table>';
    expect(await textOf(bytesOf(table), type, name)).toBe('a | b');
    const saved = `Date: Fri, 27 Nov 2026 09:00:00 +0000\r\nSubject: Exported\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n<html><p>Minutes</p></html>\r\n--b--\r\n`;
    expect(await textOf(bytesOf(saved), type, name)).toContain('\n\nMinutes');
  });

  test('declared as text is read as what it is', async () => {
    expect(await textOf(bytesOf('<!doctype html><p>Minutes</p>'), 'text/plain', 'a.txt')).toBe('Minutes');
    expect(await textOf(bytesOf('<p>Minutes</p>'), 'text/plain', 'a.html')).toBe('Minutes');
    expect(await textOf(bytesOf('Subject: Offer\n\n=?x'), 'text/plain', 'a.eml')).toBe('Subject: Offer\n\n=?x\n');
    const email = 'Received: from a\r\n by b\r\nSubject: =?utf-8?q?J=C3=B6rg?=\r\n\r\nBody';
    expect(await textOf(bytesOf(email), 'text/plain', 'a')).toBe('Subject: Jörg\n\nBody\n');
  });

  test('only mentioned in a text leaves it as it is', async () => {
    for (const text of ['Subject: Offer\n\nBody', 'From here on 10:00\nsee <html>', '{"cells": 1}', '<note>a</note>']) {
      expect(await textOf(bytesOf(text), 'text/plain', 'a.txt')).toBe(text);
    }
  });
});

describe('a mailbox', () => {
  const message = (subject: string, ...body: string[]) =>
    ['From ada@example.com Fri Nov 27 09:00:00 2026', `Subject: ${subject}`, '', ...body, ''].join('\r\n');
  const attachment = Buffer.from('a;b').toString('base64');
  const mailbox = [
    message('=?utf-8?q?J=C3=B6rg?=', 'First', '', '>From here on,', '', 'From now on'),
    message('Second').replace(
      '\r\n\r\n',
      `\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/csv\r\nContent-Disposition: attachment; filename="list.csv"\r\nContent-Transfer-Encoding: base64\r\n\r\n${attachment}\r\n--b\r\nContent-Type: application/zip\r\nContent-Disposition: attachment; filename="all.zip"\r\nContent-Transfer-Encoding: base64\r\n\r\nUEsDBA==\r\n--b--\r\n`,
    ),
    message('Third', 'Last'),
  ].join('\r\n');

  test.each([
    ['application/mbox', 'a'],
    ['text/plain', 'a.mbox'],
    [generic, 'a'],
    ['message/rfc822', 'a.eml'],
  ])('declared as %s has its messages and their attachments', async (type, name) => {
    for (const source of [mailbox, mailbox.replaceAll('\r\n', '\n')]) {
      const { text, state, cause, detail } = await read(bytesOf(source), type, name);
      expect(text).toMatch(
        /^Subject: Jörg\n\nFirst\n\nFrom here on,\n\nFrom now on\n\n---\n\nSubject: Second\n\nAttachments:\n- list\.csv\n- all\.zip\n\nAttachment \(list\.csv\):\n\na;b\n\n---\n\nSubject: Third\n\nLast$/,
      );
      expect({ state, cause, detail }).toMatchObject({ state: 'partial', detail: expect.stringContaining('all.zip') });
    }
  });

  test('of a single message in another encoding is read', async () => {
    const source = Buffer.from(`${message('Offer', 'K\xfcndigung')}`, 'latin1');
    const typed = Buffer.from(
      source.toString('latin1').replace('\r\n\r\n', '\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\r\n'),
      'latin1',
    );
    expect(await textOf(new Uint8Array(typed), 'application/mbox', 'a.mbox')).toBe('Subject: Offer\n\nKündigung');
  });
});
