import { type Parts, unzipParts } from './archive.js';
import { readMarkup } from './markup.js';
import { decodeText } from './plain.js';

/** A reference from one part of an office document to another. */
export interface Relation {
  readonly type: string;
  readonly path: string;
}

/** Parts that contain no text of their own, some of them large. */
const withoutText =
  /(?:^|\/)(?:theme|slideLayouts|slideMasters|customXml|pivotCache|pivotTables|externalLinks|queryTables|revisions|docProps|tables|ctrlProps|tags)\/|\/charts\/(?:style|colors)\d*\.xml$|\/diagrams\/(?:layout|colors|quickStyle|drawing)\d*\.xml$|\/(?:calcChain|fontTable|settings|webSettings|presProps|viewProps|tableStyles)\.xml$/i;

/** The parts of an Office document that can contain text. */
export const openParts = (bytes: Uint8Array): Promise<Parts> =>
  unzipParts(bytes, (path) => /\.(?:xml|rels)$/i.test(path) && !withoutText.test(path));

const pathsByLowerCase = new WeakMap<Parts, ReadonlyMap<string, string>>();

/** The path as it is written in the archive: names of parts are not case-sensitive. */
function storedPath(parts: Parts, path: string): string {
  if (parts[path] !== undefined) return path;
  const paths =
    pathsByLowerCase.get(parts) ?? new Map(Object.keys(parts).map((stored) => [stored.toLowerCase(), stored]));
  pathsByLowerCase.set(parts, paths);
  return paths.get(path.toLowerCase()) ?? path;
}

/** The path of the document's main part, or the usual path. */
export async function mainPartOf(parts: Parts, usual: string): Promise<string> {
  const relations = [...(await relationsOf(parts, '')).values()];
  const main = relations.find(({ type, path }) => type === 'officeDocument' && parts[path]);
  return main?.path ?? storedPath(parts, usual);
}

/** The source of a part; empty if missing. */
export const sourceOf = (parts: Parts, path: string): string => {
  const bytes = parts[path];
  return bytes === undefined ? '' : decodeText(bytes);
};

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
  const source = sourceOf(parts, storedPath(parts, `${folder}_rels/${path.slice(folder.length)}.rels`));
  await readMarkup(source, true, {
    open(name, { Id, Type, Target, TargetMode }) {
      if (name !== 'Relationship' || Id === undefined || Target === undefined || TargetMode === 'External') return;
      const type = Type?.slice(Type.lastIndexOf('/') + 1) ?? '';
      relations.set(Id, { type, path: storedPath(parts, resolve(folder, Target)) });
    },
  });
  return relations;
}

/** `URL` is the simplest way to resolve `..`, backslashes and a leading slash. */
function resolve(folder: string, target: string): string {
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

/** An attribute with any prefix. */
export const attribute = (attributes: Readonly<Record<string, string>>, name: string): string | undefined =>
  attributes[name] ?? Object.entries(attributes).find(([full]) => full.endsWith(`:${name}`))?.[1];

/** How an image or shape is described to those who cannot see it; programs that ask for nothing fill in a file name. */
export function descriptionOf({ descr = '' }: Readonly<Record<string, string>>): string {
  const text = descr.replace(/\s+/g, ' ').trim();
  return /^\S+\.(?:bmp|emf|gif|jpe?g|png|svg|tiff?|wmf)$/i.test(text) ? '' : text;
}

/** Whether an on/off attribute is on. */
export const isOn = (value: string | undefined): boolean => /^(?:1|true|on|t)$/i.test(value ?? '');

/** Replaces escaped characters of strings in workbooks and presentations, such as `_x000D_`. */
export const unescapeText = (text: string): string =>
  text.includes('_x')
    ? text.replace(/_x([\da-f]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text;
