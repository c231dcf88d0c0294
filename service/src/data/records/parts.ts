import type { StoredRecord } from './entity.js';
import { isObject, referenceMark } from './schema.js';

/** The parts of a record at paths. */
export const partsAt = (record: StoredRecord, paths: ReadonlyArray<readonly string[]>): StoredRecord =>
  partsOf(record, wantedTree(paths));

/** The parts of a record at dotted paths, as `fields` names them. */
export const projected = (record: StoredRecord, paths: readonly string[]): StoredRecord =>
  partsAt(
    record,
    paths.map((path) => path.split('.')),
  );

/** Wanted names, each with those below it, or whole. */
type Wanted = Map<string, Wanted | 'whole'>;

export function wantedTree(paths: ReadonlyArray<readonly string[]>): Wanted {
  const root: Wanted = new Map();
  for (const path of paths) {
    let at = root;
    for (const [index, name] of path.entries()) {
      const known = at.get(name);
      if (known === 'whole') break;
      if (index === path.length - 1) at.set(name, 'whole');
      else {
        const below: Wanted = known ?? new Map();
        at.set(name, below);
        at = below;
      }
    }
  }
  return root;
}

/** The wanted parts; what an object on the way does not have stays away. */
export function partsOf(object: StoredRecord, wanted: Wanted): StoredRecord {
  const parts = {};
  for (const [name, below] of wanted) {
    if (!Object.hasOwn(object, name)) continue;
    const isWhole = below === 'whole' || isReference(object[name]);
    const value = isWhole ? object[name] : partIn(object[name], below);
    // Not an assignment, which would take the name __proto__ for something else.
    Object.defineProperty(parts, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return parts;
}

// Its parts are taken once the text has been put back.
const isReference = (value: unknown): boolean => typeof value === 'string' && value.includes(referenceMark);

/** In an array the parts of each element; elements that are no objects stay as they are. */
function partIn(value: unknown, wanted: Wanted): unknown {
  if (Array.isArray(value)) return value.map((item) => (typeof item === 'object' ? partIn(item, wanted) : item));
  return isObject(value) ? partsOf(value, wanted) : null;
}
