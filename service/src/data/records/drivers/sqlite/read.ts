import type { Connection, SqlValue } from '../../../sqlite.js';
import { Compiler } from '../../compile.js';
import { joinConditions, type Mark } from '../../dialect.js';
import { externalLength, maxReferenceBytes } from '../../external-text.js';
import { wordsInOrder } from '../../fuzzy-match.js';
import { likeMatcher } from '../../like-match.js';
import { maxPageCharacters } from '../../paging.js';
import type { Condition, PagePosition, SearchPlan } from '../../plan.js';
import { positionValues } from '../../positions.js';
import { rowsJson } from '../../records-json.js';
import { recordsIn, rowReader, splitColumns, wantedColumns } from '../../rows.js';
import { type Column, canonicalText, type Layout, quoteIdentifier, referenceMark } from '../../schema.js';
import { TermLookups, vocabulariesFor } from '../../terms.js';
import { hasForm } from '../../words/phrase.js';
import { hasAnyOf } from '../../words/question.js';
import { termIn } from '../../words/ranking.js';
import { type NumberedTerm, Vocabularies, type Vocabulary } from '../../words/vocabulary.js';
import { hasElement } from '../element-test.js';
import { indexMask, rowMask, splitInner, sqliteDialect, withinTime } from './dialect.js';
import type { Indexes } from './indexes.js';
import { type FoundRow, findPage, sourceOf } from './page.js';
import { SelectivityEstimator } from './selectivity.js';

/** Where a page ended, and whether there are more records. */
export interface PageEnd {
  /** Number of records. */
  readonly count: number;
  readonly last: PagePosition | null;
  readonly more: boolean;
}

/** Receives a batch of records: a JSON list or, if requested, its elements in UTF-8. */
export type EmitRecords = (records: string | Uint8Array) => void;

/**
 * Batch sizes: limited, because one long text would block everything else; the first is small until record sizes are
 * known.
 */
const [maxBatchSize, firstBatchSize] = [250, 1];
/** Approximate number of characters per batch. */
const batchCharacters = 2 ** 20;

/** Maximum number of terms loaded one by one. */
const maxScannedTerms = 20_000;

/** Reads from the file. Several readers can run in parallel, each in its own thread. */
export class Reader {
  readonly #connection: Connection;
  readonly #vocabularies = new Vocabularies();

  readonly #indexes: Indexes;

  constructor(connection: Connection, indexes: Indexes) {
    this.#connection = connection;
    this.#indexes = indexes;
    connection.addTest('has_word', hasAnyOf);
    connection.addTest('has_form', (operand: Parameters<typeof hasForm>) => hasForm(...operand));
    connection.addTest('is_like', likeMatcher);
    connection.addTest('has_words', wordsInOrder);
    connection.addTest('holds_one', hasElement);
  }

  /** Finds a page of records and emits them in batches. */
  search(layout: Layout, connectorId: string, plan: SearchPlan, asJson: boolean, emit: EmitRecords): PageEnd {
    return this.#connection.readTransaction(() => {
      const connector = this.numberOf(connectorId);
      if (connector === undefined) return { count: 0, last: null, more: false };
      if (plan.condition) this.#loadVocabularies(vocabulariesFor(plan.condition, connector));
      const found = findPage(
        {
          connection: this.#connection,
          indexes: this.#indexes,
          vocabularies: this.#vocabularies,
          layout,
          connector,
        },
        plan,
      );
      const wanted = Math.min(found.length, plan.limit);
      let [read, characters, size] = [0, 0, firstBatchSize];
      while (read < wanted && characters < maxPageCharacters) {
        const batch = found.slice(read, Math.min(read + size, wanted));
        const records = asJson ? this.#recordsJson(layout, batch) : this.#records(layout, plan.fields, batch);
        // Before it is sent, which empties it.
        characters += records.length + (typeof records === 'string' ? externalLength(records) : 0);
        emit(records);
        read += batch.length;
        size = Math.min(maxBatchSize, Math.max(1, Math.floor((batchCharacters * read) / characters)));
      }
      const last = found[read - 1];
      const keys = plan.sort.map((_, index) => last?.[`k${index}`] ?? null);
      return {
        count: read,
        last: last
          ? { values: plan.ranks ? [Number(last.rank)] : positionValues(keys, plan.sort, splitInner), id: last.id }
          : null,
        more: found.length > read,
      };
    });
  }

  get(layout: Layout, connectorId: string, ids: readonly string[]): string {
    return this.#listRecords(
      layout,
      'r.id in (select value from json_each(?2))',
      [connectorId, JSON.stringify(ids)],
      -1,
    );
  }

  /** Records with ids after `after`, in id order. */
  records(layout: Layout, connectorId: string, after: string, limit: number): string {
    return this.#listRecords(layout, 'r.id > ?2', [connectorId, after], limit);
  }

  ids(layout: Layout, connectorId: string, after: string, limit: number): string[] {
    const rows = this.#connection.all<{ id: string }>(
      `select id from ${quoteIdentifier(layout.table)} where connector = (select number from connectors where connector_id = ?)
        and id > ? order by id limit ?`,
      [connectorId, after, limit],
    );
    return rows.map(({ id }) => id);
  }

  count(layout: Layout, connectorId: string): number {
    const row = this.#connection.get<{ count: number }>(
      `select count(*) as count from ${quoteIdentifier(layout.table)}
        where connector = (select number from connectors where connector_id = ?)`,
      [connectorId],
    );
    return row!.count;
  }

  /** Compiles the source and condition of matching records; the first bound value is the connector's number. */
  matching(layout: Layout, connector: number, condition: Condition | undefined, mark: Mark) {
    if (condition) this.#loadVocabularies(vocabulariesFor(condition, connector));
    const estimator = new SelectivityEstimator(this.#connection, this.#indexes, layout, undefined);
    const compiler = new Compiler(sqliteDialect(layout), {
      lookups: new TermLookups(connector, this.#vocabularies, () => this.#connection.checkTime()),
      selectivity: (lookup, about) => estimator.of(lookup, about),
    });
    const { sql, startsFromIndex } = compiler.filter(condition, mark);
    const mask = condition ? rowMask : indexMask;
    const parts = ['r.connector = ?1', withinTime('r.rid', mask), ...(sql === '' ? [] : [sql])];
    return { from: sourceOf(layout, startsFromIndex), where: joinConditions(parts, 'and') };
  }

  /** The current vocabulary of a connector's field. */
  vocabularyOf(scope: string): Vocabulary {
    this.#loadVocabularies([scope]);
    return this.#vocabularies.of(scope);
  }

  /** Object references in a connector's rows. */
  references(layouts: readonly Layout[], connectorId: string): string[] {
    const number = this.numberOf(connectorId);
    if (number === undefined) return [];
    const bodies = `select t.body as reference from passage_texts t join passage_fields f on f.number = t.field where f.connector = ?1`;
    const columns = layouts.flatMap(({ table, columns: all }) =>
      all
        .filter(({ maxInline }) => maxInline !== undefined)
        .map(({ field, type, stored }) => {
          const value = type === 'json' ? `rest ->> ${literal(`$."${field}"`)}` : quoteIdentifier(stored);
          return `select ${value} as reference from ${quoteIdentifier(table)} where connector = ?1`;
        }),
    );
    return [bodies, ...columns].flatMap((sql) =>
      this.#connection
        .all<{ reference: string }>(`select reference from (${sql}) where instr(reference, char(1, 4)) > 0`, [number])
        .map(({ reference }) => reference),
    );
  }

  connectors(): string[] {
    return this.#connection
      .all<{ id: string }>('select connector_id as id from connectors where connector_id is not null order by 1')
      .map(({ id }) => id);
  }

  numberOf(connectorId: string): number | undefined {
    return this.#connection.get<{ number: number }>('select number from connectors where connector_id = ?', [
      connectorId,
    ])?.number;
  }

  /** Brings vocabularies up to date with the file. */
  #loadVocabularies(scopes: readonly string[]): void {
    if (scopes.length === 0) return;
    const newest = this.#connection.get<{ n: number | null }>('select max(n) as n from terms')?.n ?? 0;
    for (const scope of scopes) {
      const vocabulary = this.#vocabularies.of(scope);
      const missing = newest - vocabulary.newest;
      if (missing <= 0) continue;
      // The unary plus keeps SQLite from scanning the whole scope for a few new terms.
      const scopeColumn = missing < maxScannedTerms ? '+scope' : 'scope';
      vocabulary.learn(
        this.#connection.all<NumberedTerm>(`select n, term from terms where ${scopeColumn} = ? and n > ?`, [
          scope,
          vocabulary.newest,
        ]),
        newest,
      );
    }
  }

  #records(layout: Layout, fields: SearchPlan['fields'], page: readonly FoundRow[]): string {
    const { selected, read } = recordQuery(layout, fields);
    const rows = this.#connection.all<FoundRow>(
      `select r.rid, ${selected} from ${quoteIdentifier(layout.table)} r where r.rid in (select value from json_each(?))`,
      [JSON.stringify(page.map(({ rid }) => rid))],
    );
    const byNumber = new Map(rows.map((row) => [row.rid, row]));
    return `[${page.map(({ rid }) => read(byNumber.get(rid)!)).join(',')}]`;
  }

  /** The records of `#records`, as callers get them, without the brackets of the list. */
  #recordsJson(layout: Layout, page: readonly FoundRow[]): Uint8Array {
    const { selected, lines, read } = jsonQuery(layout);
    // `cross join` reads in the order of the page; sorting would copy all texts.
    const from = `from json_each(?) p cross join ${quoteIdentifier(layout.table)} r on r.rid = p.value`;
    const rids = JSON.stringify(page.map(({ rid }) => rid));
    // One value for all rows, because a value for each costs more than its bytes.
    const joined = this.#connection.get<{ lines: Uint8Array }>(
      `select cast(group_concat(${lines}, char(10)) as blob) as lines ${from}`,
      [rids],
    )!.lines;
    const rows = this.#connection.all<FoundRow>(`select ${selected} ${from}`, [rids]);
    const records = read(rows, joined);
    return records ?? Buffer.from(JSON.stringify(recordsIn(this.#records(layout, undefined, page))).slice(1, -1));
  }

  #listRecords(layout: Layout, where: string, values: readonly SqlValue[], limit: number): string {
    const { selected, read } = recordQuery(layout, undefined);
    const rows = this.#connection.all<FoundRow>(
      `select r.id as id, ${selected} from ${quoteIdentifier(layout.table)} r
        where r.connector = (select number from connectors where connector_id = ?1) and ${where} order by r.id limit ?3`,
      [...values, limit],
    );
    return `[${rows.map((row) => `{"id":${canonicalText(row.id)},"record":${read(row)}}`).join(',')}]`;
  }
}

/** SQLite functions take at most 127 arguments. */
const fieldsPerCall = 50;

/** The SQL that reads records, and the function that converts rows to text. */
interface RecordQuery {
  readonly selected: string;
  readonly read: ReturnType<typeof rowReader>;
}

/** Cached queries for full records. */
const fullRecordQueries = new WeakMap<Layout, RecordQuery>();

function recordQuery(layout: Layout, fields: SearchPlan['fields']): RecordQuery {
  const cached = fields ? undefined : fullRecordQueries.get(layout);
  if (cached) return cached;
  const query = { selected: selectedFrom(layout, fields), read: rowReader(layout, fields, true) };
  if (!fields) fullRecordQueries.set(layout, query);
  return query;
}

/** The SQL that reads full records as JSON, and the function that joins what it returns. */
interface JsonQuery {
  readonly selected: string;
  readonly lines: string;
  readonly read: ReturnType<typeof rowsJson>;
}

const jsonQueries = new WeakMap<Layout, JsonQuery>();

function jsonQuery(layout: Layout): JsonQuery {
  const cached = jsonQueries.get(layout);
  if (cached) return cached;
  const { calls, others } = callsAndOthers(layout, undefined);
  const query = {
    selected: ['r.rid', ...others.filter((sql) => sql !== restColumn)].join(', '),
    lines: [...calls, restColumn].join(' || char(10) || '),
    read: rowsJson(layout, calls.length + 1),
  };
  jsonQueries.set(layout, query);
  return query;
}

/** The columns to select. Texts are returned as JSON, which is faster than transferring separate columns. */
function selectedFrom(layout: Layout, fields: SearchPlan['fields']): string {
  const { calls, others } = callsAndOthers(layout, fields);
  return [...calls.map((call, index) => `${call} as t${index}`), ...others].join(', ');
}

const restColumn = 'r."rest"';

/** The SQL of JSON objects with a row's texts, and of its other columns. */
function callsAndOthers(layout: Layout, fields: SearchPlan['fields']) {
  const { texts, others } = splitColumns(wantedColumns(layout, fields));
  const calls: string[] = [];
  for (let at = 0; at < texts.length; at += fieldsPerCall) {
    const pairs = texts
      .slice(at, at + fieldsPerCall)
      .map(({ field, stored }) => `${literal(field)}, r.${quoteIdentifier(stored)}`);
    calls.push(`json_object(${pairs.join(', ')})`);
  }
  return { calls, others: others.map((name) => `r.${quoteIdentifier(name)}`) };
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Whether a stored text is an object reference. */
export const isReference = (text: string): boolean => text.includes(referenceMark);

/** SQL for part of a text, or for its reference if it is stored as an object. */
export const partOf = (body: string, start: string, length: string): string =>
  `case when octet_length(${body}) <= ${maxReferenceBytes} and instr(${body}, char(1, 4)) > 0 then ${body}
    else substr(${body}, ${start}, ${length}) end`;

/** Term frequencies of tokens in a field's passages, read from the index alone. */
export function countTokens(
  connection: Connection,
  field: number,
  tokens: readonly string[],
  passages: readonly number[],
): Map<number, Array<readonly [string, number]>> {
  const counts = new Map(passages.map((passage) => [passage, [] as Array<readonly [string, number]>]));
  if (passages.length === 0) return counts;
  const queryOnly = connection.get<{ query_only: number }>('pragma query_only')?.query_only;
  // Readers are query-only, which also forbids temporary tables.
  connection.exec(`
    pragma query_only = off;
    create virtual table if not exists temp.passage_instances using fts5vocab(main, 'passage_words', 'instance');
    pragma query_only = ${queryOnly ? 'on' : 'off'}`);
  for (const token of tokens) {
    const rows = connection.all<{ passage: number; count: number }>(
      `select doc as passage, count(*) as count from temp.passage_instances
        where term = ? and +doc in (select value from json_each(?)) group by doc`,
      [termIn(field, token), JSON.stringify(passages)],
    );
    for (const { passage, count } of rows) counts.get(passage)?.push([token, count]);
  }
  return counts;
}

/** The full text that a field's passages belong to. */
export const bodyOf = ({ kind, stored }: Column): string =>
  kind === 'string' ? `coalesce(t.body, r.${quoteIdentifier(stored)})` : 't.body';
