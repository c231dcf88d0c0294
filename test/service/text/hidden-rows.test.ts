import { utils, write } from '@e965/xlsx';
import { expect, test } from 'vitest';
import { openTextReader } from './open-reader.js';

const { read } = openTextReader();

test.each(['xlsb', 'biff8'] as const)(
  'hidden sheets of a workbook as %s are left out, which it says',
  async (bookType) => {
    const book = utils.book_new();
    utils.book_append_sheet(book, utils.aoa_to_sheet([['shown']]), 'Offers');
    utils.book_append_sheet(book, utils.aoa_to_sheet([['SHEET']]), 'Secret');
    book.Workbook = { Sheets: [{ Hidden: 0 }, { Hidden: 1 }] };
    const file = new Uint8Array(write(book, { type: 'buffer', bookType }));
    expect(await read(file, 'application/vnd.ms-excel', 'a.xls')).toMatchObject({
      text: '# Offers\n\nshown',
      state: 'partial',
      cause: 'hidden',
      detail: 'Hidden content is not indexed: sheets (1).',
    });
  },
);

test('hidden rows of a binary workbook are left out, which it says', async () => {
  const book = utils.book_new();
  const sheet = utils.aoa_to_sheet([['shown'], ['ROW']]);
  sheet['!rows'] = [{}, { hidden: true }];
  utils.book_append_sheet(book, sheet, 'Offers');
  const file = new Uint8Array(write(book, { type: 'buffer', bookType: 'xlsb' }));
  expect(await read(file, '', 'a.xlsb')).toMatchObject({
    text: '# Offers\n\nshown',
    state: 'partial',
    cause: 'hidden',
    detail: 'Hidden content is not indexed: rows (1).',
  });
});
