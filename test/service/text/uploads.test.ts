import { utils, write } from '@e965/xlsx';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { createSandbox } from 'agent-connectors-sandbox';
import { strToU8, zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { docxOf, pptxOf, xlsxOf } from '../../../sandbox/src/google-drive/formats/office.js';
import { pdfOf } from '../../../sandbox/src/google-drive/formats/pdf.js';
import { hitsOf, searchEntity, startReplicatingService, waitForNewestJob } from '../replication/setup.js';
import { officeFile } from './documents.js';
import { docOf, msgOf, pptOf } from './older-documents.js';

const odf = (kind: string, body: string) =>
  officeFile({
    mimetype: `application/vnd.oasis.opendocument.${kind}`,
    'content.xml': `<office:document-content><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`,
  });
const odfTable = (text: string) =>
  `<table:table table:name="T"><table:table-row><table:table-cell><text:p>${text}</text:p></table:table-cell></table:table-row></table:table>`;
const odfSlide = (text: string) =>
  `<draw:page><draw:frame><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame></draw:page>`;

function olderWorkbook(text: string, bookType: 'biff8' | 'xlsb'): Uint8Array {
  const sheet = utils.aoa_to_sheet([[text]]);
  return new Uint8Array(write({ SheetNames: ['A'], Sheets: { A: sheet } }, { bookType, type: 'buffer' }));
}

const epub = (text: string) =>
  officeFile({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>',
    'book.opf':
      '<package><metadata><dc:title>Book</dc:title></metadata><manifest><item id="c" href="c.xhtml"/></manifest><spine><itemref idref="c"/></spine></package>',
    'c.xhtml': `<html><body><p>${text}</p></body></html>`,
  });

/** Files whose text is read, each with the word that it is found by. */
const readable: Readonly<Record<string, (word: string) => Uint8Array>> = {
  txt: (word) => strToU8(`Note: ${word}`),
  md: (word) => strToU8(`# ${word}`),
  csv: (word) => Buffer.from(`Straße;${word}\nMüller;7\n`, 'latin1'),
  json: (word) => strToU8(JSON.stringify({ word })),
  xml: (word) => Buffer.from(`<?xml version="1.0" encoding="ISO-8859-1"?><a>Köln ${word}</a>`, 'latin1'),
  log: (word) => new Uint8Array(Buffer.from(`\uFEFF${word}`, 'utf16le')),
  html: (word) => strToU8(`<!doctype html><p>${word}</p>`),
  pdf: (word) => pdfOf([word]),
  docx: (word) => docxOf([word]),
  docm: (word) => docxOf([word]),
  dotx: (word) => docxOf([word]),
  xlsx: (word) => xlsxOf([[word]]),
  xlsm: (word) => xlsxOf([[word]]),
  xltx: (word) => xlsxOf([[word]]),
  pptx: (word) => pptxOf([[word]]),
  pptm: (word) => pptxOf([[word]]),
  potx: (word) => pptxOf([[word]]),
  ppsx: (word) => pptxOf([[word]]),
  doc: (word) => docOf([word]),
  xls: (word) => olderWorkbook(word, 'biff8'),
  xlsb: (word) => olderWorkbook(word, 'xlsb'),
  odt: (word) => odf('text', `<text:p>${word}</text:p>`),
  ods: (word) => odf('spreadsheet', odfTable(word)),
  odp: (word) => odf('presentation', odfSlide(word)),
  rtf: (word) => strToU8(`{\\rtf1\\ansi ${word}\\par}`),
  eml: (word) => strToU8(`From: a@example.com\r\nSubject: Offer\r\n\r\n${word}\r\n`),
  epub,
  msg: (word) => msgOf({ subject: 'Offer', body: word, file: 'a.txt' }),
};

/** Files that are not read, or only in part, by what became of them. */
const unread: Readonly<Record<string, readonly [bytes: Uint8Array, state: string, cause: string | null]>> = {
  'a.ppt': [pptOf(), 'not_read', 'format'],
  'a.vsdx': [officeFile({ 'visio/document.xml': '<VisioDocument/>' }), 'not_read', 'format'],
  'a.pages': [officeFile({ 'Index/Document.iwa': 'x' }), 'not_read', 'format'],
  'a.zip': [zipSync({ 'a.txt': strToU8('a') }), 'not_read', 'format'],
  'a.png': [Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13), 'not_read', 'format'],
  'a.bin': [Uint8Array.from({ length: 500 }, (_, at) => at % 251), 'not_read', 'format'],
  'locked.doc': [docOf(['secret'], { encrypted: true }), 'not_read', 'password'],
  'cut.docx': [docxOf(['cut']).subarray(0, -40), 'not_read', 'damaged'],
  'mac.txt': [Buffer.from('M\x9fller in K\x9aln und G\x8aste', 'latin1'), 'partial', 'encoding'],
  'empty.txt': [new Uint8Array(), 'empty', null],
};

test('of uploads in all formats, the text is found, or the reason why not is given', async () => {
  const sandbox = createSandbox({ seed: 7, scale: 0.05 });
  const { oauth } = sandbox.vendors['google-drive'].credentials;
  const drive = new GoogleDriveConnector({ credentials: oauth, fetch: sandbox.fetch, retries: 1 });
  const folder = (await drive.files.create({ name: 'Formats', mimeType: 'application/vnd.google-apps.folder' })).data
    .id;
  const upload = (name: string, bytes: Uint8Array) =>
    drive.files_upload.create({
      name,
      parents: [folder],
      file_mime_type: 'application/octet-stream',
      file_content: Buffer.from(bytes).toString('base64'),
    });
  const wordOf = (extension: string) => `keyword${extension}`;
  for (const [extension, make] of Object.entries(readable)) {
    await upload(`a.${extension}`, make(wordOf(extension)));
  }
  for (const [name, [bytes]] of Object.entries(unread)) await upload(name, bytes);

  const { acme } = await startReplicatingService({ sandbox });
  const folder_url = `https://drive.google.com/drive/folders/${folder}`;
  const id = await acme.connect('google-drive', oauth, { replication_config: { folder_url } });
  expect(await waitForNewestJob(acme, id)).toMatchObject({ status: 'done' });

  for (const extension of Object.keys(readable)) {
    const query = { filter: { keyword: { content: wordOf(extension) } } };
    const hits = hitsOf(await searchEntity(acme, id, 'files', { query }));
    expect(hits).toMatchObject([{ file_name: `a.${extension}`, content_state: 'read' }]);
  }
  const query = { filter: { not: { eq: { content_state: 'read' } } } };
  const hits = hitsOf(await searchEntity(acme, id, 'files', { query, limit: 100 }));
  const outcomes = hits.map(({ file_name, content_state, content_cause }) => [
    file_name,
    [content_state, content_cause ?? null],
  ]);
  const expected = Object.entries(unread).map(([name, [, ...outcome]]) => [name, outcome]);
  expect(Object.fromEntries(outcomes)).toEqual(Object.fromEntries(expected));

  // A search in texts says how many it could not see.
  const { body } = await searchEntity(acme, id, 'files', { query: { filter: { keyword: { content: 'secret' } } } });
  const counts = body.result.meta.missing
    .filter(({ reason }: any) => reason === 'unread_records')
    .map(({ state, cause, count }: any) => [`${state} ${cause ?? ''}`.trim(), count]);
  const total = counts.reduce((sum: number, [, count]: [string, number]) => sum + count, 0);
  expect(total).toBe(Object.keys(unread).length);
  expect(counts).toEqual(
    expect.arrayContaining([
      ['not_read password', 1],
      ['not_read damaged', 1],
      ['partial encoding', 1],
      ['empty', 1],
    ]),
  );
});
