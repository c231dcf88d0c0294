import { Compiler } from '../../compile.js';
import { type Dialect, joinConditions, type Mark, type WordTest } from '../../dialect.js';
import { externalLength } from '../../external-text.js';
import { findLargeGroups, maxPageCharacters, type Phase, phasesOf } from '../../paging.js';
import type { Condition, Position, SearchPlan } from '../../plan.js';
import { recordsIn, rowReader, splitColumns, wantedColumns } from '../../rows.js';
import { type Layout, quoteIdentifier } from '../../schema.js';
import { TermLookups, vocabulariesFor } from '../../terms.js';
import { Vocabularies } from '../../words.js';
import type { RecordPage } from '../driver.js';
import type { Query } from './connection.js';
import { postgresDialect, textAt } from './dialect.js';
import { estimateRows, firstScanSize, nextScanSize, type RowEstimate } from './row-estimates.js';
import { enterConnector, ownRows } from './row-security.js';
import { batchSize, evaluateTests, requiredTests, undecidedTests, wordMatcher } from './word-tests.js';

type FoundRow = Readonly<Record<string, unknown>> & { readonly id: string };

/** Parameters of a page query. */
interface ReadContext {
  readonly query: Query;
  readonly layout: Layout;
  readonly connector: number;
  readonly dialect: Dialect;
  readonly compiler: Compiler;
  readonly lookups: TermLookups;
}

/** How many times the scan is extended before the full term lookup is used. */
const maxRounds = 3;

/** Up to this many records with the same first sort value are sorted together. */
const maxSortedGroup = 500;

/** Reads from Postgres and caches the vocabularies it has loaded. */
export class Reader {
  readonly #vocabularies = new Vocabularies();

  /** Finds the records of a page, inside a transaction. */
  async search(query: Query, layout: Layout, connectorId: string, plan: SearchPlan): Promise<RecordPage> {
    const connector = await enterConnector(query, connectorId);
    if (connector === undefined) return { records: [], last: null, more: false };
    const found =
      (await this.#scanInOrder(query, layout, connector, plan)) ??
      (await rowsOf(
        { query, layout, connector, ...(await this.compilerFor(query, layout, connector, plan.condition)) },
        plan,
        plan.limit + 1,
        () => columnsOf(layout, plan.fields),
      ));
    const read = rowReader(layout, plan.fields);
    const texts: string[] = [];
    for (let characters = 0; texts.length < Math.min(found.length, plan.limit) && characters < maxPageCharacters; ) {
      const text = read(found[texts.length]!);
      texts.push(text);
      characters += text.length + (text.includes('\\u0004') ? externalLength(text) : 0);
    }
    const last = found[texts.length - 1];
    return {
      records: recordsIn(`[${texts.join(',')}]`),
      last: last ? positionOf(last) : null,
      more: found.length > texts.length,
    };
  }

  /** Builds the compiler for a condition after loading the vocabularies it needs. */
  async compilerFor(
    query: Query,
    layout: Layout,
    connector: number,
    condition: Condition | undefined,
    deferred: readonly WordTest[] = [],
  ): Promise<Pick<ReadContext, 'dialect' | 'compiler' | 'lookups'>> {
    const lookups = await this.#lookupsFor(query, connector, condition);
    const tests = undecidedTests(condition, lookups).filter((test) => !deferred.includes(test));
    const dialect = postgresDialect(await evaluateTests(query, layout, connector, tests, lookups), deferred);
    return { dialect, compiler: new Compiler(dialect, { lookups }), lookups };
  }

  async #lookupsFor(query: Query, connector: number, condition: Condition | undefined): Promise<TermLookups> {
    if (condition) await this.loadVocabularies(query, connector, vocabulariesFor(condition, connector));
    return new TermLookups(connector, this.#vocabularies);
  }

  /**
   * Fills a page by scanning records in order and testing each one's words, which usually touches only a few of the
   * matches. Undefined if no tests remain, the page is too large or too few records pass.
   */
  async #scanInOrder(
    query: Query,
    layout: Layout,
    connector: number,
    plan: SearchPlan,
  ): Promise<FoundRow[] | undefined> {
    const tests = requiredTests(plan.condition, await this.#lookupsFor(query, connector, plan.condition));
    if (tests.length === 0 || 2 * plan.limit > batchSize) return undefined;
    const matchers = tests.map(wordMatcher);
    const compiled = await this.compilerFor(query, layout, connector, plan.condition, tests);
    const context: ReadContext = { query, layout, connector, ...compiled };
    const texts = (mark: Mark) => tests.map(({ ref }, index) => `${textAt(ref, mark)} as text${index}`);
    const found: FoundRow[] = [];
    let { after } = plan;
    let size = 4 * (plan.limit + 1);
    for (let round = 0; round < maxRounds; round++) {
      size = Math.min(size, batchSize);
      const rows = await rowsOf(context, { ...plan, after }, size, texts);
      found.push(
        ...rows.filter((row) =>
          matchers.every((holds, index) => {
            const text = row[`text${index}`];
            return typeof text === 'string' && holds(text);
          }),
        ),
      );
      if (found.length > plan.limit || rows.length < size)
        return fetchFullRows(context, plan, found.slice(0, plan.limit + 1));
      after = positionOf(rows.at(-1)!);
      size *= 4;
    }
    return undefined;
  }

  /** Brings vocabularies up to date with the database. */
  async loadVocabularies(query: Query, connector: number, scopes: readonly string[]): Promise<Vocabularies> {
    for (const scope of scopes) {
      const vocabulary = this.#vocabularies.of(scope);
      const rows = await query<{ n: string | number; term: string }>(
        'select n, term from terms where connector = $1 and scope = $2 and n > $3 order by n',
        [connector, scope, vocabulary.newest],
      );
      // A concurrent search may load the same terms.
      const terms = rows.map(({ n, term }) => ({ n: Number(n), term }));
      if (terms.length > 0) vocabulary.learn(terms, terms.at(-1)!.n);
    }
    return this.#vocabularies;
  }
}

/** Up to `limit` records in order, with the given columns. */
async function rowsOf(
  context: ReadContext,
  plan: SearchPlan,
  limit: number,
  columns: (mark: Mark) => readonly string[],
): Promise<FoundRow[]> {
  const { query, layout, connector, dialect, lookups } = context;
  const estimate = await estimateRows(query, layout, connector, plan.condition, lookups);
  if (estimate) await query('set local enable_seqscan = off');
  const source = { dialect, table: ownRows(layout.table), where: 'r.connector = $1', connector };
  const statements = findLargeGroups({ ...source, mark: (place) => `$${place}` }, plan, maxSortedGroup);
  let step = statements.next();
  while (!step.done) step = statements.next(await query(step.value.sql, step.value.values));
  const found: FoundRow[] = [];
  for (const phase of phasesOf(dialect, plan.sort, plan.after, step.value)) {
    const left = limit - found.length;
    if (left <= 0) break;
    const read = (accessPath: AccessPath) => phaseRows(context, plan, phase, { left, accessPath, columns });
    found.push(...(estimate ? await scanThenLookUp(estimate, isSorted(plan.sort), left, read) : await read('any')));
  }
  return found;
}

/** Scans records in order as long as that looks cheaper, then falls back to the full term lookup. */
async function scanThenLookUp(
  estimate: RowEstimate,
  sorted: boolean,
  left: number,
  read: (accessPath: AccessPath) => Promise<FoundRow[]>,
): Promise<FoundRow[]> {
  let scanLimit = sorted ? firstScanSize(estimate, left) : 0;
  while (scanLimit > 0) {
    const rows = await read({ scanLimit });
    if (rows.length === left) return rows;
    scanLimit = nextScanSize(estimate, left, scanLimit, rows.length);
  }
  return read('led');
}

/** Whether an index provides this order. */
const isSorted = ([first, second]: SearchPlan['sort']): boolean =>
  !first || (!second && first.ref.path.length === 0 && first.ref.column.indexed);

/** Access path: let Postgres decide, start from the term lookup, or scan this many records in order. */
type AccessPath = 'any' | 'led' | { readonly scanLimit: number };

async function phaseRows(
  { query, layout, connector, compiler }: ReadContext,
  plan: SearchPlan,
  phase: (mark: Mark) => Phase,
  { left, accessPath, columns }: { left: number; accessPath: AccessPath; columns: (mark: Mark) => readonly string[] },
): Promise<FoundRow[]> {
  const values: unknown[] = [connector];
  const mark: Mark = (value) => `$${values.push(value)}`;
  const filter = compiler.filter(plan.condition, mark).sql;
  const { keys, where, orderBy, parts, mergedBy } = phase(mark);
  const table = ownRows(layout.table);
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
      return `(select ${selected} from ${table} r where ${joinNonEmpty(place, filter)} ${order} ${limitClause})`;
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
async function fetchFullRows(
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

const positionOf = (row: FoundRow): Position => ({
  values: Object.entries(row)
    .filter(([name]) => /^k\d+$/.test(name))
    .map(([, value]) => value as Position['values'][number]),
  id: row.rid as string,
});
