import { nearest } from 'agent-connectors';
import type { Requester } from '../../common/fair-queue.js';
import type { Driver } from './driver.js';
import type { FaultCollector } from './faults.js';
import { missingName, type Place } from './places.js';
import type { FieldRef } from './plan.js';
import { isObject, type Layout } from './schema.js';

const maxListed = 12;
const maxRemembered = 10_000;
const maxArraysTried = 3;

/** Rejects paths inside objects that occur neither in the manifest nor in the replica. */
export class PathCheck {
  readonly #driver: Driver;
  /** Paths known to occur in a record. */
  readonly #found = new Set<string>();

  constructor(driver: Driver) {
    this.#driver = driver;
  }

  async check(
    layout: Layout,
    connectorId: string,
    faults: FaultCollector,
    requester: Requester | undefined,
  ): Promise<void> {
    // Report definite faults first so that they fit within the limit.
    const paths = faults.innerPaths.toSorted((one, other) => Number('element' in other) - Number('element' in one));
    for (const { at, ref, element } of paths.slice(0, maxListed)) {
      if (element !== undefined) {
        faults.add(at, await this.#objectFault(layout, connectorId, ref, element, requester));
        continue;
      }
      const path = [ref.column.field, ...ref.path].join('.');
      const key = JSON.stringify([connectorId, layout.table, path]);
      if (layout.known.includes(path) || this.#found.has(key)) continue;
      const place = await this.#driver.place(layout, connectorId, ref, requester);
      if (this.#found.size >= maxRemembered) this.#found.clear();
      if (place.found) this.#found.add(key);
      else {
        const fault = faultOf(ref, place, layout, at.startsWith('fields.'));
        if (fault !== undefined) faults.add(at, fault);
      }
    }
    faults.throwIfAny(layout);
  }

  /** Describes the mistake of testing an object as if it were an array, and points to the array inside it, if any. */
  async #objectFault(
    layout: Layout,
    connectorId: string,
    { column, path }: FieldRef,
    element: unknown,
    requester: Requester | undefined,
  ): Promise<string> {
    const parent = [column.field, ...path].join('.');
    const inside = (...names: string[]) =>
      this.#driver.place(layout, connectorId, { column, path: [...path, ...names, missingName] }, requester);
    const { names } = await inside();
    for (const name of names.slice(0, maxArraysTried)) {
      if (!(await inside(name)).isArray) continue;
      const part = isObject(element) ? (Object.keys(element)[0] ?? 'name') : 'name';
      return `is an object. Search the array inside it, for example {"contains":{"${parent}.${name}":{"${part}":"text"}}}`;
    }
    const shown = names.slice(0, maxListed).join(', ');
    return `is an object, not an array. Specify an inner field${shown && `; names in ${parent}: ${shown}`}`;
  }
}

/** Describes what is wrong with a path not found in any record; undefined if too little is known. */
function faultOf({ column, path }: FieldRef, place: Place, layout: Layout, isProjection: boolean): string | undefined {
  const parent = [column.field, ...path.slice(0, place.depth)].join('.');
  if (place.names.length === 0) {
    if (!place.isArray || isProjection) return undefined;
    const inner = path.slice(place.depth).find((name) => !/^\d+$/.test(name)) ?? 'name';
    return `leads into the array ${parent}. Search its elements, as in {"contains":{"${parent}":{"${inner}":"text"}}}`;
  }
  const prefix = `${parent}.`;
  const declared = layout.known.filter((one) => one.startsWith(prefix)).map((one) => one.slice(prefix.length));
  const names = [...new Set([...place.names, ...declared.filter((name) => !name.includes('.'))])].sort();
  const meant = nearest(path[place.depth]!, names);
  const shown =
    names.length > maxListed ? [...names.slice(0, maxListed), `and ${names.length - maxListed} more`] : names;
  const didYouMean = meant === undefined ? '' : ` Did you mean '${prefix}${meant}'?`;
  return `is not in any record.${didYouMean} Names in ${parent}: ${shown.join(', ')}`;
}
