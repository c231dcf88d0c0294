import type { Parts } from './archive.js';
import type { InnerDocuments } from './inner.js';
import { readMarkup } from './markup.js';
import { decodeText } from './plain.js';

/** A reference from one part of an office document to another. */
export interface Relation {
  readonly type: string;
  readonly path: string;
}

/** The path of the document's main part, or the usual path. */
export async function mainPartOf(parts: Parts, usual: string): Promise<string> {
  const relations = [...(await relationsOf(parts, '')).values()];
  const main = relations.find(({ type, path }) => type === 'officeDocument' && parts.has(path));
  return main?.path ?? parts.storedPath(usual);
}

/** The source of a part; empty if missing. */
export const sourceOf = (parts: Parts, path: string): string => {
  const bytes = parts.read(path);
  return bytes === undefined ? '' : decodeText(bytes);
};

/** The first element of this name in a part, with what it contains, so that the rest need not be parsed. */
export function elementIn(source: string, name: string): string {
  const start = new RegExp(`<(\\w+:)?${name}[\\s>]`).exec(source);
  if (!start) return '';
  const tagEnd = source.indexOf('>', start.index);
  if (source[tagEnd - 1] === '/') return source.slice(start.index, tagEnd + 1);
  const endTag = `</${start[1] ?? ''}${name}>`;
  const end = source.indexOf(endTag, start.index);
  return end < 0 ? source : source.slice(start.index, end + endTag.length);
}

const relationsByPart = new WeakMap<Parts, Map<string, Promise<ReadonlyMap<string, Relation>>>>();

/** A part's references by id. */
export function relationsOf(parts: Parts, path: string): Promise<ReadonlyMap<string, Relation>> {
  const known = relationsByPart.get(parts) ?? new Map<string, Promise<ReadonlyMap<string, Relation>>>();
  relationsByPart.set(parts, known);
  const relations = known.get(path) ?? readRelations(parts, path);
  known.set(path, relations);
  return relations;
}

async function readRelations(parts: Parts, path: string): Promise<ReadonlyMap<string, Relation>> {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const relations = new Map<string, Relation>();
  const source = sourceOf(parts, parts.storedPath(`${folder}_rels/${path.slice(folder.length)}.rels`));
  await readMarkup(source, true, {
    open(name, { Id, Type, Target, TargetMode }) {
      if (name !== 'Relationship' || Id === undefined || Target === undefined || TargetMode === 'External') return;
      const type = Type?.slice(Type.lastIndexOf('/') + 1) ?? '';
      relations.set(Id, { type, path: parts.storedPath(resolve(folder, Target)) });
    },
  });
  return relations;
}

/** `URL` is the simplest way to resolve unusual paths. */
function resolve(folder: string, target: string): string {
  const rest = target.replace(/^(?:\.\.\/|\/)/, '');
  if (/^\w+(?:[./]\w+)*$/.test(rest)) {
    if (target[0] === '/') return rest;
    return (target[0] === '.' ? folder.replace(/[^/]*\/$/, '') : folder) + rest;
  }
  try {
    return decodeURI(new URL(target, `file:///${folder}`).pathname.slice(1));
  } catch {
    return target;
  }
}

/** The paths of a part's references of this type, each once. */
export async function relatedPaths(parts: Parts, path: string, type: string): Promise<string[]> {
  const relations = [...(await relationsOf(parts, path)).values()];
  return [...new Set(relations.flatMap((relation) => (relation.type === type ? [relation.path] : [])))];
}

/** Texts of the documents embedded in a part, such as a slide. */
export async function embeddedTexts(
  parts: Parts,
  path: string,
  embedded: InnerDocuments,
  seen: Set<string>,
): Promise<string[]> {
  const texts: string[] = [];
  for (const type of ['oleObject', 'package']) {
    for (const inner of await relatedPaths(parts, path, type)) {
      if (seen.has(inner)) continue;
      seen.add(inner);
      texts.push(await embedded.sectionOf(parts.read(inner) ?? new Uint8Array(), inner));
    }
  }
  return texts.filter((text) => text !== '');
}

/** An attribute with any prefix. */
export const attribute = (attributes: Readonly<Record<string, string>>, name: string): string | undefined =>
  attributes[name] ?? Object.entries(attributes).find(([full]) => full.endsWith(`:${name}`))?.[1];

/** How an image or shape is described to those who cannot see it; programs that ask for nothing fill in a file name. */
export function descriptionOf({ descr = '', title = '' }: Readonly<Record<string, string>>): string {
  const text = (descr.includes(title) ? descr : `${title} ${descr}`).replace(/\s+/g, ' ').trim();
  return /^\S+\.(?:bmp|emf|gif|jpe?g|png|svg|tiff?|wmf)$/i.test(text) ? '' : text;
}

/** Whether an on/off attribute is on. */
export const isOn = (value: string | undefined): boolean => /^(?:1|true|on|t)$/i.test(value ?? '');

/** Replaces escaped characters of strings in workbooks and presentations, such as `_x000D_`. */
export const unescapeText = (text: string): string =>
  text.includes('_x')
    ? text.replace(/_x([\da-f]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text;
