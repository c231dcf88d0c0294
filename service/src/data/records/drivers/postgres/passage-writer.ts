import type { StoredRecord } from '../../entity.js';
import type { FieldText } from '../../passages/types.js';
import { type ColumnText, columnTexts } from '../../rows.js';
import { canonicalText, type Layout, quoteIdentifier } from '../../schema.js';
import { correctableIn, scopeOf } from '../../words/ranking.js';
import type { RunStatement } from './connection.js';
import { type PassageTerms, passageTerms } from './passage-terms.js';
import { enterNumber, forCitus } from './row-security.js';

/** The texts of one record, by row number. */
export interface RecordTexts {
  readonly row: string;
  readonly record: StoredRecord;
  readonly texts: readonly FieldText[];
}

interface TextKey {
  readonly field: number;
  readonly record: string;
}

interface NewText extends TextKey {
  readonly columnText: ColumnText;
}

/** Maximum UTF-16 code units of text per statement, to limit memory. */
const maxStatementLength = 1_000_000;

/** Updates the passages of records inside a write transaction; unchanged texts keep their passages. */
export async function writeTexts(
  query: RunStatement,
  layout: Layout,
  connector: number,
  records: readonly RecordTexts[],
  isReindexing: boolean,
): Promise<Map<string, Set<string>>> {
  const words = new Map<string, Set<string>>();
  const newTexts = records.flatMap(({ row, record, texts }) =>
    columnTexts(layout, record, texts).map((columnText) => ({ record: row, placed: columnText })),
  );
  const names = new Set(newTexts.map(({ placed: columnText }) => columnText.column.field));
  const fields = await fieldNumbers(query, layout, connector, names);
  if (fields.size === 0) return words;
  const stored = await query<TextKey & { hash: string }>(
    `select field, record::text as record, hash from field_texts
      where connector = $1 and field = any($2::integer[]) and record = any($3::bigint[])`,
    [connector, [...fields.values()], records.map(({ row }) => row)],
  );
  const outdated = new Map(stored.map((text) => [`${text.field} ${text.record}`, text]));
  const added: NewText[] = [];
  const kept: NewText[] = [];
  for (const { record, placed: columnText } of newTexts) {
    const field = fields.get(columnText.column.field)!;
    const key = `${field} ${record}`;
    if (outdated.get(key)?.hash === columnText.digest) {
      outdated.delete(key);
      kept.push({ field, record, columnText });
    } else added.push({ field, record, columnText });
  }
  await dropTexts(query, connector, [...outdated.values()]);
  for (const part of splitBySize(added)) await addTexts(query, connector, part, words);
  if (isReindexing) for (const part of splitBySize(kept)) await reindexTexts(query, connector, part, words);
  return words;
}

async function fieldNumbers(
  query: RunStatement,
  { table }: Layout,
  connector: number,
  names: ReadonlySet<string>,
): Promise<Map<string, number>> {
  const read = () =>
    query<{ field: string; number: number }>(
      'select field, number from passage_fields where connector = $1 and entity = $2',
      [connector, table],
    );
  let rows = await read();
  const missing = [...names].filter((name) => !rows.some(({ field }) => field === name));
  if (missing.length > 0) {
    await query(
      `insert into passage_fields (connector, entity, field)
        select $1::integer, $2, given.field from unnest($3::text[]) as given (field) ${forCitus}`,
      [connector, table, missing],
    );
    rows = await read();
  }
  return new Map(rows.map(({ field, number }) => [field, number]));
}

function* splitBySize(texts: readonly NewText[]): Generator<readonly NewText[]> {
  let [from, size] = [0, 0];
  for (const [index, { columnText }] of texts.entries()) {
    if (size > 0 && size + columnText.text.length > maxStatementLength) {
      yield texts.slice(from, index);
      [from, size] = [index, 0];
    }
    size += columnText.text.length;
  }
  if (from < texts.length) yield texts.slice(from);
}

async function addTexts(
  query: RunStatement,
  connector: number,
  texts: readonly NewText[],
  words: Map<string, Set<string>>,
): Promise<void> {
  const prepared = texts.map((one) => ({
    ...one,
    passages: passageTerms(one.field, one.columnText.column, one.columnText.text, one.columnText.passages),
  }));
  await query(
    `insert into field_texts (connector, field, record, hash, body)
      select $1::integer, * from unnest($2::integer[], $3::bigint[], $4::text[], $5::text[])
      ${forCitus}`,
    [
      connector,
      ...columns(prepared, ({ field, record, columnText }) => [field, record, columnText.digest, columnText.body]),
    ],
  );
  const rows = prepared.flatMap(({ field, record, columnText, passages }) =>
    columnText.passages.map((span, index) => ({ field, record, ...span, ...(passages[index] as PassageTerms) })),
  );
  // Separate statements: Citus copies the rows of an insert that another part of the statement reads to all workers, so
  // that one that is down would stop the writes of all connectors.
  await query(
    `insert into passages (connector, field, record, first, behind, length, attribution, terms)
      select $1::integer, field, record, first, behind, length, attribution::jsonb, terms::tsvector
        from unnest($2::integer[], $3::bigint[], $4::integer[], $5::integer[], $6::integer[], $7::text[], $8::text[])
          as given (field, record, first, behind, length, attribution, terms)
      ${forCitus}`,
    [
      connector,
      ...columns(rows, ({ field, record, start, end, length, attribution, turns, terms }) => [
        field,
        record,
        start,
        end,
        length,
        canonicalText(turns ?? attribution),
        terms,
      ]),
    ],
  );
  await query(
    `insert into passage_terms (connector, field, term, passages)
      select $1::integer, field, term, count(*)
        from unnest($2::integer[], $3::text[]) as given (field, terms), unnest(tsvector_to_array(terms::tsvector)) term
        group by field, term
      on conflict (connector, field, term) do update set passages = passage_terms.passages + excluded.passages`,
    [connector, ...columns(rows, ({ field, terms }) => [field, terms])],
  );
  await query(
    `update passage_fields f set passages = f.passages + sum.passages, tokens = f.tokens + sum.tokens
      from unnest($2::integer[], $3::bigint[], $4::bigint[]) as sum (field, passages, tokens)
      where f.connector = $1 and f.number = sum.field`,
    [connector, ...columns(sumsByField(rows), (sum) => sum)],
  );
  addWords(connector, texts, words);
}

/** Finds the words of passages again, which stay otherwise. */
async function reindexTexts(
  query: RunStatement,
  connector: number,
  texts: readonly NewText[],
  words: Map<string, Set<string>>,
): Promise<void> {
  const stored = await query<TextKey & { number: string; first: number; behind: number }>(
    `select p.number::text as number, p.field, p.record::text as record, p.first, p.behind
      from passages p join unnest($2::integer[], $3::bigint[]) as given (field, record) using (field, record)
      where p.connector = $1 order by p.number for update of p`,
    [connector, ...columns(texts, ({ field, record }) => [field, record])],
  );
  const rows = texts.flatMap(({ field, record, columnText: { column, text } }) => {
    const own = stored.filter((one) => one.field === field && one.record === record);
    const spans = own.map(({ first, behind }) => ({ start: first, end: behind, attribution: {} }));
    const indexed = passageTerms(field, column, text, spans);
    return own.map(({ number }, index) => ({ number, ...(indexed[index] as PassageTerms) }));
  });
  if (rows.length > 0) {
    const numbers = rows.map(({ number }) => number);
    await countWords(query, connector, numbers, -1);
    await query(
      `update passages p set terms = given.terms::tsvector, length = given.length
        from unnest($2::bigint[], $3::integer[], $4::text[]) as given (number, length, terms)
        where p.connector = $1 and p.number = given.number`,
      [connector, ...columns(rows, ({ number, length, terms }) => [number, length, terms])],
    );
    await countWords(query, connector, numbers, 1);
  }
  addWords(connector, texts, words);
}

/** Adds the passages' words to the counts, or subtracts them. */
async function countWords(
  query: RunStatement,
  connector: number,
  numbers: readonly string[],
  sign: 1 | -1,
): Promise<void> {
  await query(
    `insert into passage_terms (connector, field, term, passages)
      select $1::integer, field, term, $3::integer * count(*) from passages, unnest(tsvector_to_array(terms)) term
        where connector = $1 and number = any($2::bigint[]) group by field, term
      on conflict (connector, field, term) do update set passages = passage_terms.passages + excluded.passages`,
    [connector, numbers, sign],
  );
  await query(
    `update passage_fields f set tokens = f.tokens + $3::integer * sum.tokens
      from (select field, sum(length) as tokens from passages
        where connector = $1 and number = any($2::bigint[]) group by field) sum
      where f.connector = $1 and f.number = sum.field`,
    [connector, numbers, sign],
  );
}

/** Adds the words of texts that are not in a column whose words are indexed anyway. */
function addWords(connector: number, texts: readonly NewText[], words: Map<string, Set<string>>): void {
  for (const {
    columnText: { column, text, inColumn },
  } of texts) {
    // The column's own words are indexed already.
    if (inColumn && column.wordIndexed) continue;
    const scope = scopeOf(connector, column);
    const known = words.get(scope) ?? new Set();
    for (const word of correctableIn(text)) known.add(word);
    words.set(scope, known);
  }
}

/** Number of passages and tokens per field. */
function sumsByField(rows: ReadonlyArray<{ readonly field: number; readonly length: number }>): number[][] {
  const sums = new Map<number, [passages: number, tokens: number]>();
  for (const { field, length } of rows) {
    const [passages, tokens] = sums.get(field) ?? [0, 0];
    sums.set(field, [passages + 1, tokens + length]);
  }
  return [...sums].map(([field, sum]) => [field, ...sum]);
}

/** Transposes rows into one list per column. */
function columns<Row>(rows: readonly Row[], cells: (row: Row) => readonly unknown[]): unknown[][] {
  const all = rows.map(cells);
  return (all[0] ?? []).map((_, index) => all.map((row) => row[index]));
}

/** Deletes all passages of the given records, inside a write transaction. */
export async function dropRecords(
  query: RunStatement,
  { table }: Layout,
  connector: number,
  records: readonly string[],
): Promise<void> {
  const texts = await query<TextKey>(
    `select t.field, t.record::text as record from field_texts t
      join passage_fields f on f.connector = t.connector and f.number = t.field
      where t.connector = $1 and f.entity = $2 and t.record = any($3::bigint[])`,
    [connector, table, records],
  );
  await dropTexts(query, connector, texts);
}

async function dropTexts(query: RunStatement, connector: number, texts: readonly TextKey[]): Promise<void> {
  if (texts.length === 0) return;
  const lists = columns(texts, ({ field, record }) => [field, record]);
  const given = 'unnest($2::integer[], $3::bigint[]) as given (field, record)';
  // Locked in number order, as in embedding, to avoid deadlocks.
  await query(
    `with locked as materialized (
      select p.number from passages p join ${given} using (field, record)
        where p.connector = $1 order by p.number for update of p
    ), gone as (
      delete from passages p using locked where p.connector = $1 and p.number = locked.number
        returning p.field, p.length, p.terms
    ), lowered as (
      update passage_terms t set passages = t.passages - less.passages
        from (select field, term, count(*) as passages from gone, unnest(tsvector_to_array(terms)) term group by field, term) less
        where t.connector = $1 and t.field = less.field and t.term = less.term collate "C"
    )
    update passage_fields f set passages = f.passages - less.passages, tokens = f.tokens - less.tokens
      from (select field, count(*) as passages, sum(length) as tokens from gone group by field) less
      where f.connector = $1 and f.number = less.field`,
    [connector, ...lists],
  );
  await query(
    `delete from field_texts t using ${given} where t.connector = $1 and t.field = given.field and t.record = given.record`,
    [connector, ...lists],
  );
  const locations = await query<{ embedder: number; table: string }>(
    'select number as embedder, kept_in as table from embedders order by number',
  );
  for (const { embedder, table } of locations) {
    await query(
      `with gone as (
        delete from ${quoteIdentifier(table)} v using ${given}
          where v.connector = $1 and v.embedder = $4 and v.field = given.field and v.record = given.record
          returning v.field
      ), less as (select field, count(*) as passages from gone group by field order by field)
      update embedded e set passages = e.passages - less.passages from less
        where e.connector = $1 and e.field = less.field and e.embedder = $4`,
      [connector, ...lists, embedder],
    );
  }
}

/** Deletes all passages of a connector or of one of its entities, inside a write transaction. */
export async function dropAll(query: RunStatement, connector: number, entity?: string): Promise<void> {
  await enterNumber(query, connector);
  const fields = await query<{ number: number }>(
    'select number from passage_fields where connector = $1 and entity = coalesce($2::text, entity)',
    [connector, entity ?? null],
  );
  if (fields.length === 0) return;
  const values = [connector, fields.map(({ number }) => number)];
  await query(
    `with locked as materialized (
        select number from passages where connector = $1 and field = any($2::integer[]) order by number for update)
      delete from passages p using locked where p.connector = $1 and p.number = locked.number`,
    values,
  );
  const tables = await query<{ table: string }>('select distinct kept_in as table from embedders order by 1');
  for (const name of [...tables.map(({ table }) => table), 'field_texts', 'passage_terms', 'embedded']) {
    await query(`delete from ${quoteIdentifier(name)} where connector = $1 and field = any($2::integer[])`, values);
  }
  await query('delete from passage_fields where connector = $1 and number = any($2::integer[])', values);
}
