import { joined, type Mark } from '../../dialect.js';
import type { Condition } from '../../plan.js';
import { type Layout, quoted } from '../../schema.js';
import type { Leads } from '../../terms.js';
import type { Query } from './connection.js';
import { termQuery } from './dialect.js';

/** Reading a record's terms takes about as long as coming to so many records from the index of terms. */
const slower = 4;
/** So many times further apart than expected the records of a page may lie. */
const allowance = 3;

/** The tests of a record's terms that every record of a condition passes. */
export function requiredTerms(condition: Condition | undefined, leads: Leads, mark: Mark): string[] {
  if (!condition) return [];
  if (condition.test === 'all') return condition.parts.flatMap((part) => requiredTerms(part, leads, mark));
  const lead = leads.of(condition);
  return lead ? [`r.terms @@ ${mark(termQuery(lead.terms))}::tsquery`] : [];
}

/**
 * How many records may be looked at in their order to fill a page, before listing all that the terms lead to would have
 * been the shorter way; none where it is from the start, and nothing where no terms lead anywhere. Postgres itself
 * takes reading terms for as cheap as reading a number, and does not see when to stop.
 */
export async function patienceFor(
  query: Query,
  { table }: Layout,
  connector: number,
  { condition, leads, wanted }: { condition: Condition | undefined; leads: Leads; wanted: number },
): Promise<number | undefined> {
  const values: unknown[] = [];
  const tests = requiredTerms(condition, leads, (value) => `$${values.push(value)}`);
  if (tests.length === 0) return undefined;
  const expected = async (where: string, given: readonly unknown[]): Promise<number> => {
    const [row] = await query<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(
      `explain (format json) select 1 from ${quoted(table)} r where ${where}`,
      given,
    );
    return row!['QUERY PLAN'][0].Plan['Plan Rows'];
  };
  const led = await expected(joined(tests, 'and'), values);
  const all = Math.max(led, await expected('r.connector = $1', [connector]));
  const looked = (allowance * wanted * all) / led;
  return slower * looked < led ? Math.ceil(looked) : 0;
}
