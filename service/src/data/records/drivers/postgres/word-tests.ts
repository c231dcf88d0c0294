import type { WordTest } from '../../dialect.js';
import { wordsInOrder } from '../../fuzzy-match.js';
import type { Condition, FieldRef } from '../../plan.js';
import type { Layout } from '../../schema.js';
import type { TermLookup, TermLookups } from '../../terms.js';
import { hasAny } from '../../words.js';
import type { Query } from './connection.js';
import { termQuery, textAt } from './dialect.js';
import { ownRows } from './row-security.js';

/** Word tests that terms alone cannot decide. */
export function undecidedTests(condition: Condition | undefined, lookups: TermLookups): WordTest[] {
  if (!condition) return [];
  if ('parts' in condition) return condition.parts.flatMap((part) => undecidedTests(part, lookups));
  if (condition.test === 'not') return undecidedTests(condition.part, lookups);
  return isUndecided(condition, lookups) ? [condition] : [];
}

/** The tests that every record has to pass. */
export function requiredTests(condition: Condition | undefined, lookups: TermLookups): WordTest[] {
  if (!condition) return [];
  if (condition.test === 'all') return condition.parts.flatMap((part) => requiredTests(part, lookups));
  return isUndecided(condition, lookups) ? [condition] : [];
}

function isUndecided(condition: Condition, lookups: TermLookups): condition is WordTest {
  if ((condition.test !== 'keyword' && condition.test !== 'fuzzy') || condition.termsAlone) return false;
  return condition.words.length > 0 && !lookups.of(condition)?.exact;
}

/** A predicate for a word test on texts. */
export function wordMatcher({ test, words }: WordTest): (text: string) => boolean {
  if (test === 'fuzzy') return wordsInOrder(words);
  const wanted = new Set(words);
  return (text) => hasAny(text, wanted);
}

/** Texts per read. */
export const batchSize = 2000;

/** Evaluates word tests that Postgres cannot: reads the candidate texts and returns the records that pass. */
export async function evaluateTests(
  query: Query,
  layout: Layout,
  connector: number,
  tests: readonly WordTest[],
  lookups: TermLookups,
): Promise<Map<WordTest, readonly string[]>> {
  const recordsByTest = new Map<WordTest, readonly string[]>();
  for (const test of tests) {
    const lookup = lookups.of(test);
    const matches = wordMatcher(test);
    const matching: string[] = [];
    for await (const rows of textsOf(query, layout, connector, test.ref, lookup)) {
      for (const { number, text } of rows) if (matches(text)) matching.push(number);
    }
    recordsByTest.set(test, matching);
  }
  return recordsByTest;
}

interface NumberedText {
  readonly number: string;
  readonly text: string;
}

/** Reads the texts at a path in batches, from the term matches or from all records. */
async function* textsOf(
  query: Query,
  layout: Layout,
  connector: number,
  ref: FieldRef,
  lookup: TermLookup | undefined,
): AsyncGenerator<readonly NumberedText[]> {
  const table = ownRows(layout.table);
  const texts = (where: string, values: unknown[], order = '') => {
    const text = textAt(ref, (value) => `$${values.push(value)}`);
    const columns = `r.rid::text as number, ${text} as text`;
    return query<NumberedText>(
      `select ${columns} from ${table} r where ${where} and ${text} is not null ${order}`,
      values,
    );
  };
  if (lookup) {
    const found = await query<{ number: string }>(
      `select r.rid::text as number from ${table} r where r.connector = $1 and r.terms @@ $2::tsquery`,
      [connector, termQuery(lookup.terms)],
    );
    for (let at = 0; at < found.length; at += batchSize) {
      const numbers = found.slice(at, at + batchSize).map(({ number }) => number);
      yield texts('r.connector = $1 and r.rid = any($2::bigint[])', [connector, numbers]);
    }
    return;
  }
  let after = '0';
  for (let more = true; more; ) {
    const where = 'r.connector = $1 and r.rid > $2::bigint';
    const rows = await texts(where, [connector, after], `order by r.rid limit ${batchSize}`);
    yield rows;
    after = rows.at(-1)?.number ?? after;
    more = rows.length === batchSize;
  }
}
