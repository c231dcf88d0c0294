import { describe, expect, test } from 'vitest';
import { check } from './check.js';
import { search } from './search.js';
import type { Entity, Filter, Item, Value } from './types.js';

const entity: Entity = {
  fields: {
    id: 'string',
    title: 'string',
    size: 'number',
    count: 'integer',
    archived: 'boolean',
    at: 'string',
    state: 'object',
    labels: 'array',
  },
  dateTimes: ['at'],
  key: ['id'],
};

/** One record a value of one field, the ids being their places. */
function records(field: string, values: readonly Value[]): Item[] {
  return values.map((value, index) => ({ id: String(index), [field]: value }));
}

const places = (items: readonly Item[], filter: Filter) =>
  search(items, entity, { query: { filter } }).ids.map(([id]) => Number(id));

/** The sentence, the field, the values of the records, the filter, the places of the records it finds. */
type Row = [sentence: string, field: string, values: readonly Value[], filter: Filter, found: number[]];

const [noon, sameNoon, later] = ['2024-03-01T12:00:00Z', '2024-03-01T14:00:00.000+02:00', '2024-03-01T12:00:00.0001Z'];
const big = ['9007199254740992', '9007199254740993', '10', '9'];

const filters: readonly Row[] = [
  ['Several operators in one object mean AND', 'size', [1, 2, 3], { gt: { size: 1 }, lt: { size: 3 } }, [1]],
  ['… beside and, or, not as well', 'size', [1, 2, 3], { gt: { size: 1 }, not: { eq: { size: 3 } } }, [1]],
  ['and takes an array', 'size', [1, 2, 3], { and: [{ gte: { size: 2 } }, { lte: { size: 2 } }] }, [1]],
  ['or takes an array', 'size', [1, 2, 3], { or: [{ eq: { size: 1 } }, { eq: { size: 3 } }] }, [0, 2]],
  ['not takes one filter', 'size', [1, 2, 3], { not: { eq: { size: 2 } } }, [0, 2]],
  ['Several fields under one operator all have to hold', 'size', [1, 2], { eq: { size: 1, title: null } }, [0]],
  ['… for neq each by itself', 'size', [1, 2], { neq: { size: 1, title: null } }, []],
  ['A null matches eq null', 'title', [null, '', 'a'], { eq: { title: null } }, [0]],
  ['… or in with null', 'title', [null, '', 'a'], { in: { title: [null, 'a'] } }, [0, 2]],
  ['… and not in without null', 'title', [null, 'a'], { in: { title: ['a', 'b'] } }, [1]],
  ['… and no order', 'size', [null, -1, 1], { lte: { size: 0 } }, [1]],
  ['… and no like', 'title', [null, ''], { like: { title: '%' } }, [1]],
  ['neq is the exact complement of eq', 'title', [null, 'a', 'b'], { neq: { title: 'a' } }, [0, 2]],
  ['… of null too', 'title', [null, 'a'], { neq: { title: null } }, [1]],
  ['not is an exact complement', 'size', [null, 1, 2], { not: { gt: { size: 1 } } }, [0, 1]],
  ['… twice over', 'size', [null, 1, 2], { not: { not: { gt: { size: 1 } } } }, [2]],
  ['Strings compare by code point', 'title', ['Z', 'a', 'ä', '\uFFFD', '😀'], { gt: { title: '\uFFFD' } }, [4]],
  ['… the shorter first', 'title', ['a', 'ab', 'B'], { gt: { title: 'a' } }, [1]],
  ['… and are equal with regard to case', 'title', ['a', 'A'], { eq: { title: 'a' } }, [0]],
  ['… and without normal forms', 'title', ['é', 'e\u0301'], { eq: { title: 'é' } }, [0]],
  ['Numbers compare as numbers', 'size', [9, 10, 1.5], { gt: { size: 9 } }, [1]],
  ['Whole numbers in digits compare as numbers', 'count', big, { gt: { count: '9' } }, [0, 1, 2]],
  ['… beyond 2^53 exactly', 'count', big, { eq: { count: '9007199254740993' } }, [1]],
  ['… with numbers too', 'count', ['10', 10, '11'], { in: { count: [10] } }, [0, 1]],
  ['Date-times compare as instants', 'at', [noon, sameNoon, later], { eq: { at: noon } }, [0, 1]],
  ['… with all digits of the fraction', 'at', [noon, sameNoon, later], { gt: { at: '2024-03-01T12:00:00.00Z' } }, [2]],
  ['… a date alone as its first instant, UTC', 'at', ['2024-03-01'], { eq: { at: '2024-03-01T00:00:00Z' } }, [0]],
  ['… without an offset as UTC', 'at', ['2024-03-01T12:00:00'], { eq: { at: noon } }, [0]],
  ['… in lists too', 'at', [noon, sameNoon, null], { in: { at: [sameNoon] } }, [0, 1]],
  ['A text that is no date-time is no instant', 'at', ['2024-02-30T00:00:00Z', noon], { lte: { at: noon } }, [1]],
  ['… but no null either', 'at', ['yesterday', null], { eq: { at: null } }, [1]],
  ['… and differs from every instant', 'at', ['yesterday', noon], { neq: { at: noon } }, [0]],
  ['like covers the whole value', 'title', ['abc', 'xabc', 'abcx'], { like: { title: 'abc' } }, [0]],
  ['… % stands for anything', 'title', ['ab', 'a\n%b', 'abc'], { like: { title: 'a%b' } }, [0, 1]],
  ['… _ for one character', 'title', ['a😀b', 'ab', 'axxb', 'a\nb'], { like: { title: 'a_b' } }, [0, 3]],
  ['… \\ escapes', 'title', ['a%b', 'axb', 'a\\b'], { like: { title: 'a\\%b' } }, [0]],
  ['… itself too', 'title', ['a\\b', 'ab'], { like: { title: 'a\\\\b' } }, [0]],
  ['… and other characters', 'title', ['ab', 'a\\b'], { like: { title: 'a\\b' } }, [0]],
  ['… at the end it stands for itself', 'title', ['a\\', 'a'], { like: { title: 'a\\' } }, [0]],
  ['… case folded for ASCII', 'title', ['ABC', 'abc', 'ÄBC'], { like: { title: 'aBc' } }, [0, 1]],
  ['… only', 'title', ['Ä', 'ä', 'ß', 'SS'], { like: { title: 'ä' } }, [1]],
  ['… on a date-time by its text', 'at', [noon, '2025-03-01T12:00:00Z'], { like: { at: '2024-%' } }, [0]],
  ['in: the value is in the list', 'size', [1, 2, 3], { in: { size: [3, 1] } }, [0, 2]],
  ['… which may be empty', 'size', [1, null], { in: { size: [] } }, []],
  ['contains: the array holds the value', 'labels', [['a', 'b'], ['ab'], null], { contains: { labels: 'a' } }, [0]],
  ['… as array_contains does', 'labels', [['a', 'b'], ['ab'], null], { array_contains: { labels: 'a' } }, [0]],
  ['contains: the text has this part', 'title', ['xA%b', 'axb', 'a%', null], { contains: { title: 'a%B' } }, [0]],
  ['… folded for ASCII alone', 'title', ['grÖn', 'grön'], { contains: { title: 'RÖ' } }, [0]],
  ['startswith: the text begins so', 'title', ['A_b', 'xA_b', 'axb'], { startswith: { title: 'a_' } }, [0]],
  ['endswith: the text ends so', 'title', ['b\\A', 'b\\Ax', 'ba'], { endswith: { title: '\\a' } }, [0]],
  ['… of that type', 'labels', [[1], ['1'], [true], [[1]]], { contains: { labels: 1 } }, [0]],
  ['… whole objects too', 'labels', [[{ a: 1, b: 2 }], [{ a: 1 }]], { contains: { labels: { b: 2, a: 1 } } }, [0]],
  ['… and null', 'labels', [[null], [], null], { contains: { labels: null } }, [0]],
  ['any: it holds one of them', 'labels', [['a'], ['b', 'c'], ['d'], []], { any: { labels: ['a', 'c'] } }, [0, 1]],
  ['… none of none', 'labels', [['a'], []], { any: { labels: [] } }, []],
  ['eq on an array is whole equality', 'labels', [['a', 'b'], ['b', 'a'], ['a']], { eq: { labels: ['a', 'b'] } }, [0]],
  ['… also when empty', 'labels', [[], null, ['a']], { eq: { labels: [] } }, [0]],
  ['… and on an object', 'state', [{ a: 1, b: 2 }, { a: 1 }], { eq: { state: { b: 2, a: 1 } } }, [0]],
  ['… in a list', 'labels', [['a'], ['b'], ['a', 'b']], { in: { labels: [['a'], ['b']] } }, [0, 1]],
  [
    'Dotted paths reach into object fields',
    'state',
    [{ name: 'a' }, { name: 'b' }],
    { eq: { 'state.name': 'b' } },
    [1],
  ],
  ['… deeper too', 'state', [{ a: { b: 1 } }, { a: { b: 2 } }], { gt: { 'state.a.b': 1 } }, [1]],
  ['… not through arrays', 'state', [{ list: [{ a: 1 }] }, { list: { a: 2 } }], { eq: { 'state.list.a': 1 } }, []],
  ['… what is missing is null', 'state', [null, {}, { a: null }, { a: 1 }], { eq: { 'state.a': null } }, [0, 1, 2]],
  [
    'An element has the parts that are named',
    'labels',
    [[{ a: 1, b: 2 }], [{ a: 2 }]],
    { contains: { labels: { a: 1 } } },
    [0],
  ],
  ['… deeper too', 'labels', [[{ a: { b: 1, c: 2 } }], [{ a: 1 }]], { any: { labels: [{ a: { b: 1 } }] } }, [0]],
  ['… what it lacks is null', 'labels', [[{ a: 1 }], [{ b: 1 }], [1]], { contains: { labels: { b: null } } }, [0]],
  ['… an array in it is compared as a whole', 'labels', [[{ a: [1, 2] }]], { contains: { labels: { a: [1] } } }, []],
  ['… inside nothing is converted', 'state', [{ a: '10' }, { a: 10 }], { gt: { 'state.a': 9 } }, [1]],
];

/** The sentence, the text, what is asked for, whether it is found. */
type Words = [sentence: string, operator: 'keyword' | 'fuzzy', text: string, wanted: string, found: boolean];

const words: readonly Words[] = [
  ['Words are runs of letters and digits', 'keyword', "the user's report2024-final", 'report2024', true],
  ['… not parts of them', 'keyword', 'reports', 'report', false],
  ['… ended by marks and signs', 'keyword', 'cafe\u0301_bar', 'cafe', true],
  ['… of every script', 'keyword', '«Größe» 漢字', '漢字', true],
  ['… lower-cased', 'keyword', 'GRÖSSE Straße', 'strasse größe STRAẞE', true],
  ['… one by one', 'keyword', 'İSTANBUL', 'İstanbul', true],
  ['… which is not folded', 'keyword', 'İSTANBUL', 'istanbul', false],
  ['keyword: any of the words is present', 'keyword', 'one two', 'three two', true],
  ['… none is not', 'keyword', 'one two', 'three', false],
  ['… and no word finds nothing', 'keyword', 'one two', '!?', false],
  ['fuzzy: up to four letters within one edit', 'fuzzy', 'beta', 'bet', true],
  ['… replaced', 'fuzzy', 'beta', 'bets', true],
  ['… not two', 'fuzzy', 'beta', 'be', false],
  ['… a swap is two', 'fuzzy', 'beta', 'beat', false],
  ['… longer ones within two', 'fuzzy', 'report', 'reprot', true],
  ['… added and removed', 'fuzzy', 'report', 'xrepor', true],
  ['… not three', 'fuzzy', 'report', 'xrepo', false],
  ['… by the letters that were asked for', 'fuzzy', 'alphas', 'alph', false],
  ['… without regard to case', 'fuzzy', 'ÜBERSICHT', 'übersichd', true],
  ['… in this order, anything between', 'fuzzy', 'quarterly sales and costs report', 'quartely reprot', true],
  ['… not in another', 'fuzzy', 'report of the quarter', 'quarter report', false],
  ['… each its own word', 'fuzzy', 'report', 'report report', false],
  ['… every one of them', 'fuzzy', 'quarterly sales', 'quarterly sales report', false],
  ['… and no word finds nothing', 'fuzzy', 'one two', '!?', false],
];

const ok = { eq: { title: 'a' } };
const query = (filter: unknown) => ({ query: { filter } });
const sort = (keys: unknown) => ({ query: { sort: keys } });

const accepted: readonly [sentence: string, params: unknown][] = [
  ['query {} is all records', { query: {} }],
  ['filter {} is all records', { query: { filter: {} } }],
  ['fields of the elements of an array', { query: {}, fields: ['labels.name'] }],
  ['limit from 1', { query: {}, limit: 1 }],
  ['limit to 10,000', { query: {}, limit: 10_000 }],
  ['sort is a list', sort([{ title: 'asc' }, { 'state.name': 'desc' }])],
  ['sort may be empty', sort([])],
  ['sort by a boolean', sort([{ archived: 'asc' }])],
  ['a cursor is a string', { query: {}, cursor: 'opaque' }],
  ['dotted fields', { query: {}, fields: ['id', 'state.name'] }],
  ['null for eq, neq, in', query({ eq: { size: null }, neq: { at: null }, in: { count: [null] } })],
  ['digits for an integer', query({ gt: { count: '9007199254740993' } })],
  ['any type inside an object', query({ eq: { 'state.a': 1 }, in: { 'state.b': ['a', true] } })],
];

const refused: readonly [sentence: string, params: unknown][] = [
  ['filter {} inside another is refused', query({ and: [ok, {}] })],
  ['… and for not', query({ not: {} })],
  ['an operator without a field', query({ eq: {} })],
  ['no filters to and', query({ and: [] })],
  ['no filters to or', query({ or: [] })],
  ['and takes an array', query({ and: ok })],
  ['not takes one filter', query({ not: [ok] })],
  ['an unknown operator', query({ equals: { title: 'a' } })],
  ['an unknown part of the query', { query: { where: ok } }],
  ['an unknown parameter', { query: {}, page: 2 }],
  ['query and semantic together', { query: {}, semantic: { prompt: 'a' } }],
  ['no query', {}],
  ['limit 0', { query: {}, limit: 0 }],
  ['limit 10,001', { query: {}, limit: 10_001 }],
  ['half a limit', { query: {}, limit: 1.5 }],
  ['a limit in digits', { query: {}, limit: '10' }],
  ['a number for a string', query({ eq: { title: 1 } })],
  ['a string for a number', query({ gt: { size: '1' } })],
  ['a string for a boolean', query({ eq: { archived: 'true' } })],
  ['a fraction for an integer', query({ eq: { count: 1.5 } })],
  ['letters for an integer', query({ eq: { count: '1a' } })],
  ['a text for a date-time that is none', query({ gt: { at: 'yesterday' } })],
  ['one value for an array', query({ eq: { labels: 'a' } })],
  ['a string for an object', query({ eq: { state: 'a' } })],
  ['one value for in', query({ in: { title: 'a' } })],
  ['a wrong value in a list', query({ in: { title: ['a', 1] } })],
  ['null has no order', query({ gt: { size: null } })],
  ['a boolean has no order', query({ gt: { archived: false } })],
  ['like on a number', query({ like: { size: '1%' } })],
  ['keyword on an array', query({ keyword: { labels: 'a' } })],
  ['a number for fuzzy', query({ fuzzy: { title: 1 } })],
  ['contains on a number', query({ contains: { size: 1 } })],
  ['a number for contains on a string', query({ contains: { title: 1 } })],
  ['array_contains on a string', query({ array_contains: { title: 'a' } })],
  ['startswith on an array', query({ startswith: { labels: 'a' } })],
  ['one value for any', query({ any: { labels: 'a' } })],
  ['any on a string', query({ any: { title: [] } })],
  ['an unknown field', query({ eq: { nowhere: 1 } })],
  ['a path into a field that is no object', query({ eq: { 'title.name': 'a' } })],
  ['a path into an array', query({ eq: { 'labels.name': 'a' } })],
  ['a path with nothing between dots', query({ eq: { 'state.': 'a' } })],
  ['sort as an object', sort({ title: 'asc' })],
  ['sort by two fields in one key', sort([{ title: 'asc', size: 'asc' }])],
  ['sort by a name alone', sort(['title'])],
  ['sort in another direction', sort([{ title: 'ASC' }])],
  ['sort by an array', sort([{ labels: 'asc' }])],
  ['sort by an unknown field', sort([{ nowhere: 'asc' }])],
  ['an unknown field to return', { query: {}, fields: ['nowhere'] }],
  ['one field to return without a list', { query: {}, fields: 'id' }],
  ['a cursor that is no string', { query: {}, cursor: 1 }],
];

describe('a filter', () => {
  test.each(filters)('%s (%s)', (_, field, values, filter, found) => {
    expect(places(records(field, values), filter)).toEqual(found);
  });

  test.each(words)('%s: %s in "%s" of "%s"', (_, operator, text, wanted, found) => {
    expect(places(records('title', [text, null]), { [operator]: { title: wanted } })).toEqual(found ? [0] : []);
  });
});

describe('a search', () => {
  test.each(accepted)('is accepted: %s', (_, params) => {
    expect(check(entity, params)).toEqual([]);
  });

  test.each(refused)('is rejected: %s', (_, params) => {
    expect(check(entity, params)).not.toEqual([]);
  });

  test('suggests the closest field for an unknown one', () => {
    expect(check(entity, query({ eq: { titel: 'a' } }))).toMatchObject([{ nearest: 'title' }]);
    expect(check(entity, query({ eq: { 'stat.name': 'a' } }))).toMatchObject([{ nearest: 'state' }]);
  });
});
