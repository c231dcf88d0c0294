import { describe, expect, test } from 'vitest';
import { officeFile, relationsPart, types, workbook } from './documents.js';
import { openTextReader } from './open-reader.js';

const { textOf, read: outcomeOf } = openTextReader();
const { textOf: textWithHidden } = openTextReader({ indexesHidden: true });
const read = (bytes: Uint8Array) => textOf(bytes, types.xlsx, 'a.xlsx');
type More = Parameters<typeof workbook>[1];

const strings = (...texts: string[]): More => ({
  'sharedStrings.xml': ['sharedStrings', `<sst>${texts.map((text) => `<si><t>${text}</t></si>`).join('')}</sst>`],
});

/** Styles whose cells have these format codes, or built-in formats, from style 1 on. */
function styles(...formats: Array<string | number>): More {
  const custom = formats.map((format, index) =>
    typeof format === 'string'
      ? `<numFmt numFmtId="${200 + index}" formatCode="${format.replaceAll('"', '&quot;')}"/>`
      : '',
  );
  const cells = formats.map((format, index) => `<xf numFmtId="${typeof format === 'string' ? 200 + index : format}"/>`);
  const xml = `<styleSheet><numFmts>${custom.join('')}</numFmts><cellXfs><xf numFmtId="0"/>${cells.join('')}</cellXfs></styleSheet>`;
  return { 'styles.xml': ['styles', xml] };
}

const row = (...cells: string[]) => `<row>${cells.join('')}</row>`;
const number = (value: string | number, style = 0) => `<c s="${style}"><v>${value}</v></c>`;
const inline = (text: string, attributes = '') => `<c t="inlineStr" ${attributes}><is><t>${text}</t></is></c>`;

/** The text of a cell with this number and format. */
const shown = async (format: string | number, value: string | number, since1904 = false): Promise<string> => {
  let bytes = workbook({ S: row(number(value, 1)) }, styles(format));
  if (since1904) {
    const parts = {
      'xl/workbook.xml': '<workbook><workbookPr date1904="1"/><sheets><sheet name="S" r:id="s0"/></sheets></workbook>',
    };
    const { unzipSync } = await import('fflate');
    bytes = officeFile({ ...unzipSync(bytes), ...parts });
  }
  return ((await read(bytes)) ?? '').replace('# S\n\n', '');
};

describe('cells of a workbook', () => {
  test.each([
    ['0.0%', '0.25600000000000001', '25.6% (0.256)'],
    ['"€"#,##0.00', 1234.5, '€1,234.50 (1234.5)'],
    ['#,##0.00 [$€-407]', 1234.5, '1,234.50 € (1234.5)'],
    ['0.00', 1.005, '1.01 (1.005)'],
    ['0.00', 8.325, '8.33 (8.325)'],
    ['#,##0.00', -1.005, '-1.01 (-1.005)'],
    ['0.00', 1.0049, '1.00 (1.0049)'],
    ['0.0%', 0.0005, '0.1% (0.0005)'],
    ['00000', 1234, '01234 (1234)'],
    ['0" days"', 7, '7 days'],
    ['#,##0;(#,##0)', -1500, '(1,500) (-1500)'],
    ['_($* #,##0.00_);_($* (#,##0.00);_($* "-"??_)', 12.5, '$12.50 (12.5)'],
    ['[h]:mm', '1.2604166666666667', '30:15'],
    ['[mm]:ss', 0.0625, '90:00'],
    ['h:mm AM/PM', 0.75, '6:00 PM (18:00:00)'],
    ['mmm yyyy', 45_366, 'Mar 2024 (2024-03-15)'],
    ['[$-407]d. mmmm yyyy', 45_366, '15. März 2024 (2024-03-15)'],
    ['yyyy"年"m"月"d"日"', 45_366, '2024年3月15日 (2024-03-15)'],
    ['000-00-0000', 123_456_789, '123-45-6789 (123456789)'],
    ['0.00E+00', 12_345, '1.23E+04 (12345)'],
    ['# ?/?', 1.5, '1 1/2 (1.5)'],
    ['0.0,,"M"', 12_345_678, '12.3M (12345678)'],
    ['[Red][<0]0;0', -5, '5 (-5)'],
    ['no [ format', 5, '5'],
    [2, 5, '5.00 (5)'],
    [9, 0.5, '50% (0.5)'],
    [10, 0.125, '12.50% (0.125)'],
    [14, 45_366, '2024-03-15'],
    [20, 45_366.5, '12:00 (2024-03-15 12:00:00)'],
    [46, 1.5, '36:00:00'],
    [49, '2.2000000000000002', '2.2'],
    [0, '2.2000000000000002', '2.2'],
    [0, '4.9999999999999998E-3', '0.005'],
    [0, '1E-3', '0.001'],
    [0, '0.30000000000000004', '0.3'],
    [0, '12345678901234567', '12345678901234567'],
  ])('with format %s and value %s have the displayed and the raw number: %s', async (format, value, text) => {
    expect(await shown(format, value)).toBe(text);
  });

  test('have dates of both date systems', async () => {
    expect(await shown('d mmm yyyy', 45_366)).toBe('15 Mar 2024 (2024-03-15)');
    expect(await shown('d mmm yyyy', 43_904, true)).toBe('15 Mar 2024 (2024-03-15)');
  });

  test('are not invented if their value is empty', async () => {
    const cells = [
      '<c t="s"><v></v></c>',
      '<c t="s"><v/></c>',
      '<c t="s"> </c>',
      '<c t="b"><v/></c>',
      '<c><v> </v></c>',
    ];
    const bytes = workbook(
      { S: row('<c t="s"><v>1</v></c>', ...cells, '<c t="s"><v>7</v></c>') },
      strings('Partner', 'Acme'),
    );
    expect(await read(bytes)).toBe('# S\n\nAcme');
  });

  test('have their escaped characters decoded, and no phonetic guides', async () => {
    const guide = '<c t="inlineStr"><is><t>東京</t><rPh><t>トウキョウ</t></rPh></is></c>';
    const bytes = workbook({ S_x0026_T: row('<c t="s"><v>0</v></c>', guide) }, strings('a_x000D_\nb_x005F_x0041_'));
    expect(await read(bytes)).toBe('# S&T\n\na b_x0041_ | 東京');
  });
});

test('a workbook is found wherever its parts are, with backslashes and different case', async () => {
  const bytes = officeFile({
    '_rels\\.rels': relationsPart({ a: ['officeDocument', '\\Book\\Main.xml'] }),
    'book\\main.xml': '<workbook xmlns:r="r"><sheets><sheet name="One" sheetId="1" r:id="a"/></sheets></workbook>',
    'book\\_rels\\main.xml.rels': relationsPart({
      a: ['worksheet', 'Sheets\\One.xml'],
      b: ['sharedStrings', '/book/s.xml'],
    }),
    'book\\sheets\\one.xml': `<worksheet><sheetData>${row('<c t="s"><v>0</v></c>')}</sheetData></worksheet>`,
    'book\\s.xml': '<sst><si><t>words</t></si></sst>',
  });
  expect(await read(bytes)).toBe('# One\n\nwords');
});

describe('hidden content of a workbook is not indexed:', () => {
  const cells = row(inline('shown', 'r="A1"'), inline('secret', 'r="C1"'), inline('also shown', 'r="AA1"'));
  const columns = '</sheetData><cols><col min="2" max="3" hidden="1"/></cols><sheetData>';

  test('rows, columns and cells', async () => {
    const bytes = workbook({
      S: `${columns}${cells}<row hidden="1">${inline('secret row')}</row><row ht="0" customHeight="1">${inline('flat')}</row>`,
    });
    expect(await read(bytes)).toBe('# S\n\nshown | also shown');
    expect(await outcomeOf(bytes, types.xlsx, 'a.xlsx')).toMatchObject({
      state: 'partial',
      cause: 'hidden',
      detail: 'Hidden content is not indexed: cells (1), rows (2).',
      permanent: true,
    });
    expect(await textWithHidden(bytes, types.xlsx, 'a.xlsx')).toBe(
      '# S\n\nshown | [Hidden] secret | also shown\n[Hidden] secret row\n[Hidden] flat',
    );
    const invisible = workbook({ S: row(number(5, 1), number(0, 1), number(7)) }, styles(';;;'));
    expect(await read(invisible)).toBe('# S\n\n7');
  });

  test('sheets', async () => {
    const { unzipSync } = await import('fflate');
    const parts = unzipSync(
      workbook({ One: row(inline('shown')), Two: row(inline('secret')), Three: row(inline('very secret')) }),
    );
    const source = new TextDecoder().decode(parts['xl/workbook.xml']);
    const xml = source
      .replace('name="Two"', 'name="Two" state="hidden"')
      .replace('name="Three"', 'name="Three" state="veryHidden"');
    expect(await read(officeFile({ ...parts, 'xl/workbook.xml': xml }))).toBe('# One\n\nshown');
    expect(await textWithHidden(officeFile({ ...parts, 'xl/workbook.xml': xml }), types.xlsx, 'a.xlsx')).toBe(
      '# One\n\nshown\n\n# Two [Hidden]\n\nsecret\n\n# Three [Hidden]\n\nvery secret',
    );
  });
});

test('a sheet has its text boxes, chart titles and comments', async () => {
  const { unzipSync } = await import('fflate');
  const parts = unzipSync(
    workbook(
      { One: row(inline('cell')) },
      { 'persons/person.xml': ['person', '<personList><person displayName="Ann" id="{1}"/></personList>'] },
    ),
  );
  const words = (text: string) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`;
  const chart = `<c:chartSpace><c:chart><c:title><c:tx><c:rich>${words('Sales')}</c:rich></c:tx></c:title><c:ser><c:tx><c:strRef><c:strCache><c:pt idx="0"><c:v>cell</c:v></c:pt></c:strCache></c:strRef></c:tx></c:ser></c:chart></c:chartSpace>`;
  const bytes = officeFile({
    ...parts,
    'xl/worksheets/_rels/sheet0.xml.rels': relationsPart({
      d: ['drawing', '../drawings/drawing1.xml'],
      c: ['comments', '../comments1.xml'],
      t: ['threadedComment', '../threadedComments/t1.xml'],
    }),
    'xl/drawings/drawing1.xml': `<xdr:wsDr><xdr:sp><xdr:txBody>${words('In a box')}${words('two lines')}</xdr:txBody></xdr:sp>
      <xdr:sp><xdr:nvSpPr><xdr:cNvPr id="2" hidden="1"/></xdr:nvSpPr><xdr:txBody>${words('hidden box')}</xdr:txBody></xdr:sp>
      <mc:AlternateContent><mc:Choice><xdr:graphicFrame><c:chart r:id="k"/></xdr:graphicFrame></mc:Choice><mc:Fallback><xdr:sp><xdr:txBody>${words('not available')}</xdr:txBody></xdr:sp></mc:Fallback></mc:AlternateContent></xdr:wsDr>`,
    'xl/drawings/_rels/drawing1.xml.rels': relationsPart({ k: ['chart', '../charts/chart1.xml'] }),
    'xl/charts/chart1.xml': chart,
    'xl/comments1.xml': `<comments><authors><author>tc={1}</author><author>Bob</author></authors><commentList>
      <comment ref="A1" authorId="0"><text><t>[Threaded comment] Your version of Excel …</t></text></comment>
      <comment ref="B2" authorId="1"><text><r><t>Bob:</t></r><r><t xml:space="preserve"> please_x000D_ check</t></r></text></comment>
      <comment ref="B3" authorId="1"><text><t>done</t></text></comment></commentList></comments>`,
    'xl/threadedComments/t1.xml':
      '<ThreadedComments><threadedComment ref="A1" personId="{1}"><text>Is this right?</text></threadedComment></ThreadedComments>',
  });
  expect(await read(bytes)).toBe(
    '# One\n\ncell\n\nIn a box\ntwo lines\n\nSales\n\nComments:\n[A1] Ann: Is this right?\n[B2] Bob: please check\n[B3] Bob: done',
  );
});
