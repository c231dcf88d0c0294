import { expect, test } from 'vitest';
import { officeFile, relationsPart, types, wordFile } from './documents.js';
import { openTextReader } from './open-reader.js';

const { textOf } = openTextReader();

const run = (text: string) => `<m:r><w:rPr><w:rFonts w:ascii="Cambria Math"/></w:rPr><m:t>${text}</m:t></m:r>`;
const element = (name: string, parts: Readonly<Record<string, string | readonly string[]>>, properties = '') =>
  `<m:${name}><m:${name}Pr>${properties}<m:ctrlPr><w:rPr><w:i/></w:rPr></m:ctrlPr></m:${name}Pr>${Object.entries(parts)
    .flatMap(([part, content]) => [content].flat().map((one) => `<m:${part}>${one}</m:${part}>`))
    .join('')}</m:${name}>`;
const x = run('x');
const row = (...cells: string[]) => cells.map((cell) => `<m:e>${run(cell)}</m:e>`).join('');

const equations: ReadonlyArray<readonly [kind: string, xml: string, text: string]> = [
  ['a fraction', element('f', { num: run('a+b'), den: run('c') }), '(a+b)/c'],
  [
    'a binomial',
    element('d', { e: element('f', { num: run('n'), den: run('k') }, '<m:type m:val="noBar"/>') }),
    '(n¦k)',
  ],
  ['a square root', element('rad', { deg: '', e: x }, '<m:degHide m:val="1"/>'), '√(x)'],
  ['a cube root', element('rad', { deg: run('3'), e: x }), '√[3](x)'],
  ['a power', element('sSup', { e: x, sup: run('2') }), 'x^2'],
  ['a power of a term', element('sSup', { e: run('xy'), sup: run('n+1') }), '(xy)^(n+1)'],
  ['an index', element('sSub', { e: x, sub: run('10') }), 'x_10'],
  ['both', element('sSubSup', { e: x, sub: run('i'), sup: run('2') }), 'x_i^2'],
  ['both before', element('sPre', { sub: run('6'), sup: run('14'), e: run('C') }), '_6^14C'],
  [
    'a sum',
    element(
      'nary',
      { sub: run('i=1'), sup: run('n'), e: element('sSub', { e: x, sub: run('i') }) },
      '<m:chr m:val="∑"/>',
    ),
    '∑_(i=1)^n x_i',
  ],
  ['an integral', element('nary', { sub: run('0'), sup: '', e: run('dx') }, '<m:supHide m:val="1"/>'), '∫_0 dx'],
  ['brackets', element('d', { e: [run('a'), run('b')] }), '(a|b)'],
  [
    'other brackets',
    element('d', { e: [run('a'), run('b')] }, '<m:begChr m:val="["/><m:sepChr m:val=","/><m:endChr m:val="⟩"/>'),
    '[a,b⟩',
  ],
  ['an open bracket', element('d', { e: x }, '<m:begChr m:val="{"/><m:endChr m:val=""/>'), '{x'],
  ['a matrix', element('d', { e: element('m', { mr: [row('1', '2'), row('3', '4')] }) }), '(1, 2; 3, 4)'],
  ['a list of equations', element('eqArr', { e: [run('x=1'), run('y=2')] }), 'x=1; y=2'],
  ['a function', element('func', { fName: run('sin'), e: x }), 'sin x'],
  ['a limit', element('func', { fName: element('limLow', { e: run('lim'), lim: run('x→0') }), e: x }), 'lim_(x→0) x'],
  ['an accent', element('acc', { e: x }, '<m:chr m:val="̃"/>'), 'x̃'],
  ['a bar', element('bar', { e: x }, '<m:pos m:val="top"/>'), 'x̅'],
  ['a brace', element('limLow', { e: element('groupChr', { e: run('a+b') }), lim: run('n') }), '(a+b)⏟_n'],
  ['a box', element('borderBox', { e: x }), 'x'],
];

test.each(equations)('%s in a Word document keeps its structure and characters', async (_, xml, text) => {
  const body = `<w:p><w:r><w:t xml:space="preserve">See </w:t></w:r><m:oMath>${xml}</m:oMath><w:r><w:t>.</w:t></w:r></w:p>`;
  expect(await textOf(wordFile(body), types.docx, 'a.docx')).toBe(`See ${text}.`);
});

test.each(equations)('%s in a presentation keeps its structure and characters', async (_, xml, text) => {
  const box = (content: string) => `<p:sp><p:txBody><a:p>${content}</a:p></p:txBody></p:sp>`;
  const math = box(
    `<a:r><a:t>See </a:t></a:r><a14:m><m:oMathPara><m:oMath>${xml}</m:oMath></m:oMathPara></a14:m><a:r><a:t>.</a:t></a:r>`,
  );
  const slide = `<p:sld><mc:AlternateContent><mc:Choice Requires="a14">${math}</mc:Choice><mc:Fallback>${box('<a:r><a:t>no</a:t></a:r>')}</mc:Fallback></mc:AlternateContent></p:sld>`;
  const file = officeFile({
    'ppt/presentation.xml': '<p:presentation><p:sldIdLst><p:sldId id="256" r:id="s"/></p:sldIdLst></p:presentation>',
    'ppt/_rels/presentation.xml.rels': relationsPart({ s: ['slide', 'slides/slide1.xml'] }),
    'ppt/slides/slide1.xml': slide,
  });
  expect(await textOf(file, types.pptx, 'a.pptx')).toBe(`See ${text}.`);
});

test('text outside of the parts of an equation is not lost', async () => {
  const body = `<w:p><m:oMath><m:f>${run('stray')}<m:num>${run('a')}</m:num></m:f><m:unknown>${x}</m:unknown></m:oMath></w:p>`;
  expect(await textOf(wordFile(body), types.docx, 'a.docx')).toBe('straya/x');
});
