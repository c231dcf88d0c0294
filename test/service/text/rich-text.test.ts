import { describe, expect, test } from 'vitest';
import { paragraph, wordFile } from './documents.js';
import { openTextReader } from './open-reader.js';

const { read } = openTextReader();
const rich = (body: string) => new TextEncoder().encode(`{\\rtf1\\ansi\\ansicpg1252\\uc1 ${body}}`);
const outcomeOf = (body: string) => read(rich(body), 'application/rtf', 'a.rtf');

describe('a Rich Text document', () => {
  test.each([
    ['\\upr', 'to {\\upr{M?ller}{\\*\\ud M\\u252?ller}} and', 'to Müller and'],
    [
      'properties of shapes',
      '{\\shp{\\*\\shpinst{\\sp{\\sn shapeType}{\\sv 202}}{\\sp{\\sn wzDescription}{\\sv Floor plan}}{\\sp{\\sn gtextUNICODE}{\\sv DRAFT}}{\\shptxt Box\\par}}{\\shprslt Box\\par}}',
      'Floor plan DRAFT Box',
    ],
    [
      'formulas',
      'is {\\mmath{\\*\\moMathPara{\\*\\moMathParaPr{\\mjc center}}{\\*\\moMath{\\mr A=}{\\mf{\\mfPr{\\mtype bar}}{\\mnum{\\mr x}}{\\mden{\\mr y}}}{\\msSup{\\me{\\mr z}}{\\msup{\\mr 2}}}}}}{\\mmathPict{\\pict 00}} so',
      'is A=x/yz^2 so',
    ],
    [
      'results of objects',
      'a {\\object\\objemb{\\*\\objclass X}{\\*\\objdata 01}{\\result {\\rtlch seen}}} b',
      'a seen b',
    ],
    ['what follows its end', 'words}{after', 'words'],
  ])('is read as displayed: %s', async (_, body, expected) => {
    expect(await outcomeOf(body)).toEqual({ text: expected, state: 'read' });
  });

  test('has the documents embedded in it', async () => {
    const number = (value: number) => Buffer.from(Uint32Array.of(value).buffer);
    const named = (name: string) => Buffer.concat([number(name.length + 1), Buffer.from(`${name}\0`)]);
    const inner = wordFile(paragraph('From a document'));
    const native = Buffer.concat([
      Buffer.from('\u0002\0offer.docx\0C:\\offer.docx\0\0\0\u0003\0', 'latin1'),
      number(3),
      Buffer.from('C:\0'),
      number(inner.length),
      inner,
    ]);
    const object = Buffer.concat([
      number(0x501),
      number(2),
      named('Package'),
      number(0),
      number(0),
      number(native.length),
      native,
    ]);
    const body = `see {\\object\\objemb{\\*\\objdata ${object.toString('hex').replace(/.{60}/g, '$&\r\n')}}{\\result {\\pict 00}}} here`;
    expect(await outcomeOf(body)).toEqual({
      text: 'see here\n\nEmbedded document (offer.docx):\n\nFrom a document',
      state: 'read',
    });
  });

  test('says that it hides text, but not that it has deleted text', async () => {
    expect(await outcomeOf('{\\deleted old}new')).toEqual({ text: 'new', state: 'read' });
    expect(await outcomeOf('seen {\\v UNSEEN}')).toMatchObject({ text: 'seen', state: 'partial', cause: 'hidden' });
    const indexing = openTextReader({ indexesHidden: true });
    expect(await indexing.read(rich('seen {\\v UNSEEN}'), 'application/rtf', 'a.rtf')).toEqual({
      text: 'seen [Hidden] UNSEEN',
      state: 'read',
    });
  });

  test('that is cut off says so', async () => {
    const bytes = new TextEncoder().encode('{\\rtf1\\ansi words {\\b and');
    expect(await read(bytes, 'application/rtf', 'a.rtf')).toMatchObject({
      text: 'words and',
      state: 'partial',
      cause: 'damaged',
    });
  });
});
