import type { Parts } from './archive.js';
import { chartText, type SeriesDetail } from './chart.js';
import { Equations } from './equation.js';
import type { HiddenContent } from './hidden.js';
import { readMarkup } from './markup.js';
import { attribute, descriptionOf, isOn, relatedPaths, relationsOf, sourceOf, unescapeText } from './parts.js';
import { rowText } from './table.js';

/** The text of a shape, table, chart or diagram. */
export interface Box {
  readonly text: string;
  /** The type of its placeholder, such as `title`; empty if it is none. */
  readonly placeholder: string;
}

/** How to read the drawings of a document. */
export interface DrawingOptions {
  readonly hidden: HiddenContent;
  readonly series: SeriesDetail;
  /** Parts that have been read: a document may reference one any number of times. */
  readonly seen: Set<string>;
}

interface Shape {
  readonly lines: string[];
  placeholder: string;
  description: string;
  isHidden: boolean;
}

const shapeElements = new Set(['sp', 'graphicFrame', 'grpSp', 'cxnSp', 'pic']);

/** The texts in a slide, a sheet's drawing, or another part with shapes, in their order in the file. */
export async function boxesOf(parts: Parts, path: string, options: DrawingOptions): Promise<Box[]> {
  if (options.seen.has(path)) return [];
  options.seen.add(path);
  const boxes: Array<Box & { readonly relation?: string }> = [];
  const shapes: Shape[] = [];
  /** What was read before each open `AlternateContent`, whose first alternative with a text counts. */
  const alternatives: Array<{ readonly before: number; isSkipped: boolean }> = [];
  const equations = new Equations();
  let line = '';
  let isText = false;
  let rows: string[][] | undefined;
  let cell: string[] = [];
  let length = 0;
  const isSkipped = () => alternatives.some((alternative) => alternative.isSkipped);
  const add = (text: string, placeholder: string, relation?: string) => {
    if (isSkipped()) return;
    const isHidden = shapes.some((shape) => shape.isHidden);
    if (isHidden && options.hidden.leaveOut('shapes')) return;
    boxes.push({
      text: isHidden ? `[Hidden] ${text}` : text,
      placeholder,
      ...(relation !== undefined && { relation }),
    });
  };
  const endParagraph = () => {
    const text = unescapeText(line).replace(/[\v\r]+/g, '\n');
    line = '';
    if (rows) cell.push(text);
    else shapes.at(-1)?.lines.push(text);
  };
  const endShape = ({ lines, placeholder, description }: Shape) => {
    const text = lines.filter((one) => one.trim() !== '').join('\n');
    if (text !== '') add(text, placeholder);
    if (description !== '') add(description, '');
  };
  await readMarkup(sourceOf(parts, path), true, {
    open(name, attributes) {
      const shape = shapes.at(-1);
      if (equations.includes(name)) equations.open(name, attributes, line);
      if (shapeElements.has(name)) shapes.push({ lines: [], placeholder: '', description: '', isHidden: false });
      else if (name === 'cNvPr' && shape) {
        shape.isHidden = isOn(attributes.hidden);
        shape.description = descriptionOf(attributes);
      } else if (name === 'ph' && shape) shape.placeholder = attribute(attributes, 'type') ?? 'obj';
      else if (name === 't') isText = true;
      else if (name === 'br') line += '\n';
      else if (name === 'tbl') rows = [];
      else if (name === 'tr') rows?.push([]);
      else if (name === 'tc') cell = [];
      else if (name === 'chart' || name === 'relIds') {
        add('', '', attribute(attributes, name === 'chart' ? 'id' : 'dm') ?? '');
      } else if (name === 'AlternateContent') {
        alternatives.push({ before: boxes.length + length, isSkipped: false });
      } else if (name === 'Choice' || name === 'Fallback') {
        const last = alternatives.at(-1);
        if (last) last.isSkipped = boxes.length + length > last.before;
      }
    },
    text(text) {
      if (!isText || isSkipped()) return;
      line += text;
      length += text.length;
    },
    close(name) {
      if (equations.includes(name)) line = equations.close(line);
      if (name === 't') isText = false;
      else if (name === 'p') endParagraph();
      else if (name === 'tc') rows?.at(-1)?.push(cell.filter((one) => one.trim() !== '').join(' '));
      else if (name === 'tbl') {
        for (const row of rows ?? []) shapes.at(-1)?.lines.push(rowText(row));
        rows = undefined;
      } else if (shapeElements.has(name)) {
        const shape = shapes.at(-1);
        if (shape) endShape(shape);
        shapes.pop();
      } else if (name === 'AlternateContent') alternatives.pop();
    },
    length: () => length,
  });
  const texts: Box[] = [];
  for (const { relation, ...box } of boxes) {
    const part = relation === undefined ? undefined : (await relationsOf(parts, path)).get(relation)?.path;
    const text = part === undefined ? '' : await graphicText(parts, part, options);
    if (box.text.trim() + text !== '') texts.push({ ...box, text: box.text + text });
  }
  return texts;
}

/** The text of a chart or of a diagram (SmartArt), returned only once. */
export async function graphicText(parts: Parts, path: string, options: DrawingOptions): Promise<string> {
  const { seen, series } = options;
  if (seen.has(path)) return '';
  seen.add(path);
  const source = sourceOf(parts, path);
  if (source.includes('dataModel')) return diagramText(source);
  const texts = [await chartText(source, series)];
  for (const shapes of await relatedPaths(parts, path, 'chartUserShapes')) {
    for (const { text } of await boxesOf(parts, shapes, options)) texts.push(text);
  }
  return texts.filter((text) => text !== '').join('\n');
}

async function diagramText(source: string): Promise<string> {
  const lines: string[] = [];
  let line = '';
  let isText = false;
  let isPresentation = false;
  await readMarkup(source, true, {
    open(name, attributes) {
      // Points of this type describe the layout.
      if (name === 'pt') isPresentation = attributes.type === 'pres';
      // Both the box of a point and its words are called `t`; only the words are within a paragraph.
      else if (name === 'r' || name === 'fld') isText = !isPresentation;
      else if (name === 'br') line += ' ';
    },
    text(text) {
      if (isText) line += text;
    },
    close(name) {
      if (name === 'r' || name === 'fld') isText = false;
      else if (name === 'p') {
        if (line.trim() !== '') lines.push(unescapeText(line).trim());
        line = '';
      }
    },
  });
  return lines.join('\n');
}
