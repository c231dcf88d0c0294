import { expect, test } from 'vitest';
import { officeFile, relationsPart, types } from './documents.js';
import { openTextReader } from './open-reader.js';

const { textOf } = openTextReader();
const { textOf: textWithHidden } = openTextReader({ indexesHidden: true });
const words = (text: string) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`;
const shape = (text: string, properties = '') =>
  `<p:sp><p:nvSpPr><p:cNvPr id="1" ${properties}/></p:nvSpPr><p:txBody>${words(text)}</p:txBody></p:sp>`;

/** A presentation with these slides, each an element and its relations, and other parts. */
const presentation = (
  slides: ReadonlyArray<readonly [xml: string, relations?: Parameters<typeof relationsPart>[0]]>,
  more: Readonly<Record<string, string>> = {},
) =>
  officeFile({
    'ppt/presentation.xml': `<p:presentation>${slides.map((_, at) => `<p:sldId id="${256 + at}" r:id="s${at}"/>`).join('')}</p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relationsPart({
      a: ['commentAuthors', 'commentAuthors.xml'],
      b: ['authors', 'authors.xml'],
      ...Object.fromEntries(slides.map((_, at) => [`s${at}`, ['slide', `slides/slide${at}.xml`] as const])),
    }),
    ...Object.fromEntries(
      slides.flatMap(([xml, relations = {}], at) => [
        [`ppt/slides/slide${at}.xml`, xml],
        [`ppt/slides/_rels/slide${at}.xml.rels`, relationsPart(relations)],
      ]),
    ),
    ...more,
  });
const read = (bytes: Uint8Array) => textOf(bytes, types.pptx, 'a.pptx');

test('a slide has its diagrams, charts and comments', async () => {
  const frame = (content: string) => `<p:graphicFrame>${content}</p:graphicFrame>`;
  const bytes = presentation(
    [
      [
        `<p:sld>${shape('body')}${frame('<dgm:relIds r:dm="d"/>')}${frame('<c:chart r:id="c"/>')}${frame('<c:chart r:id="c"/>')}</p:sld>`,
        {
          d: ['diagramData', '../diagrams/data1.xml'],
          c: ['chart', '../charts/chart1.xml'],
          o: ['comments', '../comments/comment1.xml'],
          n: ['comments', '../comments/modern1.xml'],
        },
      ],
    ],
    {
      'ppt/diagrams/data1.xml': `<dgm:dataModel><dgm:pt><dgm:t>${words('Plan')}</dgm:t></dgm:pt><dgm:pt type="pres"><dgm:t>${words('Plan')}</dgm:t></dgm:pt></dgm:dataModel>`,
      'ppt/charts/chart1.xml': `<c:chartSpace><c:title>${words('Sales')}</c:title><c:ser><c:cat><c:pt idx="0"><c:v>Q1</c:v></c:pt></c:cat><c:val><c:numCache><c:formatCode>0%</c:formatCode><c:pt idx="0"><c:v>0.25</c:v></c:pt></c:numCache></c:val></c:ser></c:chartSpace>`,
      'ppt/commentAuthors.xml': '<p:cmAuthorLst><p:cmAuthor id="0" name="Ann"/></p:cmAuthorLst>',
      'ppt/authors.xml': '<p188:authorLst><p188:author id="{B}" name="Bob"/></p188:authorLst>',
      'ppt/comments/comment1.xml': '<p:cmLst><p:cm authorId="0"><p:text>Why_x000D_?</p:text></p:cm></p:cmLst>',
      'ppt/comments/modern1.xml': `<p188:cmLst><p188:cm authorId="{B}"><p188:replyLst><p188:reply authorId="{C}"><p188:txBody>${words('Because.')}</p188:txBody></p188:reply></p188:replyLst><p188:txBody>${words('Why not?')}</p188:txBody></p188:cm></p188:cmLst>`,
    },
  );
  expect(await read(bytes)).toBe(
    'body\n\nPlan\n\nSales\nQ1 | 25% (0.25)\n\nComments:\nAnn: Why ?\nBob: Why not?\nBecause.',
  );
});

test('hidden slides and shapes are not indexed', async () => {
  const bytes = presentation([
    [`<p:sld>${shape('shown')}${shape('secret', 'hidden="1"')}</p:sld>`],
    [`<?xml version="1.0"?><p:sld xmlns:p="p" show="0">${shape('secret')}</p:sld>`],
    [
      `<p:sld><p:grpSp><p:nvGrpSpPr><p:cNvPr hidden="true"/></p:nvGrpSpPr>${shape('secret')}</p:grpSp>${shape('last')}</p:sld>`,
    ],
  ]);
  expect(await read(bytes)).toBe('shown\n\nlast');
  expect(await textWithHidden(bytes, types.pptx, 'a.pptx')).toBe(
    'shown\n\n[Hidden] secret\n\n[Hidden]\n\nsecret\n\n[Hidden] secret\n\nlast',
  );
});

test('the first alternative with a text counts, and cells keep their paragraphs together', async () => {
  const both = (choice: string, fallback: string) =>
    `<mc:AlternateContent><mc:Choice Requires="a14">${choice}</mc:Choice><mc:Fallback>${fallback}</mc:Fallback></mc:AlternateContent>`;
  const cell = (...texts: string[]) => `<a:tc><a:txBody>${texts.map(words).join('')}</a:txBody></a:tc>`;
  const bytes = presentation([
    [
      `<p:sld>${both(shape('once'), shape('once'))}${both('<p:pic/>', shape('instead'))}<p:graphicFrame><a:tbl><a:tr>${cell('a', 'b')}${cell('c_x000B_d')}</a:tr></a:tbl></p:graphicFrame></p:sld>`,
    ],
  ]);
  expect(await read(bytes)).toBe('once\n\ninstead\n\na b | c\nd');
});
