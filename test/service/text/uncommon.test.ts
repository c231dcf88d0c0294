import { describe, expect, test } from 'vitest';
import { officeFile } from './documents.js';
import { openTextReader } from './open-reader.js';

const { textOf } = openTextReader();
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
