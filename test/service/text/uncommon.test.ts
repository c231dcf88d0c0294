import { unzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { officeFile, paragraph, relationsPart, types, wordFile } from './documents.js';
import { openTextReader } from './open-reader.js';

const { read, textOf } = openTextReader();
const bytesOf = (text: string) => new TextEncoder().encode(text);

describe('a web page', () => {
  const page = (body: string) => textOf(bytesOf(`<html><body>${body}</body></html>`), 'text/html', 'a.html');

  test.each([
    ['<select><option>Berlin</option><option>Paris</option></select>', 'Berlin\nParis'],
    ['<select><optgroup label="Europe"><option>Oslo</optgroup></select>', 'Europe\nOslo'],
    ['<details><summary>Terms</summary>Thirty days</details>', 'Terms\n\nThirty days'],
    ['<fieldset><legend>Address</legend>Street</fieldset>', 'Address\n\nStreet'],
    ['<button>Save</button><button>Cancel</button>', 'Save Cancel'],
    ['<table><caption>Rates</caption><tbody><tr><td>7</td></tr></tbody></table>', 'Rates\n\n7'],
  ])('keeps the parts of %s apart', async (body, expected) => {
    expect(await page(body)).toBe(expected);
  });

  test('has the words of images, drawings and fields', async () => {
    expect(await page('see<img src="a.png" alt="Floor plan">here')).toBe('see Floor plan here');
    expect(await page('<svg><title>x</title><style>y</style><text>Sales</text><text>Support</text></svg>')).toBe(
      'x\nSales\nSupport',
    );
    expect(
      await page('Name:<input value="Acme"><input type="hidden" value="token"><input type="password" value="p">'),
    ).toBe('Name: Acme');
    expect(await page('<textarea>Two\nlines</textarea>')).toBe('Two lines');
  });

  test('has neither the pronunciation within words nor the source of formulas', async () => {
    expect(await page('<ruby>東<rp>(</rp><rt>とう</rt><rp>)</rp>京<rt>きょう</rt></ruby>都')).toBe('東京都');
    expect(await page('<math><semantics><mi>x</mi><annotation>\\alpha</annotation></semantics></math>')).toBe('x');
  });
});

describe('an OpenDocument file', () => {
  const openDocument = (kind: string, body: string, masters = '') =>
    textOf(
      officeFile({
        mimetype: `application/vnd.oasis.opendocument.${kind}`,
        'content.xml': `<office:document-content><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`,
        'styles.xml': `<office:document-styles><office:master-styles><style:master-page>${masters}</style:master-page></office:master-styles></office:document-styles>`,
      }),
      'application/octet-stream',
      'a',
    );

  test('has its fields and marked text', async () => {
    const body =
      '<text:p>Berlin, <text:date text:date-value="2026-03-03">3 March</text:date>, <text:creator>Ada</text:creator>: <text:meta xml:id="m">clause</text:meta> of <text:title>Lease</text:title></text:p>';
    expect(await openDocument('text', body)).toBe('Berlin, 3 March, Ada: clause of Lease');
  });

  test('has descriptions of images, and comments, apart from the words around them', async () => {
    const frame = '<draw:frame><draw:image/><svg:title>Plan</svg:title><svg:desc>Ground floor</svg:desc></draw:frame>';
    const comment =
      '<office:annotation><dc:creator>Ada</dc:creator><dc:date>2026</dc:date><meta:creator-initials>AL</meta:creator-initials><text:p>Why?</text:p></office:annotation>';
    expect(await openDocument('text', `<text:p>be${frame}fore${comment}hand</text:p>`)).toBe(
      'Plan\n\nGround floor\n\nWhy?\n\nbeforehand',
    );
  });

  test('has the headers of left pages, but none that is not displayed or only names the sheet', async () => {
    const masters =
      '<style:header><text:p><text:sheet-name>???</text:sheet-name></text:p></style:header><style:header-left style:display="false"><text:p>UNUSED</text:p></style:header-left>' +
      '<style:footer><text:p>Right</text:p></style:footer><style:footer-left><text:p>Left</text:p></style:footer-left>';
    const sheet =
      '<table:table table:name="A"><table:table-row><table:table-cell><text:p>1</text:p></table:table-cell></table:table-row></table:table>';
    expect(await openDocument('spreadsheet', sheet, masters)).toBe('# A\n\n1\n\nRight\n\nLeft');
  });
});

describe('a Word document', () => {
  const run = (content: string) => `<w:p><w:r>${content}</w:r></w:p>`;

  test('has imported documents in their places', async () => {
    const chunks = { h: 'a.html', d: 'b.docx', t: 'c.txt', m: 'd.mht', x: 'e.bin' };
    const body = Object.keys(chunks).map((id) => `<w:altChunk r:id="${id}"/>`);
    const file = wordFile(`${paragraph('before')}${body.join('')}${paragraph('after')}`, {
      'word/_rels/document.xml.rels': relationsPart(
        Object.fromEntries(Object.entries(chunks).map(([id, name]) => [id, ['aFChunk', name]])),
      ),
      'word/a.html': '<html><body><p>From a page</p></body></html>',
      'word/b.docx': wordFile(paragraph('From a document')),
      'word/c.txt': 'From a text',
      'word/d.mht': 'MIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n<p>From a saved page</p>',
      'word/e.bin': new Uint8Array([0, 1, 2]),
    });
    expect(await read(file, types.docx, 'a.docx')).toMatchObject({
      text: 'before\n\nFrom a page\n\nFrom a document\n\nFrom a text\n\nFrom a saved page\n\nafter',
      state: 'partial',
      cause: 'format',
    });
  });

  test('in many others is not read', async () => {
    const inner = (chunk: Uint8Array | string) =>
      wordFile(`${paragraph('level')}<w:altChunk r:id="a"/>`, {
        'word/_rels/document.xml.rels': relationsPart({ a: ['aFChunk', 'a.docx'] }),
        'word/a.docx': chunk,
      });
    const file = Array.from({ length: 8 }).reduce<Uint8Array>((chunk) => inner(chunk), wordFile(paragraph('deepest')));
    const { text, state } = await read(file, types.docx, 'a.docx');
    expect(text).not.toContain('deepest');
    expect(state).toBe('partial');
  });

  test('has words of watermarks, chosen values of forms, and descriptions of images', async () => {
    const watermark = '<w:pict><v:shape><v:textpath on="t" string="CONFIDENTIAL"/></v:shape></w:pict>';
    const choice = (result: string) =>
      `<w:fldChar w:fldCharType="begin"><w:ffData><w:ddList>${result}<w:listEntry w:val="Berlin"/><w:listEntry w:val="Paris"/></w:ddList></w:ffData></w:fldChar>`;
    const image =
      '<w:t>see</w:t><w:drawing><wp:inline><wp:docPr id="1" name="Picture 1" descr="Floor plan"/></wp:inline></w:drawing><w:t>here</w:t>';
    const body = [watermark, choice('<w:result w:val="1"/>'), choice(''), image].map(run).join('');
    expect(await textOf(wordFile(body), types.docx, 'a.docx')).toBe(
      'CONFIDENTIAL\n\nParis\n\nBerlin\n\nsee Floor plan here',
    );
  });

  test('has words drawn on a chart', async () => {
    const chart = `<w:p><w:r><w:drawing><c:chart r:id="c"/></w:drawing></w:r></w:p>`;
    const file = wordFile(chart, {
      'word/_rels/document.xml.rels': relationsPart({ c: ['chart', 'charts/chart1.xml'] }),
      'word/charts/chart1.xml':
        '<c:chartSpace><c:title><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:title></c:chartSpace>',
      'word/charts/_rels/chart1.xml.rels': relationsPart({ u: ['chartUserShapes', '../drawings/drawing1.xml'] }),
      'word/drawings/drawing1.xml':
        '<c:userShapes><cdr:sp><cdr:txBody><a:p><a:r><a:t>Record year</a:t></a:r></a:p></cdr:txBody></cdr:sp></c:userShapes>',
    });
    expect(await textOf(file, types.docx, 'a.docx')).toBe('Sales\nRecord year');
  });
});

describe('an email', () => {
  const part = (type: string, lines: string[], ...more: string[]) => [
    '--b',
    `Content-Type: ${type}`,
    ...more,
    '',
    ...lines,
  ];
  const email = (type: string, ...parts: string[][]) =>
    textOf(
      bytesOf(
        ['Subject: S', 'MIME-Version: 1.0', `Content-Type: ${type}; boundary=b`, '', ...parts.flat(), '--b--', ''].join(
          '\r\n',
        ),
      ),
      'message/rfc822',
      'a.eml',
    );

  test('has the text of emails that are attached to it', async () => {
    const inner = ['Subject: Inner', 'From: ada@example.com', 'Content-Type: text/plain', '', 'We accept.'];
    const text = await email(
      'multipart/mixed',
      part('text/plain', ['See below.']),
      part('message/rfc822', inner, 'Content-Disposition: attachment'),
    );
    expect(text).toBe(
      'Subject: S\n\nSee below.\n\nAttached email:\n\nSubject: Inner\nFrom: ada@example.com\n\nWe accept.',
    );
  });

  test('has the text of an invitation, and names attachments among the images of its body', async () => {
    const event = ['BEGIN:VCALENDAR', 'BEGIN:VEVENT', 'LOCATION:Room 1\\, Ber', ' lin', 'END:VEVENT', 'END:VCALENDAR'];
    const text = await email(
      'multipart/related',
      part('text/html', ['<p>Invitation<img src="cid:1"></p>']),
      part('image/png; name="logo.png"', ['x'], 'Content-ID: <1>', 'Content-Disposition: inline; filename="logo.png"'),
      part('application/pdf; name="offer.pdf"', ['x'], 'Content-Disposition: inline; filename="offer.pdf"'),
      part('text/calendar; charset=utf-8; method=REQUEST', event),
    );
    expect(text).toContain('Invitation');
    expect(text).toContain('LOCATION:Room 1, Berlin');
    expect(text).toContain('Attachments:\n- offer.pdf');
    expect(text).not.toContain('logo.png');
  });
});

describe('a text file', () => {
  test.each([
    [
      'text/calendar',
      'BEGIN:VCALENDAR\r\nSUMMARY:Quarterly rev\r\n iew\\, Berlin\\nRoom 1\r\nEND:VCALENDAR\r\n',
      'review, Berlin\nRoom 1',
    ],
    [
      'text/vcard',
      'BEGIN:VCARD\r\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=\r\n=C3=B6rg\r\nEND:VCARD\r\n',
      'Müller;Jörg',
    ],
    [
      'application/json',
      '{"name": "M\\u00fcller", "note": "first\\nsecond \\ud83d\\ude00"}',
      '"Müller", "note": "first\nsecond 😀"',
    ],
    ['application/x-ndjson', '{"a": "K\\u00f6ln"}\n{"a": "Z\\u00fcrich"}\n', '{"a": "Köln"}\n{"a": "Zürich"}'],
    ['application/xml', '<?xml version="1.0"?><a>M&#252;ller &amp; S&#xF6;hne</a>', 'Müller & Söhne'],
    ['text/plain', 'Zahlungs\u00adbedingungen', 'Zahlungsbedingungen'],
    ['text/plain', 'The escape \\u00fc of {"a": 1}', 'The escape \\u00fc of'],
  ])('of type %s has its words as they are meant', async (type, source, expected) => {
    expect(await textOf(bytesOf(source), type, 'a')).toContain(expected);
  });
});

test('a workbook has its headers and footers, and names of series that are in no cell', async () => {
  const file = officeFile({
    'xl/workbook.xml': '<workbook><sheets><sheet name="Rates" r:id="s"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': relationsPart({ s: ['worksheet', 'worksheets/sheet1.xml'] }),
    'xl/worksheets/sheet1.xml':
      '<worksheet><sheetData><row><c><v>7</v></c></row></sheetData><headerFooter differentFirst="1"><oddHeader>&amp;L&amp;"Arial,Bold"&amp;14Draft&amp;CR&amp;&amp;D&amp;RPage &amp;P of &amp;N</oddHeader><oddFooter>&amp;K01+000&amp;ICONFIDENTIAL&amp;I&#10;&amp;F</oddFooter><firstHeader>&amp;CDraft</firstHeader></headerFooter><drawing r:id="d"/></worksheet>',
    'xl/worksheets/_rels/sheet1.xml.rels': relationsPart({ d: ['drawing', '../drawings/drawing1.xml'] }),
    'xl/drawings/drawing1.xml': '<xdr:wsDr><xdr:graphicFrame><c:chart r:id="c"/></xdr:graphicFrame></xdr:wsDr>',
    'xl/drawings/_rels/drawing1.xml.rels': relationsPart({ c: ['chart', '../charts/chart1.xml'] }),
    'xl/charts/chart1.xml':
      '<c:chartSpace><c:ser><c:tx><c:v>Target</c:v></c:tx></c:ser><c:ser><c:tx><c:strRef><c:strCache><c:pt idx="0"><c:v>Cell</c:v></c:pt></c:strCache></c:strRef></c:tx></c:ser></c:chartSpace>',
  });
  expect(await textOf(file, types.xlsx, 'a.xlsx')).toBe(
    '# Rates\n\n7\n\nTarget\n\nHeader: Draft | R&D | Page of\nFooter: CONFIDENTIAL\nHeader: Draft',
  );
});

describe('a presentation', () => {
  const shape = (text: string, placeholder = '') =>
    `<p:sp><p:nvSpPr><p:cNvPr id="1"/><p:nvPr>${placeholder}</p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`;
  const presentation = (slides: readonly string[], layout: string, master: string) =>
    officeFile({
      'ppt/presentation.xml': `<p:presentation><p:sldIdLst>${slides.map((_, at) => `<p:sldId id="1" r:id="s${at}"/>`).join('')}</p:sldIdLst></p:presentation>`,
      'ppt/_rels/presentation.xml.rels': relationsPart(
        Object.fromEntries(slides.map((_, at) => [`s${at}`, ['slide', `slides/slide${at}.xml`]])),
      ),
      ...Object.fromEntries(slides.map((xml, at) => [`ppt/slides/slide${at}.xml`, xml])),
      ...Object.fromEntries(
        slides.map((_, at) => [
          `ppt/slides/_rels/slide${at}.xml.rels`,
          relationsPart({ l: ['slideLayout', '../slideLayouts/slideLayout1.xml'] }),
        ]),
      ),
      'ppt/slideLayouts/slideLayout1.xml': layout,
      'ppt/slideLayouts/_rels/slideLayout1.xml.rels': relationsPart({
        m: ['slideMaster', '../slideMasters/slideMaster1.xml'],
      }),
      'ppt/slideMasters/slideMaster1.xml': master,
    });
  const prompt = shape('Click to add title', '<p:ph type="title"/>') + shape('Click to add text', '<p:ph idx="1"/>');

  test('has the words that its layouts and masters display on all slides, once, and no prompts', async () => {
    const file = presentation(
      [`<p:sld>${shape('One')}</p:sld>`, `<p:sld>${shape('Two')}</p:sld>`],
      `<p:sldLayout>${prompt}${shape('Internal use only')}</p:sldLayout>`,
      `<p:sldMaster>${prompt}${shape('Acme Ltd')}</p:sldMaster>`,
    );
    expect(await textOf(file, types.pptx, 'a.pptx')).toBe('One\n\nTwo\n\nFooters:\nInternal use only\nAcme Ltd');
  });

  test('leaves out words of masters that its slides do not display', async () => {
    const layout = `<p:sldLayout showMasterSp="0">${shape('Layout')}</p:sldLayout>`;
    const master = `<p:sldMaster>${shape('Master')}</p:sldMaster>`;
    const shown = presentation([`<p:sld>${shape('One')}</p:sld>`], layout, master);
    expect(await textOf(shown, types.pptx, 'a.pptx')).toBe('One\n\nFooters:\nLayout');
    const hidden = presentation([`<p:sld showMasterSp="0">${shape('One')}</p:sld>`], layout, master);
    expect(await textOf(hidden, types.pptx, 'a.pptx')).toBe('One');
  });

  test('whose layout is its own master is read', async () => {
    const parts = unzipSync(presentation([`<p:sld>${shape('One')}</p:sld>`], '<p:sldLayout/>', '<p:sldMaster/>'));
    parts['ppt/slideLayouts/_rels/slideLayout1.xml.rels'] = bytesOf(
      relationsPart({ m: ['slideMaster', 'slideLayout1.xml'] }),
    );
    expect(await textOf(officeFile(parts), types.pptx, 'a.pptx')).toBe('One');
  });

  test('has descriptions of images', async () => {
    const image = '<p:pic><p:nvPicPr><p:cNvPr id="1" name="Picture 1" descr="Floor plan"/></p:nvPicPr></p:pic>';
    const file = presentation([`<p:sld>${shape('One')}${image}</p:sld>`], '<p:sldLayout/>', '<p:sldMaster/>');
    expect(await textOf(file, types.pptx, 'a.pptx')).toBe('One\n\nFloor plan');
  });
});
