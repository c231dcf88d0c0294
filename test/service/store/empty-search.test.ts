import { describe, expect, it } from 'vitest';
import { collection, kinds, tasks } from './fixtures.js';

const states = ['Backlog', 'Todo', 'In Progress', 'Done'];
const records = Array.from({ length: 30 }, (_, index) => ({
  id: `t${index}`,
  title: `Task ${index} for the login page`,
  notes: 'Long '.repeat(50),
  createdAt: `2026-01-${String(index + 1).padStart(2, '0')}`,
  priority: index % 5,
  done: false,
  state: { name: states[index % 4], owner: null },
  labels: ['a'],
}));
const known = { ...tasks, known: ['state.name', 'state.type'] };

describe.each(kinds)('in %s', { timeout: 600_000 }, (_, open) => {
  it('compares neither long texts nor more than 20 texts with the values', async () => {
    const store = await open([known]);
    await store.write(collection, records);
    const found = async (filter: object) => {
      const { meta } = await store.search({ ...collection, params: { query: { filter } } });
      return meta.empty!.fields['state.name']!.values;
    };
    const usual = ['Backlog', 'Todo', 'Done', 'In Progress'];
    // Compared word by word, this alone would take half a minute.
    expect(await found({ eq: { 'state.name': 'İ'.repeat(900_000) } })).toEqual(usual);
    expect(await found({ eq: { 'state.name': `${'x'.repeat(200)} done` } })).toEqual(usual);
    const names = Array.from({ length: 50 }, (_, index) => `none ${index}`);
    expect(await found({ in: { 'state.name': [...names, 'done'] } })).toEqual(usual);
    expect(await found({ in: { 'state.name': ['done', ...names] } })).toEqual([
      'Done',
      'Backlog',
      'Todo',
      'In Progress',
    ]);
  });

  it('lists existing values if a filter finds nothing', async () => {
    const store = await open([known]);
    await store.write(collection, records);
    const other = { ...collection, connectorId: 'con_2' };
    await store.write(other, [
      { id: 'x', title: 'Secret login', state: { name: 'Secret', type: 'hidden' }, ownerId: 'eve' },
    ]);
    const empty = async (filter: object, of = collection) =>
      (await store.search({ ...of, params: { query: { filter } } })).meta.empty;

    expect(await empty({ eq: { 'state.name': 'done' } })).toEqual({
      of: 30,
      fields: { 'state.name': { values: ['Done', 'Backlog', 'Todo', 'In Progress'], note: 'eq is case-sensitive' } },
    });
    expect(await empty({ and: [{ eq: { 'state.type': 'x' } }, { not: { neq: { ownerId: 'ann' } } }] })).toEqual({
      of: 30,
      fields: { 'state.type': { values: [], note: 'never occurs' }, ownerId: { values: [], note: 'never occurs' } },
    });
    expect(await empty({ gt: { priority: 7 }, lt: { createdAt: '2020-01-01' }, eq: { done: true } })).toEqual({
      of: 30,
      fields: {
        priority: { values: [0, 4], note: 'the minimum and maximum' },
        createdAt: { values: ['2026-01-01', '2026-01-30'], note: 'the minimum and maximum' },
        done: { values: [false] },
      },
    });
    const structured = await empty({ eq: { state: { name: 'Done' }, labels: ['b'] } });
    expect(structured?.fields).toEqual({
      state: {
        values: [],
        note: 'is an object and is compared as a whole; specify an inner field, such as state.name',
      },
      labels: {
        values: [],
        note: 'is an array and is compared as a whole; use contains or any to search its elements',
      },
    });
    const texts = await empty({ keyword: { title: 'secret' }, like: { notes: '%secret%' } });
    expect(texts!.fields.title!.values).toHaveLength(8);
    expect(texts!.fields.notes!.values).toEqual([]);
    expect(JSON.stringify([texts, structured])).not.toMatch(/secret|hidden|eve/i);
    expect(await empty({ eq: { title: 'x' } }, { ...collection, connectorId: 'con_3' })).toEqual({ of: 0, fields: {} });
    expect(await empty({ eq: { done: false } })).toBeUndefined();
  });

  it('names the form in which an operator distinguishes a value that it missed', async () => {
    const store = await open([tasks]);
    await store.write(collection, [{ id: 'a', title: 'Résumé' }]);
    const noteOf = async (filter: object) =>
      (await store.search({ ...collection, params: { query: { filter } } })).meta.empty?.fields.title;
    const values = ['Résumé'];
    const words = 'accents, width and signs; keyword does not';
    expect(await noteOf({ eq: { title: 'RÉSUMÉ' } })).toEqual({ values, note: 'eq is case-sensitive' });
    expect(await noteOf({ eq: { title: 'Re\u0301sume\u0301' } })).toEqual({
      values,
      note: 'eq distinguishes composed and decomposed letters; contains does not',
    });
    expect(await noteOf({ eq: { title: 'resume' } })).toEqual({ values, note: `eq distinguishes ${words}` });
    expect(await noteOf({ contains: { title: 'ＲＥＳＵ' } })).toEqual({ values });
    expect(await noteOf({ contains: { title: 'resume' } })).toEqual({
      values,
      note: `like, contains, startswith and endswith distinguish ${words}`,
    });
    expect(await noteOf({ contains: { title: 'other' } })).toEqual({ values });
  });

  it('reports the number of records if it can be determined quickly', async () => {
    const store = await open([tasks]);
    await store.write(collection, records);
    const meta = async (query: object, limit = 5) =>
      (await store.search({ ...collection, params: { query, limit } })).meta;
    expect(await meta({})).toMatchObject({ total: 30, total_is_exact: true });
    expect(await meta({ filter: { eq: { 'state.name': 'Done' } } })).toMatchObject({ total: 7, total_is_exact: true });
    expect(await meta({ filter: { fuzzy: { title: 'lgin' } } })).toMatchObject({ total: 30, total_is_exact: true });
    expect(await meta({ filter: { eq: { id: 't1' } } })).toMatchObject({ total: 1, total_is_exact: true });
    const costly = Array.from({ length: 40 }, (_, at) => ({ fuzzy: { title: `login${at} page` } }));
    expect(await meta({ filter: { or: costly } })).toMatchObject({ has_more: true, total: 6, total_is_exact: false });
    const { cursor } = await meta({});
    const next = await store.search({ ...collection, params: { query: {}, limit: 5, cursor } });
    expect(next.meta).not.toHaveProperty('total');
  });
});
