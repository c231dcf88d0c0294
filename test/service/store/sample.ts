import fc from 'fast-check';
import type { StoredEntity } from '../../../service/src/data/records/entity.js';
import { invalidQueriesOver, queriesOver } from './oracle/arbitrary-queries.js';
import { recordsOf, sampleEntities } from './oracle/generate.js';
import type { Entity, Item, Params } from './oracle/types.js';

/** The oracle's entities under the names used in the store. */
export const storedEntities: readonly StoredEntity[] = sampleEntities.map((entity, index) => ({
  type: 'sample',
  entity: `entity${index}`,
  ...entity,
}));

/** One connector's records for an entity, and searches over them. */
export interface Sample {
  readonly connectorId: string;
  readonly entity: Entity;
  readonly name: string;
  readonly records: readonly Item[];
  readonly queries: readonly Params[];
}

// A number and its digits are the same key.
const keyPart = (value: unknown) => (/^-?\d+$/.test(String(value)) ? String(BigInt(String(value))) : value);

/** Searches with paths that are rejected or accepted depending on the records. */
const unknownPathsOver = (entity: Entity): Params[] =>
  Object.keys(entity.fields)
    .filter((field) => entity.fields[field] === 'object')
    .flatMap((field) => [
      { query: { filter: { eq: { [`${field}.nick`]: 'alpha' } } } },
      { query: { filter: { not: { gt: { [`${field}.nowhere`]: 1 } } } } },
      { query: { filter: { neq: { [`${field}.list.a`]: 1 } } } },
      { query: { sort: [{ [`${field}.deep.nowhere`]: 'asc' as const }] } },
      { query: {}, fields: [`${field}.list.a`, `${field}.deep.note`] },
    ]);

/** Data sets generated from a seed, each with this many searches. */
export function samplesOf(seed: number, sets: number, queries: number, refused = 0): Sample[] {
  return Array.from({ length: sets }, (_, index) => {
    const which = index % sampleEntities.length;
    const entity = sampleEntities[which]!;
    const drawn = fc.sample(recordsOf(entity), { seed: seed + index, numRuns: 2 }).flat();
    // One record per key, as in a store.
    const records = [
      ...new Map(
        drawn.map((record) => [JSON.stringify(entity.key.map((field) => keyPart(record[field]))), record]),
      ).values(),
    ];
    const of = (arbitrary: fc.Arbitrary<Params>, numRuns: number) =>
      fc.sample(arbitrary, { seed: seed + index, numRuns });
    return {
      connectorId: `con_${index}`,
      entity,
      name: `entity${which}`,
      records,
      queries: [
        ...of(queriesOver(entity, records), queries),
        ...unknownPathsOver(entity),
        ...(refused > 0 ? of(invalidQueriesOver(entity, records), refused) : []),
      ],
    };
  });
}
