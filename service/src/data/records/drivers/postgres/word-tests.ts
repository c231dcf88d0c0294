import type { LikeTest, WordTest } from '../../dialect.js';
import { wordsInOrder } from '../../fuzzy-match.js';
import { likeMatcher } from '../../like-match.js';
import type { Condition } from '../../plan.js';
import { maxCompared } from '../../relevance.js';
import type { Layout } from '../../schema.js';
import { countWords, type TermLookup, type TermLookups } from '../../terms.js';
import { hasForm } from '../../words/phrase.js';
import { hasAnyOf } from '../../words/question.js';
import type { RunStatement } from './connection.js';
import { isFoldable, termQuery, textAt } from './dialect.js';
import { ownRows } from './row-security.js';

/** Tests that Postgres can decide for some texts at most. */
export type UndecidedTest = WordTest | LikeTest;

/** Tests that neither terms nor SQL can decide for every text. */
export function undecidedTests(condition: Condition | undefined, lookups: TermLookups): UndecidedTest[] {
  if (!condition) return [];
  if ('parts' in condition) return condition.parts.flatMap((part) => undecidedTests(part, lookups));
  if (condition.test === 'not') return undecidedTests(condition.part, lookups);
  return isUndecided(condition, lookups) ? [condition] : [];
}

/** The tests that every record has to pass. */
export function requiredTests(condition: Condition | undefined, lookups: TermLookups): UndecidedTest[] {
  if (!condition) return [];
  if (condition.test === 'all') return condition.parts.flatMap((part) => requiredTests(part, lookups));
  return isUndecided(condition, lookups) ? [condition] : [];
}

function isUndecided(condition: Condition, lookups: TermLookups): condition is UndecidedTest {
  if ('termsAlone' in condition) return false;
  if (condition.test === 'like') return !condition.isExact;
  if (condition.test !== 'keyword' && condition.test !== 'fuzzy') return false;
  return countWords(condition) > 0 && !lookups.of(condition)?.exact;
}

/** Whether texts are compared with a question, if they are not too many. */
export const isCompared = (test: UndecidedTest): boolean => test.test === 'keyword' && test.form !== undefined;

/** A predicate for a word test on texts. */
export function wordMatcher(test: UndecidedTest): (text: string) => boolean {
  if (test.test === 'like') return likeMatcher(test.pattern);
  if (test.test === 'keyword' && test.form) return hasForm(test.form, test.text, test.wanted);
  return test.test === 'fuzzy' ? wordsInOrder(test.words) : hasAnyOf(test.wanted);
}

/** Texts per read. */
export const batchSize = 2000;

/** Evaluates word tests that Postgres cannot: reads the candidate texts and returns the records that pass. */
export async function evaluateTests(
  query: RunStatement,
  layout: Layout,
  connector: number,
  tests: readonly UndecidedTest[],
  lookups: TermLookups,
  recordsByTest = new Map<UndecidedTest, readonly string[]>(),
): Promise<Map<UndecidedTest, readonly string[]>> {
  for (const test of tests) {
    if (recordsByTest.has(test)) continue;
    const lookup = lookups.of(test);
    const matches = wordMatcher(test);
    const matching: string[] = [];
    for await (const rows of textsOf(query, layout, connector, test, lookup)) {
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
  query: RunStatement,
  layout: Layout,
  connector: number,
  tested: UndecidedTest,
  lookup: TermLookup | undefined,
): AsyncGenerator<readonly NumberedText[]> {
  const { test, ref } = tested;
  const table = ownRows(layout.table);
  const texts = (where: string, values: unknown[], order = '') => {
    const text = textAt(ref, (value) => `$${values.push(value)}`);
    const columns = `r.rid::text as number, ${text} as text`;
    return query<NumberedText>(
      `select ${columns} from ${table} r where ${where} and ${test === 'like' ? isFoldable(text) : `${text} is not null`} ${order}`,
      values,
    );
  };
  if (lookup) {
    const found = await query<{ number: string }>(
      `select r.rid::text as number from ${table} r where r.connector = $1 and r.terms @@ $2::tsquery`,
      [connector, termQuery(lookup.terms)],
    );
    if (isCompared(tested) && found.length > maxCompared) return;
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
