import { describe, expect, test } from 'vitest';
import { search } from './search.js';
import type { Entity, Item, SortKey } from './types.js';

const entity: Entity = {
  fields: { id: 'string', title: 'string', count: 'integer', at: 'string', archived: 'boolean', state: 'object' },
  dateTimes: ['at'],
  key: ['id'],
};

const sorted = (records: readonly Item[], ...sort: readonly SortKey[]) =>
  search(records, entity, { query: { sort } }).ids.map(([id]) => id);

describe('the order of hits', () => {
  test('is by id in code point order by default', () => {
    expect(sorted([{ id: '😀' }, { id: 'b' }, { id: '\uFFFD' }, { id: 'B' }, { id: '10' }, { id: '9' }])).toEqual([
      '10',
      '9',
      'B',
      'b',
      '\uFFFD',
      '😀',
    ]);
  });

  test('has nulls last in both directions', () => {
    const records = [{ id: '1', title: null }, { id: '2', title: 'b' }, { id: '3' }, { id: '4', title: '' }];
    expect(sorted(records, { title: 'asc' })).toEqual(['4', '2', '1', '3']);
    expect(sorted(records, { title: 'desc' })).toEqual(['2', '4', '1', '3']);
  });

  test('breaks ties by id, ascending in both directions', () => {
    const records = [
      { id: 'c', title: 'x' },
      { id: 'a', title: 'x' },
      { id: 'b', title: 'y' },
    ];
    expect(sorted(records, { title: 'asc' })).toEqual(['a', 'c', 'b']);
    expect(sorted(records, { title: 'desc' })).toEqual(['b', 'a', 'c']);
  });

  test('uses several sort keys in turn', () => {
    const records = [
      { id: 'a', title: 'x', count: 1 },
      { id: 'b', title: 'x', count: null },
      { id: 'c', title: 'w', count: 2 },
      { id: 'd', title: 'x', count: 3 },
    ];
    expect(sorted(records, { title: 'asc' }, { count: 'desc' })).toEqual(['c', 'd', 'a', 'b']);
  });

  test('is numeric for integers in digit strings', () => {
    const records = [
      { id: 'a', count: '9007199254740993' },
      { id: 'b', count: '9007199254740992' },
      { id: 'c', count: 9 },
      { id: 'd', count: '10' },
      { id: 'e', count: '-11' },
    ];
    expect(sorted(records, { count: 'asc' })).toEqual(['e', 'c', 'd', 'b', 'a']);
  });

  test('is chronological for date-times, with invalid ones sorted as nulls', () => {
    const records = [
      { id: 'a', at: 'yesterday' },
      { id: 'b', at: '2024-03-01T12:00:00Z' },
      { id: 'c', at: '2024-03-01T13:30:00+02:00' },
      { id: 'd', at: null },
      { id: 'e', at: '2024-03-01T12:00:00.000Z' },
    ];
    expect(sorted(records, { at: 'asc' })).toEqual(['c', 'b', 'e', 'a', 'd']);
    expect(sorted(records, { at: 'desc' })).toEqual(['b', 'e', 'c', 'a', 'd']);
  });

  test('has false before true', () => {
    const records = [{ id: 'a', archived: true }, { id: 'b', archived: false }, { id: 'c' }];
    expect(sorted(records, { archived: 'asc' })).toEqual(['b', 'a', 'c']);
  });

  test('can use values inside objects, with numbers before strings before booleans', () => {
    const inside = (id: string, rank: string | number | boolean) => ({ id, state: { rank } });
    const records = [inside('a', 'x'), inside('b', 2), inside('c', true), inside('d', 10), { id: 'e', state: null }];
    expect(sorted(records, { 'state.rank': 'asc' })).toEqual(['b', 'd', 'a', 'c', 'e']);
  });

  test('compares each part of an id according to its type', () => {
    const composed: Entity = { ...entity, key: ['count', 'title'] };
    const records = [
      { count: '10', title: 'a' },
      { count: '9', title: 'b' },
      { count: '9', title: 'a' },
    ];
    expect(search(records, composed, { query: {} }).ids).toEqual([
      ['9', 'a'],
      ['9', 'b'],
      ['10', 'a'],
    ]);
  });
});

describe('returned rows', () => {
  const record: Item = {
    id: '1',
    title: null,
    count: '9007199254740993',
    at: '2024-03-01T13:30:00.10+02:00',
    state: { name: 'a', deep: { x: 1, y: 2 } },
    unlisted: true,
  };
  const row = (...fields: readonly string[]) => search([record], entity, { query: {}, fields }).rows[0];

  test('contain every searchable field as sent, with null for missing ones, and nothing else', () => {
    const { unlisted: _, ...listed } = record;
    expect(search([record], entity, { query: {} }).rows).toEqual([{ ...listed, archived: null }]);
  });

  test('contain only the requested fields', () => {
    expect(row('at', 'archived')).toEqual({ at: record.at, archived: null });
  });

  test('contain the requested parts of an object in their original places', () => {
    expect(row('state.deep.x', 'state.name')).toEqual({ state: { name: 'a', deep: { x: 1 } } });
  });

  test('contain a whole object if it is requested along with its parts', () => {
    expect(row('state', 'state.name')).toEqual({ state: record.state });
    expect(row('state.deep.x', 'state.deep')).toEqual({ state: { deep: { x: 1, y: 2 } } });
  });

  test('omit a missing part, but keep a null object', () => {
    const items = [record, { id: '2', state: { nick: 'b' } }];
    expect(search(items, entity, { query: {}, fields: ['state.nick'] }).rows[0]).toEqual({ state: {} });
    expect(() => row('state.nowhere')).toThrow('state.nowhere: no record has it');
    const none = { id: '1', state: null };
    expect(search([none], entity, { query: {}, fields: ['state.name'] }).rows).toEqual([{ state: null }]);
  });

  test('contain the requested parts of each array element', () => {
    const nested = { id: '1', state: { list: [{ a: 1, b: 2 }, 3, [{ b: 4 }]] } };
    const { rows } = search([nested], entity, { query: {}, fields: ['state.list.a'] });
    expect(rows).toEqual([{ state: { list: [{ a: 1 }, 3, [{}]] } }]);
  });

  test('do not depend on the limit, which only affects pages', () => {
    const records = [{ id: '1' }, { id: '2' }, { id: '3' }];
    expect(search(records, entity, { query: {}, limit: 1 }).ids).toHaveLength(3);
  });

  test('are not produced for invalid parameters', () => {
    const params = { query: { filter: { not: {} } } };
    expect(() => search([record], entity, params)).toThrow(/query\.filter\.not: an empty filter/);
  });
});
