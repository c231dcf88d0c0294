import { CFB } from '@e965/xlsx';
import { describe, expect, test } from 'vitest';
import { officeFile, paragraph, types, wordFile } from './documents.js';
import { msgOf } from './older-documents.js';
import { openTextReader } from './open-reader.js';

const { read, textOf } = openTextReader();
const bytesOf = (text: string) => new TextEncoder().encode(text);
const generic = 'application/octet-stream';
const startingWith = (hex: string) =>
  new Uint8Array([...Buffer.from(hex, 'hex'), 0, 1, 2, 3, ...new Array(600).fill(0)]);

function compoundFile(...streams: string[]): Uint8Array {
  const file = CFB.utils.cfb_new();
  for (const stream of streams) CFB.utils.cfb_add(file, stream, Buffer.alloc(10) as never);
  return new Uint8Array(CFB.write(file, { type: 'buffer' }) as Uint8Array);
}

const packageOf = (mimetype: string, more: Readonly<Record<string, string>> = {}) => officeFile({ mimetype, ...more });

describe('a file of a format that is not read names the format', () => {
  const files: ReadonlyArray<readonly [title: string, bytes: Uint8Array]> = [
    ['a OneNote notebook', startingWith('e4525c7b8cd8a74daeb15378d02996d3')],
    ['a Publisher document', compoundFile('/Quill/QuillSub/CONTENTS', '/Contents')],
    ['a Project plan', compoundFile('/Props14', '/   114/Props')],
    ['a Hangul document', compoundFile('/FileHeader', '/BodyText/Section0')],
    ['a Hangul document', packageOf('application/hwp+zip')],
    ['an Outlook data file', startingWith('2142444e')],
    ['an Outlook attachment (winmail.dat)', startingWith('789f3e22')],
    ['a database', startingWith(`00010000${Buffer.from('Standard ACE DB\0').toString('hex')}`)],
    ['a database', startingWith(Buffer.from('SQLite format 3\0').toString('hex'))],
    ['a database', packageOf('application/vnd.oasis.opendocument.base', { 'content.xml': '<a/>' })],
    [
      'an XPS document',
      officeFile({
        '[Content_Types].xml':
          '<Types><Default Extension="fdseq" ContentType="application/vnd.ms-package.xps-fixeddocumentsequence+xml"/></Types>',
        'FixedDocSeq.fdseq': '<FixedDocumentSequence/>',
      }),
    ],
    ['a CAD drawing', startingWith('41433130')],
    ['a WordPerfect document', startingWith('ff575043')],
    ['a PostScript file', bytesOf('%!PS-Adobe-3.0\n/Helvetica findfont\n(words) show\n')],
    ['a Kindle or DjVu book', startingWith(`${'41'.repeat(50)}${'00'.repeat(10)}424f4f4b4d4f4249`)],
    ['a Safari web archive', startingWith('62706c6973743030')],
  ];
  test.each(files)('%s', async (title, bytes) => {
    for (const [type, name] of [
      [generic, 'a'],
      ['application/zip', 'a.zip'],
    ] as const) {
      expect(await read(bytes, type, name)).toEqual({
        text: null,
        state: 'not_read',
        cause: 'format',
        detail: `It is ${title}, which is not read.`,
      });
    }
  });

  test.each([
    ['image/vnd.dwg', 'a', 'a CAD drawing'],
    [generic, 'a.dxf', 'a CAD drawing'],
    ['application/onenote', 'a', 'a OneNote notebook'],
    [generic, 'a.numbers', 'a Pages, Numbers or Keynote document'],
  ])('declared as %s %s', async (type, name, title) => {
    expect((await read(startingWith('00'), type, name)).detail).toBe(`It is ${title}, which is not read.`);
  });
});

describe('formulas and charts of OpenDocument', () => {
  test('are read as files of their own', async () => {
    const math =
      '<?xml version="1.0"?><math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mfrac><mi>a</mi><mi>b</mi></mfrac><annotation encoding="StarMath 5.0">{a} over {b}</annotation></semantics></math>';
    const formula = packageOf('application/vnd.oasis.opendocument.formula', { 'content.xml': math });
    expect(await read(formula, generic, 'a.odf')).toEqual({ text: 'a/b', state: 'read' });
    const title =
      '<office:document-content><office:body><office:chart><chart:chart><chart:title><text:p>Sales</text:p></chart:title></chart:chart></office:chart></office:body></office:document-content>';
    const chart = packageOf('application/vnd.oasis.opendocument.chart', { 'content.xml': title });
    expect(await read(chart, generic, 'a')).toEqual({ text: 'Sales', state: 'read' });
  });

  test('and documents of OpenOffice 1 are read', async () => {
    const body =
      '<office:document-content><office:body><text:h text:level="1">Scope</text:h><text:p>rent</text:p></office:body></office:document-content>';
    const file = packageOf('application/vnd.sun.xml.writer', { 'content.xml': body });
    expect(await read(file, generic, 'a.sxw')).toEqual({ text: '# Scope\n\nrent', state: 'read' });
  });
});

describe('other kinds of text', () => {
  const photo = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg';
  test.each([
    ['text/vtt', 'a.vtt', 'WEBVTT\n\n00:01.000 --> 00:02.000\nWords\n', 'WEBVTT\n\n00:01.000 --> 00:02.000\nWords\n'],
    [
      'application/x-subrip',
      'a.srt',
      '1\n00:00:01,000 --> 00:00:02,000\nWords\n',
      '1\n00:00:01,000 --> 00:00:02,000\nWords\n',
    ],
    [generic, 'a.tex', '\\section{Words}\n', '\\section{Words}\n'],
    [
      generic,
      'a.gdoc',
      '{"url": "https://docs.google.com/document/d/1"}',
      '{"url": "https://docs.google.com/document/d/1"}',
    ],
    [
      'text/markdown',
      'a.md',
      `![][i]\n\n[i]: <data:image/png;base64,${photo}>\nWords`,
      '![][i]\n\n[i]: <data:image/png;base64,>\nWords',
    ],
    [
      'text/vcard',
      'a.vcf',
      `BEGIN:VCARD\r\nFN:Ada\r\nPHOTO;ENCODING=b;TYPE=PNG:${photo.slice(0, 60)}\r\n ${photo.slice(60)}\r\nNOTE:Words\r\nEND:VCARD\r\n`,
      'BEGIN:VCARD\nFN:Ada\nPHOTO;ENCODING=b;TYPE=PNG:\nNOTE:Words\nEND:VCARD\n',
    ],
  ])('%s (%s) is read without the files encoded in it', async (type, name, source, text) => {
    expect(await read(bytesOf(source), type, name)).toEqual({ text, state: 'read' });
  });

  test('of images in Word documents are read, from titles and alternative texts', async () => {
    const drawing =
      '<w:p><w:r><w:drawing><wp:inline><wp:docPr id="1" title="Plan" descr="Ground floor"/></wp:inline></w:drawing></w:r></w:p>';
    const shape = (alt: string) =>
      `<w:p><w:r><w:pict><v:shape id="s" type="#t" alt="${alt}"><v:imagedata o:title="x"/></v:shape></w:pict></w:r></w:p>`;
    const body = drawing + shape('Upper floor') + shape('plan.png') + shape('') + paragraph('after');
    expect(await textOf(wordFile(body), types.docx, 'a.docx')).toBe('Plan Ground floor\n\nUpper floor\n\nafter');
  });
});

describe('a protected book', () => {
  test.each([
    ['Readium LCP', 'META-INF/license.lcpl'],
    ['Adobe DRM', 'META-INF/rights.xml'],
  ])('names %s', async (system, path) => {
    const file = packageOf('application/epub+zip', { [path]: '{}', 'META-INF/container.xml': '<container/>' });
    expect(await read(file, generic, 'a.epub')).toEqual({
      text: null,
      state: 'not_read',
      cause: 'password',
      detail: `Cannot be read as an EPUB book: It is encrypted, with ${system}.`,
    });
  });
});

describe('an archive of a document', () => {
  const file = wordFile(paragraph('Words'));

  test('with encrypted parts says so', async () => {
    const locked = Uint8Array.from(file);
    const view = new DataView(locked.buffer);
    for (let at = 0; at + 4 < locked.length; at += 1) {
      const signature = view.getUint32(at, true);
      if (signature === 0x04034b50) locked[at + 6]! |= 1;
      if (signature === 0x02014b50) locked[at + 8]! |= 1;
    }
    for (const name of ['a.docx', 'a.zip', 'a']) {
      expect(await read(locked, generic, name)).toMatchObject({ state: 'not_read', cause: 'password' });
    }
  });

  test('with numbers of 64 bits is read', async () => {
    const source = Buffer.from(file);
    const endAt = source.lastIndexOf(Buffer.from('504b0506', 'hex'));
    const [directorySize, directoryAt] = [source.readUInt32LE(endAt + 12), source.readUInt32LE(endAt + 16)];
    const count = source.readUInt16LE(endAt + 10);
    const large: Buffer[] = [];
    for (let at = directoryAt, index = 0; index < count; index += 1) {
      const nameLength = source.readUInt16LE(at + 28);
      const entry = Buffer.from(source.subarray(at, at + 46 + nameLength));
      const extra = Buffer.alloc(28);
      extra.writeUInt16LE(1, 0);
      extra.writeUInt16LE(24, 2);
      for (const [place, offset] of [24, 20, 42].entries()) {
        extra.writeBigUInt64LE(BigInt(entry.readUInt32LE(offset)), 4 + 8 * place);
        entry.writeUInt32LE(0xffffffff, offset);
      }
      at += 46 + nameLength + source.readUInt16LE(at + 30) + source.readUInt16LE(at + 32);
      entry.writeUInt16LE(extra.length, 30);
      large.push(entry, extra);
    }
    const directory = Buffer.concat(large);
    const largeEnd = Buffer.alloc(56);
    largeEnd.writeUInt32LE(0x06064b50, 0);
    largeEnd.writeBigUInt64LE(44n, 4);
    largeEnd.writeBigUInt64LE(BigInt(directory.length), 40);
    largeEnd.writeBigUInt64LE(BigInt(directoryAt), 48);
    const locator = Buffer.alloc(20);
    locator.writeUInt32LE(0x07064b50, 0);
    locator.writeBigUInt64LE(BigInt(directoryAt + directory.length), 8);
    const end = Buffer.from(source.subarray(endAt));
    for (const at of [12, 16]) end.writeUInt32LE(0xffffffff, at);
    expect(directorySize).toBeGreaterThan(0);
    const whole = Buffer.concat([source.subarray(0, directoryAt), directory, largeEnd, locator, end]);
    expect(await textOf(new Uint8Array(whole), generic, 'a')).toBe('Words');
  });
});

test('a message within an Outlook message is read', async () => {
  const inner = msgOf({ subject: 'Inner', body: 'We accept.', file: 'a.txt' });
  const outer = CFB.read(Buffer.from(msgOf({ subject: 'Outer', body: 'See below.', file: 'x' })), { type: 'buffer' });
  const attachment = '/__attach_version1.0_#00000000';
  const within = CFB.read(Buffer.from(inner), { type: 'buffer' });
  const properties = Buffer.alloc(8 + 32);
  for (const [index, tag] of [0x3701000d, 0x37050003].entries()) properties.writeUInt32LE(tag, 8 + 16 * index);
  properties.writeUInt32LE(5, 8 + 16 + 8);
  const file = CFB.utils.cfb_new();
  const copy = (source: typeof outer, prefix: string, isCopied: (path: string) => boolean) => {
    for (const [index, path] of source.FullPaths.entries()) {
      const { content, type } = source.FileIndex[index]!;
      const name = path.replace(/^Root Entry\//, '/');
      if (type === 2 && isCopied(name)) CFB.utils.cfb_add(file, prefix + name, content as never);
    }
  };
  copy(outer, '', (path) => !path.startsWith(attachment));
  CFB.utils.cfb_add(file, `${attachment}/__properties_version1.0`, properties as never);
  copy(within, `${attachment}/__substg1.0_3701000D`, () => true);
  const bytes = new Uint8Array(CFB.write(file, { type: 'buffer' }) as Uint8Array);
  const { text } = await read(bytes, 'application/vnd.ms-outlook', 'a.msg');
  expect(text).toMatch(/^Subject: Outer\n\nSee below\.\n\n/);
  expect(text).toContain('Subject: Inner\n\nWe accept.');
});
