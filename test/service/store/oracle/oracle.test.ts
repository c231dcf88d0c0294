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

/** One record per value of a field; ids are positions. */
function records(field: string, values: readonly Value[]): Item[] {
  return values.map((value, index) => ({ id: String(index), [field]: value }));
}

const places = (items: readonly Item[], filter: Filter) =>
  search(items, entity, { query: { filter } }).ids.map(([id]) => Number(id));

/** Description, field, values of the records, filter, and positions of the records that match. */
type Row = [sentence: string, field: string, values: readonly Value[], filter: Filter, found: number[]];

const [noon, sameNoon, later] = ['2024-03-01T12:00:00Z', '2024-03-01T14:00:00.000+02:00', '2024-03-01T12:00:00.0001Z'];
const big = ['9007199254740992', '9007199254740993', '10', '9'];

const filters: readonly Row[] = [
  ['all operators in one object must match', 'size', [1, 2, 3], { gt: { size: 1 }, lt: { size: 3 } }, [1]],
  ['operators next to and, or, not also count', 'size', [1, 2, 3], { gt: { size: 1 }, not: { eq: { size: 3 } } }, [1]],
  ['and accepts an array', 'size', [1, 2, 3], { and: [{ gte: { size: 2 } }, { lte: { size: 2 } }] }, [1]],
  ['or accepts an array', 'size', [1, 2, 3], { or: [{ eq: { size: 1 } }, { eq: { size: 3 } }] }, [0, 2]],
  ['not accepts one filter', 'size', [1, 2, 3], { not: { eq: { size: 2 } } }, [0, 2]],
  ['all fields under one operator must match', 'size', [1, 2], { eq: { size: 1, title: null } }, [0]],
  ['each field under neq must differ', 'size', [1, 2], { neq: { size: 1, title: null } }, []],
  ['eq null matches null', 'title', [null, '', 'a'], { eq: { title: null } }, [0]],
  ['in with null matches null', 'title', [null, '', 'a'], { in: { title: [null, 'a'] } }, [0, 2]],
  ['in without null does not match null', 'title', [null, 'a'], { in: { title: ['a', 'b'] } }, [1]],
  ['null matches no range', 'size', [null, -1, 1], { lte: { size: 0 } }, [1]],
  ['null matches no like pattern', 'title', [null, ''], { like: { title: '%' } }, [1]],
  ['neq is the exact complement of eq', 'title', [null, 'a', 'b'], { neq: { title: 'a' } }, [0, 2]],
  ['neq null is the exact complement of eq null', 'title', [null, 'a'], { neq: { title: null } }, [1]],
  ['not is the exact complement of its filter', 'size', [null, 1, 2], { not: { gt: { size: 1 } } }, [0, 1]],
  ['a double not restores the filter', 'size', [null, 1, 2], { not: { not: { gt: { size: 1 } } } }, [2]],
  ['strings are compared by code point', 'title', ['Z', 'a', 'ä', '\uFFFD', '😀'], { gt: { title: '\uFFFD' } }, [4]],
  ['a prefix comes before the longer string', 'title', ['a', 'ab', 'B'], { gt: { title: 'a' } }, [1]],
  ['string equality is case-sensitive', 'title', ['a', 'A'], { eq: { title: 'a' } }, [0]],
  ['strings are not normalized', 'title', ['é', 'e\u0301'], { eq: { title: 'é' } }, [0]],
  ['numbers are compared numerically', 'size', [9, 10, 1.5], { gt: { size: 9 } }, [1]],
  ['integers in digit strings are compared numerically', 'count', big, { gt: { count: '9' } }, [0, 1, 2]],
  ['integers beyond 2^53 are compared exactly', 'count', big, { eq: { count: '9007199254740993' } }, [1]],
  ['digit strings equal numbers', 'count', ['10', 10, '11'], { in: { count: [10] } }, [0, 1]],
  ['date-times are compared as instants', 'at', [noon, sameNoon, later], { eq: { at: noon } }, [0, 1]],
  ['all fractional digits count', 'at', [noon, sameNoon, later], { gt: { at: '2024-03-01T12:00:00.00Z' } }, [2]],
  ['a date without a time is midnight in UTC', 'at', ['2024-03-01'], { eq: { at: '2024-03-01T00:00:00Z' } }, [0]],
  ['a date-time without an offset is in UTC', 'at', ['2024-03-01T12:00:00'], { eq: { at: noon } }, [0]],
  ['date-times in lists are compared as instants', 'at', [noon, sameNoon, null], { in: { at: [sameNoon] } }, [0, 1]],
  ['an invalid date-time is not an instant', 'at', ['2024-02-30T00:00:00Z', noon], { lte: { at: noon } }, [1]],
  ['an invalid date-time is not null', 'at', ['yesterday', null], { eq: { at: null } }, [1]],
  ['an invalid date-time differs from every instant', 'at', ['yesterday', noon], { neq: { at: noon } }, [0]],
  ['like matches the whole value', 'title', ['abc', 'xabc', 'abcx'], { like: { title: 'abc' } }, [0]],
  ['% in like matches any text', 'title', ['ab', 'a\n%b', 'abc'], { like: { title: 'a%b' } }, [0, 1]],
  ['_ in like matches one character', 'title', ['a😀b', 'ab', 'axxb', 'a\nb'], { like: { title: 'a_b' } }, [0, 3]],
  ['\\ in like escapes a wildcard', 'title', ['a%b', 'axb', 'a\\b'], { like: { title: 'a\\%b' } }, [0]],
  ['\\ in like escapes itself', 'title', ['a\\b', 'ab'], { like: { title: 'a\\\\b' } }, [0]],
  ['\\ in like can precede other characters', 'title', ['ab', 'a\\b'], { like: { title: 'a\\b' } }, [0]],
  ['\\ at the end of a like pattern matches itself', 'title', ['a\\', 'a'], { like: { title: 'a\\' } }, [0]],
  ['like ignores the case of ASCII letters', 'title', ['ABC', 'abc', 'ÄBC'], { like: { title: 'aBc' } }, [0, 1]],
  ['like folds other letters, too', 'title', ['Ä', 'ä', 'a\u0308', 'a'], { like: { title: 'ä' } }, [0, 1, 2]],
  ['full case folding makes ß two letters', 'title', ['ß', 'SS', 's'], { like: { title: 'ss' } }, [0, 1]],
  ['like distinguishes compatible forms', 'title', ['ﬁ', 'Ａ', 'A'], { like: { title: 'a' } }, [2]],
  ['like matches the text of a date-time', 'at', [noon, '2025-03-01T12:00:00Z'], { like: { at: '2024-%' } }, [0]],
  ['in matches values in the list', 'size', [1, 2, 3], { in: { size: [3, 1] } }, [0, 2]],
  ['contains finds a value in an array', 'labels', [['a', 'b'], ['ab'], null], { contains: { labels: 'a' } }, [0]],
  ['array_contains finds a value', 'labels', [['a', 'b'], ['ab'], null], { array_contains: { labels: 'a' } }, [0]],
  ['contains finds a part of a text', 'title', ['xA%b', 'axb', 'a%', null], { contains: { title: 'a%B' } }, [0]],
  ['contains folds all letters', 'title', ['grÖn', 'grön', 'gron'], { contains: { title: 'RÖ' } }, [0, 1]],
  ['startswith matches the start of a text', 'title', ['A_b', 'xA_b', 'axb'], { startswith: { title: 'a_' } }, [0]],
  ['endswith matches the end of a text', 'title', ['b\\A', 'b\\Ax', 'ba'], { endswith: { title: '\\a' } }, [0]],
  ['contains distinguishes types', 'labels', [[1], ['1'], [true], [[1]]], { contains: { labels: 1 } }, [0]],
  ['contains finds an object', 'labels', [[{ a: 1, b: 2 }], [{ a: 1 }]], { contains: { labels: { b: 2, a: 1 } } }, [0]],
  ['contains finds null in an array', 'labels', [[null], [], null], { contains: { labels: null } }, [0]],
  ['any finds one of the values', 'labels', [['a'], ['b', 'c'], ['d'], []], { any: { labels: ['a', 'c'] } }, [0, 1]],
  ['eq compares whole arrays', 'labels', [['a', 'b'], ['b', 'a'], ['a']], { eq: { labels: ['a', 'b'] } }, [0]],
  ['eq matches an empty array', 'labels', [[], null, ['a']], { eq: { labels: [] } }, [0]],
  ['eq compares whole objects', 'state', [{ a: 1, b: 2 }, { a: 1 }], { eq: { state: { b: 2, a: 1 } } }, [0]],
  ['in compares whole arrays', 'labels', [['a'], ['b'], ['a', 'b']], { in: { labels: [['a'], ['b']] } }, [0, 1]],
  ['dotted paths reach into objects', 'state', [{ name: 'a' }, { name: 'b' }], { eq: { 'state.name': 'b' } }, [1]],
  ['dotted paths reach any depth', 'state', [{ a: { b: 1 } }, { a: { b: 2 } }], { gt: { 'state.a.b': 1 } }, [1]],
  ['arrays end a dotted path', 'state', [{ list: [{ a: 1 }] }, { list: { a: 2 } }], { eq: { 'state.list.a': 1 } }, []],
  [
    'a missing nested value is null',
    'state',
    [null, {}, { a: null }, { a: 1 }],
    { eq: { 'state.a': null } },
    [0, 1, 2],
  ],
  [
    'contains finds objects by parts',
    'labels',
    [[{ a: 1, b: 2 }], [{ a: 2 }]],
    { contains: { labels: { a: 1 } } },
    [0],
  ],
  [
    'any finds nested parts',
    'labels',
    [[{ a: { b: 1, c: 2 } }], [{ a: 1 }]],
    { any: { labels: [{ a: { b: 1 } }] } },
    [0],
  ],
  ['a missing part is null', 'labels', [[{ a: 1 }], [{ b: 1 }], [1]], { contains: { labels: { b: null } } }, [0]],
  ['arrays inside elements are compared whole', 'labels', [[{ a: [1, 2] }]], { contains: { labels: { a: [1] } } }, []],
  ['values inside objects are not converted', 'state', [{ a: '10' }, { a: 10 }], { gt: { 'state.a': 9 } }, [1]],
];

/** Description, operator, text, wanted words, and whether they are found. */
type Words = [sentence: string, operator: 'keyword' | 'fuzzy', text: string, wanted: string, found: boolean];

const words: readonly Words[] = [
  ['words are runs of letters and digits', 'keyword', "the user's report2024-final", 'report2024', true],
  ['a joined word is found as a whole', 'keyword', 'fix ENG-104 first', 'eng-104', true],
  ['a joined word is not found by a part of the question', 'keyword', 'ENG-105, 104', 'ENG-104', false],
  ['names keep their signs', 'keyword', 'C, R and D', 'C++ R&D', false],
  ['spaces around the sign of a name do not count', 'keyword', 'the R & D budget', 'R&D', true],
  ['names inside a file name are found', 'keyword', '2026-03-15_ENG-104_final.pdf', 'eng-104', true],
  ['dates inside a file name are found', 'keyword', '2026-03-15_ENG-104_final.pdf', '2026-03-15', true],
  ['other numbers inside a file name are not', 'keyword', '2026-03-15_ENG-104_final.pdf', 'ENG-10', false],
  ['a version is found without what follows', 'keyword', 'app-v1.2.3-rc.1.zip', '1.2.3', true],
  ['and without its v', 'keyword', 'release 1.2.3', 'v1.2.3', true],
  ['extensions are found', 'keyword', 'notes.TXT', '*.txt', true],
  ['a word is found before a number', 'keyword', 'Python3', 'python', true],
  ['a number may be joined with the word before it', 'keyword', 'RFC2616', 'RFC 2616', true],
  ['groups of digits may be joined', 'keyword', 'DE89370400440532013000', 'DE89 3704 0044 0532 0130 00', true],
  [
    'a UUID is found without hyphens',
    'keyword',
    '550e8400-e29b-41d4-a716-446655440000',
    '550e8400e29b41d4a716446655440000',
    true,
  ],
  ['and with them', 'keyword', '550e8400e29b41d4a716446655440000', '550E8400-E29B-41D4-A716-446655440000', true],
  ['a phone number is found by its digits', 'keyword', '(555) 010-4477', '5550104477', true],
  ['digits of every script are equal', 'keyword', 'رقم ٤٥٦', '456', true],
  ['quotes are inside Hebrew abbreviations', 'keyword', 'המנכ״ל', 'מנכ"ל', true],
  ['a zero-width sign inside an Arabic word divides it', 'keyword', 'کتاب‌ها', 'کتاب', true],
  ['the iota below a letter is optional', 'keyword', 'ἀρχῇ', 'αρχη', true],
  ['names with signs are found', 'keyword', 'C++, .NET', '.net', true],
  ['don’t is one word', 'keyword', 'Don and T', 'don’t', false],
  ['compounds begin or end with a word', 'keyword', 'Eingangsrechnung', 'Rechnung', true],
  ['an umlaut can be two letters', 'keyword', 'Köln', 'Koeln', true],
  ['accents are optional', 'keyword', 'crème', 'CREME', true],
  ['vowel points are optional', 'keyword', 'كِتَابٌ', 'كتاب', true],
  ['vowel signs are not', 'keyword', 'दिल', 'दल', false],
  ['most pairs of a word must be there', 'keyword', '東京都の請求', '請求書', false],
  ['a Korean noun is found before its particle', 'keyword', '보고서를 냈다', '보고서', true],
  ['full width is another form', 'keyword', 'ＡＰＩ', 'api', true],
  ['phone numbers are found without country code', 'keyword', '+49 (0)30 123-4567', '030 1234567', true],
  ['a shorter rest makes no compound', 'keyword', 'reports', 'report', false],
  ['symbols end a word', 'keyword', 'cafe\u0301_bar', 'cafe', true],
  ['words can be in any script', 'keyword', '«Größe» 漢字', '漢字', true],
  ['words are lower-cased', 'keyword', 'GRÖSSE Straße', 'strasse größe STRAẞE', true],
  ['each word is lower-cased on its own', 'keyword', 'İSTANBUL', 'İstanbul', true],
  ['words are case-folded', 'keyword', 'İSTANBUL', 'istanbul', true],
  ['keyword matches if any word is present', 'keyword', 'one two', 'three two', true],
  ['keyword does not match if no word is present', 'keyword', 'one two', 'three', false],
  ['keyword without words matches nothing', 'keyword', 'one two', '!?', false],
  ['fuzzy allows one edit for up to four letters', 'fuzzy', 'beta', 'bet', true],
  ['one replaced letter is one edit', 'fuzzy', 'beta', 'bets', true],
  ['fuzzy allows no second edit for up to four letters', 'fuzzy', 'beta', 'be', false],
  ['a swap of two letters is two edits', 'fuzzy', 'beta', 'beat', false],
  ['fuzzy allows two edits for longer words', 'fuzzy', 'report', 'reprot', true],
  ['an added and a removed letter are two edits', 'fuzzy', 'report', 'xrepor', true],
  ['fuzzy allows no third edit', 'fuzzy', 'report', 'xrepo', false],
  ['the length of the requested word counts', 'fuzzy', 'alphas', 'alph', false],
  ['fuzzy ignores case', 'fuzzy', 'ÜBERSICHT', 'übersichd', true],
  ['fuzzy words can have other words in between', 'fuzzy', 'quarterly sales and costs report', 'quartely reprot', true],
  ['fuzzy words must be in the same order', 'fuzzy', 'report of the quarter', 'quarter report', false],
  ['each fuzzy word needs its own match', 'fuzzy', 'report', 'report report', false],
  ['every fuzzy word must match', 'fuzzy', 'quarterly sales', 'quarterly sales report', false],
  ['fuzzy without words matches nothing', 'fuzzy', 'one two', '!?', false],
];

const ok = { eq: { title: 'a' } };
const query = (filter: unknown) => ({ query: { filter } });
const sort = (keys: unknown) => ({ query: { sort: keys } });

const accepted: readonly [sentence: string, params: unknown][] = [
  ['query {} for all records', { query: {} }],
  ['filter {} for all records', { query: { filter: {} } }],
  ['fields of array elements', { query: {}, fields: ['labels.name'] }],
  ['limit 1', { query: {}, limit: 1 }],
  ['limit 10,000', { query: {}, limit: 10_000 }],
  ['a list of sort keys', sort([{ title: 'asc' }, { 'state.name': 'desc' }])],
  ['an empty sort', sort([])],
  ['sort by a boolean', sort([{ archived: 'asc' }])],
  ['a string as a cursor', { query: {}, cursor: 'opaque' }],
  ['dotted fields', { query: {}, fields: ['id', 'state.name'] }],
  ['null for eq, neq, in', query({ eq: { size: null }, neq: { at: null }, in: { count: [null] } })],
  ['digits for an integer', query({ gt: { count: '9007199254740993' } })],
  ['any type inside an object', query({ eq: { 'state.a': 1 }, in: { 'state.b': ['a', true] } })],
];

const refused: readonly [sentence: string, params: unknown][] = [
  ['filter {} inside another filter', query({ and: [ok, {}] })],
  ['filter {} for not', query({ not: {} })],
  ['an operator without a field', query({ eq: {} })],
  ['and without filters', query({ and: [] })],
  ['or without filters', query({ or: [] })],
  ['and without an array', query({ and: ok })],
  ['not with an array', query({ not: [ok] })],
  ['an unknown operator', query({ equals: { title: 'a' } })],
  ['an unknown key in the query', { query: { where: ok } }],
  ['an unknown parameter', { query: {}, page: 2 }],
  ['query and semantic together', { query: {}, semantic: { prompt: 'a' } }],
  ['no query', {}],
  ['limit 0', { query: {}, limit: 0 }],
  ['limit 10,001', { query: {}, limit: 10_001 }],
  ['a fractional limit', { query: {}, limit: 1.5 }],
  ['a limit as a digit string', { query: {}, limit: '10' }],
  ['a number for a string', query({ eq: { title: 1 } })],
  ['a string for a number', query({ gt: { size: '1' } })],
  ['a string for a boolean', query({ eq: { archived: 'true' } })],
  ['a fraction for an integer', query({ eq: { count: 1.5 } })],
  ['letters for an integer', query({ eq: { count: '1a' } })],
  ['an invalid date-time', query({ gt: { at: 'yesterday' } })],
  ['a single value for an array', query({ eq: { labels: 'a' } })],
  ['a string for an object', query({ eq: { state: 'a' } })],
  ['a single value for in', query({ in: { title: 'a' } })],
  ['an empty list for in', query({ in: { title: [] } })],
  ['an empty list for any', query({ any: { labels: [] } })],
  ['an empty text for startswith', query({ startswith: { title: '' } })],
  ['a wrong value in a list', query({ in: { title: ['a', 1] } })],
  ['null in a range', query({ gt: { size: null } })],
  ['a boolean in a range', query({ gt: { archived: false } })],
  ['like on a number', query({ like: { size: '1%' } })],
  ['keyword on an array', query({ keyword: { labels: 'a' } })],
  ['a number for fuzzy', query({ fuzzy: { title: 1 } })],
  ['contains on a number', query({ contains: { size: 1 } })],
  ['a number for contains on a string', query({ contains: { title: 1 } })],
  ['array_contains on a string', query({ array_contains: { title: 'a' } })],
  ['startswith on an array', query({ startswith: { labels: 'a' } })],
  ['a single value for any', query({ any: { labels: 'a' } })],
  ['any on a string', query({ any: { title: [] } })],
  ['an unknown field', query({ eq: { nowhere: 1 } })],
  ['a path into a field that is not an object', query({ eq: { 'title.name': 'a' } })],
  ['a path into an array', query({ eq: { 'labels.name': 'a' } })],
  ['a path with an empty segment', query({ eq: { 'state.': 'a' } })],
  ['sort as an object', sort({ title: 'asc' })],
  ['sort by two fields in one key', sort([{ title: 'asc', size: 'asc' }])],
  ['sort by a name without a direction', sort(['title'])],
  ['sort in an unknown direction', sort([{ title: 'ASC' }])],
  ['sort by an array', sort([{ labels: 'asc' }])],
  ['sort by an unknown field', sort([{ nowhere: 'asc' }])],
  ['an unknown field to return', { query: {}, fields: ['nowhere'] }],
  ['a field to return without a list', { query: {}, fields: 'id' }],
  ['a cursor that is not a string', { query: {}, cursor: 1 }],
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
