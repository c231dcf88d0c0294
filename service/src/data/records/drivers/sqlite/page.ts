import type { Connection, Parameter, SqlValue } from '../../../sqlite.js';
import { Compiler } from '../../compile.js';
import { type Dialect, joinConditions, type Mark, neverTrue } from '../../dialect.js';
import { findLargeGroups, type LargeGroups, type Phase, phasesOf } from '../../paging.js';
import type { Condition, SearchPlan, SortKey } from '../../plan.js';
import { keysOf } from '../../positions.js';
import { onlyRank } from '../../relevance.js';
import { type Layout, quoteIdentifier } from '../../schema.js';
import { orderOf } from '../../search-indexes.js';
import { TermLookups } from '../../terms.js';
import type { Vocabularies } from '../../words/vocabulary.js';
import { joinInner, rowMask, sqliteDialect, withinTime } from './dialect.js';
import type { Indexes } from './indexes.js';
import { isServed, type Listings, SelectivityEstimator } from './selectivity.js';

export type FoundRow = Readonly<Record<string, SqlValue>> & { readonly rid: number; readonly id: string };

/** Where to search for a page; the vocabularies must already be loaded. */
interface PageScope {
  readonly connection: Connection;
  readonly indexes: Indexes;
  readonly vocabularies: Vocabularies;
  readonly layout: Layout;
  readonly connector: number;
}

/** What the ranks of a search share. */
interface Shared {
  readonly lookups: TermLookups;
  /** Row numbers of the records whose texts have the form of a question, by condition. */
  readonly compared: Map<Condition, readonly number[]>;
  readonly listings: Listings;
}

/** Finds a page of records, plus one extra record if there are more, within a transaction. */
export function findPage(scope: PageScope, plan: SearchPlan): FoundRow[] {
  const { ranks } = plan;
  const { connection, indexes, vocabularies, layout, connector } = scope;
  const checkTime = () => connection.checkTime();
  const lookups = new TermLookups(connector, vocabularies, checkTime, (one) => isServed(indexes, layout, one));
  const shared: Shared = { lookups, compared: new Map(), listings: new Map() };
  if (!ranks) return findInOrder(scope, plan, shared);
  const found: FoundRow[] = [];
  const first = Number(plan.after?.values[0] ?? 0);
  for (let rank = first; rank < ranks.length && found.length <= plan.limit; rank++) {
    const inRank: SearchPlan = {
      ...plan,
      condition: onlyRank(ranks, rank),
      // Even a full page has to know whether there are more.
      limit: Math.max(1, plan.limit - found.length),
      after: rank === first && plan.after ? { values: [], id: plan.after.id } : undefined,
    };
    const rows = findInOrder(scope, inRank, shared);
    found.push(...rows.map((row) => ({ ...row, rank })));
  }
  return found;
}

/** Finds records in the order of their sort keys and ids. */
function findInOrder(
  { connection, indexes, layout, connector }: PageScope,
  { after, ...query }: SearchPlan,
  { lookups, compared, listings }: Shared,
): FoundRow[] {
  const plan: SearchPlan = {
    ...query,
    after: after && { ...after, values: keysOf(after.values, query.sort, joinInner) },
  };
  const isIndexed = ({ ref }: SortKey): boolean => {
    const spec = orderOf(ref);
    return spec !== undefined && indexes.has(layout, spec);
  };
  const dialect = sqliteDialect(layout);
  const estimator = new SelectivityEstimator(connection, indexes, layout, plan, listings);
  let mayScan = true;
  const compilerFor = (dialect: Dialect) =>
    new Compiler(dialect, {
      lookups,
      selectivity(lookup, condition) {
        const selectivity = estimator.of(lookup, condition);
        return selectivity === 'most' && !mayScan ? 'many' : selectivity;
      },
      compared(condition, lookup, write) {
        const records = compared.get(condition) ?? estimator.compared(lookup, condition, write);
        compared.set(condition, records);
        return records;
      },
      fewRecords: (condition, write) => estimator.fewRecords(connector, condition, write),
    });
  const compiler = compilerFor(dialect);
  const [first] = plan.sort;
  const order = !first ? 'id' : isIndexed(first) ? first.ref : undefined;
  const found: FoundRow[] = [];
  const groups = largeGroups(connection, layout, connector, plan, estimator.maxRecords, isIndexed);
  for (const phase of phasesOf(dialect, plan.sort, plan.after, groups)) {
    const remaining = plan.limit + 1 - found.length;
    if (remaining <= 0) break;
    const read = (): FoundRow[] | undefined => {
      const values: Parameter[] = [connector];
      const mark: Mark = (value) => `?${values.push(value as Parameter)}`;
      let filter = compiler.filter(plan.condition, mark);
      const inOrder = mayScan && !filter.startsFromIndex && order !== undefined && estimator.isWide;
      if (inOrder) {
        values.splice(1);
        filter = compilerFor(sqliteDialect(layout, order)).filter(plan.condition, mark);
      }
      if (filter.sql === neverTrue) return [];
      const source = sourceOf(layout, filter.startsFromIndex, inOrder ? undefined : estimator.compositeIndex);
      const sql = statement(source, phase(mark), filter.sql, mark(remaining));
      const rows = () => connection.all<FoundRow>(sql, values);
      if (!inOrder && !filter.scansRecords) return rows();
      return connection.withWorkLimit(
        {
          ...(filter.scansRecords && { tests: estimator.testLimit }),
          ...(inOrder && { checks: estimator.scanLimit / (rowMask + 1) }),
        },
        rows,
      );
    };
    let rows = read();
    if (!rows) {
      // The matching records are further apart than estimated.
      mayScan = false;
      rows = read()!;
    }
    found.push(...rows);
  }
  return found;
}

function largeGroups(
  connection: Connection,
  layout: Layout,
  connector: number,
  plan: SearchPlan,
  maxSorted: number,
  isIndexed: (key: SortKey) => boolean,
): LargeGroups {
  const statements = findLargeGroups(
    {
      dialect: sqliteDialect(layout),
      table: quoteIdentifier(layout.table),
      where: `(r.connector = ?1 and ${withinTime('r.rid', rowMask)})`,
      connector,
      mark: (place) => `?${place}`,
    },
    plan,
    maxSorted,
    isIndexed,
  );
  let step = statements.next();
  while (!step.done) {
    step = statements.next(connection.all(step.value.sql, step.value.values as Parameter[]));
  }
  return step.value;
}

// `not indexed` reads the table by the row ids from the term lookup.
export const sourceOf = ({ table }: Layout, startsFromIndex: boolean, index?: string): string =>
  `${quoteIdentifier(table)} r${startsFromIndex ? ' not indexed' : index === undefined ? '' : ` indexed by ${quoteIdentifier(index)}`}`;

function statement(source: string, { keys, where, orderBy }: Phase, filter: string, limit: string): string {
  const selected = ['r.rid', 'r.id', ...keys.map((sql, index) => `${sql} as k${index}`)].join(', ');
  const conditions = joinConditions(
    ['r.connector = ?1', withinTime('r.rid', rowMask), filter, where].filter((part) => part !== ''),
    'and',
  );
  return `select ${selected} from ${source} where ${conditions} order by ${orderBy} limit ${limit}`;
}
