import { CFB } from '@e965/xlsx';
import { describe, expect, test } from 'vitest';
import { officeFile, paragraph, relationsPart, types, wordFile, workbook } from './documents.js';
import { openTextReader } from './open-reader.js';

const { read } = openTextReader();
const bytesOf = (text: string) => new TextEncoder().encode(text);

const inner = {
  docx: wordFile(paragraph('From a document')),
  xlsx: workbook({ Budget: '<row><c t="inlineStr"><is><t>From a workbook</t></is></c></row>' }),
};

/** A file as an object of the type Package, in a compound file. */
function packageOf(name: string, content: Uint8Array): Uint8Array {
  const number = (value: number) => Buffer.from(Uint32Array.of(value).buffer);
  const names = Buffer.from(`\u0002\0${name}\0C:\\${name}\0\0\0\u0003\0`, 'latin1');
  const native = Buffer.concat([names, number(3), Buffer.from('C:\0'), number(content.length), content]);
  return compoundFile('\u0001Ole10Native', Buffer.concat([number(native.length), native]));
}

function compoundFile(stream: string, content: Uint8Array): Uint8Array {
  const file = CFB.utils.cfb_new();
  CFB.utils.cfb_add(file, `/${stream}`, Buffer.from(content) as never);
  return new Uint8Array(CFB.write(file, { type: 'buffer' }) as Uint8Array);
}

const embeddings: ReadonlyArray<readonly [type: string, name: string, bytes: Uint8Array, text: string]> = [
  ['package', 'Microsoft_Excel_Sheet1.xlsx', inner.xlsx, 'Embedded document:\n\n# Budget\n\nFrom a workbook'],
  ['package', 'Offer.docx', inner.docx, 'Embedded document (Offer.docx):\n\nFrom a document'],
  ['oleObject', 'oleObject1.bin', packageOf('list.csv', bytesOf('a;b')), 'Embedded document (list.csv):\n\na;b'],
  ['oleObject', 'oleObject2.bin', compoundFile('Package', inner.docx), 'Embedded document:\n\nFrom a document'],
];

/** Office documents with an embedded one. */
const hosts = {
  docx: (type: string, name: string, bytes: Uint8Array) =>
    wordFile(`${paragraph('Host')}<w:p><w:r><w:object><o:OLEObject r:id="o"/></w:object></w:r></w:p>`, {
      'word/_rels/document.xml.rels': relationsPart({ o: [type, `embeddings/${name}`] }),
      [`word/embeddings/${name}`]: bytes,
    }),
  xlsx: (type: string, name: string, bytes: Uint8Array) =>
    officeFile({
      'xl/workbook.xml': '<workbook><sheets><sheet name="S" r:id="s"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels': relationsPart({ s: ['worksheet', 'worksheets/sheet1.xml'] }),
      'xl/worksheets/sheet1.xml': '<worksheet><sheetData><row><c t="str"><v>Host</v></c></row></sheetData></worksheet>',
      'xl/worksheets/_rels/sheet1.xml.rels': relationsPart({ o: [type, `../embeddings/${name}`] }),
      [`xl/embeddings/${name}`]: bytes,
    }),
  pptx: (type: string, name: string, bytes: Uint8Array) =>
    officeFile({
      'ppt/presentation.xml': '<p:presentation><p:sldIdLst><p:sldId id="256" r:id="s"/></p:sldIdLst></p:presentation>',
      'ppt/_rels/presentation.xml.rels': relationsPart({ s: ['slide', 'slides/slide1.xml'] }),
      'ppt/slides/slide1.xml': '<p:sld><p:sp><p:txBody><a:p><a:r><a:t>Host</a:t></a:r></a:p></p:txBody></p:sp></p:sld>',
      'ppt/slides/_rels/slide1.xml.rels': relationsPart({ o: [type, `../embeddings/${name}`] }),
      [`ppt/embeddings/${name}`]: bytes,
    }),
};

describe.each(Object.entries(hosts))('documents embedded in a %s', (kind, host) => {
  test.each(embeddings)('as %s %s are read', async (type, name, bytes, text) => {
    const outcome = await read(host(type, name, bytes), types[kind as keyof typeof hosts], `a.${kind}`);
    expect(outcome).toMatchObject({ state: 'read' });
    expect(outcome.text).toContain('Host');
    expect(outcome.text).toContain(text);
  });

  test('that are not read are named', async () => {
    const bytes = host('oleObject', 'oleObject1.bin', compoundFile('Equation Native', bytesOf('x')));
    const outcome = await read(bytes, types[kind as keyof typeof hosts], `a.${kind}`);
    expect(outcome).toMatchObject({ state: 'partial', cause: 'format' });
    expect(outcome.detail).toContain('An embedded document: It is a compound file of an unknown program');
  });

  test('that are images are not missing', async () => {
    const image = packageOf('plan.png', new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]));
    const outcome = await read(host('oleObject', 'oleObject1.bin', image), '', `a.${kind}`);
    expect(outcome).toMatchObject({ state: 'read' });
    expect(outcome.text).toContain('plan.png');
  });
});

describe('attachments of an email', () => {
  const email = (...parts: ReadonlyArray<readonly [type: string, name: string, bytes: Uint8Array]>) =>
    bytesOf(
      [
        'Subject: S\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n',
        '--b\r\nContent-Type: text/plain\r\n\r\nBody',
        ...parts.map(
          ([type, name, bytes]) =>
            `--b\r\nContent-Type: ${type}\r\nContent-Disposition: attachment; filename="${name}"\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(bytes).toString('base64')}`,
        ),
        '--b--\r\n',
      ].join('\r\n'),
    );

  test('are read', async () => {
    const { text, state } = await read(
      email(['application/octet-stream', 'offer.docx', inner.docx], ['text/csv', 'list.csv', bytesOf('a;b')]),
      'message/rfc822',
      'a.eml',
    );
    expect(state).toBe('read');
    expect(text).toContain('Attachments:\n- offer.docx\n- list.csv');
    expect(text).toContain('Attachment (offer.docx):\n\nFrom a document\n\nAttachment (list.csv):\n\na;b');
  });

  test.each([
    ['application/zip', 'all.zip', officeFile({ 'a.txt': 'x' }), 'format'],
    ['application/vnd.ms-powerpoint', 'talk.ppt', compoundFile('PowerPoint Document', bytesOf('x')), 'format'],
    ['application/pdf', 'scan.pdf', bytesOf('%PDF-1.7 cut off'), 'damaged'],
    ['application/pkcs7-mime', 'smime.p7m', new Uint8Array([0x30, 0x80]), 'password'],
  ])('of type %s that are not read make the email partial', async (type, name, bytes, cause) => {
    const outcome = await read(email([type, name, bytes]), 'message/rfc822', 'a.eml');
    expect(outcome).toMatchObject({ state: 'partial', cause });
    expect(outcome.text).toContain(`- ${name}`);
    if (cause !== 'password') expect(outcome.detail).toContain(`An attachment (${name}): `);
  });

  test('that are images do not', async () => {
    const image = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a]);
    expect(await read(email(['image/png', 'plan.png', image]), 'message/rfc822', 'a.eml')).toMatchObject({
      state: 'read',
    });
  });
});
