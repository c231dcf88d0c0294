import { describe, expect, test } from 'vitest';
import { officeFile, paragraph, relationsPart, types, wordFile } from './documents.js';
import { openTextReader } from './open-reader.js';

const { textOf } = openTextReader();
const textOfBody = (body: string, more: Readonly<Record<string, string>> = {}) =>
  textOf(wordFile(body, more), types.docx, 'a.docx');

const run = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
const item = (text: string, level: number, list = 1) =>
  `<w:p><w:pPr><w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${list}"/></w:numPr></w:pPr>${run(text)}</w:p>`;
const table = (...rows: string[][]) => {
  const cells = (row: string[]) => row.map((cell) => `<w:tc><w:tcPr/>${cell}</w:tc>`).join('');
  return `<w:tbl><w:tblPr/>${rows.map((row) => `<w:tr>${cells(row)}</w:tr>`).join('')}</w:tbl>`;
};
const textBox = (...paragraphs: string[]) => `<w:txbxContent>${paragraphs.join('')}</w:txbxContent>`;

describe('the paragraphs of a Word document', () => {
  const style = (type: string, id: string, name: string, properties = '') =>
    `<w:style w:type="${type}" w:styleId="${id}"><w:name w:val="${name}"/><w:pPr>${properties}</w:pPr></w:style>`;
  const list = (level: number) => `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="7"/></w:numPr>`;
  const styles = {
    'word/styles.xml': `<w:styles>${[
      style('character', 'berschrift2', 'not a heading'),
      style('paragraph', 'berschrift2', 'heading 2', list(1)),
      style('paragraph', 'berschrift2', 'heading 5'),
      style('paragraph', 'Heading3', 'Section'),
      style('paragraph', 'Heading', 'Heading'),
      style('paragraph', 'Bullet2', 'List Bullet 2', list(1)),
      style('paragraph', 'Title', 'Title'),
    ].join('')}</w:styles>`,
  };

  test("are recognized as headings by their style's name in any language, or by its id", async () => {
    const names = ['berschrift2', 'Heading3', 'Heading', 'Heading6', 'Heading7', 'Title', 'unknown'];
    expect(await textOfBody(names.map((name) => paragraph(name, name)).join(''), styles)).toBe(
      '## berschrift2\n\n### Heading3\n\n# Heading\n\n###### Heading6\n\nHeading7\n\nTitle\n\nunknown',
    );
  });

  test('are recognized as list items by their own numbering or style, indented by level', async () => {
    const body =
      item('one', 0) + item('deeper', 1, 2) + paragraph('by style', 'Bullet2') + paragraph('') + item('two', 0);
    expect(await textOfBody(`${body}${item('none', 0, 0)}${item('deepest', 999_999_999)}`, styles)).toBe(
      `- one\n  - deeper\n  - by style\n- two\n\nnone\n\n${' '.repeat(16)}- deepest`,
    );
  });

  test('have spaces, line breaks, hyphens and symbols as shown in the document', async () => {
    const tabStops = '<w:pPr><w:tabs><w:tab w:val="left" w:pos="100"/></w:tabs></w:pPr>';
    const symbol = (font: string, char: string) => `<w:r><w:sym w:font="${font}" w:char="${char}"/></w:r>`;
    const body = `<w:p>${tabStops}${run(' a ')}<w:r><w:tab/><w:t>b</w:t><w:br/><w:br/></w:r>${run(' c\n d')}<w:r><w:cr/><w:t>e</w:t>
      <w:noBreakHyphen/><w:t>f</w:t><w:softHyphen/><w:t>g &amp; h</w:t></w:r></w:p>`;
    expect(await textOfBody(body)).toBe('a b\nc d\ne\u2011fg & h');
    const symbols = [
      symbol('Wingdings', 'F0FC'),
      symbol('Symbol', 'F061'),
      symbol('MS Gothic', '2612'),
      symbol('Unknown', 'F061'),
      symbol('Unknown', 'D800'),
      symbol('Unknown', 'x'),
    ];
    expect(await textOfBody(`<w:p>${symbols.join('')}</w:p>`)).toBe('✓α☒');
  });

  test('include content controls, fields, links, formulas, and the base of ruby text', async () => {
    const body = `<w:sdt><w:sdtPr/><w:sdtContent>${paragraph('control')}</w:sdtContent></w:sdt><w:p>
      <w:hyperlink r:id="x">${run('link ')}</w:hyperlink><w:fldSimple w:instr="PAGE">${run('5 ')}</w:fldSimple>
      <w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>DATE</w:instrText></w:r>${run('today ')}
      <w:r><w:ruby><w:rt>${run('とう')}</w:rt><w:rubyBase>${run('東 ')}</w:rubyBase></w:ruby></w:r>
      <m:oMath><m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f></m:oMath></w:p>`;
    expect(await textOfBody(body)).toBe('control\n\nlink 5 today 東 1/2');
  });
});

describe('tracked changes in a Word document', () => {
  const deleted = (content: string) => `<w:del w:id="1">${content}</w:del>`;

  test('keep what was inserted or moved in, but not what was deleted or moved away', async () => {
    const body = `<w:p><w:pPr><w:pStyle w:val="Heading1"/><w:pPrChange><w:pPr><w:pStyle w:val="Heading2"/>
      <w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:pPrChange></w:pPr>${deleted('<w:r><w:delText>old</w:delText></w:r>')}<w:ins>${run('new')}${deleted(run('both'))}</w:ins>
      <w:moveFrom>${run('away')}</w:moveFrom><w:moveTo>${run(' here')}</w:moveTo></w:p>`;
    expect(await textOfBody(body)).toBe('# new here');
  });

  test('join each paragraph whose mark was deleted to the next one', async () => {
    const unmarked = (text: string) => `<w:p><w:pPr><w:rPr><w:del w:id="1"/></w:rPr></w:pPr>${run(text)}</w:p>`;
    const body = unmarked('one ') + unmarked('two ') + paragraph('three', 'Heading1') + unmarked('four');
    expect(await textOfBody(body)).toBe('# one two three\n\nfour');
  });

  test('remove deleted rows from a table', async () => {
    const row = (properties: string, text: string) =>
      `<w:tr><w:trPr>${properties}</w:trPr><w:tc>${paragraph(text)}</w:tc></w:tr>`;
    const rows = row('', 'kept') + row('<w:del w:id="1"/>', 'gone') + row('<w:ins w:id="2"/>', 'new');
    expect(await textOfBody(`<w:tbl>${rows}</w:tbl>`)).toBe('kept\nnew');
  });
});

describe('tables in a Word document', () => {
  test('have one line per row, and a blank line between two tables', async () => {
    const one = table([paragraph('Team'), paragraph('EUR')], [paragraph('Design'), paragraph('') + paragraph('8')]);
    const other = table([paragraph('next'), paragraph('')], [paragraph('')]);
    expect(await textOfBody(paragraph('Above') + one + other + paragraph('Below'))).toBe(
      'Above\n\nTeam | EUR\nDesign | 8\n\nnext\n\nBelow',
    );
  });

  test('keep paragraphs in cells that contain several, or lists or other tables', async () => {
    const lines = '<w:p><w:r><w:t>first</w:t><w:br/><w:t>second</w:t></w:r></w:p>';
    const body = table(
      [paragraph('Left'), paragraph('Right')],
      [item('a', 0) + item('b', 0), paragraph('beside')],
      [table([paragraph('in'), paragraph('side')], [paragraph('of'), paragraph('it')]), paragraph('outside')],
      [lines, paragraph('third')],
    );
    expect(await textOfBody(body)).toBe(
      'Left | Right\n\n- a\n- b\n\nbeside\n\nin | side\nof | it\n\noutside\n\nfirst\nsecond\n\nthird',
    );
  });
});

describe('text boxes in a Word document', () => {
  test('follow the paragraph that they are anchored in', async () => {
    const box = `<w:r><w:pict><v:shape><v:textbox>${textBox(paragraph('box', 'Heading1'), paragraph('inside'))}</v:textbox></v:shape></w:pict></w:r>`;
    expect(await textOfBody(`<w:p>${run('be')}${box}${run('fore')}</w:p>${paragraph('after')}`)).toBe(
      'before\n\n# box\n\ninside\n\nafter',
    );
  });

  test('occur once, whether or not they have a fallback', async () => {
    const choice = (content: string) => `<mc:Choice Requires="wps"><w:drawing>${content}</w:drawing></mc:Choice>`;
    const both = `<mc:AlternateContent>${choice(textBox(paragraph('box')))}<mc:Fallback><w:pict>${textBox(paragraph('box'))}</w:pict></mc:Fallback></mc:AlternateContent>`;
    const emoji = '<mc:AlternateContent><mc:Choice Requires="w16se"><w16se:symEx/></mc:Choice>';
    const body = `<w:p>${run('a ')}<w:r>${both}</w:r><w:r>${emoji}<mc:Fallback><w:t>😊</w:t></mc:Fallback></mc:AlternateContent></w:r></w:p>
      <w:p><w:r><mc:AlternateContent>${choice(textBox(paragraph('alone')))}</mc:AlternateContent></w:r></w:p>`;
    expect(await textOfBody(body)).toBe('a 😊\n\nbox\n\nalone');
  });
});

describe('notes in a Word document', () => {
  const reference = (kind: string, id: number) => `<w:r><w:${kind}Reference w:id="${id}"/></w:r>`;

  test('follow the text in order of reference, each once', async () => {
    const note = (kind: string, id: number, ...paragraphs: string[]) =>
      `<w:${kind} w:id="${id}">${paragraphs.join('')}</w:${kind}>`;
    const body = `<w:p>${run('a')}${reference('endnote', 2)}${run(' b')}${reference('footnote', 2)}${run(' c')}${reference('endnote', 2)}${reference('footnote', 9)}</w:p>`;
    const text = await textOfBody(body, {
      'word/_rels/document.xml.rels': relationsPart({ n: ['footnotes', 'notes/foot.xml'] }),
      'word/notes/foot.xml': `<w:footnotes>${note('footnote', 1, paragraph('never referred to'))}${note('footnote', 2, paragraph('foot'))}</w:footnotes>`,
      'word/endnotes.xml': `<w:endnotes>${note('endnote', 2, paragraph('end'), paragraph('of it'))}</w:endnotes>`,
    });
    expect(text).toBe('a[1] b[2] c[1][3]\n\n[1] end\n\nof it\n\n[2] foot');
  });

  test('that are missing are represented by their numbers', async () => {
    expect(await textOfBody(`<w:p>${run('a')}${reference('footnote', 1)}</w:p>`)).toBe('a[1]');
  });
});

test('a Word document can use other namespace prefixes and store its text in another part', async () => {
  const main = '<?xml version="1.0"?><d xmlns="http://purl.oclc.org/ooxml/wordprocessingml/main">';
  const parts = {
    '_rels/.rels': relationsPart({ a: ['thumbnail', 'a.xml'], b: ['officeDocument', '/word/document2.xml'] }),
    'word/document2.xml': `${main}<body><p><pPr><pStyle val="s"/></pPr><r><t>Strict</t></r></p></body></d>`,
    'word/_rels/document2.xml.rels': relationsPart({ a: ['styles', 'styles2.xml'] }),
    'word/styles2.xml':
      '<x:styles><x:style x:type="paragraph" x:styleId="s"><x:name x:val="Heading 1"/></x:style></x:styles>',
  };
  expect(await textOf(officeFile(parts), types.docx, 'a.docx')).toBe('# Strict');
});

test('a Word document that references a long note many times contains it once', async () => {
  const references = '<w:r><w:footnoteReference w:id="1"/></w:r>'.repeat(50_000);
  const note = paragraph('long '.repeat(100_000));
  const text = await textOfBody(`<w:p>${references}</w:p>`, {
    'word/footnotes.xml': `<w:footnotes><w:footnote w:id="1">${note}</w:footnote></w:footnotes>`,
  });
  expect(text).toHaveLength(3 * 50_000 + '\n\n[1] '.length + 5 * 100_000 - 1);
});

test('a Word document can have all its paragraphs in one cell', async () => {
  const text = await textOfBody(table([paragraph('x').repeat(130_000)]));
  expect(text).toBe('x\n\n'.repeat(130_000).trim());
});

describe('numbered paragraphs in a Word document', () => {
  const level = (at: number, format: string, text: string, more = '') =>
    `<w:lvl w:ilvl="${at}"><w:start w:val="1"/><w:numFmt w:val="${format}"/>${more}<w:lvlText w:val="${text}"/></w:lvl>`;
  const numbering = (definitions: string[], lists: string) => ({
    'word/numbering.xml': `<w:numbering>${definitions
      .map((levels, id) => `<w:abstractNum w:abstractNumId="${id}">${levels}</w:abstractNum>`)
      .join('')}${lists}</w:numbering>`,
  });
  const list = (id: number, definition: number, more = '') =>
    `<w:num w:numId="${id}"><w:abstractNumId w:val="${definition}"/>${more}</w:num>`;
  const clauses = level(0, 'decimal', '%1.') + level(1, 'decimal', '%1.%2.') + level(2, 'lowerLetter', '(%3)');

  test('have the numbers of their clauses', async () => {
    const body = [0, 1, 2, 2, 1, 2, 0, 1].map((at, index) => item(`p${index}`, at)).join('');
    expect(await textOfBody(body, numbering([clauses], list(1, 0)))).toBe(
      '1. p0\n  1.1. p1\n    (a) p2\n    (b) p3\n  1.2. p4\n    (a) p5\n2. p6\n  2.1. p7',
    );
  });

  test('continue in another list of the same definition, unless it restarts', async () => {
    const restart = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride>';
    const lists = list(1, 0) + list(2, 0) + list(3, 0, restart);
    const body = item('a', 0) + item('b', 0, 2) + item('c', 0, 3) + item('d', 0, 3);
    expect(await textOfBody(body, numbering([clauses], lists))).toBe('1. a\n2. b\n5. c\n6. d');
  });

  test.each([
    ['upperRoman', '%1)', 'IX)'],
    ['lowerRoman', '%1.', 'ix.'],
    ['upperLetter', 'Annex %1', 'Annex I'],
    ['decimalZero', '%1', '09'],
    ['ordinal', '%1', '9th'],
    ['japaneseCounting', '第%1条', '第九条'],
    ['decimalEnclosedCircle', '%1', '⑨'],
    ['unknown', 'Article %1', 'Article 9'],
    ['bullet', '\uF0B7', '-'],
  ])('can be %s with the text %s', async (format, text, label) => {
    const levels = level(0, format, text).replace('w:start w:val="1"', 'w:start w:val="9"');
    expect(await textOfBody(item('x', 0), numbering([levels], list(1, 0)))).toBe(`${label} x`);
  });

  test('can be headings, by their style or its ancestor', async () => {
    const style = (id: string, name: string, more: string) =>
      `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/>${more}</w:style>`;
    const numbered = '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>';
    const styles = `<w:styles>${style('H1', 'heading 1', numbered)}${style('H2', 'heading 2', numbered)}${style('Clause', 'clause', '<w:basedOn w:val="H2"/>')}</w:styles>`;
    const levels =
      level(0, 'decimal', '%1', '<w:pStyle w:val="H1"/>') + level(1, 'decimal', '%1.%2', '<w:pStyle w:val="H2"/>');
    const body = ['H1', 'H2', 'Clause', 'H1'].map((id) => paragraph(id, id)).join('');
    const parts = { ...numbering([levels], list(1, 0)), 'word/styles.xml': styles };
    expect(await textOfBody(body, parts)).toBe('# 1 H1\n\n## 1.1 H2\n\n  1.2 Clause\n\n# 2 H1');
  });
});

test('hidden text and hidden rows of a Word document are not indexed', async () => {
  const hidden = (text: string, properties = '<w:vanish/>') =>
    `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
  const styles = `<w:styles><w:style w:type="character" w:styleId="Secret"><w:rPr><w:vanish/></w:rPr></w:style>
    <w:style w:type="paragraph" w:styleId="Hidden"><w:rPr><w:vanish/></w:rPr></w:style></w:styles>`;
  const body = `<w:p>${run('shown ')}${hidden('secret ')}${hidden('also shown', '<w:vanish w:val="0"/>')}${hidden('secret', '<w:rStyle w:val="Secret"/>')}</w:p>
    <w:p><w:pPr><w:pStyle w:val="Hidden"/></w:pPr>${run('secret')}</w:p>
    <w:p><w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr>${run('only its mark is hidden')}</w:p>
    <w:tbl><w:tr><w:trPr><w:hidden/></w:trPr><w:tc>${paragraph('secret')}</w:tc></w:tr></w:tbl>`;
  expect(await textOfBody(body, { 'word/styles.xml': styles })).toBe('shown also shown\n\nonly its mark is hidden');
  const { textOf: textWithHidden } = openTextReader({ indexesHidden: true });
  expect(await textWithHidden(wordFile(body, { 'word/styles.xml': styles }), types.docx, 'a.docx')).toBe(
    'shown [Hidden: secret ]also shown[Hidden: secret]\n\n[Hidden: secret]\n\nonly its mark is hidden\n\n[Hidden] secret',
  );
});

test('a Word document has its headers, footers, comments, diagrams and charts, each once', async () => {
  const words = (text: string) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`;
  const part = (name: string, text: string) => `<w:${name}>${paragraph(text)}</w:${name}>`;
  const points = (kind: string, ...values: Array<string | number>) =>
    `<c:${kind}>${values.map((value, at) => `<c:pt idx="${at}"><c:v>${value}</c:v></c:pt>`).join('')}</c:${kind}>`;
  const series = (name: string, ...values: number[]) =>
    `<c:ser><c:tx><c:strRef>${points('strCache', name)}</c:strRef></c:tx><c:cat><c:strRef>${points('strCache', 'Q1', 'Q2')}</c:strRef></c:cat><c:val><c:numRef>${points('numCache', ...values)}</c:numRef></c:val></c:ser>`;
  const graphic = (content: string) => `<w:p><w:r><w:drawing>${content}</w:drawing></w:r></w:p>`;
  const body = `${paragraph('body')}${graphic('<dgm:relIds r:dm="d" r:lo="l"/>')}${graphic('<c:chart r:id="c"/>')}${graphic('<c:chart r:id="c"/>')}`;
  const text = await textOfBody(body, {
    'word/_rels/document.xml.rels': relationsPart({
      h1: ['header', 'header1.xml'],
      h2: ['header', 'header2.xml'],
      f1: ['footer', 'footer1.xml'],
      d: ['diagramData', 'diagrams/data1.xml'],
      c: ['chart', 'charts/chart1.xml'],
    }),
    'word/header1.xml': part('hdr', 'Contract'),
    'word/header2.xml': part('hdr', 'Contract'),
    'word/footer1.xml': part('ftr', 'Confidential'),
    'word/comments.xml': `<w:comments><w:comment w:id="0" w:author="Ann">${paragraph('Really?')}</w:comment></w:comments>`,
    'word/diagrams/data1.xml': `<dgm:dataModel><dgm:pt modelId="1"><dgm:t>${words('First')}</dgm:t></dgm:pt><dgm:pt><dgm:t>${words('Second')}</dgm:t></dgm:pt></dgm:dataModel>`,
    'word/charts/chart1.xml': `<c:chartSpace><c:chart><c:title><c:tx><c:rich>${words('Sales')}</c:rich></c:tx></c:title><c:plotArea>${series('2023', 1, 2)}${series('2024', 3, 4.5)}</c:plotArea></c:chart></c:chartSpace>`,
  });
  expect(text).toBe(
    'body\n\nFirst\nSecond\n\nSales\n2023 | 2024\nQ1 | 1 | 3\nQ2 | 2 | 4.5\n\nHeader: Contract\n\nFooter: Confidential\n\nComment by Ann: Really?',
  );
});
