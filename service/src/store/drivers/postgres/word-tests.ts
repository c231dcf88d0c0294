import type { Mark, WordTest } from '../../dialect.js';
import { inOrder } from '../../in-order.js';
import type { Condition } from '../../plan.js';
import { type Layout, quoted } from '../../schema.js';
import type { Leads } from '../../terms.js';
import { hasAny } from '../../words.js';
import type { Query } from './connection.js';
import { termQuery, textAt } from './dialect.js';

/** Tests of words that terms alone do not decide. */
export function undecided(condition: Condition | undefined, leads: Leads): WordTest[] {
  if (!condition) return [];
  if ('parts' in condition) return condition.parts.flatMap((part) => undecided(part, leads));
  if (condition.test === 'not') return undecided(condition.part, leads);
  return isUndecided(condition, leads) ? [condition] : [];
}

/** Those among them that every record has to pass. */
export function required(condition: Condition | undefined, leads: Leads): WordTest[] {
  if (!condition) return [];
  if (condition.test === 'all') return condition.parts.flatMap((part) => required(part, leads));
  return isUndecided(condition, leads) ? [condition] : [];
}

function isUndecided(condition: Condition, leads: Leads): condition is WordTest {
  if (condition.test !== 'keyword' && condition.test !== 'fuzzy') return false;
  return condition.words.length > 0 && !leads.of(condition)?.exact;
}

/** What says of texts whether they pass a test. */
export function passing({ test, words }: WordTest): (text: string) => boolean {
  if (test === 'fuzzy') return inOrder(words);
  const wanted = new Set(words);
  return (text) => hasAny(text, wanted);
}

/** So many texts at most are read at once. */
export const handful = 2000;

/** Decides tests of words that Postgres cannot: reads the texts in question, and tells the records that pass. */
export async function decide(
  query: Query,
  layout: Layout,
  connector: number,
  tests: readonly WordTest[],
  leads: Leads,
): Promise<Map<WordTest, readonly string[]>> {
  const decided = new Map<WordTest, readonly string[]>();
  for (const test of tests) {
    const lead = leads.of(test);
    const holds = passing(test);
    const passed: string[] = [];
    let after = '0';
    for (let more = true; more; ) {
      const values: unknown[] = [connector, after];
      const mark: Mark = (value) => `$${values.push(value)}`;
      const text = textAt(test.place, mark);
      const led = lead ? `and r.terms @@ ${mark(termQuery(lead.terms))}::tsquery` : '';
      const rows = await query<{ number: string; text: string }>(
        `select r.rid::text as number, ${text} as text from ${quoted(layout.table)} r
          where r.connector = $1 and r.rid > $2::bigint and ${text} is not null ${led} order by r.rid limit ${handful}`,
        values,
      );
      for (const row of rows) if (holds(row.text)) passed.push(row.number);
      after = rows.at(-1)?.number ?? after;
      more = rows.length === handful;
    }
    decided.set(test, passed);
  }
  return decided;
}
