import type { Compiler } from '../../compile.js';
import { type Dialect, joinConditions, type Mark } from '../../dialect.js';
import { findLargeGroups, type Phase, phasesOf } from '../../paging.js';
import { type Condition, type PagePosition, requiredBy, type SearchPlan } from '../../plan.js';
import { splitColumns, wantedColumns } from '../../rows.js';
import { type Layout, quoteIdentifier } from '../../schema.js';
import type { TermLookups } from '../../terms.js';
import type { RunStatement } from './connection.js';
import { estimateRows, firstScanSize, nextScanSize, plannedRows, type RowEstimate } from './row-estimates.js';
import { ownRows } from './row-security.js';
import type { TableIndexes } from './search-indexes.js';

type Among = Extract<Condition, { test: 'among' }>;

export type FoundRow = Readonly<Record<string, unknown>> & { readonly id: string };

/** Where to search for a page. */
export interface SearchScope {
  readonly query: RunStatement;
  readonly layout: Layout;
  readonly connector: number;
  readonly indexes: TableIndexes;
}

/** Parameters of a page query. */
export interface ReadContext extends SearchScope {
  readonly dialect: Dialect;
  readonly compiler: Compiler;
  readonly lookups: TermLookups;
}

/** Up to this many records with the same first sort value are sorted together. */
const maxSortedGroup = 500;

/** Options of `rowsOf`. */
interface RowOptions {
  readonly accessPath?: AccessPath;
  /** Once it has this many rows, it returns early if finding more would take long; `limit` by default. */
  readonly enough?: number;
}

/** Up to `limit` records in order, with the given columns; fewer than `enough` if there are no more. */
export async function rowsOf(
  context: ReadContext,
  plan: SearchPlan,
  limit: number,
  columns: (mark: Mark) => readonly string[],
  { accessPath: fixedPath, enough = limit }: RowOptions = {},
): Promise<FoundRow[]> {
  const { query, layout, connector, dialect, lookups, indexes } = context;
  const estimate = fixedPath ? undefined : await estimateRows(query, layout, connector, plan.condition, lookups);
  if (estimate) await query('set local enable_seqscan = off');
  const source = { dialect, table: ownRows(layout.table), where: 'r.connector = $1', connector };
  const statements = findLargeGroups({ ...source, mark: (place) => `$${place}` }, plan, maxSortedGroup, ({ ref }) =>
    indexes.isOrdered(ref),
  );
  let step = statements.next();
  while (!step.done) step = statements.next(await query(step.value.sql, step.value.values));
  const found: FoundRow[] = [];
  for (const phase of phasesOf(dialect, plan.sort, plan.after, step.value)) {
    const left = limit - found.length;
    if (left <= 0) break;
    const read = (accessPath: AccessPath) => phaseRows(context, plan, phase, { left, accessPath, columns });
    if (!estimate) {
      found.push(...(await read(fixedPath ?? 'any')));
      continue;
    }
    const share = isSorted(plan.sort, indexes) ? await shareOf(context, phase, estimate) : 0;
    const least = Math.max(1, enough - found.length);
    const { rows, isScan } = await scanThenLookUp(estimate, share, { left, least }, read);
    found.push(...rows);
    // A scan can end before the phase does.
    if (isScan) return found;
  }
  return found;
}

/** Estimated share of the records examined by a scan in order that belong to a phase. */
async function shareOf(
  { query, layout, connector }: ReadContext,
  phase: (mark: Mark) => Phase,
  { total }: RowEstimate,
): Promise<number> {
  const values: unknown[] = [connector];
  const { isScattered, keys, where } = phase((value) => `$${values.push(value)}`);
  if (!isScattered || total === 0) return 1;
  const condition = joinConditions(['r.connector = $1', where], 'and');
  const rows = await plannedRows(query, layout.table, condition, values, keys.join(', '));
  return rows === undefined ? 1 : rows / total;
}

/** Scans records in order as long as that looks cheaper, then falls back to the full term lookup. */
async function scanThenLookUp(
  estimate: RowEstimate,
  share: number,
  { left, least }: { readonly left: number; readonly least: number },
  read: (accessPath: AccessPath) => Promise<FoundRow[]>,
): Promise<{ readonly rows: FoundRow[]; readonly isScan: boolean }> {
  // Aim for twice the minimum: a scan that falls just short would be wasted.
  const wanted = Math.min(left, 2 * least);
  let scanLimit = firstScanSize(estimate, wanted, share);
  while (scanLimit > 0) {
    const rows = await read({ scanLimit });
    if (rows.length >= least) return { rows, isScan: true };
    scanLimit = nextScanSize(estimate, wanted, share, { scanned: scanLimit, found: rows.length });
  }
  return { rows: await read('led'), isScan: false };
}

/** Whether an index provides this order. */
const isSorted = ([first, second]: SearchPlan['sort'], { isOrdered }: TableIndexes): boolean =>
  !first || (!second && isOrdered(first.ref));

/** Access path: Postgres decides, start from the term lookup, or scan this many records in order. */
type AccessPath = 'any' | 'led' | { readonly scanLimit: number };

async function phaseRows(
  { query, layout, connector, compiler, dialect, indexes }: ReadContext,
  plan: SearchPlan,
  phase: (mark: Mark) => Phase,
  { left, accessPath, columns }: { left: number; accessPath: AccessPath; columns: (mark: Mark) => readonly string[] },
): Promise<FoundRow[]> {
  const values: unknown[] = [connector];
  const mark: Mark = (value) => `$${values.push(value)}`;
  const filter = compiler.filter(plan.condition, mark).sql;
  const { keys, where, orderBy, parts, mergedBy } = phase(mark);
  const table = ownRows(layout.table);
  // If all records have the same value, its index stores them in id order; see `within` in paging.ts.
  const same =
    plan.sort.length > 0
      ? []
      : requiredBy(plan.condition)
          .filter((one) => one.test === 'among' && one.values.length === 1 && indexes.serves(one))
          .slice(0, 1)
          .map((one) => dialect.order((one as Among).ref, mark)[0]!.sql);
  const selected = ['r.rid as row', 'r.id as rid', ...keys.map((sql, index) => `${sql} as k${index}`)].join(', ');
  const joinNonEmpty = (...conditions: string[]) =>
    joinConditions(
      conditions.filter((one) => one !== ''),
      'and',
    );
  const limitClause = `limit ${mark(left)}::integer`;
  const sorted = (part: string): string => {
    const place = joinNonEmpty('r.connector = $1', where, part);
    const order = `order by ${orderBy}`;
    if (accessPath === 'any')
      return `(select ${selected} from ${table} r where ${joinNonEmpty(place, filter)} order by ${[...same, orderBy].join(', ')} ${limitClause})`;
    if (accessPath !== 'led') {
      const looked = `(select * from ${table} r where ${place} ${order} limit ${mark(accessPath.scanLimit)}::integer) r`;
      return `(select ${selected} from ${looked} where ${filter} ${order} ${limitClause})`;
    }
    // `offset 0` keeps the planner from considering the outer order and limit.
    const led = `(select ${selected} from ${table} r where ${joinNonEmpty(place, filter)} offset 0) r`;
    return `(select * from ${led} order by ${mergedBy} ${limitClause})`;
  };
  // Term lookups are short lists; splitting them would not be faster.
  const sources = (parts.length > 0 && accessPath !== 'led' ? parts : ['']).map(sorted);
  const merged = `(select * from (${sources.join(' union all ')}) parts order by ${mergedBy} ${limitClause})`;
  // Only the page's records are read in full: converting every sorted row to text would dominate the cost.
  return query<FoundRow>(
    `select page.*, ${columns(mark).join(', ')} from (
      select *, row_number() over () as place from ${sources.length === 1 ? sources[0] : merged} sorted
    ) page join ${table} r on r.connector = $1 and r.rid = page.row order by page.place`,
    values,
  );
}

/** Loads the full columns of these records. */
export async function fetchFullRows(
  { query, layout, connector }: ReadContext,
  { fields }: SearchPlan,
  found: readonly FoundRow[],
): Promise<FoundRow[]> {
  const rows = await query<FoundRow>(
    `select r.rid as row, ${columnsOf(layout, fields).join(', ')} from ${ownRows(layout.table)} r
      where r.connector = $1 and r.rid = any($2::bigint[])`,
    [connector, found.map(({ row }) => String(row))],
  );
  const byNumber = new Map(rows.map((row) => [String(row.row), row]));
  return found.map((row) => ({ ...byNumber.get(String(row.row))!, ...row }));
}

/** Columns needed for the requested fields. */
export function columnsOf(layout: Layout, fields: SearchPlan['fields']): string[] {
  const { texts, others } = splitColumns(wantedColumns(layout, fields));
  const names = [...texts.map(({ stored }) => stored), ...others];
  return names.map((name) => (name === 'rest' ? 'r.rest::text as rest' : `r.${quoteIdentifier(name)}`));
}

export const positionOf = (row: FoundRow): PagePosition => ({
  values: Object.entries(row)
    .filter(([name]) => /^k\d+$/.test(name))
    .map(([, value]) => value as PagePosition['values'][number]),
  id: row.rid as string,
});
