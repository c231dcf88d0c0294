import { nearest } from 'agent-connectors';
import type { Requester } from '../../common/fair-queue.js';
import type { FaultCollector } from './bind.js';
import type { Driver } from './driver.js';
import type { Place } from './places.js';
import type { FieldRef } from './plan.js';
import type { Layout } from './schema.js';

const maxListed = 12;
const maxRemembered = 10_000;

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
    for (const { at, ref } of faults.innerPaths.slice(0, maxListed)) {
      const path = [ref.column.field, ...ref.path].join('.');
      const key = JSON.stringify([connectorId, layout.table, path]);
      if (layout.known.includes(path) || this.#found.has(key)) continue;
      const place = await this.#driver.place(layout, connectorId, ref, requester);
      if (this.#found.size >= maxRemembered) this.#found.clear();
      if (place.found) this.#found.add(key);
      else {
        const fault = faultOf(ref, place, layout, at[0] === 'fields');
        if (fault !== undefined) faults.add(at, fault);
      }
    }
    faults.throwIfAny(layout);
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
