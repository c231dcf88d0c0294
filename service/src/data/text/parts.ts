import type { Parts } from './archive.js';
import { readMarkup } from './markup.js';
import { decodeText } from './plain.js';

/** A reference from one part of an office document to another. */
export interface Relation {
  readonly type: string;
  readonly path: string;
}

/** The source of a part; empty if missing. */
export const sourceOf = (parts: Parts, path: string): string => {
  const bytes = parts[path];
  return bytes === undefined ? '' : decodeText(bytes);
};

/** A part's references by id. */
export async function relationsOf(parts: Parts, path: string): Promise<ReadonlyMap<string, Relation>> {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const relations = new Map<string, Relation>();
  const source = sourceOf(parts, `${folder}_rels/${path.slice(folder.length)}.rels`);
  await readMarkup(source, true, {
    open(name, { Id, Type, Target, TargetMode }) {
      if (name !== 'Relationship' || Id === undefined || Target === undefined || TargetMode === 'External') return;
      const type = Type?.slice(Type.lastIndexOf('/') + 1) ?? '';
      // `URL` is the simplest way to resolve `..` and a leading slash.
      relations.set(Id, { type, path: decodeURI(new URL(Target, `file:///${folder}`).pathname.slice(1)) });
    },
  });
  return relations;
}

/** An attribute with any prefix. */
export const attribute = (attributes: Readonly<Record<string, string>>, name: string): string | undefined =>
  attributes[name] ?? Object.entries(attributes).find(([full]) => full.endsWith(`:${name}`))?.[1];
