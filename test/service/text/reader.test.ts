import { describe, expect, test } from 'vitest';
import { docxOf, pptxOf, xlsxOf } from '../../../sandbox/src/google-drive/formats/office.js';
import { pdfOf } from '../../../sandbox/src/google-drive/formats/pdf.js';
import { officeFile, paragraph, relationsPart, types, utf16, wordFile, wordStyles, workbook } from './documents.js';
import { openTextReader } from './open-reader.js';

const { textOf } = openTextReader();
const bytesOf = (text: string) => new TextEncoder().encode(text);
const lines = ['Minutes of the board', 'The budget (of 2026) is approved.'];

describe('every format is converted to text', () => {
  const formats: Array<[name: string, bytes: Uint8Array, mimeType: string]> = [
    ['pdf', pdfOf(lines), types.pdf],
    ['docx', docxOf(lines), types.docx],
    ['xlsx', xlsxOf(lines.map((line) => [line])), types.xlsx],
    ['pptx', pptxOf([lines]), types.pptx],
    ['html', bytesOf(lines.map((line) => `<p>${line}</p>`).join('')), 'text/html; charset=utf-8'],
    ['txt', bytesOf(lines.join('\n')), 'text/plain'],
    ['md', bytesOf(lines.join('\n')), 'text/markdown'],
    ['csv', bytesOf(lines.join('\n')), 'text/csv'],
    ['json', bytesOf(JSON.stringify(lines)), 'application/json'],
    ['xml', bytesOf(`<a>${lines.join('</a><a>')}</a>`), 'application/xml'],
    ['yaml', bytesOf(lines.join('\n')), 'application/yaml'],
  ];
  test.each(formats)('%s', async (name, bytes, mimeType) => {
    const text = await textOf(bytes, mimeType, `minutes.${name}`);
    for (const line of lines) expect(text).toContain(line);
  });

  test.each(formats)('%s, detected by file name if the type is generic', async (name, bytes) => {
    expect(await textOf(bytes, 'application/octet-stream', `minutes.${name}`)).toContain(lines[1]);
  });

  test.each(['image/png', 'image/svg+xml', 'video/mp4'])('%s has no text', async (mimeType) => {
    expect(await textOf(bytesOf('words'), mimeType, 'words.txt')).toBeNull();
  });
});

describe('text', () => {
  test('has uniform line endings and no byte order mark', async () => {
    expect(await textOf(bytesOf('\uFEFFone\r\ntwo\rthree\n'), 'text/plain', 'a.txt')).toBe('one\ntwo\nthree\n');
  });

  test('in UTF-16 is read if it has a byte order mark', async () => {
    for (const isBig of [false, true]) {
      expect(await textOf(utf16('Zürich 議事録 🎉', isBig), 'text/plain', 'a.txt')).toBe('Zürich 議事録 🎉');
    }
  });

  test('has replacement characters for invalid bytes, and no characters that a database rejects', async () => {
    const bytes = Uint8Array.of(0x5a, 0x81, 0x72, 0x00, 0x69, 0x63, 0x68);
    expect(await textOf(bytes, 'text/plain', 'latin1.txt')).toBe('Z\uFFFDrich');
  });

  test('longer than two MiB is truncated between two characters, with a notice', async () => {
    const text = (await textOf(bytesOf('議🎉'.repeat(500_000)), 'text/plain', 'long.txt'))!;
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2 * 2 ** 20);
    expect(Buffer.byteLength(text)).toBeGreaterThan(2 * 2 ** 20 - 10);
    expect(text).toMatch(/^(議🎉)+議?\n\n\[Truncated: the file has more text\.\]$/u);
    const short = 'x'.repeat(2 * 2 ** 20);
    expect(await textOf(bytesOf(short), 'text/plain', 'short.txt')).toBe(short);
  });

  test('from a file over 50 MiB is not read', async () => {
    await expect(textOf(new Uint8Array(50 * 2 ** 20 + 1), 'text/plain', 'huge.txt')).rejects.toThrow(
      'The file is larger than 50 MiB, so its text is not indexed.',
    );
  });
});

describe('a web page', () => {
  test('keeps its text, headings, lists and table cells', async () => {
    const page = `<!doctype html><html><head><title>Not this</title><style>p { color: red }</style></head><body>
      <script>var not = 'this'</script><h1>Plan &amp; <em>budget</em></h1><p>We   spend
      less.<br>Much less.</p><ul><li>rent</li><li><p>travel</p></li></ul>
      <table><tr><th>Team</th><th>EUR</th></tr><tr><td>Design</td><td>8&nbsp;000</td></tr></table><pre>a  b
c</pre></body></html>`;
    expect(await textOf(bytesOf(page), 'text/html', 'a.html')).toBe(
      '# Plan & budget\n\nWe spend less.\nMuch less.\n\n- rent\n\n- travel\n\nTeam | EUR\nDesign | 8 000\n\na  b\nc',
    );
  });

  test('is read in its declared encoding', async () => {
    const page = Uint8Array.from('<meta charset="iso-8859-1"><p>Zürich</p>', (one) => one.charCodeAt(0));
    expect(await textOf(page, 'text/html', 'a.html')).toBe('Zürich');
    expect(await textOf(bytesOf('<meta charset="no-such"><p>Zürich</p>'), 'text/html', 'a.html')).toBe('Zürich');
  });
});

test('a Word document keeps its headings but not its images', async () => {
  const body = paragraph('Scope', 'Heading1') + paragraph('What we &lt;do&gt;.') + paragraph('And 議事録.');
  const bytes = wordFile(body, { ...wordStyles, 'word/media/image1.png': new Uint8Array(1000) });
  expect(await textOf(bytes, types.docx, 'a.docx')).toBe('# Scope\n\nWhat we <do>.\n\nAnd 議事録.');
});

test('a workbook has all its sheets, with text, numbers, dates and booleans as displayed', async () => {
  const bytes = workbook(
    {
      Offers:
        '<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c></row><row><c s="1"><v>45292</v></c><c s="2"><v>45292.5</v></c><c s="0"><v>12.5</v></c></row><row/>',
      'Notes &amp; more':
        '<row><c t="inlineStr"><is><t>by hand</t></is></c><c t="b"><v>1</v></c><c t="str"><v>sum</v></c></row>',
      Empty: '',
    },
    {
      'sharedStrings.xml': [
        'sharedStrings',
        '<sst><si><t>Day</t></si><si><r><t>Price</t></r><r><t> (EUR)</t></r><rPh><t>sound</t></rPh></si></sst>',
      ],
      'styles.xml': [
        'styles',
        '<styleSheet><numFmts><numFmt numFmtId="170" formatCode="[$-409]yyyy\\-mm\\-dd&quot;at&quot;hh:mm"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/></cellXfs></styleSheet>',
      ],
    },
  );
  expect(await textOf(bytes, types.xlsx, 'a.xlsx')).toBe(
    '# Offers\n\nDay | Price (EUR)\n2024-01-01 | 2024-01-01at12:00 (2024-01-01 12:00:00) | 12.5\n\n# Notes & more\n\nby hand | TRUE | sum',
  );
});

test('a presentation has its slides in order, with titles, tables and notes', async () => {
  const box = (type: string, ...texts: string[]) =>
    `<p:sp><p:nvSpPr><p:nvPr><p:ph type="${type}"/></p:nvPr></p:nvSpPr><p:txBody>${texts.map((text) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`).join('')}</p:txBody></p:sp>`;
  const table =
    '<p:graphicFrame><a:tbl><a:tr><a:tc><a:p><a:r><a:t>Q1</a:t></a:r></a:p></a:tc><a:tc><a:p><a:r><a:t>12 %</a:t></a:r></a:p></a:tc></a:tr></a:tbl></p:graphicFrame>';
  const bytes = officeFile({
    'ppt/presentation.xml':
      '<p:presentation xmlns:r="r"><p:sldIdLst><p:sldId id="256" r:id="rId2"/><p:sldId id="257" r:id="rId1"/></p:sldIdLst></p:presentation>',
    'ppt/_rels/presentation.xml.rels': relationsPart({
      rId1: ['slide', 'slides/slide1.xml'],
      rId2: ['slide', '/ppt/slides/slide2.xml'],
    }),
    'ppt/slides/slide1.xml': `<p:sld>${box('title', 'Decision')}${table}</p:sld>`,
    'ppt/slides/_rels/slide1.xml.rels': relationsPart({ n: ['notesSlide', '../notesSlides/notesSlide1.xml'] }),
    'ppt/notesSlides/notesSlide1.xml': `<p:notes>${box('body', 'Speak slowly')}${box('sldNum', '2')}</p:notes>`,
    'ppt/slides/slide2.xml': `<p:sld>${box('ctrTitle', 'Review')}${box('body', 'one', 'two')}${box('ftr', 'Secret')}</p:sld>`,
  });
  expect(await textOf(bytes, types.pptx, 'a.pptx')).toBe(
    '# Review\n\none\ntwo\n\n# Decision\n\nQ1 | 12 %\n\nNotes:\n\nSpeak slowly\n\nFooters:\nSecret',
  );
});

test('a PDF has all its pages, with their line breaks', async () => {
  const text = await textOf(pdfOf(Array.from({ length: 90 }, (_, index) => `Line ${index}`)), types.pdf, 'a.pdf');
  expect(text!.split('\n').filter((line) => line !== '')).toHaveLength(90);
  expect(text).toContain('Line 0\nLine 1\n');
  expect(text).toContain('Line 39\n\nLine 40');
});
