import { joinConditions } from './dialect.js';
import { beginStatement, lookUpPlace, missingName, type RecordSource, type Statements } from './places.js';
import type { Condition, FieldRef } from './plan.js';
import { unescapeText } from './schema.js';
import { countMatches, groupValue, isInside } from './summary.js';
import { bareOf, foldText, foldWords } from './words/fold.js';
import { hasAnyOf, wantedIn } from './words/question.js';
import { termsIn } from './words/terms.js';

/** Explains why a search found nothing, based on the replica. */
export interface EmptySearch {
  /** Number of records, up to 10,000. */
  readonly of: number;
  /** False if there are more. */
  readonly of_is_exact?: false;
  /** Values of the filter's fields, by path. */
  readonly fields: Readonly<Record<string, FieldValues>>;
}

/** Values of a field: those closest to the requested one, or the most frequent ones. */
interface FieldValues {
  readonly values: readonly unknown[];
  readonly note?: string;
}

/** A filter that no record matches, and the records visible to the caller; all if undefined. */
export interface EmptyRequest {
  readonly condition: Condition;
  readonly visible?: Condition | undefined;
}

/** The result if there are no records at all. */
export const noRecords: EmptySearch = { of: 0, fields: {} };

const maxFields = 5;
const maxValues = 8;
const maxValueLength = 80;
/** Longer requested texts, and more of them, are not compared with values. */
const [maxTextLength, maxTexts] = [200, 20];
/** Maximum number of records counted, and sampled for values. */
const maxSampled = 10_000;
const maxDistinct = 200;

interface Tested {
  readonly ref: FieldRef;
  readonly wanted: readonly unknown[];
  readonly test: string;
}

/** The tests in a filter, with the values they look for. */
function testsOf(condition: Condition): Tested[] {
  if ('parts' in condition) return condition.parts.flatMap(testsOf);
  if (condition.test === 'not') return testsOf(condition.part);
  const { ref, test } = condition;
  const literals =
    test === 'like' ? condition.pattern.flatMap((part) => ('literal' in part ? [part.literal] : [])) : [];
  const words = 'text' in condition ? [condition.text] : literals;
  const wanted = 'values' in condition ? condition.values : 'value' in condition ? [condition.value] : words;
  return [{ ref, wanted, test }];
}

const pathOf = ({ column, path }: FieldRef): string => [column.field, ...path].join('.');

/** Describes the values of the filter's fields when no record matches. */
export function* describeEmpty(source: RecordSource, { condition, visible }: EmptyRequest): Statements<EmptySearch> {
  const count = yield* countMatches(source, visible, maxSampled);
  const tests = new Map<string, Tested>();
  for (const one of testsOf(condition)) if (!tests.has(pathOf(one.ref))) tests.set(pathOf(one.ref), one);
  const fields: Array<readonly [string, FieldValues]> = [];
  for (const [path, tested] of [...tests].slice(0, maxFields))
    fields.push([path, yield* valuesOf(source, visible, path, tested)]);
  return {
    ...(count === undefined ? { of: maxSampled, of_is_exact: false } : { of: count }),
    fields: Object.fromEntries(fields),
  };
}

function* valuesOf(
  source: RecordSource,
  visible: Condition | undefined,
  path: string,
  { ref, wanted, test }: Tested,
): Statements<FieldValues> {
  const kind = isInside(ref) && ref.path.length > 0 ? 'any' : ref.column.kind;
  if (kind === 'object') {
    const { names } = yield* lookUpPlace(source, { ...ref, path: [...ref.path, missingName] });
    const usual = ['name', 'title', 'id'];
    const inner =
      usual.find((name) => source.known.includes(`${path}.${name}`)) ??
      usual.find((name) => names.includes(name)) ??
      names[0] ??
      usual[0];
    return {
      values: [],
      note: `is an object and is compared as a whole; specify an inner field, such as ${path}.${inner}`,
    };
  }
  if (kind === 'array') {
    return test === 'holds'
      ? { values: [] }
      : { values: [], note: 'is an array and is compared as a whole; use contains or any to search its elements' };
  }
  if (kind === 'date-time' || kind === 'number' || kind === 'integer') {
    const from = yield* extremeOf(source, visible, ref, 'asc');
    const to = yield* extremeOf(source, visible, ref, 'desc');
    return from === null ? neverOccurs : { values: from === to ? [from] : [from, to], note: 'the minimum and maximum' };
  }
  const { values, mark } = beginStatement(source);
  const { dialect } = source;
  const { from, where } = source.matching(visible, mark);
  const key = dialect.groupKey(ref, mark);
  const sampled = `select ${key} as k from (select r.* from ${from} where ${where} limit ${maxSampled}) r`;
  // As text, since databases order JSON in different ways.
  const shown = isInside(ref) ? dialect.jsonText('k') : 'k';
  const rows = yield {
    sql: `select ${shown} as k0, count(*) as n from (${sampled}) s where k is not null group by k order by n desc, ${shown} limit ${maxDistinct}`,
    values,
  };
  if (rows.length === 0) return neverOccurs;
  const held = rows.map((row) => groupValue(ref, row.k0, undefined));
  return nearestOf(held, wanted.map(plainText), test);
}

/** Minimum or maximum of an indexed field. */
function* extremeOf(
  source: RecordSource,
  visible: Condition | undefined,
  ref: FieldRef,
  direction: 'asc' | 'desc',
): Statements<unknown> {
  const { values, mark } = beginStatement(source);
  const { dialect } = source;
  const { from, where } = source.matching(visible, mark);
  const { sql, parts } = dialect.order(ref, mark)[0]!;
  const indexed = joinConditions([where, `${sql} is not null`, ...(parts?.all.slice(0, 1) ?? [])], 'and');
  const [row] = yield {
    sql: `select ${sql} as k, ${dialect.storedText(ref)} as v from ${from} where ${indexed} order by ${sql} ${direction} limit 1`,
    values,
  };
  return groupValue(ref, row?.k, row?.v);
}

const neverOccurs: FieldValues = { values: [], note: 'never occurs' };

const plainText = (value: unknown): unknown => (typeof value === 'string' ? unescapeText(value) : value);

/** A text in the form in which words are found. */
const wordForm = (text: string): string => bareOf(foldWords(text)).trim();

/** The values closest to the requested one, then the most frequent. */
function nearestOf(held: readonly unknown[], wanted: readonly unknown[], test: string): FieldValues {
  const short = held.filter((value) => typeof value !== 'object' && String(value).length <= maxValueLength);
  const texts = wanted
    .filter((one) => typeof one === 'string' && one.length <= maxTextLength)
    .slice(0, maxTexts)
    .map((one) => ({ text: wordForm(String(one)), words: wordsIn(String(one)) }));
  const closeness = (value: unknown): number => {
    const held = wordForm(String(value));
    const heldWords = wordsIn(held);
    const compare = ({ text, words }: (typeof texts)[number]): number => {
      if (held === text) return 3;
      if (text !== '' && (held.includes(text) || text.includes(held))) return 2;
      return [...words].some((word) => heldWords.has(word)) ? 1 : 0;
    };
    return Math.max(0, ...texts.map(compare));
  };
  const ranked = short.map((value, index) => ({ value, index, near: closeness(value) }));
  ranked.sort((one, other) => other.near - one.near || one.index - other.index);
  const values = ranked.slice(0, maxValues).map(({ value }) => value);
  const best = ranked[0];
  const note = best && noteOn(best.value, best.near, wanted, test);
  return note === undefined ? { values } : { values, note };
}

/** Why the closest value does not match, if its form is the reason. */
function noteOn(value: unknown, near: number, wanted: readonly unknown[], test: string): string | undefined {
  if (test === 'among') {
    if (near < 3 || wanted.includes(value)) return undefined;
    const found = String(value);
    const texts = wanted.map(String);
    if (texts.some((text) => text.toLowerCase() === found.toLowerCase())) return 'eq is case-sensitive';
    const isComposed = texts.some((text) => foldText(text) === foldText(found));
    return isComposed
      ? 'eq distinguishes composed and decomposed letters; contains does not'
      : 'eq distinguishes accents, width and signs; keyword does not';
  }
  if (test !== 'like' || near < 2) return undefined;
  const hasWords = wanted.some(
    (text) => wantedIn(String(text)).length > 0 && hasAnyOf(wantedIn(String(text)))(String(value)),
  );
  return hasWords
    ? 'like, contains, startswith and endswith distinguish accents, width and signs; keyword does not'
    : undefined;
}

const wordsIn = (text: string): Set<string> => new Set([...termsIn(text)].filter((word) => word.length > 1));
