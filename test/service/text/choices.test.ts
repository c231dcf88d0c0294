import { expect, test } from 'vitest';
import { officeFile, types, workbook } from './documents.js';
import { openTextReader } from './open-reader.js';

const { read } = openTextReader();

test('a workbook has the choices and hints of its cells, each once', async () => {
  const list =
    '<dataValidation type="list" promptTitle="Stage" prompt="Pick one"><formula1>"Open,Won"</formula1></dataValidation>';
  const others = '<dataValidation type="list"><formula1>$D$1:$D$3</formula1></dataValidation>';
  const rows = `<row><c t="str"><v>Deal</v></c></row></sheetData><dataValidations>${list}${list}${others}</dataValidations><sheetData>`;
  const { text, state } = await read(workbook({ A: rows }), types.xlsx, 'a.xlsx');
  expect([text, state]).toEqual(['# A\n\nDeal\n\nHint: Stage: Pick one\nChoices: Open, Won', 'read']);
});

test('a book without one of its chapters says so', async () => {
  const bytes = officeFile({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>',
    'b.opf':
      '<package><manifest><item id="a" href="a.xhtml"/><item id="b" href="b.xhtml"/></manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>',
    'a.xhtml': '<html><body>One</body></html>',
  });
  expect(await read(bytes, '', 'a.epub')).toMatchObject({ text: 'One', state: 'partial', cause: 'damaged' });
});
