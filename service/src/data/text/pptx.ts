import { Parts } from './archive.js';
import { boxesOf, type DrawingOptions } from './drawing.js';
import { HiddenContent } from './hidden.js';
import { InnerDocuments } from './inner.js';
import { readMarkup } from './markup.js';
import { exceedsLimit } from './normalize.js';
import { embeddedTexts, mainPartOf, relatedPaths, relationsOf, sourceOf, unescapeText } from './parts.js';
import type { Extract, ReadOptions } from './result.js';

/** Placeholders for numbers and dates of slides. */
const uselessBoxTypes = new Set(['dt', 'sldNum']);
/** Placeholders that usually have the same text on every slide. */
const repeatedBoxTypes = new Set(['ftr', 'hdr']);

/**
 * Text of a presentation, slide by slide, with comments and speaker notes; then the footers and words of layouts, each
 * once.
 */
export async function pptxText(
  bytes: Uint8Array,
  { indexesHidden = false, readInner }: Partial<ReadOptions> = {},
): Promise<Extract> {
  const parts = Parts.open(bytes);
  const mainPart = await mainPartOf(parts, 'ppt/presentation.xml');
  if (!parts.has(mainPart)) throw new Error('It has no presentation part.');
  const hidden = new HiddenContent(indexesHidden);
  const drawing: DrawingOptions = { hidden, series: 'values', seen: new Set() };
  const embedded = new InnerDocuments('embedded document', readInner);
  const authors = await authorsOf(parts, mainPart);
  const slides: string[] = [];
  const repeated = new Set<string>();
  let length = 0;
  const textsOf = async (path: string): Promise<string[]> => {
    const texts: string[] = [];
    for (const { text, placeholder } of await boxesOf(parts, path, drawing)) {
      if (repeatedBoxTypes.has(placeholder)) repeated.add(text);
      else if (/title/i.test(placeholder)) texts.push(`# ${text.replaceAll('\n', ' ')}`);
      else if (!uselessBoxTypes.has(placeholder)) texts.push(text);
    }
    return texts;
  };
  const layouts = new Set<string>();
  for (const path of new Set(await slidePaths(parts, mainPart))) {
    const start = sourceOf(parts, path).slice(0, 4096);
    const isHidden = /\sshow\s*=\s*["'](?:0|false)["']/.test(/<(?:\w+:)?sld\s[^>]*/.exec(start)?.[0] ?? '');
    if (isHidden && hidden.leaveOut('slides')) continue;
    for (const layout of showsMaster(start) ? await relatedPaths(parts, path, 'slideLayout') : []) layouts.add(layout);
    const texts = await textsOf(path);
    for (const text of await embeddedTexts(parts, path, embedded, drawing.seen)) texts.push(text);
    const comments = await commentsOf(parts, path, authors, drawing.seen);
    if (comments.length > 0) texts.push(['Comments:', ...comments].join('\n'));
    const notes: string[] = [];
    for (const notesPath of await relatedPaths(parts, path, 'notesSlide')) notes.push(...(await textsOf(notesPath)));
    if (notes.length > 0) texts.push('Notes:', ...notes);
    if (texts.length === 0) continue;
    const text = [...(isHidden ? ['[Hidden]'] : []), ...texts].join('\n\n');
    slides.push(text);
    length += text.length;
    if (exceedsLimit(length)) break;
  }
  for (const text of await layoutTexts(parts, layouts, drawing)) repeated.add(text);
  if (repeated.size > 0) slides.push(['Footers:', ...repeated].join('\n'));
  return { text: slides.join('\n\n'), missing: embedded.missing ?? hidden.missing };
}

/** Whether a slide or layout displays the shapes of its layout or master. */
function showsMaster(source: string): boolean {
  const start = source.slice(0, 4096);
  return !start.includes('showMasterSp') || !/<[^>?]*\sshowMasterSp\s*=\s*["'](?:0|false)["']/.test(start);
}

/** Whether a layout or master has more than placeholders, which most do not. */
const hasOwnShapes = (source: string): boolean =>
  source
    .split(/<p:sp[\s>]/)
    .map((shape) => (shape.includes('<p:ph') ? shape.slice(Math.max(0, shape.indexOf('</p:sp>'))) : shape))
    .some((rest) => /:t>|<p:graphicFrame|\bdescr=/.test(rest));

/** Words that layouts or masters display on slides: those outside of placeholders; masters follow their layouts. */
async function layoutTexts(parts: Parts, paths: ReadonlySet<string>, drawing: DrawingOptions): Promise<string[]> {
  if (paths.size === 0) return [];
  const texts: string[] = [];
  const masters = new Set<string>();
  for (const path of paths) {
    const source = sourceOf(parts, path);
    if (hasOwnShapes(source)) {
      for (const { text, placeholder } of await boxesOf(parts, path, drawing)) if (placeholder === '') texts.push(text);
    } else drawing.seen.add(path);
    if (!showsMaster(source)) continue;
    for (const master of await relatedPaths(parts, path, 'slideMaster')) {
      if (!drawing.seen.has(master)) masters.add(master);
    }
  }
  return [...texts, ...(await layoutTexts(parts, masters, drawing))];
}

async function slidePaths(parts: Parts, mainPart: string): Promise<string[]> {
  const relations = await relationsOf(parts, mainPart);
  const paths: string[] = [];
  await readMarkup(sourceOf(parts, mainPart), true, {
    open(name, attributes) {
      if (name !== 'sldId') return;
      // The slide number is also called `id`, without a prefix.
      const id = Object.entries(attributes).find(([full]) => full.endsWith(':id'))?.[1];
      const path = relations.get(id ?? '')?.path;
      if (path !== undefined) paths.push(path);
    },
  });
  return paths;
}

/** Names of the authors of comments, by id. */
async function authorsOf(parts: Parts, mainPart: string): Promise<ReadonlyMap<string, string>> {
  const authors = new Map<string, string>();
  for (const type of ['commentAuthors', 'authors']) {
    for (const path of await relatedPaths(parts, mainPart, type)) {
      await readMarkup(sourceOf(parts, path), true, {
        open(name, { id, name: author }) {
          if ((name === 'cmAuthor' || name === 'author') && id && author) authors.set(id, author);
        },
      });
    }
  }
  return authors;
}

/** A slide's comments and the replies to them, one line each. */
async function commentsOf(
  parts: Parts,
  slide: string,
  authors: ReadonlyMap<string, string>,
  seen: Set<string>,
): Promise<string[]> {
  const comments: Array<{ readonly author: string; text: string }> = [];
  for (const path of await relatedPaths(parts, slide, 'comments')) {
    if (seen.has(path)) continue;
    seen.add(path);
    const open: Array<(typeof comments)[number]> = [];
    let isText = false;
    let length = 0;
    await readMarkup(sourceOf(parts, path), true, {
      open(name, { authorId = '' }) {
        isText = name === 't' || name === 'text';
        if (name !== 'cm' && name !== 'reply') return;
        const comment = { author: authors.get(authorId) ?? '', text: '' };
        comments.push(comment);
        open.push(comment);
      },
      text(text) {
        const comment = open.at(-1);
        if (!isText || !comment) return;
        comment.text += text;
        length += text.length;
      },
      close(name) {
        isText = false;
        if (name === 'p' && open.length > 0) open.at(-1)!.text += ' ';
        else if (name === 'cm' || name === 'reply') open.pop();
      },
      length: () => length,
    });
  }
  return comments.flatMap(({ author, text }) => {
    const words = unescapeText(text).replace(/\s+/g, ' ').trim();
    return words === '' ? [] : [author === '' ? words : `${author}: ${words}`];
  });
}
