import { joinConditions, type Mark } from '../../dialect.js';
import type { Condition } from '../../plan.js';
import { type Layout, quoteIdentifier } from '../../schema.js';
import type { TermLookups } from '../../terms.js';
import type { Query } from './connection.js';
import { termQuery } from './dialect.js';

/** Reading a record's terms takes about as long as coming to so many records from the index of terms. */
const termReadCost = 4;
/** So many times further apart than expected the records of a page may lie. */
const expectedSlack = 3;
/** The same where some of them have been counted. */
const observedSlack = 1.5;
/** Listing fewer is over sooner than anything could be found out about them. */
const minEstimatedRows = 1000;

/** The tests of a record's terms that every record of a condition passes. */
function requiredTerms(condition: Condition | undefined, lookups: TermLookups, mark: Mark): string[] {
  if (!condition) return [];
  if (condition.test === 'all') return condition.parts.flatMap((part) => requiredTerms(part, lookups, mark));
  const lookup = lookups.of(condition);
  return lookup ? [`r.terms @@ ${mark(termQuery(lookup.terms))}::tsquery`] : [];
}

/** How many records there are about, and how many of them terms lead to. */
export interface RowEstimate {
  readonly total: number;
  readonly matching: number;
}

/** What Postgres expects terms to lead to; nothing where a condition has none. */
export async function estimateRows(
  query: Query,
  { table }: Layout,
  connector: number,
  condition: Condition | undefined,
  lookups: TermLookups,
): Promise<RowEstimate | undefined> {
  const values: unknown[] = [];
  const tests = requiredTerms(condition, lookups, (value) => `$${values.push(value)}`);
  if (tests.length === 0) return undefined;
  const plannedRows = async (where: string, given: readonly unknown[]): Promise<number | undefined> => {
    const [row] = await query<{ 'QUERY PLAN': [{ Plan: { 'Node Type': string; 'Plan Rows': number } }] }>(
      `explain (format json) select 1 from ${quoteIdentifier(table)} r where ${where}`,
      given,
    );
    const { 'Node Type': type, 'Plan Rows': rows } = row!['QUERY PLAN'][0].Plan;
    return type === 'Custom Scan' ? undefined : rows;
  };
  const all = await plannedRows('r.connector = $1', [connector]);
  // Citus plans on the node that has the records, and its estimates are not told here: all that terms lead to is listed.
  if (all === undefined) return { matching: 0, total: 0 };
  const matching = (await plannedRows(joinConditions(tests, 'and'), values))!;
  return { matching, total: Math.max(matching, all) };
}

/**
 * How many records to look at in their order for a page of `limit`; none where listing all that the terms lead to is
 * shorter. Postgres itself takes reading terms for as cheap as reading a number, and does not see when to stop.
 */
export function firstScanSize({ total, matching }: RowEstimate, limit: number): number {
  if (matching < minEstimatedRows) return 0;
  const scanned = Math.ceil((expectedSlack * limit * total) / matching);
  // A few are looked at in any case: of rare terms Postgres knows only that they are not among the most frequent.
  return termReadCost * scanned < matching ? scanned : Math.min(4 * limit, Math.ceil(matching / termReadCost));
}

/** The same after a look at so many that had but `found` of what is wanted. */
export function nextScanSize({ total }: RowEstimate, limit: number, scanned: number, found: number): number {
  const share = Math.max(found, 0.5) / scanned;
  const next = Math.ceil((observedSlack * limit) / share);
  return next > scanned && termReadCost * next < share * total ? next : 0;
}
