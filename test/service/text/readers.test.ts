import { utils, write } from '@e965/xlsx';
import { describe, expect, test } from 'vitest';
import { officeFile } from './documents.js';
import { docOf, msgOf, pptOf } from './older-documents.js';
import { openTextReader } from './open-reader.js';

const { read, textOf } = openTextReader();
const bytesOf = (text: string) => new TextEncoder().encode(text);
const generic = 'application/octet-stream';

const odf = 'application/vnd.oasis.opendocument';
const content = (kind: string, body: string, styles = '') =>
  `<office:document-content><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`;
const odfFile = (kind: string, xml: string, more: Readonly<Record<string, string>> = {}) =>
  officeFile({ mimetype: `${odf}.${kind}`, 'content.xml': xml, ...more });

describe('an OpenDocument text', () => {
  const body =
    '<text:tracked-changes><text:changed-region><text:deletion><text:p>DELETED</text:p></text:deletion></text:changed-region></text:tracked-changes>' +
    '<text:h text:outline-level="2">Scope</text:h><text:p>One<text:s text:c="2"/>two<text:tab/>three<text:line-break/>four<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>FOOTNOTE</text:p></text:note-body></text:note></text:p>' +
    '<text:list><text:list-item><text:p>rent</text:p><text:list><text:list-item><text:p>gas</text:p></text:list-item></text:list></text:list-item></text:list>' +
    '<text:p><text:span text:style-name="T1">HIDDEN</text:span>shown<office:annotation><dc:creator>Ada</dc:creator><text:p>COMMENT</text:p></office:annotation></text:p>' +
    '<table:table table:name="T"><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table>' +
    '<text:p><draw:frame><draw:text-box><text:p>BOX</text:p></draw:text-box></draw:frame>after</text:p>';
  const hidden =
    '<style:style style:name="T1" style:family="text"><style:text-properties text:display="none"/></style:style>';
  const pageStyles =
    '<office:document-styles><office:master-styles><style:master-page><style:header><text:p>HEADER</text:p></style:header><style:footer><text:p>FOOTER</text:p></style:footer></style:master-page></office:master-styles></office:document-styles>';
  const file = odfFile('text', content('text', body, hidden), { 'styles.xml': pageStyles });

  test('has its text, notes, comments, boxes, headers and footers, but nothing deleted or hidden', async () => {
    const text = await textOf(file, `${odf}.text`, 'a.odt');
    expect(text).toContain('## Scope');
    expect(text).toContain('One two three\nfour');
    expect(text).toContain('- rent\n  - gas');
    expect(text).toContain('a | b');
    for (const word of ['FOOTNOTE', 'COMMENT', 'BOX', 'after', 'shown', 'HEADER', 'FOOTER'])
      expect(text).toContain(word);
    expect(text).not.toMatch(/DELETED|HIDDEN|Ada/);
  });

  test('is recognized without a type, and as a single XML file', async () => {
    expect(await textOf(file, generic, 'a')).toContain('## Scope');
    const flat = `<?xml version="1.0"?><office:document office:mimetype="${odf}.text">${content('text', body)}</office:document>`;
    expect(await textOf(bytesOf(flat), generic, 'a.fodt')).toContain('## Scope');
  });

  test('with a password says so', async () => {
    const manifest =
      '<manifest:manifest><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>';
    const locked = odfFile('text', 'locked', { 'META-INF/manifest.xml': manifest });
    expect(await read(locked, generic, 'a.odt')).toMatchObject({ state: 'not_read', cause: 'password' });
  });
});

test('an OpenDocument spreadsheet has the displayed cells of its visible sheets and rows', async () => {
  const cell = (text: string, more = '') => `<table:table-cell ${more}><text:p>${text}</text:p></table:table-cell>`;
  const row = (cells: string, more = '') => `<table:table-row ${more}>${cells}</table:table-row>`;
  const sheets =
    `<table:table table:name="Offers">${row(cell('Share') + cell('25.6%', 'office:value-type="percentage" office:value="0.256"'))}` +
    `${row(cell('twice', 'table:number-columns-repeated="2"'))}${row('<table:table-cell office:value="7"/>')}` +
    `${row(cell('SECRET'), 'table:visibility="collapse"')}${row('<table:table-cell table:number-columns-repeated="16000"/>', 'table:number-rows-repeated="1048000"')}</table:table>` +
    `<table:table table:name="Hidden" table:style-name="ta2">${row(cell('SECRET'))}</table:table>`;
  const styles =
    '<style:style style:name="ta2" style:family="table"><style:table-properties table:display="false"/></style:style>';
  const file = odfFile('spreadsheet', content('spreadsheet', sheets, styles));
  expect(await textOf(file, generic, 'a.ods')).toBe('# Offers\n\nShare | 25.6%\ntwice | twice\n7');
});

test('an OpenDocument presentation has its visible slides and notes', async () => {
  const page = (text: string, style: string) =>
    `<draw:page draw:name="p" draw:style-name="${style}"><draw:frame><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame><presentation:notes><draw:frame><draw:text-box><text:p>Note of ${text}</text:p></draw:text-box></draw:frame></presentation:notes></draw:page>`;
  const styles =
    '<style:style style:name="dp2" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>';
  const file = odfFile('presentation', content('presentation', page('First', 'dp1') + page('Second', 'dp2'), styles));
  expect(await textOf(file, generic, 'a.odp')).toBe('First\n\nNote of First');
});

describe('a Rich Text document', () => {
  const rtf = (body: string, fonts = '') =>
    bytesOf(`{\\rtf1\\ansi\\ansicpg1252\\deff0{\\fonttbl{\\f0 Arial;}${fonts}}\n${body}}`);

  test('has its paragraphs, tables and notes, but nothing hidden or deleted', async () => {
    const file = rtf(
      '{\\info{\\title Not this}}{\\header HEADER\\par}\\pard M\\\'fcller \\b pays\\b0 .\\par\nCell\\cell 7\\\'80\\cell\\row\n{\\v HIDDEN}{\\deleted GONE}{\\field{\\*\\fldinst HYPERLINK "x"}{\\fldrslt link}}{\\footnote NOTE}\\line {\\*\\unknown no}{\\pict 89504e47}\\{braces\\}\\par',
    );
    const text = await textOf(file, 'application/rtf', 'a.rtf');
    expect(text).toContain('Müller pays.\n');
    expect(text).toContain('Cell | 7€\n');
    for (const words of ['HEADER', 'link', 'NOTE', '{braces}']) expect(text).toContain(words);
    expect(text).not.toMatch(/HIDDEN|GONE|Not this|HYPERLINK|unknown|no\b|89504e47|Arial/);
  });

  test('is read in the encodings that it declares', async () => {
    expect(await textOf(rtf('\\u20250?\\u-30017 ?\\uc2\\u937 ??.'), 'text/rtf', 'a.rtf')).toBe('会調Ω.');
    expect(await textOf(rtf("{\\f1 \\'8c\\'da\\'8bq}", '{\\f1\\fcharset128 MS Gothic;}'), generic, 'a.rtf')).toBe(
      '顧客',
    );
    expect(
      await textOf(rtf("{\\f1 \\'cf\\'f0\\'e8}", '{\\f1\\fcharset204 Arial;}'), 'application/msword', 'a.doc'),
    ).toBe('При');
  });
});

describe('an email', () => {
  const lines = [
    'From: =?utf-8?q?J=C3=B6rg?= <joerg@example.com>',
    'To: Ada <ada@example.com>',
    'Subject: =?iso-2022-jp?B?GyRCOFw1UhsoQg==?= plan',
    'Date: Fri, 27 Nov 2026 09:00:00 +0000',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/html; charset=windows-1252',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    '<p>K=FCndigung <b>now</b></p>',
    '--b',
    'Content-Type: application/pdf; name="offer.pdf"',
    'Content-Disposition: attachment; filename="offer.pdf"',
    'Content-Transfer-Encoding: base64',
    '',
    'JVBERi0=',
    '--b--',
    '',
  ];
  const expected =
    'Subject: 顧客 plan\nFrom: Jörg <joerg@example.com>\nTo: Ada <ada@example.com>\nDate: 2026-11-27T09:00:00.000Z\n\nKündigung now\n\nAttachments:\n- offer.pdf';
  test('has its subject, people, date, body and attachments', async () => {
    expect(await textOf(bytesOf(lines.join('\r\n')), 'message/rfc822', 'a.eml')).toBe(expected);
    expect(await textOf(bytesOf(lines.join('\n')), generic, 'a.eml')).toBe(expected);
  });

  test.each([
    ['Tue, 3 Mar 2026 10:15:00 CEST', '2026-03-03T08:15:00.000Z'],
    ['Tue, 3 Mar 2026 10:15 JST', '2026-03-03T01:15:00.000Z'],
    ['Tue, 3 Mar 2026 10:15:00 EST', '2026-03-03T15:15:00.000Z'],
    ['Tue, 3 Mar 2026 10:15:00 IST', 'Tue, 3 Mar 2026 10:15:00 IST'],
    ['Dienstag', 'Dienstag'],
  ])('the date %s of an email is %s', async (date, expected) => {
    const lines = ['Subject: Offer', `Date: ${date}`, '', 'Body'];
    expect(await textOf(bytesOf(lines.join('\r\n')), 'message/rfc822', 'a.eml')).toBe(
      `Subject: Offer\nDate: ${expected}\n\nBody\n`,
    );
  });

  test.each(['format=flowed', 'format=flowed; delsp=yes'])('quotes of an email in %s flow', async (format) => {
    const end = format.includes('delsp') ? '  ' : ' ';
    const body = [`> we agreed${end}`, '> on five', `>> the first${end}`, '> offer', `your${end}`, 'answer'];
    const source = ['Subject: Offer', `Content-Type: text/plain; ${format}`, '', ...body].join('\r\n');
    expect(await textOf(bytesOf(source), 'message/rfc822', 'a.eml')).toMatch(
      /^Subject: Offer\n\n> we agreed on five\n>> the first\n> offer\nyour answer\n$/,
    );
  });

  test('of Outlook has them, too', async () => {
    const file = msgOf({ subject: 'Offer 顧客', body: 'We accept.', file: 'terms.docx' });
    for (const type of ['application/vnd.ms-outlook', generic]) {
      expect(await textOf(file, type, 'a.msg')).toBe('Subject: Offer 顧客\n\nWe accept.\n\nAttachments:\n- terms.docx');
    }
  });
});

test('a book has its chapters in reading order', async () => {
  const file = officeFile({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="OEBPS/a.opf"/></rootfiles></container>',
    'OEBPS/a.opf':
      '<package><metadata><dc:title>Title</dc:title><dc:creator>Author</dc:creator></metadata><manifest><item id="one" href="text/one%201.xhtml"/><item id="two" href="two.xhtml"/><item id="nav" href="nav.xhtml"/></manifest><spine><itemref idref="two"/><itemref idref="one"/></spine></package>',
    'OEBPS/text/one 1.xhtml': '<html><head><title>x</title></head><body><p>Second</p></body></html>',
    'OEBPS/two.xhtml': '<html><body><h1>First</h1></body></html>',
    'OEBPS/nav.xhtml': '<html><body><p>Contents</p></body></html>',
  });
  expect(await textOf(file, generic, 'a')).toBe('# Title\nAuthor\n\n# First\n\nSecond');
});

describe('documents of older programs', () => {
  test('Word', async () => {
    const file = docOf(['Müller', 'pays 顧客', '“quoted” – now']);
    for (const type of [
      'application/msword',
      generic,
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    ]) {
      expect(await textOf(file, type, 'a')).toBe('Müller\npays 顧客\n“quoted” – now');
    }
    const locked = docOf(['x'], { encrypted: true });
    expect(await read(locked, generic, 'a.doc')).toMatchObject({ state: 'not_read', cause: 'password' });
  });

  test.each(['biff8', 'biff5', 'xlsb'] as const)('Excel, as %s', async (bookType) => {
    // The writer does not write other letters in the older format.
    const name = bookType === 'biff5' ? 'Miller' : 'Müller';
    const book = utils.book_new();
    const sheet = utils.aoa_to_sheet(
      [
        ['Share', 0.256],
        ['Day', new Date(Date.UTC(2026, 10, 27))],
        [true, name],
      ],
      {
        UTC: true,
      },
    );
    sheet.B1.z = '0.0%';
    utils.book_append_sheet(book, sheet, 'Offers');
    const secret = utils.aoa_to_sheet([['SECRET']]);
    utils.book_append_sheet(book, secret, 'Hidden');
    book.Workbook = { Sheets: [{ Hidden: 0 }, { Hidden: 1 }] };
    const file = new Uint8Array(write(book, { type: 'buffer', bookType }));
    const text = await textOf(file, 'application/vnd.ms-excel', 'a.xls');
    expect(text).toContain(`# Offers\n\nShare | 25.6%\nDay | 11/27/26\nTRUE | ${name}`);
    if (bookType !== 'biff5') expect(text).not.toContain('SECRET');
  });

  test('PowerPoint presentations are not read, and say so', async () => {
    expect(await read(pptOf(), generic, 'a')).toEqual({
      text: null,
      state: 'not_read',
      cause: 'format',
      detail: 'It is a PowerPoint 97-2003 presentation, which is not read.',
    });
  });
});
