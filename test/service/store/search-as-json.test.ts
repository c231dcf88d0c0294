import { parseSearch } from 'agent-connectors/search';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { searchableIn } from '../../../service/src/data/records/keys.js';
import type { Store } from '../../../service/src/data/records/types.js';
import { caseCount } from '../../cases.js';
import { collection, kinds, tasks } from './fixtures.js';
import { recordsOf } from './oracle/generate.js';

const entity = {
  type: tasks.type,
  entity: tasks.entity,
  fields: tasks.fields,
  dateTimes: tasks.dateTimes,
  key: ['id'],
};

/** A search's page, and the same page as JSON within a value. */
async function bothWays(store: Store, params: object) {
  const parsed = parseSearch(params, searchableIn(tasks));
  if ('issues' in parsed || parsed.search.kind !== 'query') throw new Error('Not a query.');
  const { data, meta } = await store.search({ ...collection, params });
  const json = await store.searchAsJson({ ...collection, search: parsed.search });
  const text = Buffer.concat(json.data.within({ before: 1, list: json.data, after: ['2'] })).toString();
  expect(JSON.parse(text)).toEqual({ before: 1, list: JSON.parse(JSON.stringify(data)), after: ['2'] });
  // No name occurs twice, which parsers treat differently.
  expect(JSON.stringify(json.data).length).toBe(JSON.stringify(data).length);
  expect(json.data.count).toBe(data.length);
  expect({ ...json.meta, took_ms: 0 }).toEqual({ ...meta, took_ms: 0 });
  return meta;
}

describe.each(kinds)('in %s', (name, open) => {
  it('returns the JSON of the records that a search returns', async () => {
    const store = await open([tasks]);
    const limit = name === 'SQLite' ? caseCount(1000) : caseCount(100);
    let number = 0;
    await fc.assert(
      fc.asyncProperty(recordsOf(entity), fc.integer({ min: 1, max: 12 }), async (records, size) => {
        number += 1;
        const own = { ...collection, connectorId: `con_${number}` };
        await store.write(own, records);
        const found = await store.search({ ...own, params: { query: {}, limit: size } });
        const parsed = parseSearch({ query: {}, limit: size }, searchableIn(tasks));
        if ('issues' in parsed || parsed.search.kind !== 'query') throw new Error('Not a query.');
        const json = await store.searchAsJson({ ...own, search: parsed.search });
        expect(JSON.parse(JSON.stringify(json.data))).toEqual(JSON.parse(JSON.stringify(found.data)));
        expect(JSON.stringify(json.data).length).toBe(JSON.stringify(found.data).length);
      }),
      { numRuns: limit },
    );
  });

  it('returns pages with the same cursors, also of texts that are stored in another form', async () => {
    const store = await open([tasks]);
    const odd = [
      {
        id: 'a',
        title: 'NUL \u0000 and \u0001, "quoted" \\ and\nlines',
        notes: '\ud83d\ude00 \ud800',
        labels: ['\u0001'],
      },
      { id: 'b', title: 7, notes: { wrong: 'type' }, priority: 'high', state: { 'a"b': '{,}', 'c\\': [{}, []] } },
      { id: 'c', views: '90071992547409931', priority: 0.1, done: true, state: {}, labels: [] },
      { id: 'd', labels: ['],"state":{', '\\"'], state: { nested: { state: null, labels: 1 } } },
      { id: 'e' },
    ];
    await store.write(collection, odd);
    const first = await bothWays(store, { query: { sort: [{ priority: 'asc' }] }, limit: 2 });
    await bothWays(store, { query: { sort: [{ priority: 'asc' }] }, limit: 2, cursor: first.cursor });
    for (const { id } of odd) await bothWays(store, { query: { filter: { eq: { id } } } });
    await bothWays(store, { query: { filter: { eq: { id: 'none' } } } });
    await bothWays(store, { query: {} });
  });
});
