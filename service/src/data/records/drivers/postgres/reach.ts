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
/** The same where some of them have been counted. */
const counted = 1.5;
/** Listing fewer is over sooner than anything could be found out about them. */
const few = 1000;

/** The tests of a record's terms that every record of a condition passes. */
function requiredTerms(condition: Condition | undefined, leads: Leads, mark: Mark): string[] {
  if (!condition) return [];
  if (condition.test === 'all') return condition.parts.flatMap((part) => requiredTerms(part, leads, mark));
  const lead = leads.of(condition);
  return lead ? [`r.terms @@ ${mark(termQuery(lead.terms))}::tsquery`] : [];
}

/** How many records there are about, and how many of them terms lead to. */
export interface Reach {
  readonly all: number;
  readonly led: number;
}

/** What Postgres expects terms to lead to; nothing where a condition has none. */
export async function reachOf(
  query: Query,
  { table }: Layout,
  connector: number,
  condition: Condition | undefined,
  leads: Leads,
): Promise<Reach | undefined> {
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
  return { led, all: Math.max(led, await expected('r.connector = $1', [connector])) };
}

/**
 * How many records to look at in their order for a page of `wanted`; none where listing all that the terms lead to is
 * shorter. Postgres itself takes reading terms for as cheap as reading a number, and does not see when to stop.
 */
export function firstLook({ all, led }: Reach, wanted: number): number {
  if (led < few) return 0;
  const looked = Math.ceil((allowance * wanted * all) / led);
  // A few are looked at in any case: of rare terms Postgres knows only that they are not among the most frequent.
  return slower * looked < led ? looked : Math.min(4 * wanted, Math.ceil(led / slower));
}

/** The same after a look at so many that had but `found` of what is wanted. */
export function nextLook({ all }: Reach, wanted: number, looked: number, found: number): number {
  const share = Math.max(found, 0.5) / looked;
  const next = Math.ceil((counted * wanted) / share);
  return next > looked && slower * next < share * all ? next : 0;
}
