import { utils, write } from '@e965/xlsx';
import { describe, expect, test } from 'vitest';
import { officeFile, paragraph, relationsPart, types, wordFile, workbook } from './documents.js';
import { openTextReader } from './open-reader.js';

const { textOf } = openTextReader();
const bytesOf = (text: string) => new TextEncoder().encode(text);
const pageText = (body: string) => textOf(bytesOf(`<!doctype html>${body}`), 'text/html', 'a.html');

/** How a cell spans columns or rows, or is covered by the cell above or on its left. */
type Span = 'rows' | 'columns' | 'below' | 'beside' | '';
/** A price list whose cells span rows and columns; one place is empty, and the first cell of the last row is, too. */
const prices: ReadonlyArray<ReadonlyArray<readonly [text: string, span?: Span]>> = [
  [[''], ['Basic'], ['Pro'], ['']],
  [['Price', 'rows'], ['10'], ['20'], ['']],
  [['', 'below'], ['100'], ['200'], ['']],
  [['Both', 'columns'], ['', 'beside'], ['30'], ['']],
  [['Gap'], [''], ['40'], ['']],
];
const expected = ' | Basic | Pro\nPrice | 10 | 20\n | 100 | 200\nBoth |  | 30\nGap |  | 40';

const table = (cell: (text: string, span: Span) => string, row: (cells: string) => string): string =>
  prices.map((cells) => row(cells.map(([text, span = '']) => cell(text, span)).join(''))).join('');

const inWord = () => {
  const properties = {
    rows: '<w:vMerge w:val="restart"/>',
    below: '<w:vMerge/>',
    columns: '<w:gridSpan w:val="2"/>',
  };
  const cell = (text: string, span: Span) =>
    span === 'beside'
      ? ''
      : `<w:tc><w:tcPr>${properties[span as 'rows'] ?? ''}<w:tcPrChange><w:tcPr><w:gridSpan w:val="3"/></w:tcPr></w:tcPrChange></w:tcPr>${paragraph(text)}</w:tc>`;
  return wordFile(`<w:tbl>${table(cell, (cells) => `<w:tr>${cells}</w:tr>`)}</w:tbl>`);
};

const inSlides = () => {
  const attributes = { rows: 'rowSpan="2"', below: 'vMerge="1"', columns: 'gridSpan="2"', beside: 'hMerge="1"' };
  const cell = (text: string, span: Span) =>
    `<a:tc ${attributes[span as 'rows'] ?? ''}><a:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></a:txBody></a:tc>`;
  return officeFile({
    'ppt/presentation.xml': '<p:presentation><p:sldId id="256" r:id="s"/></p:presentation>',
    'ppt/_rels/presentation.xml.rels': relationsPart({ s: ['slide', 'slides/slide1.xml'] }),
    'ppt/slides/slide1.xml': `<p:sld><p:graphicFrame><a:tbl>${table(cell, (cells) => `<a:tr>${cells}</a:tr>`)}</a:tbl></p:graphicFrame></p:sld>`,
  });
};

const openDocument = (kind: string, rows: string) =>
  officeFile({
    mimetype: `application/vnd.oasis.opendocument.${kind}`,
    'content.xml': `<office:document-content><office:body><office:${kind}><table:table table:name="">${rows}</table:table></office:${kind}></office:body></office:document-content>`,
  });

const inOpenDocument = (kind: string) => {
  const attributes = { rows: 'table:number-rows-spanned="2"', columns: 'table:number-columns-spanned="2"' };
  const cell = (text: string, span: Span) =>
    span === 'below' || span === 'beside'
      ? '<table:covered-table-cell/>'
      : text === ''
        ? '<table:table-cell/>'
        : `<table:table-cell ${attributes[span as 'rows'] ?? ''}><text:p>${text}</text:p></table:table-cell>`;
  return openDocument(
    kind,
    table(cell, (cells) => `<table:table-row>${cells}</table:table-row>`),
  );
};

const inRichText = () => {
  const cell = (text: string) => `${text}\\cell `;
  return bytesOf(`{\\rtf1 ${table(cell, (cells) => `\\trowd ${cells}\\row `)}}`);
};

const inPage = () => {
  const cell = (text: string, span: Span) =>
    span === 'below' || span === 'beside'
      ? ''
      : `<td${span === 'rows' ? ' rowspan=2' : span === 'columns' ? ' colspan=2' : ''}>${text}</td>`;
  return bytesOf(`<!doctype html><table>${table(cell, (cells) => `<tr>${cells}</tr>`)}</table>`);
};

const cells = prices.map((row) => row.map(([text]) => text || null));

const inWorkbook = () =>
  workbook({
    S: cells
      .map((row, at) => {
        const filled = row.map((text, column) =>
          text === null ? '' : `<c r="${'BDEF'[column]}${at + 1}" t="inlineStr"><is><t>${text}</t></is></c>`,
        );
        return `<row>${filled.join('')}</row>`;
      })
      .join(''),
  });

const inOlderWorkbook = () =>
  new Uint8Array(
    write(
      { SheetNames: ['S'], Sheets: { S: utils.aoa_to_sheet(cells.map((row) => [null, ...row])) } },
      { bookType: 'biff8', type: 'buffer' },
    ),
  );

describe('cells stay below their headings beside cells that span rows or columns, and empty ones,', () => {
  test.each([
    ['in Word', inWord, types.docx, 'a.docx'],
    ['on slides', inSlides, types.pptx, 'a.pptx'],
    ['in OpenDocument texts', () => inOpenDocument('text'), '', 'a.odt'],
    ['in OpenDocument sheets', () => inOpenDocument('spreadsheet'), '', 'a.ods'],
    ['in workbooks', inWorkbook, types.xlsx, 'a.xlsx'],
    ['in older workbooks', inOlderWorkbook, 'application/vnd.ms-excel', 'a.xls'],
    ['in Rich Text', inRichText, 'application/rtf', 'a.rtf'],
    ['in web pages', inPage, 'text/html', 'a.html'],
  ])('%s', async (_, file, type, name) => {
    expect((await textOf(file(), type, name))?.replace(/^# S\n\n/, '')).toBe(expected);
  });
});

describe('tables of web pages', () => {
  test.each([
    ['<tr><td rowspan=0>RS<td>a1<td>a2<tr><td>b1<td>b2<tr><td>c1', 'RS | a1 | a2\n | b1 | b2\n | c1'],
    ['<tr><td rowspan=3>RS<td>a<tr hidden><td>x<tr><td>b<tr><td>c<tr><td>d<td>e', 'RS | a\n | b\n | c\nd | e'],
    ['<tbody><tr><td rowspan=9>RS<td>a<tbody><tr><td>b<td>c', 'RS | a\nb | c'],
    ['<tr><td>a<td rowspan=2 colspan=2>RS<td>b<tr><td>c<td>d', 'a | RS |  | b\nc |  |  | d'],
    ['<tr><td>a<td style="display:none">x<td>b', 'a | b'],
    ['<tr><td rowspan=2><table><tr><td>in<td><td>side</table><td>a<tr><td>b<td>c', 'in |  | side\n\na\n | b | c'],
  ])('%s keep the places of cells', async (rows, text) => {
    expect(await pageText(`<table>${rows}</table>`)).toBe(text);
  });

  test.each([
    ['<tr><td>&nbsp;<td>Hello<td>&nbsp;<tr><td colspan=3>Thanks<tr><td><td>Bye', 'Hello\nThanks\nBye'],
    ['<tr><td rowspan=2><img src=x><td>Acme<tr><td>Berlin', 'Acme\nBerlin'],
    ['<tr><td rowspan=2>Home<br>Blog<td>Acme<tr><td>Berlin', 'Home\nBlog | Acme\nBerlin'],
    ['<tr><td><td><p>One</p><td><td><p>Two</p>', 'One\n\nTwo'],
  ])('%s that are used for layout have no empty cells', async (rows, text) => {
    expect(await pageText(`<table>${rows}</table>`)).toBe(text);
  });
});

test('rows of a Word document may start after columns', async () => {
  const cell = (text: string) => `<w:tc>${paragraph(text)}</w:tc>`;
  const rows = `<w:tr>${cell('a')}${cell('b')}</w:tr><w:tr><w:trPr><w:gridBefore w:val="1"/></w:trPr>${cell('c')}</w:tr>`;
  expect(await textOf(wordFile(`<w:tbl>${rows}</w:tbl>`), types.docx, 'a.docx')).toBe('a | b\n | c');
});

test('empty cells of OpenDocument sheets may be repeated', async () => {
  const cell = (text: string) => `<table:table-cell><text:p>${text}</text:p></table:table-cell>`;
  const empty = (count: number) => `<table:table-cell table:number-columns-repeated="${count}"/>`;
  const rows = [cell('a') + empty(2) + cell('b') + empty(16_000), empty(3) + cell('c')];
  const sheet = rows.map((cells) => `<table:table-row>${cells}</table:table-row>`).join('');
  expect(await textOf(openDocument('spreadsheet', sheet), '', 'a.ods')).toBe('a |  |  | b\n |  |  | c');
});

test('columns that are empty in all rows of a workbook are left out', async () => {
  const cell = (at: string) => `<c r="${at}" t="inlineStr"><is><t>${at}</t></is></c>`;
  const rows = [['B1', 'XFD1'], ['XFD2'], ['C3', 'B3', 'B3']].map((row) => `<row>${row.map(cell).join('')}</row>`);
  expect(await textOf(workbook({ S: rows.join('') }), types.xlsx, 'a.xlsx')).toBe(
    '# S\n\nB1 |  | XFD1\n |  | XFD2\n | C3 | B3 | B3',
  );
});
