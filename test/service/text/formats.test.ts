import { zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { docxOf, pptxOf, xlsxOf } from '../../../sandbox/src/google-drive/formats/office.js';
import { pdfOf } from '../../../sandbox/src/google-drive/formats/pdf.js';
import { types, utf16 } from './documents.js';
import { openTextReader } from './open-reader.js';

const { textOf } = openTextReader();
const bytesOf = (text: string) => new TextEncoder().encode(text);
const generic = 'application/octet-stream';

describe("a file's bytes decide about its format", () => {
  const documents: Array<[name: string, bytes: Uint8Array, text: string]> = [
    ['PDF', pdfOf(['Minutes']), 'Minutes'],
    ['Word document', docxOf(['Minutes']), 'Minutes'],
    ['workbook', xlsxOf([['Minutes']]), '# Sheet1\n\nMinutes'],
    ['presentation', pptxOf([['Minutes']]), 'Minutes'],
    ['text', bytesOf('Minutes'), 'Minutes'],
    ['text in UTF-16', utf16('Minutes', false), 'Minutes'],
    ['web page', bytesOf('<!doctype html><p>Minutes</p>'), 'Minutes'],
  ];
  test.each(documents)('a %s without a type or extension is read', async (_, bytes, text) => {
    expect(await textOf(bytes, generic, 'minutes')).toBe(text);
    expect(await textOf(bytes, '', 'minutes.constructor')).toBe(text);
    expect(await textOf(bytes, 'application/x-unknown', 'minutes')).toBe(text);
  });

  test.each(documents.slice(0, 4))('a %s declared as text or an archive is read', async (_, bytes, text) => {
    expect(await textOf(bytes, 'application/zip', 'minutes.zip')).toBe(text);
    expect(await textOf(bytes, 'text/plain', 'minutes.txt')).toBe(text);
    expect(await textOf(bytes, types.docx, 'minutes.docx')).toBe(text);
  });

  test.each(['application/vnd.ms-excel', 'application/msword'])('text declared as %s is read', async (type) => {
    expect(await textOf(bytesOf('Name;Amount\r\nÅsa;7\r\n'), type, 'a.csv')).toBe('Name;Amount\nÅsa;7\n');
    expect(await textOf(bytesOf('<html><body><p>Exported</p></body></html>'), type, 'a.xls')).toBe('Exported');
  });

  test('binary data declared as text has no text', async () => {
    const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13);
    expect(await textOf(png, 'text/plain', 'a.txt')).toBeNull();
    expect(
      await textOf(
        Uint8Array.from({ length: 1000 }, (_, at) => at % 32),
        'text/plain',
        'a.txt',
      ),
    ).toBeNull();
    expect(await textOf(zipSync({ 'a.txt': bytesOf('a') }), generic, 'a.txt')).toBeNull();
  });

  test('text that starts like another format is text', async () => {
    for (const text of ['ID3 tags are read.', 'BM is the unit.', 'GIF89a and PNG', 'PK']) {
      expect(await textOf(bytesOf(text), 'text/plain', 'a.txt')).toBe(text);
      expect(await textOf(bytesOf(text), generic, 'notes')).toBe(text);
    }
  });
});

describe('other document types that consist of the same parts are read', () => {
  const family = (bytes: Uint8Array, ...names: string[]) => names.map((name) => [name, bytes] as const);
  test.each([
    ...family(docxOf(['Minutes']), 'docm', 'dotx', 'dotm'),
    ...family(xlsxOf([['Minutes']]), 'xlsm', 'xltx', 'xltm'),
    ...family(pptxOf([['Minutes']]), 'pptm', 'potx', 'ppsx'),
  ])('%s', async (extension, bytes) => {
    expect(await textOf(bytes, generic, `a.${extension}`)).toContain('Minutes');
  });

  test.each([
    ['application/vnd.ms-word.document.macroEnabled.12', docxOf(['Minutes'])],
    ['application/vnd.openxmlformats-officedocument.wordprocessingml.template', docxOf(['Minutes'])],
    ['application/vnd.ms-excel.sheet.macroEnabled.12', xlsxOf([['Minutes']])],
    ['application/vnd.openxmlformats-officedocument.presentationml.slideshow', pptxOf([['Minutes']])],
  ])('%s', async (type, bytes) => {
    expect(await textOf(bytes, type, 'a')).toContain('Minutes');
  });
});
