import { Compiler } from '../../compile.js';
import { type Dialect, joined, type Mark, type WordTest } from '../../dialect.js';
import { inOrder } from '../../in-order.js';
import { phasesOf } from '../../paging.js';
import type { Condition, Position, SearchPlan } from '../../plan.js';
import { recordsIn, rowReader, storedIn, wantedColumns } from '../../rows.js';
import { type Layout, quoted } from '../../schema.js';
import { Leads, vocabulariesFor } from '../../terms.js';
import { Vocabularies } from '../../vocabulary.js';
import { hasAny } from '../../words.js';
import type { FoundPage } from '../driver.js';
import type { Query } from './connection.js';
import { postgresDialect, termQuery, textAt } from './dialect.js';

type Found = Readonly<Record<string, unknown>> & { readonly id: string };

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
    const { dialect, compiler } = await this.compilerFor(query, layout, connector, plan.condition);
    const found: Found[] = [];
    for (const phase of phasesOf(dialect, plan.sort, plan.after)) {
      const wanted = plan.limit + 1 - found.length;
      if (wanted <= 0) break;
      const values: unknown[] = [connector];
      const mark: Mark = (value) => `$${values.push(value)}`;
      const filter = compiler.filter(plan.condition, mark).sql;
      const { keys, where, orderBy } = phase(mark);
      const conditions = joined(
        ['r.connector = $1', filter, where].filter((part) => part !== ''),
        'and',
      );
      const table = quoted(layout.table);
      const selected = ['r.rid as row', 'r.id as rid', ...keys.map((sql, index) => `${sql} as k${index}`)].join(', ');
      // Only the records of the page are read whole: making texts of all that are sorted would take longest of all.
      found.push(
        ...(await query<Found>(
          `select page.*, ${columnsOf(layout, plan.fields).join(', ')} from (
            select *, row_number() over () as place from (
              select ${selected} from ${table} r where ${conditions} order by ${orderBy} limit ${mark(wanted)}::integer
            ) ordered
          ) page join ${table} r on r.rid = page.row order by page.place`,
          values,
        )),
      );
    }
    const page = found.slice(0, plan.limit);
    const read = rowReader(layout, plan.fields);
    const last = page.at(-1);
    return {
      records: recordsIn(`[${page.map(read).join(',')}]`),
      last: last ? { values: keysIn(last), id: last.rid as string } : null,
      more: found.length > plan.limit,
    };
  }

  /** What writes the SQL of a condition, after all that it has to know of the words there. */
  async compilerFor(
    query: Query,
    layout: Layout,
    connector: number,
    condition: Condition | undefined,
  ): Promise<{ readonly dialect: Dialect; readonly compiler: Compiler }> {
    if (condition) await this.learn(query, vocabulariesFor(condition, connector));
    const leads = new Leads(connector, this.#vocabularies);
    const dialect = postgresDialect(await decide(query, layout, connector, condition, leads));
    return { dialect, compiler: new Compiler(dialect, { leads }) };
  }

  /** Brings the vocabularies up to what the database holds now, and loads those that are missing. */
  async learn(query: Query, scopes: readonly string[]): Promise<Vocabularies> {
    if (scopes.length === 0) return this.#vocabularies;
    const [row] = await query<{ n: string | number | null }>('select max(n) as n from terms');
    const newest = Number(row?.n ?? 0);
    if (this.#vocabularies.isEmpty) this.#vocabularies.newest = newest;
    if (newest > this.#vocabularies.newest) {
      const rows = await query<{ scope: string; term: string }>('select scope, term from terms where n > $1', [
        this.#vocabularies.newest,
      ]);
      // Another search may have learnt the same meanwhile.
      if (newest > this.#vocabularies.newest) for (const { scope, term } of rows) this.#vocabularies.learn(scope, term);
      this.#vocabularies.newest = Math.max(newest, this.#vocabularies.newest);
    }
    for (const scope of scopes) {
      if (this.#vocabularies.has(scope)) continue;
      const rows = await query<{ term: string }>('select term from terms where scope = $1', [scope]);
      if (this.#vocabularies.has(scope)) continue;
      const vocabulary = this.#vocabularies.of(scope);
      for (const { term } of rows) vocabulary.add(term);
    }
    return this.#vocabularies;
  }
}

/** Columns that the wanted fields are read from. */
export function columnsOf(layout: Layout, fields: SearchPlan['fields']): string[] {
  const { texts, others } = storedIn(wantedColumns(layout, fields));
  const names = [...texts.map(({ stored }) => stored), ...others];
  return names.map((name) => (name === 'rest' ? 'r.rest::text as rest' : `r.${quoted(name)}`));
}

const keysIn = (row: Found): Position['values'] =>
  Object.entries(row)
    .filter(([name]) => /^k\d+$/.test(name))
    .map(([, value]) => value as Position['values'][number]);

/** Tests of words that terms alone do not decide. */
function undecided(condition: Condition | undefined, leads: Leads): WordTest[] {
  if (!condition) return [];
  if ('parts' in condition) return condition.parts.flatMap((part) => undecided(part, leads));
  if (condition.test === 'not') return undecided(condition.part, leads);
  if (condition.test !== 'keyword' && condition.test !== 'fuzzy') return [];
  return condition.words.length > 0 && !leads.of(condition)?.exact ? [condition as WordTest] : [];
}

const handful = 2000;

/** Decides tests of words that Postgres cannot: reads the texts in question, and tells the records that pass. */
async function decide(
  query: Query,
  layout: Layout,
  connector: number,
  condition: Condition | undefined,
  leads: Leads,
): Promise<Map<WordTest, readonly string[]>> {
  const decided = new Map<WordTest, readonly string[]>();
  for (const test of undecided(condition, leads)) {
    const lead = leads.of(test);
    const wanted = new Set(test.words);
    const holds = test.test === 'fuzzy' ? inOrder(test.words) : (text: string) => hasAny(text, wanted);
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
