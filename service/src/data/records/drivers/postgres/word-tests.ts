import type { WordTest } from '../../dialect.js';
import { inOrder } from '../../in-order.js';
import type { Condition, Place } from '../../plan.js';
import { type Layout, quoted } from '../../schema.js';
import type { Lead, Leads } from '../../terms.js';
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
    for await (const rows of textsOf(query, layout, connector, test.place, lead)) {
      for (const { number, text } of rows) if (holds(text)) passed.push(number);
    }
    decided.set(test, passed);
  }
  return decided;
}

interface NumberedText {
  readonly number: string;
  readonly text: string;
}

/** Texts at a place, a handful at once: those of the records that terms lead to, or of all. */
async function* textsOf(
  query: Query,
  layout: Layout,
  connector: number,
  place: Place,
  lead: Lead | undefined,
): AsyncGenerator<readonly NumberedText[]> {
  const table = quoted(layout.table);
  const texts = (where: string, values: unknown[], order = '') => {
    const text = textAt(place, (value) => `$${values.push(value)}`);
    const columns = `r.rid::text as number, ${text} as text`;
    return query<NumberedText>(
      `select ${columns} from ${table} r where ${where} and ${text} is not null ${order}`,
      values,
    );
  };
  if (lead) {
    const found = await query<{ number: string }>(
      `select r.rid::text as number from ${table} r where r.connector = $1 and r.terms @@ $2::tsquery`,
      [connector, termQuery(lead.terms)],
    );
    for (let at = 0; at < found.length; at += handful) {
      yield texts('r.rid = any($1::bigint[])', [found.slice(at, at + handful).map(({ number }) => number)]);
    }
    return;
  }
  let after = '0';
  for (let more = true; more; ) {
    const where = 'r.connector = $1 and r.rid > $2::bigint';
    const rows = await texts(where, [connector, after], `order by r.rid limit ${handful}`);
    yield rows;
    after = rows.at(-1)?.number ?? after;
    more = rows.length === handful;
  }
}
