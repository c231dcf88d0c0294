import { type Parts, unzipParts } from './archive.js';
import { readMarkup } from './markup.js';
import { exceedsLimit } from './normalize.js';
import { attribute, relationsOf, sourceOf } from './parts.js';

const mainPart = 'ppt/presentation.xml';
/** Placeholders with the same text on every slide. */
const repeatedBoxTypes = new Set(['dt', 'ftr', 'hdr', 'sldNum']);

/** Text of a presentation, slide by slide, with speaker notes. */
export async function pptxText(bytes: Uint8Array): Promise<string> {
  const parts = await unzipParts(bytes, (path) =>
    /^ppt\/(?:[^/]+|(?:slides|notesSlides)\/.+)\.(?:xml|rels)$|^ppt\/_rels\//.test(path),
  );
  if (!parts[mainPart]) throw new Error('It has no presentation part.');
  const slides: string[] = [];
  let length = 0;
  const seen = new Set<string>();
  /**
   * A part's text boxes, returned only once: a presentation may reference a slide and its notes any number of times.
   */
  const boxesOnce = (path: string): Promise<string[]> | [] => {
    if (seen.has(path)) return [];
    seen.add(path);
    return boxesOf(parts, path);
  };
  for (const path of new Set(await slidePaths(parts))) {
    const notes = [...(await relationsOf(parts, path)).values()].find(({ type }) => type === 'notesSlide');
    const slideTexts = await boxesOnce(path);
    const noteTexts = notes ? await boxesOnce(notes.path) : [];
    const text = [...slideTexts, ...(noteTexts.length > 0 ? ['Notes:', ...noteTexts] : [])].join('\n\n');
    if (text !== '') slides.push(text);
    length += text.length;
    if (exceedsLimit(length)) break;
  }
  return slides.join('\n\n');
}

async function slidePaths(parts: Parts): Promise<string[]> {
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

/** A slide's text boxes, with the title as a heading. */
async function boxesOf(parts: Parts, path: string): Promise<string[]> {
  const boxes: string[] = [];
  let box: string[] = [];
  let line = '';
  let kind = '';
  let isText = false;
  let cells: string[] | undefined;
  let length = 0;
  const endBox = () => {
    const text = box.filter((one) => one.trim() !== '').join('\n');
    if (text !== '' && !repeatedBoxTypes.has(kind))
      boxes.push(/title/i.test(kind) ? `# ${text.replaceAll('\n', ' ')}` : text);
    box = [];
    kind = '';
  };
  await readMarkup(sourceOf(parts, path), true, {
    open(name, attributes) {
      if (name === 'ph') kind = attribute(attributes, 'type') ?? '';
      else if (name === 't') isText = true;
      else if (name === 'br') line += '\n';
      else if (name === 'tr') cells = [];
    },
    text(text) {
      if (!isText) return;
      line += text;
      length += text.length;
    },
    close(name) {
      if (name === 't') isText = false;
      else if (name === 'p') {
        if (cells) cells.push(line);
        else box.push(line);
        line = '';
      } else if (name === 'tr') {
        box.push((cells ?? []).join(' | '));
        cells = undefined;
      } else if (name === 'sp' || name === 'graphicFrame') endBox();
    },
    length: () => length,
  });
  return boxes;
}
