import { describe, expect, test } from 'vitest';
import { officeFile, paragraph, wordFile } from './documents.js';
import { openTextReader } from './open-reader.js';

const { read } = openTextReader();
const indexing = openTextReader({ indexesHidden: true });

const openDocument = (kind: string, body: string, parts: Readonly<Record<string, string | Uint8Array>> = {}) =>
  officeFile({
    mimetype: `application/vnd.oasis.opendocument.${kind}`,
    'content.xml': contentOf(kind, body),
    ...parts,
  });
const contentOf = (kind: string, body: string) =>
  `<office:document-content><office:automatic-styles><style:style style:name="off"><style:table-properties table:display="false"/></style:style></office:automatic-styles><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`;
const cell = (text: string) => `<table:table-cell><text:p>${text}</text:p></table:table-cell>`;
const row = (cells: string, more = '') => `<table:table-row ${more}>${cells}</table:table-row>`;

describe('an OpenDocument file', () => {
  const object = (path: string) =>
    `<text:p>Host <draw:frame><draw:object xlink:href="./${path}"/></draw:frame></text:p>`;

  test.each([
    [
      'formulas',
      {
        'O/content.xml':
          '<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><msup><mi>c</mi><mn>2</mn></msup><annotation>c^2</annotation></semantics></math>',
      },
      'c^2',
    ],
    [
      'charts',
      {
        'O/content.xml': contentOf(
          'chart',
          '<chart:chart><chart:title><text:p>Sales</text:p></chart:title></chart:chart>',
        ),
      },
      'Sales',
    ],
    [
      'workbooks',
      { 'O/content.xml': contentOf('spreadsheet', `<table:table table:name="A">${row(cell('7'))}</table:table>`) },
      '# A\n\n7',
    ],
    [
      'files of other programs',
      { O: wordFile(paragraph('From a document')) },
      'Embedded document (O):\n\nFrom a document',
    ],
  ])('has the words of %s in it', async (_, parts, expected) => {
    expect(await read(openDocument('text', object('O'), parts), '', 'a.odt')).toEqual({
      text: `Host\n\n${expected}`,
      state: 'read',
    });
  });

  test('has what the controls of its forms display', async () => {
    const form =
      '<office:forms><form:form><form:text form:current-value="Acme"/><form:listbox><form:option form:label="No"/><form:option form:label="Yes" form:current-selected="true"/></form:listbox><form:button form:label="Send"/></form:form></office:forms>';
    expect(await read(openDocument('text', `${form}<text:p>Order</text:p>`), '', 'a.odt')).toEqual({
      text: 'Acme\n\nYes\n\nSend\n\nOrder',
      state: 'read',
    });
  });

  test('says what it hides, unless it has no text', async () => {
    const sheet = [
      `<table:table table:name="A" table:style-name="off">${row(cell('UNSEEN'))}</table:table>`,
      '<table:table table:name="B"><table:table-column/><table:table-column table:visibility="collapse" table:number-columns-repeated="2"/><table:table-column/>',
      row(cell('UNSEEN'), 'table:visibility="collapse"'),
      row('<table:table-cell/>', 'table:visibility="filter"'),
      `${row(cell('1') + cell('UNSEEN') + cell('UNSEEN') + cell('4'))}</table:table>`,
    ].join('');
    const bytes = openDocument('spreadsheet', sheet);
    const outcome = await read(bytes, '', 'a.ods');
    expect(outcome).toMatchObject({ text: '# B\n\n1 | 4', state: 'partial', cause: 'hidden', permanent: true });
    expect(outcome.detail).toContain('sheets (1), rows (1), cells (2)');
    expect((await indexing.read(bytes, '', 'a.ods')).text).toContain('1 | [Hidden] UNSEEN | [Hidden] UNSEEN | 4');
    const section = '<text:section text:display="none"><text:p>UNSEEN</text:p></text:section><text:p>seen</text:p>';
    expect(await read(openDocument('text', section), '', 'a.odt')).toMatchObject({ text: 'seen', cause: 'hidden' });
    const empty = '<text:section text:display="none"/><text:p>seen</text:p>';
    expect(await read(openDocument('text', empty), '', 'a.odt')).toEqual({ text: 'seen', state: 'read' });
  });
});
