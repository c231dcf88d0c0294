import { describe, expect, it } from 'vitest';
import { failure } from '../../failure.js';
import { collection, kinds, searchIds, tasks } from './fixtures.js';

const ada = { name: 'Ada', email: 'ada@example.com', role: null };
const grace = { name: 'Grace', email: 'grace@example.com', work: { city: 'Lyon', floors: [1, 2] } };
const records = [
  { id: 'a', state: { name: 'Done', owner: { name: 'Ada' } }, labels: [ada, grace, 'ada'] },
  { id: 'b', state: { name: 'Todo', list: [{ name: 'x' }] }, labels: [grace, null, 7] },
  { id: 'c', state: null, labels: [] },
];
const known = { ...tasks, known: ['state.type'], semantic: ['notes'] };
const where = (filter: object) => ({ query: { filter } });

describe.each(kinds)('in %s', { timeout: 600_000 }, (_, open) => {
  it('rejects a path that no record in the replica has, suggesting the closest name', async () => {
    const store = await open([known]);
    const search = (params: object, connectorId = 'con_1') => store.search({ ...collection, connectorId, params });
    // Without records, valid paths are unknown.
    expect((await search(where({ eq: { 'state.nme': 'Done' } }))).data).toEqual([]);
    await store.write(collection, records);
    await store.write({ ...collection, connectorId: 'con_2' }, [{ id: 'z', state: { nme: 'secret', zone: 1 } }]);

    const { issues } = await failure(search(where({ and: [{ not: { in: { 'state.nme': ['Done'] } } }] })));
    expect(issues).toEqual([
      {
        path: 'query.filter.and.0.not.in.state.nme',
        message: "is not in any record. Did you mean 'state.name'? Names in state: list, name, owner, type",
      },
    ]);
    const refused = async (params: object) => (await failure(search(params))).message;
    expect(await refused({ query: { sort: [{ 'state.rank': 'asc' }] } })).toContain('state.rank is not in any record');
    const semantic = { prompt: 'x', filter: { eq: { 'state.nme': 'Done' } } };
    expect((await failure(store.semanticSearch({ ...collection, params: { semantic } }))).message).toContain(
      'semantic.filter.eq.state.nme is not in any record',
    );
    expect(await refused({ query: {}, fields: ['state.owner.nam'] })).toContain("Did you mean 'state.owner.name'?");
    expect(await refused(where({ eq: { 'state.list.name': 'x' } }))).toContain(
      'leads into the array state.list. Search its elements, as in {"contains":{"state.list":{"name":"text"}}}',
    );
    expect(await refused(where({ eq: { 'labels.email': 'x' } }))).toContain(
      'leads into an array. Search its elements: {"contains":{"labels":{"email":"x"}}}',
    );

    expect(await searchIds(store, where({ eq: { 'state.type': 'started' } }))).toEqual([]);
    expect(await searchIds(store, where({ eq: { 'state.owner.name': 'Ada' } }))).toEqual(['a']);
    expect((await search(where({ eq: { 'state.nme': 'secret' } }), 'con_2')).data).toMatchObject([{ id: 'z' }]);
  });

  it('names the array if a path points into its elements', async () => {
    const store = await open([tasks]);
    await store.write(collection, [{ id: 'a', state: { nodes: [{ name: 'Bug' }] } }]);
    const { message } = await failure(
      store.search({ ...collection, params: where({ eq: { 'state.nodes.name': 'Bug' } }) }),
    );
    expect(message).toContain(
      'leads into the array state.nodes. Search its elements, as in {"contains":{"state.nodes":{"name":"text"}}}',
    );
    expect(await searchIds(store, where({ contains: { 'state.nodes': { name: 'Bug' } } }))).toEqual(['a']);
    await store.write(collection, [{ id: 'a', state: { type: 'open' } }]);
    const { meta } = await store.search({ ...collection, params: where({ eq: { state: {} } }) });
    expect(meta.empty?.fields.state?.note).toMatch(/such as state\.type$/);
  });

  it('finds array elements by the specified fields', async () => {
    const store = await open([tasks]);
    await store.write(collection, records);
    const ids = (filter: object) => searchIds(store, where(filter));
    for (const operator of ['contains', 'array_contains']) {
      expect(await ids({ [operator]: { labels: { email: 'grace@example.com' } } })).toEqual(['a', 'b']);
      expect(await ids({ [operator]: { labels: { email: 'ada@example.com', name: 'Ada' } } })).toEqual(['a']);
      expect(await ids({ [operator]: { labels: { email: 'ada@example.com', name: 'Grace' } } })).toEqual([]);
      expect(await ids({ [operator]: { labels: { work: { city: 'Lyon' } } } })).toEqual(['a', 'b']);
      expect(await ids({ [operator]: { labels: { work: { floors: [1, 2] } } } })).toEqual(['a', 'b']);
      expect(await ids({ [operator]: { labels: { work: { floors: [1] } } } })).toEqual([]);
      expect(await ids({ [operator]: { labels: { work: null } } })).toEqual(['a']);
      expect(await ids({ [operator]: { labels: { role: { name: null } } } })).toEqual([]);
      expect(await ids({ [operator]: { labels: {} } })).toEqual(['a', 'b']);
      expect(await ids({ [operator]: { labels: 'ada' } })).toEqual(['a']);
      expect(await ids({ [operator]: { 'state.list': { name: 'x' } } })).toEqual(['b']);
    }
    expect(await ids({ any: { labels: [{ name: 'Ada' }, 7] } })).toEqual(['a', 'b']);
    expect(await ids({ not: { any: { labels: [{ name: 'Ada' }] } } })).toEqual(['b', 'c']);
  });

  it('returns the specified fields of array elements', async () => {
    const store = await open([tasks]);
    await store.write(collection, records);
    const { data } = await store.search({
      ...collection,
      params: { query: {}, fields: ['id', 'labels.name', 'state.list.name'] },
    });
    expect(data).toEqual([
      { id: 'a', labels: [{ name: 'Ada' }, { name: 'Grace' }, 'ada'], state: {} },
      { id: 'b', labels: [{ name: 'Grace' }, null, 7], state: { list: [{ name: 'x' }] } },
      { id: 'c', labels: [], state: null },
    ]);
  });

  it('treats an empty filter as matching every record', async () => {
    const store = await open([tasks]);
    await store.write(collection, records);
    expect(await searchIds(store, where({}))).toEqual(['a', 'b', 'c']);
    expect(await failure(store.search({ ...collection, params: where({ not: {} }) }))).toMatchObject({
      issues: [{ path: 'query.filter.not', message: 'is empty' }],
    });
  });
});
