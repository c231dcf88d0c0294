import { brotliCompressSync, deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { docxOf } from '../../../sandbox/src/google-drive/formats/office.js';
import { types } from './documents.js';
import { openTextReader } from './open-reader.js';

const { textOf, read: outcomeOf } = openTextReader();

const helvetica = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';

interface Page {
  readonly content: string;
  /** The font `F1`. */
  readonly font?: string;
  readonly annotations?: readonly string[];
  /** The filter of the content. */
  readonly filter?: string;
  /** Objects from number 10 on. */
  readonly objects?: readonly string[];
  /** Entries of the catalog and of the form. */
  readonly catalog?: string;
  readonly form?: string;
}

/** A PDF with one page. */
function pdfFile({ content, font = helvetica, filter = '', ...more }: Page): Uint8Array {
  const { annotations = [], objects = [], catalog = '', form = '' } = more;
  const fields = annotations.filter((annotation) => annotation.includes('/Widget'));
  const all = [
    `<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [${fields.map((field) => `${50 + annotations.indexOf(field)} 0 R`).join(' ')}] ${form} >> ${catalog} >>`,
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 4 0 R >> >> /Contents 5 0 R /Annots [${annotations.map((_, at) => `${50 + at} 0 R`).join(' ')}] >>`,
    font,
    `<< /Length ${content.length} ${filter} >>\nstream\n${content}\nendstream`,
  ];
  const numbered = [
    ...all.map((object, at) => [at + 1, object] as const),
    ...objects.map((object, at) => [at + 10, object] as const),
    ...annotations.map((object, at) => [at + 50, `<< /Type /Annot ${object} >>`] as const),
  ];
  const source = numbered.map(([id, object]) => `${id} 0 obj\n${object}\nendobj\n`).join('');
  return new Uint8Array(Buffer.from(`%PDF-1.7\n${source}trailer\n<< /Size 99 /Root 1 0 R >>\n%%EOF\n`, 'latin1'));
}

/** A font in one of the encodings that PDF defines, with no glyphs. */
function unembedded(encoding: string, ordering: string): Pick<Page, 'font' | 'objects'> {
  const descendant = `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Font /CIDSystemInfo << /Registry (Adobe) /Ordering (${ordering}) /Supplement 2 >> /FontDescriptor 11 0 R >>`;
  const descriptor =
    '<< /Type /FontDescriptor /FontName /Font /Flags 4 /FontBBox [0 0 1000 1000] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>';
  return {
    font: `<< /Type /Font /Subtype /Type0 /BaseFont /Font /Encoding /${encoding} /DescendantFonts [10 0 R] >>`,
    objects: [descendant, descriptor],
  };
}

const read = (page: Page) => textOf(pdfFile(page), types.pdf, 'a.pdf');
const show = (at: string, text: string) => `BT /F1 11 Tf ${at} Td ${text} Tj ET\n`;

describe('the words of a PDF', () => {
  test.each([
    ['90ms-RKSJ-H', 'Japan1', '<8CA990CF8F91>', '見積書'],
    ['UniJIS-UCS2-H', 'Japan1', '<6771 4EAC>', '東京'],
    ['GBK-EUC-H', 'GB1', '<D6D0 CEC4>', '中文'],
    ['UniGB-UCS2-H', 'GB1', '<5408 540C>', '合同'],
    ['ETen-B5-H', 'CNS1', '<A4A4 A4E5>', '中文'],
    ['KSCms-UHC-H', 'Korea1', '<B0E8 BEE0>', '계약'],
  ])('are read in the encoding %s without an embedded font', async (encoding, ordering, codes, text) => {
    expect(await read({ content: show('50 700', codes), ...unembedded(encoding, ordering) })).toBe(text);
  });

  test.each([
    ['written from top to bottom', 'UniJIS-UCS2-V', show('500 700', '<6771 4EAC>')],
    ['drawn one character at a time', 'UniJIS-UCS2-H', show('50 700', '<6771>') + show('61 700', '<4EAC>')],
  ])('are read without an embedded font if they are %s', async (_, encoding, content) => {
    expect(await read({ content, ...unembedded(encoding, 'Japan1') })).toBe('東京');
  });

  test('are joined if they are split at the end of a line, except before a capital letter or a digit', async () => {
    const lines = ['Please check the Zahlungs-', 'bedingungen of the Anglo-', 'American contract.'];
    const content = lines.map((line, at) => show(`50 ${700 - 14 * at}`, `(${line})`)).join('');
    expect(await read({ content })).toBe('Please check the Zahlungsbedingungen of the Anglo-American contract.');
  });

  test('in different cells are separate', async () => {
    const content = show('50 700', '(2.5)') + show('80 700', '(kilograms per unit)') + show('50 600', '(Heading)');
    expect(await read({ content })).toMatch(/^2\.5\s+kilograms per unit\n+Heading$/);
  });

  test('printed twice to look bold occur once', async () => {
    expect(await read({ content: show('50 700', '(Invoice)') + show('50.3 700', '(Invoice)') })).toBe('Invoice');
  });

  test('are those of ActualText, if there is one', async () => {
    const content = `BT /F1 11 Tf 50 700 Td (see ) Tj /Span << /ActualText (section) >> BDC (\\247) Tj EMC ( 5) Tj ET`;
    expect(await read({ content })).toBe('see section 5');
  });

  test('in Arabic have their letters in the order in which they are read, also in ligatures', async () => {
    const codes = [
      ['01', '0633'],
      ['02', '06440627'],
      ['03', '0645'],
    ];
    const map = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /x def 1 begincodespacerange <00> <FF> endcodespacerange ${codes.length} beginbfchar ${codes.map(([code, text]) => `<${code}> <${text}>`).join(' ')} endbfchar endcmap end end`;
    const font = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 10 0 R >>';
    const objects = [`<< /Length ${map.length} >>\nstream\n${map}\nendstream`];
    // Drawn from left to right: meem, lam-alef, seen.
    expect(await read({ content: show('50 700', '<030201>'), font, objects })).toBe('سلام');
  });
});

test('a PDF has its comments and the values of its form fields, each once', async () => {
  const widget = (type: string, name: string, more: string) =>
    `/Subtype /Widget /Rect [50 600 200 620] /FT /${type} /T (${name}) ${more}`;
  const annotations = [
    widget('Tx', 'customer', '/V (Example Trading Company)'),
    widget('Tx', 'customer', '/V (Example Trading Company)'),
    widget('Tx', 'f1_01', '/TU (Date of order) /V (15 March)'),
    widget('Tx', 'pin', '/V (1234) /Ff 8192'),
    widget('Tx', 'empty', ''),
    widget('Ch', 'country', '/V (Norway) /Opt [(Norway) (Sweden)] /Ff 131072'),
    widget('Btn', 'agreed', '/V /Yes /AS /Yes /AP << /N << /Yes 10 0 R /Off 10 0 R >> >>'),
    widget('Btn', 'refused', '/V /Off /AS /Off /AP << /N << /Yes 10 0 R /Off 10 0 R >> >>'),
    '/Subtype /Text /Rect [50 500 70 520] /T (Ann) /Contents (Approved by finance)',
    '/Subtype /FreeText /Rect [50 400 200 420] /Contents <FEFF6771 4EAC>',
    '/Subtype /Highlight /Rect [50 300 200 320] /Contents (secret) /F 2',
    '/Subtype /Link /Rect [50 200 200 220] /Contents (a link)',
  ];
  const objects = ['<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Length 0 >>\nstream\n\nendstream'];
  expect(await read({ content: show('50 700', '(Order)'), annotations, objects })).toBe(
    [
      'Order',
      'customer: Example Trading Company',
      'Date of order: 15 March',
      'country: Norway',
      'agreed: Yes',
      'Comment by Ann: Approved by finance',
      'Comment: 東京',
    ].join('\n\n'),
  );
});

test('a PDF with a password is reported as such', async () => {
  const source = Buffer.from(pdfFile({ content: show('50 700', '(secret)') })).toString('latin1');
  const filler = '00'.repeat(32);
  const encrypt = `/Encrypt << /Filter /Standard /V 1 /R 2 /O <${filler}> /U <${filler}> /P -4 >> /ID [<00> <00>]`;
  const bytes = new Uint8Array(Buffer.from(source.replace('/Size 99', `/Size 99 ${encrypt}`), 'latin1'));
  expect(await outcomeOf(bytes, types.pdf, 'a.pdf')).toMatchObject({
    state: 'not_read',
    cause: 'password',
    text: null,
  });
});

describe('a PDF without text', () => {
  const outcome = (page: Page) => outcomeOf(pdfFile(page), types.pdf, 'a.pdf');

  test('is empty if its pages are blank, or show only images and lines', async () => {
    const deflated = deflateSync('q 0 0 595 842 re W n Q').toString('latin1');
    for (const page of [
      { content: '' },
      { content: 'q Q' },
      { content: deflated, filter: '/Filter /FlateDecode' },
      { content: '50 50 100 100 re f' },
    ]) {
      expect(await outcome(page)).toMatchObject({ state: 'empty' });
    }
  });

  test('is not read if its content cannot be decoded', async () => {
    const lines = Array.from({ length: 40 }, (_, at) => show(`50 ${700 - 14 * at}`, `(Invoice ${at * 7919})`)).join('');
    const deflated = deflateSync(lines).toString('latin1');
    for (const page of [
      { content: brotliCompressSync(lines).toString('latin1'), filter: '/Filter /BrotliDecode' },
      { content: `\0\0\0\0${deflated.slice(4)}`, filter: '/Filter [/FlateDecode]' },
    ]) {
      expect(await outcome(page)).toMatchObject({
        state: 'not_read',
        cause: 'damaged',
        detail: 'Cannot be read as a PDF: 1 of its 1 pages cannot be read.',
      });
    }
  });

  test('is not read if its pages cannot be found', async () => {
    const source = Buffer.from(pdfFile({ content: show('50 700', '(Invoice)') })).toString('latin1');
    const bytes = new Uint8Array(Buffer.from(source.replace('/Kids [3 0 R] /Count 1', '/Kids [] /Count 0'), 'latin1'));
    expect(await outcomeOf(bytes, types.pdf, 'a.pdf')).toMatchObject({ state: 'not_read', cause: 'damaged' });
  });

  test('is not read if its fonts do not tell which characters they display', async () => {
    const glyph = '<< /Length 36 >>\nstream\n500 0 0 0 500 500 d1 0 0 500 500 re f\nendstream';
    const font =
      '<< /Type /Font /Subtype /Type3 /FontBBox [0 0 500 500] /FontMatrix [0.001 0 0 0.001 0 0] /CharProcs << /g1 10 0 R >> /Encoding << /Type /Encoding /Differences [1 /g1] >> /FirstChar 1 /LastChar 1 /Widths [500] /Resources << >> >>';
    expect(await outcome({ content: show('50 700', '<0101>'), font, objects: [glyph] })).toMatchObject({
      state: 'not_read',
      cause: 'encoding',
    });
  });
});

describe('files attached to a PDF', () => {
  const stream = (bytes: Uint8Array) => {
    const content = deflateSync(bytes).toString('latin1');
    return `<< /Type /EmbeddedFile /Filter /FlateDecode /Length ${content.length} >>\nstream\n${content}\nendstream`;
  };
  const file = (name: string, id: number) => `<< /Type /Filespec /F (${name}) /UF (${name}) /EF << /F ${id} 0 R >> >>`;
  const catalog = '/Names << /EmbeddedFiles << /Names [(1) 11 0 R (2) 13 0 R (3) 15 0 R] >> >>';
  const attached = (content: string, third: string) =>
    pdfFile({
      content,
      catalog,
      objects: [
        stream(docxOf(['Terms of 30 days'])),
        file('terms.docx', 10),
        stream(Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a)),
        file('plan.png', 12),
        stream(new TextEncoder().encode('a;b')),
        third,
      ],
      annotations: ['/Subtype /FileAttachment /Rect [0 0 9 9] /FS 15 0 R', '/Subtype /FileAttachment /Rect [0 0 9 9]'],
    });

  test('are named and read', async () => {
    const outcome = await outcomeOf(
      attached(show('50 700', '(See attachments)'), file('list.csv', 14)),
      types.pdf,
      'a.pdf',
    );
    expect(outcome).toEqual({
      text: 'See attachments\n\nAttachments:\n- terms.docx\n- plan.png\n- list.csv\n\nAttachment (terms.docx):\n\nTerms of 30 days\n\nAttachment (list.csv):\n\na;b',
      state: 'read',
    });
  });

  test('that are not read or are missing make it partial', async () => {
    const locked = await outcomeOf(attached('', file('all.ppt', 14).replace('/UF (all.ppt)', '')), types.pdf, 'a.pdf');
    expect(locked.text).toContain('- all.ppt');
    const missing = await outcomeOf(attached('', '<< /Type /Filespec /UF (gone.docx) >>'), types.pdf, 'a.pdf');
    expect(missing).toMatchObject({ state: 'partial', detail: 'An attachment (gone.docx) cannot be read.' });
    expect(missing.text).toContain('Attachment (terms.docx):');
  });
});

test('a form that only some programs display says so', async () => {
  const file = pdfFile({
    content: show('50 700', '(Please wait)'),
    form: '/XFA [(template) 10 0 R]',
    catalog: '/NeedsRendering true',
    objects: ['<< /Length 11 >>\nstream\n<template/>\nendstream'],
  });
  expect(await outcomeOf(file, types.pdf, 'a.pdf')).toMatchObject({ state: 'partial', cause: 'format' });
});
