import { joinConditions, type Mark } from '../../dialect.js';
import type { Condition } from '../../plan.js';
import { type Layout, quoteIdentifier } from '../../schema.js';
import type { TermLookups } from '../../terms.js';
import type { RunStatement } from './connection.js';
import { termQuery } from './dialect.js';

/** Cost of reading a record's terms, relative to fetching one record from the term index. */
const termReadCost = 2;
/** Matches may be up to this many times further apart than estimated. */
const expectedSlack = 3;
/** Replaces `expectedSlack` once a scan has counted some matches. */
const observedSlack = 1.5;
/** With fewer matches, listing them is faster than estimating. */
const minEstimatedRows = 1000;

/** Term tests that every record matching a condition passes. */
function requiredTerms(condition: Condition | undefined, lookups: TermLookups, mark: Mark): string[] {
  if (!condition) return [];
  if (condition.test === 'all') return condition.parts.flatMap((part) => requiredTerms(part, lookups, mark));
  const lookup = lookups.of(condition);
  return lookup ? [`r.terms @@ ${mark(termQuery(lookup.terms))}::tsquery`] : [];
}

/** Estimated number of records, and how many of them the terms match. */
export interface RowEstimate {
  readonly total: number;
  readonly matching: number;
}

/** Postgres's estimate of the matches; undefined if a condition has no terms, or without an estimate. */
export async function estimateRows(
  query: RunStatement,
  { table }: Layout,
  connector: number,
  condition: Condition | undefined,
  lookups: TermLookups,
): Promise<RowEstimate | undefined> {
  const values: unknown[] = [connector];
  const tests = requiredTerms(condition, lookups, (value) => `$${values.push(value)}`);
  if (tests.length === 0) return undefined;
  const all = await plannedRows(query, table, 'r.connector = $1', [connector]);
  const matching = await plannedRows(query, table, joinConditions(['r.connector = $1', ...tests], 'and'), values);
  return all === undefined || matching === undefined ? undefined : { matching, total: Math.max(matching, all) };
}

/** A plan; on Citus, it contains the plans of the nodes that store the rows. */
interface Planned {
  readonly 'Plan Rows': number;
  readonly 'Distributed Query'?: {
    readonly Job: {
      readonly 'Task Count': number;
      /** A task on a node that is down has an `Error` instead of a plan. */
      readonly Tasks: ReadonlyArray<{ readonly 'Remote Plan'?: [[{ readonly Plan: Planned }]] }>;
    };
  };
}

/**
 * Postgres's estimate of the records that match a condition; undefined if several Citus nodes would be queried, or if the
 * node is down: then the query itself fails with an error that says so.
 */
export async function plannedRows(
  query: RunStatement,
  table: string,
  where: string,
  values: readonly unknown[],
  selected = '1',
): Promise<number | undefined> {
  const [row] = await query<{ 'QUERY PLAN': [{ Plan: Planned }] }>(
    `explain (format json) select ${selected} from ${quoteIdentifier(table)} r where ${where}`,
    values,
  );
  const plan = row!['QUERY PLAN'][0].Plan;
  const job = plan['Distributed Query']?.Job;
  if (job === undefined) return plan['Plan Rows'];
  return job['Task Count'] === 1 ? job.Tasks[0]?.['Remote Plan']?.[0]?.[0]?.Plan['Plan Rows'] : undefined;
}

/**
 * How many records to scan, in sort order, to fill a page of `limit`; 0 if listing all matches is cheaper. Only a
 * `share` of the records examined is scanned. Postgres itself would not stop in time, because it assumes that reading
 * terms costs as much as reading a number.
 */
export function firstScanSize({ total, matching }: RowEstimate, limit: number, share: number): number {
  if (matching < minEstimatedRows) return 0;
  const scanned = Math.ceil((expectedSlack * limit * total) / matching);
  // Always scan a few records: for rare terms, Postgres only knows that they are not among the most frequent.
  const cheap = Math.floor((share * matching) / termReadCost);
  return scanned < cheap ? scanned : Math.min(4 * limit, cheap);
}

/** The next scan size, after a scan found only `found` of the wanted records. */
export function nextScanSize(
  { total }: RowEstimate,
  limit: number,
  share: number,
  { scanned, found }: { readonly scanned: number; readonly found: number },
): number {
  const density = Math.max(found, 0.5) / scanned;
  const next = Math.ceil((observedSlack * limit) / density);
  return next > scanned && termReadCost * next < share * density * total ? next : 0;
}
