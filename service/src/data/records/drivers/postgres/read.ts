import { Compiler } from '../../compile.js';
import { type Dialect, joined, type Mark, type WordTest } from '../../dialect.js';
import { type Phase, phasesOf } from '../../paging.js';
import type { Condition, Position, SearchPlan } from '../../plan.js';
import { recordsIn, rowReader, storedIn, wantedColumns } from '../../rows.js';
import { type Layout, quoted } from '../../schema.js';
import { Leads, vocabulariesFor } from '../../terms.js';
import { Vocabularies } from '../../words.js';
import type { FoundPage } from '../driver.js';
import type { Query } from './connection.js';
import { postgresDialect, textAt } from './dialect.js';
import { firstLook, nextLook, type Reach, reachOf } from './reach.js';
import { decide, handful, passing, required, undecided } from './word-tests.js';

type Found = Readonly<Record<string, unknown>> & { readonly id: string };

/** What a page is read by. */
interface Reading {
  readonly query: Query;
  readonly layout: Layout;
  readonly connector: number;
  readonly dialect: Dialect;
  readonly compiler: Compiler;
  readonly leads: Leads;
}

/** So often more records are looked at for a page before all that the terms lead to are. */
const rounds = 3;

/** Reads from Postgres, with what it has learnt of the words there. */
export class Reader {
  readonly #vocabularies = new Vocabularies();

  /** Finds the records of one page, inside of a transaction. */
  async search(query: Query, layout: Layout, connectorId: string, plan: SearchPlan): Promise<FoundPage> {
    const [row] = await query<{ number: number }>('select number from connectors where connector_id = $1', [
      connectorId,
    ]);
    if (!row) return { records: [], last: null, more: false };
    const connector = row.number;
    const found =
      (await this.#lookAsTheyCome(query, layout, connector, plan)) ??
      (await rowsOf(
        { query, layout, connector, ...(await this.compilerFor(query, layout, connector, plan.condition)) },
        plan,
        plan.limit + 1,
        () => columnsOf(layout, plan.fields),
      ));
    const page = found.slice(0, plan.limit);
    const read = rowReader(layout, plan.fields);
    return {
      records: recordsIn(`[${page.map(read).join(',')}]`),
      last: page.length > 0 ? positionOf(page.at(-1)!) : null,
      more: found.length > plan.limit,
    };
  }

  /** What writes the SQL of a condition, after all that it has to know of the words there. */
  async compilerFor(
    query: Query,
    layout: Layout,
    connector: number,
    condition: Condition | undefined,
    later: readonly WordTest[] = [],
  ): Promise<Pick<Reading, 'dialect' | 'compiler' | 'leads'>> {
    const leads = await this.#leadsFor(query, connector, condition);
    const tests = undecided(condition, leads).filter((test) => !later.includes(test));
    const dialect = postgresDialect(await decide(query, layout, connector, tests, leads), later);
    return { dialect, compiler: new Compiler(dialect, { leads }), leads };
  }

  async #leadsFor(query: Query, connector: number, condition: Condition | undefined): Promise<Leads> {
    if (condition) await this.learn(query, vocabulariesFor(condition, connector));
    return new Leads(connector, this.#vocabularies);
  }

  /**
   * Fills a page with records in their order, and tests the words of each as it comes: mostly that takes few of the
   * many that terms lead to. Nothing where no tests are left for it, too many
   * records are wanted or too few pass.
   */
  async #lookAsTheyCome(
    query: Query,
    layout: Layout,
    connector: number,
    plan: SearchPlan,
  ): Promise<Found[] | undefined> {
    const tests = required(plan.condition, await this.#leadsFor(query, connector, plan.condition));
    if (tests.length === 0 || 2 * plan.limit > handful) return undefined;
    const passes = tests.map(passing);
    const compiled = await this.compilerFor(query, layout, connector, plan.condition, tests);
    const reading: Reading = { query, layout, connector, ...compiled };
    const texts = (mark: Mark) => tests.map(({ place }, index) => `${textAt(place, mark)} as text${index}`);
    const found: Found[] = [];
    let { after } = plan;
    let size = 4 * (plan.limit + 1);
    for (let round = 0; round < rounds; round++) {
      size = Math.min(size, handful);
      const rows = await rowsOf(reading, { ...plan, after }, size, texts);
      found.push(
        ...rows.filter((row) =>
          passes.every((holds, index) => {
            const text = row[`text${index}`];
            return typeof text === 'string' && holds(text);
          }),
        ),
      );
      if (found.length > plan.limit || rows.length < size)
        return wholeOf(reading, plan, found.slice(0, plan.limit + 1));
      after = positionOf(rows.at(-1)!);
      size *= 4;
    }
    return undefined;
  }

  /** Brings vocabularies up to what the database holds now. */
  async learn(query: Query, scopes: readonly string[]): Promise<Vocabularies> {
    if (scopes.length === 0) return this.#vocabularies;
    const [row] = await query<{ n: string | number | null }>('select max(n) as n from terms');
    const newest = Number(row?.n ?? 0);
    for (const scope of scopes) {
      const vocabulary = this.#vocabularies.of(scope);
      if (newest <= vocabulary.newest) continue;
      const rows = await query<{ n: string | number; term: string }>(
        'select n, term from terms where scope = $1 and n > $2 and n <= $3',
        [scope, vocabulary.newest, newest],
      );
      // Another search may learn the same meanwhile.
      vocabulary.learn(
        rows.map(({ n, term }) => ({ n: Number(n), term })),
        newest,
      );
    }
    return this.#vocabularies;
  }
}

/** Records in their order, as many as are wanted, with these columns of each. */
async function rowsOf(
  reading: Reading,
  plan: SearchPlan,
  wanted: number,
  columns: (mark: Mark) => readonly string[],
): Promise<Found[]> {
  const { query, layout, connector, dialect, leads } = reading;
  const reach = await reachOf(query, layout, connector, plan.condition, leads);
  if (reach) await query('set local enable_seqscan = off');
  const found: Found[] = [];
  for (const phase of phasesOf(dialect, plan.sort, plan.after)) {
    const left = wanted - found.length;
    if (left <= 0) break;
    const read = (way: Way) => phaseRows(reading, plan, phase, { left, way, columns });
    found.push(...(reach ? await readWithin(reach, isSorted(plan.sort), left, read) : await read('any')));
  }
  return found;
}

/** Looks at records in their order as long as that promises to be the shorter way, and then at all that terms lead to. */
async function readWithin(
  reach: Reach,
  sorted: boolean,
  left: number,
  read: (way: Way) => Promise<Found[]>,
): Promise<Found[]> {
  let patience = sorted ? firstLook(reach, left) : 0;
  while (patience > 0) {
    const looked = await read({ patience });
    if (looked.length === left) return looked;
    patience = nextLook(reach, left, patience, looked.length);
  }
  return read('led');
}

/** Whether an index has the records in this order. */
const isSorted = ([first, second]: SearchPlan['sort']): boolean =>
  !first || (!second && first.place.path.length === 0 && first.place.column.indexed);

/** How records are come to: as Postgres sees fit, from what terms lead to, or by looking at so many in their order. */
type Way = 'any' | 'led' | { readonly patience: number };

async function phaseRows(
  { query, layout, connector, compiler }: Reading,
  plan: SearchPlan,
  phase: (mark: Mark) => Phase,
  { left, way, columns }: { left: number; way: Way; columns: (mark: Mark) => readonly string[] },
): Promise<Found[]> {
  const values: unknown[] = [connector];
  const mark: Mark = (value) => `$${values.push(value)}`;
  const filter = compiler.filter(plan.condition, mark).sql;
  const { keys, where, orderBy, parts, mergedBy } = phase(mark);
  const table = quoted(layout.table);
  const selected = ['r.rid as row', 'r.id as rid', ...keys.map((sql, index) => `${sql} as k${index}`)].join(', ');
  const both = (...conditions: string[]) =>
    joined(
      conditions.filter((one) => one !== ''),
      'and',
    );
  const most = `limit ${mark(left)}::integer`;
  const sorted = (part: string): string => {
    const place = both('r.connector = $1', where, part);
    const order = `order by ${orderBy}`;
    if (way === 'any') return `(select ${selected} from ${table} r where ${both(place, filter)} ${order} ${most})`;
    if (way !== 'led') {
      const looked = `(select * from ${table} r where ${place} ${order} limit ${mark(way.patience)}::integer) r`;
      return `(select ${selected} from ${looked} where ${filter} ${order} ${most})`;
    }
    // What stands behind an offset is found without regard to the order and the limit around it.
    const led = `(select ${selected} from ${table} r where ${both(place, filter)} offset 0) r`;
    return `(select * from ${led} order by ${mergedBy} ${most})`;
  };
  // All that terms lead to are few: no part of them is found sooner than the whole.
  const sources = (parts.length > 0 && way !== 'led' ? parts : ['']).map(sorted);
  const merged = `(select * from (${sources.join(' union all ')}) parts order by ${mergedBy} ${most})`;
  // Only the records of the page are read whole: making texts of all that are sorted would take longest of all.
  return query<Found>(
    `select page.*, ${columns(mark).join(', ')} from (
      select *, row_number() over () as place from ${sources.length === 1 ? sources[0] : merged} sorted
    ) page join ${table} r on r.rid = page.row order by page.place`,
    values,
  );
}

/** The same records with all that is wanted of them. */
async function wholeOf({ query, layout }: Reading, { fields }: SearchPlan, found: readonly Found[]): Promise<Found[]> {
  const rows = await query<Found>(
    `select r.rid as row, ${columnsOf(layout, fields).join(', ')} from ${quoted(layout.table)} r
      where r.rid = any($1::bigint[])`,
    [found.map(({ row }) => String(row))],
  );
  const byNumber = new Map(rows.map((row) => [String(row.row), row]));
  return found.map((row) => ({ ...byNumber.get(String(row.row))!, ...row }));
}

/** Columns that the wanted fields are read from. */
export function columnsOf(layout: Layout, fields: SearchPlan['fields']): string[] {
  const { texts, others } = storedIn(wantedColumns(layout, fields));
  const names = [...texts.map(({ stored }) => stored), ...others];
  return names.map((name) => (name === 'rest' ? 'r.rest::text as rest' : `r.${quoted(name)}`));
}

const positionOf = (row: Found): Position => ({
  values: Object.entries(row)
    .filter(([name]) => /^k\d+$/.test(name))
    .map(([, value]) => value as Position['values'][number]),
  id: row.rid as string,
});
