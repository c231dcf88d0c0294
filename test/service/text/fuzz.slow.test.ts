import { utils, write } from '@e965/xlsx';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { docxOf, pptxOf, xlsxOf } from '../../../sandbox/src/google-drive/formats/office.js';
import { pdfOf } from '../../../sandbox/src/google-drive/formats/pdf.js';
import { buildWorker } from './build-worker.js';
import { docOf, msgOf } from './older-documents.js';
import { openTextReader } from './open-reader.js';

/** Changed copies of each file; `FUZZ=1000` tries more. */
const copies = Number(process.env.FUZZ ?? 40);

let built: Awaited<ReturnType<typeof buildWorker>>;
let reader: ReturnType<typeof openTextReader>;
beforeAll(async () => {
  built = await buildWorker();
  reader = openTextReader({ worker: built.worker });
});
afterAll(async () => {
  await reader.close();
  built.remove();
});

/** An archive without compression, so that changes affect what its parts contain. */
const archive = (parts: Readonly<Record<string, string>>): Uint8Array =>
  zipSync(Object.fromEntries(Object.entries(parts).map(([path, part]) => [path, strToU8(part)])), { level: 0 });

const odt = {
  mimetype: 'application/vnd.oasis.opendocument.text',
  'content.xml':
    '<office:document-content><office:body><office:text><text:h text:outline-level="2">Scope</text:h><text:p>One<text:s text:c="2"/>two</text:p><table:table table:name="T"><table:table-row table:number-rows-repeated="3"><table:table-cell table:number-columns-repeated="2"><text:p>a</text:p></table:table-cell></table:table-row></table:table></office:text></office:body></office:document-content>',
};
const ods = {
  mimetype: 'application/vnd.oasis.opendocument.spreadsheet',
  'content.xml':
    '<office:document-content><office:body><office:spreadsheet><table:table table:name="T"><table:table-row table:number-rows-repeated="2"><table:table-cell table:number-columns-repeated="3" office:value-type="float" office:value="1.5"><text:p>1.5</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet></office:body></office:document-content>',
};
const odp = {
  mimetype: 'application/vnd.oasis.opendocument.presentation',
  'content.xml':
    '<office:document-content><office:body><office:presentation><draw:page draw:name="1"><draw:frame><draw:text-box><text:p>Title</text:p></draw:text-box></draw:frame><presentation:notes><text:p>Note</text:p></presentation:notes></draw:page></office:presentation></office:body></office:document-content>',
};
const epub = {
  mimetype: 'application/epub+zip',
  'META-INF/container.xml': '<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>',
  'book.opf':
    '<package><metadata><dc:title>Book</dc:title></metadata><manifest><item id="c" href="c.xhtml"/></manifest><spine><itemref idref="c"/></spine></package>',
  'c.xhtml': '<html><body><p>Chapter</p></body></html>',
};
const xls = write(
  { SheetNames: ['A'], Sheets: { A: utils.aoa_to_sheet([['Name', 1.5, 'Köln']]) } },
  { bookType: 'biff8', type: 'buffer' },
);

/** A document without compression; `more` follows the first paragraph of its body. */
const unpacked = (document: Uint8Array, more = ''): Uint8Array =>
  archive(
    Object.fromEntries(
      Object.entries(unzipSync(document)).map(([path, part]) => [
        path,
        strFromU8(part).replace('</w:p>', `</w:p>${more}`),
      ]),
    ),
  );
const equation =
  '<w:p><m:oMath><m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub><m:r><m:t>i</m:t></m:r></m:sub><m:e><m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>x</m:t></m:r></m:den></m:f></m:e></m:nary></m:oMath></w:p>';

const inputs: ReadonlyArray<readonly [name: string, bytes: Uint8Array]> = [
  ['a.odt', archive(odt)],
  ['a.ods', archive(ods)],
  ['a.odp', archive(odp)],
  [
    'a.rtf',
    strToU8(
      '{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0 A;}}\\uc1 One \\u8364 ? {\\field{\\*\\fldinst X}{\\fldrslt Two}}\\bin4 abcd \\trowd a\\cell b\\cell\\row\\par}',
    ),
  ],
  [
    'a.eml',
    strToU8(
      'From: =?utf-8?B?w4U=?= <a@example.com>\r\nSubject: Offer\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Type: text/html; charset=iso-8859-1\r\n\r\n<p>Body</p>\r\n--x\r\nContent-Disposition: attachment; filename="a.txt"\r\nContent-Transfer-Encoding: base64\r\n\r\nQQ==\r\n--x--\r\n',
    ),
  ],
  ['a.epub', archive(epub)],
  ['a.doc', docOf(['First', 'Second'])],
  ['a.msg', msgOf({ subject: 'Offer', body: 'Body', file: 'a.txt' })],
  ['a.xls', new Uint8Array(xls)],
  ['a.docx', unpacked(docxOf(['First', 'Second']), equation)],
  ['a.xlsx', unpacked(xlsxOf([['Name', '1.5', 'Köln']]))],
  ['a.pptx', unpacked(pptxOf([['First', 'Second']]))],
  ['a.pdf', pdfOf(['First', 'Second'])],
  [
    'a.html',
    strToU8(
      '<!doctype html><meta charset="utf-8"><h1>Scope</h1><ul><li>rent</ul><table><tr><td>a<td>b</table><p style="color: red">&amp; <img alt="Plan"><iframe srcdoc="<p>Frame</p>"></iframe>',
    ),
  ],
  ['a.ipynb', strToU8('{"cells":[{"cell_type":"code","source":["1"],"outputs":[{"text":["2"]}]}],"nbformat":4}')],
  [
    'a.mbox',
    strToU8(
      'From a@example.com Fri Nov 27 09:00:00 2026\nSubject: One\n\nBody\n\nFrom b 10:00 2026\nSubject: Two\n\nBody\n',
    ),
  ],
];

/** The next state of a linear congruential generator, so that every run mutates alike. */
const next = (state: number): number => (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;

/** Replaces, repeats, removes or cuts off a few bytes. */
function mutate(bytes: Uint8Array, seed: number): Uint8Array {
  let state = next(seed);
  const random = (below: number) => {
    state = next(state);
    return Math.floor((state / 2 ** 32) * below);
  };
  let mutated = Buffer.from(bytes);
  for (let count = 1 + random(6); count > 0; count -= 1) {
    const at = random(mutated.length);
    const length = 1 + random(16);
    const action = random(6);
    if (action <= 1) mutated[at] = [0, 0xff, 0x7f, 0x80][random(4)]!;
    else if (action === 2) mutated[at]! ^= 1 << random(8);
    else if (action === 3) mutated = Buffer.concat([mutated.subarray(0, at), mutated.subarray(at + length)]);
    else if (action === 4) mutated = Buffer.concat([mutated.subarray(0, at + length), mutated.subarray(at)]);
    else if (random(4) === 0) mutated = mutated.subarray(0, at + 1);
    if (mutated.length === 0) return bytes;
  }
  return new Uint8Array(mutated);
}

describe('damaged files', () => {
  const timeout = 60_000 + 1000 * copies;
  test.each(inputs)('%s: what became of the text is always said', { timeout }, async (name, bytes) => {
    expect(await reader.read(bytes, '', name)).toMatchObject({ state: 'read' });
    const unexpected: unknown[] = [];
    for (let seed = 1; seed <= copies; seed += 1) {
      const outcome = await reader.read(mutate(bytes, seed), '', name);
      const isSaid = outcome.state === 'read' || outcome.state === 'empty' || outcome.cause !== undefined;
      // Damaged sizes may demand any amount of memory, which ends only the process that reads the file.
      const isEndless = /took longer|crashed/.test(outcome.detail ?? '');
      if (!isSaid || isEndless || (outcome.text === null) !== (outcome.state === 'not_read')) {
        unexpected.push({ seed, ...outcome });
      }
    }
    expect(unexpected).toEqual([]);
  });
});
