import { isDeepStrictEqual } from 'node:util';
import { ConnectorError } from 'agent-connectors';
import { expect } from 'vitest';
import type { Store } from '../../../service/src/data/records/types.js';
import { seedOf } from '../../cases.js';
import { sampleEntities } from './oracle/generate.js';
import { search } from './oracle/search.js';
import type { Item, Params } from './oracle/types.js';
import { type Sample, samplesOf } from './sample.js';

const refusedCode = 'invalid_params';

function expectedRows({ records, entity }: Sample, params: Params) {
  try {
    return search(records, entity, params).rows;
  } catch {
    return refusedCode;
  }
}

/** The rows of a search, from all its pages. */
async function searchAll(store: Store, { connectorId, name: entity }: Sample, params: Params) {
  const rows: unknown[] = [];
  const cursors = new Set<string>();
  try {
    let cursor: string | null = null;
    do {
      const pageParams: Params = cursor === null ? params : { ...params, cursor };
      const { data, meta }: Awaited<ReturnType<Store['search']>> = await store.search({
        connectorId,
        type: 'sample',
        entity,
        params: pageParams,
      });
      rows.push(...data);
      cursor = meta.cursor;
      if (cursor !== null && cursors.has(cursor)) throw new Error('A page led back to one before it.');
      if (cursor !== null) cursors.add(cursor);
    } while (cursor !== null);
    return rows;
  } catch (error) {
    if (ConnectorError.is(error)) return error.code;
    throw error;
  }
}

const sets = 40;

/** Runs queries against a store and a plain scan of the same records, and compares them; one in 25 is invalid. */
export async function compareAll(store: Store, queries: number): Promise<number> {
  let searched = 0;
  const invalid = Math.ceil(queries / sets / 25);
  for (const sample of samplesOf(seedOf(20261120), sets, queries / sets - invalid, invalid)) {
    await store.write({ connectorId: sample.connectorId, type: 'sample', entity: sample.name }, sample.records);
    for (const params of sample.queries) {
      const wanted = expectedRows(sample, params);
      const rows = await searchAll(store, sample, params);
      // `toEqual` explains a difference, but is slow if there is none.
      if (!isDeepStrictEqual(rows, wanted)) expect(rows, JSON.stringify(params)).toEqual(wanted);
      searched += 1;
    }
  }
  return searched;
}

const common: readonly Params[] = [
  { query: { filter: { keyword: { title: 'often' } } }, limit: 5 },
  { query: { filter: { keyword: { title: 'often' } }, sort: [{ size: 'desc' }] }, limit: 400 },
  { query: { filter: { fuzzy: { title: 'oftn' } } }, limit: 400 },
  { query: { filter: { fuzzy: { title: 'oftn report' }, lt: { size: 5 } } }, limit: 300 },
  { query: { filter: { fuzzy: { title: 'oftn report' } }, sort: [{ size: 'desc' }] }, limit: 5 },
  { query: { filter: { keyword: { title: 'early' } } }, limit: 5 },
  { query: { filter: { fuzzy: { title: 'erly dayz' } }, sort: [{ size: 'asc' }] }, limit: 5 },
  { query: { filter: { not: { keyword: { title: 'early' } }, fuzzy: { title: 'oftn reprt' } } }, limit: 50 },
  { query: { filter: { like: { title: '%ofte%7' } } } },
  { query: { filter: { eq: { title: 'Often a report 7' } } } },
  { query: { filter: { contains: { labels: 'all' } }, sort: [{ id: 'desc' }] }, limit: 400 },
  { query: { filter: { any: { labels: ['all', 3] } } }, limit: 700 },
  { query: { filter: { eq: { 'state.name': 'open' } } }, limit: 400 },
  { query: { filter: { or: [{ keyword: { title: 'often' } }, { eq: { size: 1 } }] } }, limit: 400 },
  { query: { filter: { not: { keyword: { title: 'often' } } } } },
  { query: { filter: { keyword: { title: '7' }, contains: { labels: 'all' } } } },
  { query: { filter: { like: { title: '%n_a%' } } }, limit: 100 },
  // Ordered by relevance; all words are in few of the titles, or in too many to compare them.
  { query: { filter: { keyword: { title: 'report 7 often' } } }, limit: 7 },
  { query: { filter: { keyword: { title: 'rarely one' } } }, limit: 30 },
  { query: { filter: { keyword: { title: 'a report often days 7 early rarely' } } }, limit: 90 },
  { query: { filter: { keyword: { title: 'days often report' }, lt: { size: 5 } } }, limit: 50 },
  { query: { filter: { or: [{ keyword: { title: 'often 7' } }, { eq: { size: 1 } }] } }, limit: 90 },
  { query: { filter: { gte: { size: 2 } }, sort: [{ title: 'desc' }] }, limit: 50 },
  { query: { filter: { eq: { count: 1 }, lt: { size: 6 } } }, limit: 50 },
  { query: { filter: { in: { size: [1, 2, 3] } }, sort: [{ createdAt: 'desc' }] }, limit: 50 },
  // The matching records come last in this sort order.
  { query: { filter: { eq: { count: 1 } }, sort: [{ createdAt: 'asc' }] }, limit: 8 },
  { query: { sort: [{ count: 'desc' }, { title: 'asc' }] }, limit: 40 },
  { query: { sort: [{ count: 'asc' }, { closedAt: 'desc' }] }, limit: 70 },
  {
    query: { filter: { lt: { size: 7 } }, sort: [{ count: 'asc' }, { closedAt: 'asc' }, { title: 'desc' }] },
    limit: 90,
  },
];

/** The same for searches whose terms match most of the records. */
export async function compareCommon(store: Store): Promise<void> {
  const entity = sampleEntities[0]!;
  const records = Array.from({ length: 1200 }, (_, index) => ({
    // Records written first sort last, so that storage order says nothing about the result.
    id: `${index < 300 ? 'z' : 'r'}${index}`,
    title: `${index < 300 ? 'Early days ' : ''}${
      index % 10 === 3 ? 'Rarely one' : `${index % 3 === 0 ? 'Often' : 'often'} a report ${index % 50}`
    }`,
    size: index % 8,
    count: index < 500 ? 0 : 1,
    createdAt: new Date(index * 60_000).toISOString(),
    closedAt: index % 3 === 0 ? null : new Date((index % 400) * 60_000).toISOString(),
    state: { name: index % 4 === 0 ? 'done' : 'open' },
    labels: index % 9 === 0 ? [] : ['all', index % 20],
  }));
  const sample: Sample = { connectorId: 'con_1', name: 'entity0', entity, records, queries: common };
  const of = { connectorId: 'con_1', type: 'sample', entity: 'entity0' };
  await store.write(of, records);
  for (const params of common) {
    const wanted = (expectedRows(sample, params) as Item[]).map(({ id }) => id);
    const rows = (await searchAll(store, sample, params)) as Item[];
    expect(wanted.length, JSON.stringify(params)).toBeGreaterThan(0);
    expect(
      rows.map(({ id }) => id),
      JSON.stringify(params),
    ).toEqual(wanted);
  }
  // The record contains these words in the opposite order.
  expect(await searchAll(store, sample, { query: { filter: { fuzzy: { title: 'report oftn' } } } })).toEqual([]);
}
