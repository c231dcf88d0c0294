import { deflateSync } from 'node:zlib';
import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { docxOf, xlsxOf } from '../../../sandbox/src/google-drive/formats/office.js';
import { pdfOf } from '../../../sandbox/src/google-drive/formats/pdf.js';
import type { TextReaderOptions } from '../../../service/src/data/text/reader.js';
import { buildWorker } from './build-worker.js';
import { officeFile, paragraph, relationsPart, types, wordFile, workbook } from './documents.js';
import { docOf, msgOf } from './older-documents.js';
import { openTextReader } from './open-reader.js';

let built: Awaited<ReturnType<typeof buildWorker>>;
beforeAll(async () => {
  built = await buildWorker();
});
afterAll(() => built.remove());

const readerWith = (options: TextReaderOptions = {}) => {
  const reader = openTextReader({ worker: built.worker, ...options });
  onTestFinished(() => reader.close());
  return reader;
};
const bytesOf = (text: string) => new TextEncoder().encode(text);

/** A one-page PDF whose content is the output of the filters; its forms can be drawn as `/X0`, `/X1` and so on. */
function pdfWith(filters: string, stream: Uint8Array, forms: readonly string[] = []): Uint8Array {
  const text = (part: string) => Buffer.from(part, 'latin1');
  const names = forms.map((_, index) => `/X${index} ${index + 6} 0 R`).join(' ');
  const resources = `<< /Font << /F1 3 0 R >> /XObject << ${names} >> >>`;
  return new Uint8Array(
    Buffer.concat([
      text(`%PDF-1.4
1 0 obj
<< /Type /Catalog /Pages 2 0 R >>
endobj
2 0 obj
<< /Type /Pages /Kids [4 0 R] /Count 1 >>
endobj
3 0 obj
<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>
endobj
4 0 obj
<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources ${resources} /Contents 5 0 R >>
endobj
5 0 obj
<< /Length ${stream.length} /Filter [${filters}] >>
stream
`),
      stream,
      text('\nendstream\nendobj\n'),
      ...forms.map((form, index) =>
        text(`${index + 6} 0 obj
<< /Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources ${resources} /Length ${form.length} >>
stream
${form}
endstream
endobj
`),
      ),
      text('trailer\n<< /Size 6 /Root 1 0 R >>\n%%EOF\n'),
    ]),
  );
}

/** A PDF with more letters than any machine can draw: each of its twenty forms draws the next one ten times. */
const endlessPdf = () =>
  pdfWith(
    '/FlateDecode',
    deflateSync('/X0 Do'),
    Array.from({ length: 20 }, (_, index) =>
      index < 19 ? `/X${index + 1} Do\n`.repeat(10) : 'BT /F1 11 Tf (a) Tj ET',
    ),
  );

/** A small PDF that expands to this many MiB: each pair of its bytes expands to 128. */
const inflatedPdf = (mebibytes: number) =>
  pdfWith('/FlateDecode /RunLengthDecode', deflateSync(Buffer.alloc(mebibytes * 2 ** 14, Uint8Array.of(129, 0x20))));

/** The same archive with a different declared size for one of its parts. */
function claiming(archive: Uint8Array, size: number, claim: number): Uint8Array {
  const bytes = Buffer.from(archive);
  const told = Buffer.alloc(4);
  told.writeUInt32LE(size);
  for (let at = bytes.indexOf(told); at >= 0; at = bytes.indexOf(told, at + 4)) bytes.writeUInt32LE(claim, at);
  return new Uint8Array(bytes);
}

const stylesWith = (formatCode: string) =>
  `<styleSheet><numFmts><numFmt numFmtId="200" formatCode="${formatCode}"/></numFmts><cellXfs><xf numFmtId="200"/></cellXfs></styleSheet>`;
const oneCell = '<row><c s="0"><v>7</v></c></row>';
const book = (...parts: Parameters<typeof workbook>) => ({ bytes: workbook(...parts), mimeType: types.xlsx });

/** A presentation that references its only slide many times; the slide has large notes. */
function slideShow(times: number) {
  const relation = (id: string, type: string, target: string) => relationsPart({ [id]: [type, target] });
  const bytes = officeFile({
    'ppt/presentation.xml': `<p:presentation>${'<p:sldId id="256" r:id="r1"/>'.repeat(times)}</p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relation('r1', 'slide', 'slides/slide1.xml'),
    'ppt/slides/slide1.xml': `<p:sp>${'<a:p/>'.repeat(100_000)}<a:p><a:t>once</a:t></a:p></p:sp>`,
    'ppt/slides/_rels/slide1.xml.rels': relation('n1', 'notesSlide', '../notesSlides/notes1.xml'),
    'ppt/notesSlides/notes1.xml': `<p:sp>${'<a:p/>'.repeat(100_000)}</p:sp>`,
  });
  return { bytes, mimeType: types.pptx };
}

/** Small files that reference or start one thing a great many times. */
const amplifying = [
  [
    'a number format with unclosed brackets',
    () => book({ One: oneCell }, { 'styles.xml': ['styles', stylesWith('['.repeat(4_000_000))] }),
    '# One\n\n7',
  ],
  [
    'a long text of spaces shared by very many cells',
    () =>
      book(
        { One: `<row>${'<c t="s"><v>0</v></c>'.repeat(150_000)}</row>${oneCell}` },
        { 'sharedStrings.xml': ['sharedStrings', `<sst><si><t>${' '.repeat(2_000_000)}</t></si></sst>`] },
      ),
    '# One\n\n7',
  ],
  [
    'a sheet that the workbook references many times',
    () => {
      const parts = unzipSync(workbook({ One: `${'<row/>'.repeat(200_000)}${oneCell}` }));
      const source = strFromU8(parts['xl/workbook.xml']!);
      const xml = source.replace(/<sheet .*\/>/, (sheet) => sheet.repeat(20_000));
      return { bytes: officeFile({ ...parts, 'xl/workbook.xml': xml }), mimeType: types.xlsx };
    },
    '# One\n\n7',
  ],
  ['a slide that the presentation references many times', () => slideShow(20_000), 'once'],
] as const;

const fine = docxOf(['All is well.']);
const mebibyte = 2 ** 20;

describe('in a child process', () => {
  test('documents are read, many of them concurrently', async () => {
    const { textOf } = readerWith();
    const texts = await Promise.all([
      textOf(pdfOf(['one']), types.pdf, '1.pdf'),
      textOf(docxOf(['two']), types.docx, '2.docx'),
      textOf(xlsxOf([['three']]), types.xlsx, '3.xlsx'),
      textOf(bytesOf('<p>four</p>'), 'text/html', '4.html'),
    ]);
    expect(texts).toEqual(['one', 'two', '# Sheet1\n\nthree', 'four']);
  });

  test("the caller's bytes are not modified", async () => {
    const { textOf } = readerWith();
    const bytes = pdfOf(['once']);
    await textOf(bytes, types.pdf, 'a.pdf');
    expect(await textOf(bytes, types.pdf, 'a.pdf')).toBe('once');
  });

  test('a file that takes too long is aborted without blocking the event loop, and the next one is read', async () => {
    const { textOf } = readerWith({ timeLimitMs: 2_000 });
    let turns = 0;
    const clock = setInterval(() => {
      turns += 1;
    }, 20);
    onTestFinished(() => clearInterval(clock));
    // Which limit it meets first depends on how fast the machine is.
    await expect(textOf(endlessPdf(), types.pdf, 'endless.pdf')).rejects.toThrow(
      /Reading the file took longer than 2 s\.|requires too much memory/,
    );
    expect(turns).toBeGreaterThan(3);
    // Its process has to start within the time limit as well.
    const next = () => textOf(fine, types.docx, 'fine.docx').catch(String);
    await expect.poll(next).toBe('All is well.');
  });

  test('a file that needs too much memory is aborted, and the next one is read', { timeout: 300_000 }, async () => {
    const { textOf } = readerWith({ heapMiB: 48, timeLimitMs: 600_000 });
    const many = workbook(
      {
        Large: '<row><c t="s"><v>0</v></c></row>',
      },
      { 'sharedStrings.xml': ['sharedStrings', `<sst>${'<si><t>a text</t></si>'.repeat(3_000_000)}</sst>`] },
    );
    await expect(textOf(many, types.xlsx, 'many.xlsx')).rejects.toThrow('Reading it requires too much memory.');
    expect(await textOf(fine, types.docx, 'fine.docx')).toBe('All is well.');
  });

  test('memory outside the heap counts too', async () => {
    const { textOf } = readerWith({ memoryMiB: 200, timeLimitMs: 600_000 });
    const large = workbook(
      { One: oneCell },
      { 'sharedStrings.xml': ['sharedStrings', `<sst>${' '.repeat(120 * mebibyte)}</sst>`] },
    );
    await expect(textOf(large, types.xlsx, 'large.xlsx')).rejects.toThrow('Reading it requires too much memory.');
    expect(await textOf(fine, types.docx, 'fine.docx')).toBe('All is well.');
  }, 300_000);

  test('a small PDF that expands to 1,000 MiB is harmless', { timeout: 120_000 }, async () => {
    expect(await readerWith({ memoryMiB: 300 }).textOf(inflatedPdf(1000), types.pdf, 'inflated.pdf')).toBe('');
  });

  test.each(amplifying)('%s takes linear time', { timeout: 120_000 }, async (_, make, expected) => {
    const { bytes, mimeType } = make();
    // Anything worse than linear time would far exceed the reader's time limit.
    expect(await readerWith().textOf(bytes, mimeType, 'a')).toBe(expected);
  });

  test('endless files from one tenant do not block another', { timeout: 120_000 }, async () => {
    const { textOf } = readerWith({ timeLimitMs: 600_000 });
    let ended = 0;
    for (let file = 1; file <= 8; file += 1) {
      const count = () => {
        ended += 1;
      };
      textOf(endlessPdf(), types.pdf, `${file}.pdf`, 'hostile').then(count, count);
    }
    expect(await textOf(fine, types.docx, 'fine.docx', 'honest')).toBe('All is well.');
    // Under load, the first tenant's file may have been read before the second process has started.
    expect(ended).toBeLessThan(2);
  });

  test('tenants take turns when all processes are busy', { timeout: 120_000 }, async () => {
    const { textOf } = readerWith({ timeLimitMs: 600_000 });
    void textOf(endlessPdf(), types.pdf, 'endless.pdf', 'hostile').catch(() => undefined);
    const read: string[] = [];
    const reading = (tenant: string) => textOf(fine, types.docx, 'fine.docx', tenant).then(() => read.push(tenant));
    await Promise.all([...Array.from({ length: 6 }, () => reading('busy')), reading('honest')]);
    expect(read.indexOf('honest')).toBeLessThan(3);
  });

  test('reads every format with the packages that it may read', { timeout: 120_000 }, async () => {
    const { textOf } = readerWith({ timeLimitMs: 600_000 });
    const inThisProcess = openTextReader();
    const symbol = '<w:p><w:r><w:sym w:font="Symbol" w:char="F061"/></w:r></w:p>';
    const files: ReadonlyArray<readonly [Uint8Array, string, string]> = [
      [pdfOf(['Minutes']), types.pdf, 'a.pdf'],
      [wordFile(symbol), types.docx, 'a.docx'],
      [xlsxOf([['Minutes', '7']]), types.xlsx, 'a.xlsx'],
      [docOf(['Minutes']), 'application/msword', 'a.doc'],
      [msgOf({ subject: 'Minutes', body: 'Agreed.', file: 'a.txt' }), 'application/vnd.ms-outlook', 'a.msg'],
      [bytesOf('<!doctype html><p>Minutes</p>'), 'text/html', 'a.html'],
      [bytesOf('From: ada@example.com\r\nSubject: Minutes\r\n\r\nAgreed.\r\n'), 'message/rfc822', 'a.eml'],
      [Uint8Array.from(Buffer.from('Größe: 7 Fälle', 'latin1')), 'text/plain', 'a.txt'],
    ];
    for (const file of files) {
      const text = await textOf(...file);
      expect([file[2], text]).toEqual([file[2], await inThisProcess.textOf(...file)]);
      expect(text).toMatch(/Minutes|α|Größe/);
    }
  });

  test('closing aborts running reads', async () => {
    const reader = openTextReader({ worker: built.worker });
    const reading = reader.textOf(endlessPdf(), types.pdf, 'endless.pdf');
    const waiting = reader.textOf(fine, types.docx, 'fine.docx');
    const told = Promise.allSettled([reading, waiting]);
    await reader.close();
    for (const outcome of await told) expect(outcome).toMatchObject({ status: 'rejected' });
    await expect(reader.textOf(fine, types.docx, 'fine.docx')).rejects.toThrow('closed');
  });
});

describe('broken or hostile files are reported as such', () => {
  const { textOf } = openTextReader();
  const whole = docxOf(['All is well.']);
  const bomb = bytesOf(`<sst>${' '.repeat(mebibyte)}</sst>`);
  const much = 130 * mebibyte;
  const laughs = Array.from({ length: 9 }, (_, index) => `<!ENTITY l${index + 1} "${`&l${index};`.repeat(10)}">`).join(
    '',
  );

  test.each([
    ['a truncated PDF', pdfOf(['x']).slice(0, 60), types.pdf, /^Cannot be read as a PDF: /],
    ['a text file declared as a PDF', bytesOf('no PDF at all'), types.pdf, /^Cannot be read as a PDF: /],
    ['an empty PDF', new Uint8Array(0), types.pdf, null],
    ['a truncated document', whole.slice(0, whole.length / 2), types.docx, /^Cannot be read as a Word document: /],
    [
      'a text file declared as a Word document',
      bytesOf('no document'),
      types.docx,
      /^Cannot be read as a Word document: /,
    ],
    ['an archive without a document', officeFile({ 'a.xml': '<a/>' }), types.docx, /^Cannot be read as a Word/],
    ['a locked workbook', Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0), types.xlsx, /password-protected/],
    ['truncated XML', officeFile({ 'ppt/presentation.xml': '<p:presentation>' }), types.pptx, /Its XML is truncated/],
    ['a presentation without slides', officeFile({ 'a.xml': '<a/>' }), types.pptx, /It has no presentation part/],
    [
      'an archive that unpacks to a huge size',
      workbook({}, { 'sharedStrings.xml': ['sharedStrings', '<sst/>'], 'styles.xml': ['styles', ''] }),
      types.xlsx,
      null,
    ],
    ['deeply nested elements', workbook({ Deep: '<a>'.repeat(200) }), types.xlsx, /nested more than 128 levels deep/],
    ['deeply nested pages', bytesOf('<div>'.repeat(600)), 'text/html', /nested more than 512 levels deep/],
  ] as const)('%s', async (_, bytes, mimeType, message) => {
    const reading = textOf(bytes, mimeType, 'a');
    if (message) await expect(reading).rejects.toThrow(message);
    else expect(await reading).toBe('');
  });

  test('an archive that would unpack to too much data', async () => {
    // A part that no other one refers to is not unpacked at all.
    const parts = workbook({}, { 'sharedStrings.xml': ['sharedStrings', bomb] });
    await expect(textOf(claiming(parts, bomb.length, much), types.xlsx, 'bomb.xlsx')).rejects.toThrow(
      'It exceeds 128 MiB when unpacked.',
    );
    const word = wordFile(paragraph('x'), { 'word/styles.xml': bomb });
    await expect(textOf(claiming(word, bomb.length, much), types.docx, 'bomb.docx')).rejects.toThrow(
      'It exceeds 128 MiB when unpacked.',
    );
  });

  test('an archive that understates its unpacked size is limited to the size that it declares', async () => {
    const word = wordFile(paragraph('x'), { 'word/styles.xml': bomb });
    await expect(textOf(claiming(word, bomb.length, 100), types.docx, 'lie.docx')).rejects.toThrow(
      'Cannot be read as a Word document: ',
    );
  });

  test('images are ignored, regardless of their size', async () => {
    const word = wordFile(paragraph('See below.'), { 'word/media/image1.png': bomb });
    expect(await textOf(claiming(word, bomb.length, much), types.docx, 'picture.docx')).toBe('See below.');
  });

  test('entities declared in a file are not expanded', async () => {
    const sheet = `<!DOCTYPE x [<!ENTITY l0 "ha">${laughs}]><worksheet><sheetData><row><c t="str"><v>&l9;</v></c></row></sheetData></worksheet>`;
    const bytes = workbook({ Sheet: '' }, {});
    const parts = officeFile({ ...unzipSync(bytes), 'xl/worksheets/sheet0.xml': sheet });
    expect(await textOf(parts, types.xlsx, 'laughs.xlsx')).toBe('# Sheet\n\n&l9;');
  });
});
