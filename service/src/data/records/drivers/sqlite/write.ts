import type { Connection, SqlValue } from '../../../sqlite.js';
import { deletedState, type RecordState, stateOf } from '../../changes/history.js';
import type { StoredRecord } from '../../entity.js';
import type { FieldText, PassageVector } from '../../passages/types.js';
import { type ColumnText, columnNames, columnTexts, KnownTerms, rowOf, slicer } from '../../rows.js';
import { type Column, type Layout, quoteIdentifier } from '../../schema.js';
import { termsOfRecord } from '../../terms.js';
import type { WriteCounts } from '../../types.js';
import { lengthOf } from '../../words/edits.js';
import { correctableIn, passageTokens, scopeOf, termIn } from '../../words/ranking.js';
import { normalize, pack } from '../vectors/packed.js';
import { HistoryWriter } from './history.js';
import { requestPurge, retireTermNumbers } from './purge.js';

/** Records deleted at a time. */
const deletedRecords = 500;

type NewTerms = Array<readonly [scope: string, terms: ReadonlySet<string>]>;

type Statements = ReturnType<typeof statementsFor>;

/** How a record is written: for the first time, or only because its words are found anew. */
interface RecordPut {
  readonly isNew: boolean;
  readonly isReindexing: boolean;
}

/** Prepares the statements that write one record. */
function statementsFor(layout: Layout) {
  const [table, words] = [quoteIdentifier(layout.table), quoteIdentifier(layout.words)];
  const names = ['hash', 'rest', ...columnNames(layout)];
  const all = [...names, 'connector', 'id'].map(quoteIdentifier);
  return {
    find: `select rid, hash from ${table} where connector = ? and id = ?`,
    insert: `insert into ${table} (${all.join(', ')}) values (${all.map(() => '?').join(', ')})`,
    names,
    read: `select ${names.map(quoteIdentifier).join(', ')} from ${table} where rid = ?`,
    update: (changed: readonly string[]) =>
      `update ${table} set ${changed.map((name) => `${quoteIdentifier(name)} = ?`).join(', ')} where rid = ?`,
    /** Columns whose values are indexed as terms. */
    searched: new Set(['rest', ...layout.columns.filter((column) => column.wordIndexed).map(({ stored }) => stored)]),
    addTerms: `insert into ${words} (rowid, terms) values (?, ?)`,
    removeTerms: `delete from ${words} where rowid = ?`,
  };
}

/**
 * Changes to full-text indexes, which wait for the end of a transaction: before any statement that could fail half-way,
 * such as one with a trigger, SQLite makes these indexes write out what they have collected.
 */
class WordChanges {
  readonly #connection: Connection;
  #changes: Array<readonly [sql: string, values: readonly SqlValue[]]> = [];

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  add(sql: string, values: readonly SqlValue[]): void {
    this.#changes.push([sql, values]);
  }

  /** Runs `work` in a transaction, and what it has added at the end. */
  writeTransaction<T>(work: () => T): T {
    this.#changes = [];
    return this.#connection.writeTransaction(() => {
      const result = work();
      for (const [sql, values] of this.#changes) this.#connection.run(sql, values);
      return result;
    });
  }
}

/** Writes to the file; one per process. */
export class Writer {
  readonly #connection: Connection;
  readonly #words: WordChanges;
  #knownTerms = new KnownTerms();
  /** Value of `termDeletions` when the known terms were loaded. */
  #termDeletions = 0;
  readonly #statements = new Map<Layout, Statements>();
  readonly passages: PassageWriter;
  readonly history: HistoryWriter;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#words = new WordChanges(connection);
    this.history = new HistoryWriter(connection);
    this.passages = new PassageWriter(connection, this.#words);
  }

  write(
    layout: Layout,
    connectorId: string,
    records: readonly StoredRecord[],
    texts: ReadonlyArray<readonly FieldText[]> | undefined,
    /** Time of the change in milliseconds since 1970; undefined if the records are only indexed again. */
    at: number | undefined,
  ): WriteCounts {
    const isReindexing = at === undefined;
    const { written, added } = this.#words.writeTransaction(() => {
      const connector = this.#numberOf(connectorId);
      const counts = { inserted: 0, updated: 0, unchanged: 0 };
      const newTerms: NewTerms = [];
      const changed: RecordState[] = [];
      this.#forgetDeletedTerms();
      this.passages.forgetFields();
      for (const [index, record] of records.entries()) {
        const { id, outcome } = this.#put(layout, connector, record, texts?.[index], newTerms, isReindexing);
        counts[outcome] += 1;
        if (outcome !== 'unchanged') changed.push(stateOf(layout, id, record));
      }
      if (at !== undefined) this.history.put(layout, connector, changed, at);
      const terms = this.#knownTerms.filterUnknown(newTerms);
      const byScope = new Map<string, string[]>();
      for (const [scope, term] of terms) {
        const list = byScope.get(scope);
        if (list) list.push(term);
        else byScope.set(scope, [term]);
      }
      for (const [scope, list] of byScope) {
        const add = 'insert or ignore into terms (scope, term) select ?, value from json_each(?)';
        this.#connection.run(add, [scope, JSON.stringify(list)]);
      }
      return { written: counts, added: terms };
    });
    // Cache the terms only after the commit: a failed transaction added nothing.
    this.#knownTerms.learn(added);
    return written;
  }

  remove(layout: Layout, connectorId: string, ids: readonly string[], at: number): number {
    const [table, words] = [quoteIdentifier(layout.table), quoteIdentifier(layout.words)];
    return this.#connection.writeTransaction(() => {
      const rows = this.#connection.all<{ rid: number; connector: number; id: string }>(
        `select rid, connector, id from ${table} where connector = (select number from connectors where connector_id = ?1)
          and id in (select value from json_each(?2))`,
        [connectorId, JSON.stringify(ids)],
      );
      if (rows.length > 0) requestPurge(this.#connection);
      if (rows[0]) {
        this.passages.remove(layout, rows[0].connector, rows);
        const deleted = rows.map(({ id }) => deletedState(id));
        this.history.put(layout, rows[0].connector, deleted, at);
      }
      this.#drop(table, words, rows);
      return rows.length;
    });
  }

  /** Detaches a connector immediately; `sweep` then deletes its rows. */
  detachConnector(connectorId: string): void {
    this.#connection.writeTransaction(() => {
      this.#connection.run('update connectors set connector_id = null where connector_id = ?', [connectorId]);
      this.passages.detachFields();
    });
  }

  /** Deletes one batch of detached rows; returns the number of records deleted, or undefined if none are left. */
  sweep(layouts: readonly Layout[]): number | undefined {
    return this.#connection.writeTransaction(() => {
      if (this.passages.sweep()) {
        requestPurge(this.#connection);
        return 0;
      }
      const number = this.#connection.get<{ number: number }>(
        'select number from connectors where connector_id is null limit 1',
      )?.number;
      if (number === undefined) return undefined;
      requestPurge(this.#connection);
      for (const layout of layouts) {
        const [table, words] = [quoteIdentifier(layout.table), quoteIdentifier(layout.words)];
        const rows = this.#connection.all<{ rid: number }>(
          `select rid from ${table} where connector = ? limit ${deletedRecords}`,
          [number],
        );
        if (rows.length === 0) continue;
        this.#drop(table, words, rows);
        return rows.length;
      }
      if (this.history.drop(number, deletedRecords)) return 0;
      // A connector's scopes all start with its number followed by `z`, and `{` is the next character.
      retireTermNumbers(this.#connection);
      this.#connection.run('delete from terms where scope >= ? and scope < ?', [`${number}z`, `${number}{`]);
      this.#connection.run('delete from connectors where number = ?', [number]);
      return 0;
    });
  }

  /** Clears cached terms that any process has deleted. */
  #forgetDeletedTerms(): void {
    const deletions = termDeletions(this.#connection);
    if (deletions !== this.#termDeletions) this.#knownTerms = new KnownTerms();
    this.#termDeletions = deletions;
  }

  #numberOf(connectorId: string): number {
    this.#connection.run('insert or ignore into connectors (connector_id) values (?)', [connectorId]);
    const row = this.#connection.get<{ number: number }>('select number from connectors where connector_id = ?', [
      connectorId,
    ]);
    return row!.number;
  }

  #put(
    layout: Layout,
    connector: number,
    record: StoredRecord,
    texts: readonly FieldText[] | undefined,
    newTerms: NewTerms,
    isReindexing: boolean,
  ): { readonly id: string; readonly outcome: keyof WriteCounts } {
    const sql = this.#statementsOf(layout);
    const { id, cells, rest, hash } = rowOf(layout, record);
    const existing = this.#connection.get<{ rid: number; hash: string }>(sql.find, [connector, id]);
    if (existing?.hash === hash) {
      // The record may have been stored without texts, or its texts may include more than its fields.
      if (texts)
        this.#writePassages(layout, connector, existing.rid, record, texts, newTerms, { isNew: false, isReindexing });
      if (isReindexing) this.#indexTerms(sql, layout, connector, existing.rid, record, newTerms, false);
      return { id, outcome: 'unchanged' };
    }
    const values: SqlValue[] = [hash, rest, ...cells.map((cell) => (typeof cell === 'boolean' ? Number(cell) : cell))];
    const rid = existing?.rid ?? this.#connection.run(sql.insert, [...values, connector, id]).rid;
    const isSearched = existing ? this.#update(sql, rid, values) : true;
    if (isSearched) this.#indexTerms(sql, layout, connector, rid, record, newTerms, !existing);
    this.#writePassages(layout, connector, rid, record, texts ?? [], newTerms, { isNew: !existing, isReindexing });
    return { id, outcome: existing ? 'updated' : 'inserted' };
  }

  #indexTerms(
    sql: Statements,
    layout: Layout,
    connector: number,
    rid: number,
    record: StoredRecord,
    newTerms: NewTerms,
    isNew: boolean,
  ): void {
    if (!isNew) this.#words.add(sql.removeTerms, [rid]);
    const { terms, words } = termsOfRecord(layout, connector, record);
    this.#words.add(sql.addTerms, [rid, terms.join(' ')]);
    newTerms.push(...words);
  }

  /** Writes only the changed columns, since each one updates its indexes; returns whether any of them has terms. */
  #update(sql: Statements, rid: number, values: readonly SqlValue[]): boolean {
    const before = this.#connection.get<Readonly<Record<string, SqlValue>>>(sql.read, [rid])!;
    const changed = sql.names.flatMap((name, index) => (values[index] === before[name] ? [] : [{ name, index }]));
    const names = changed.map(({ name }) => name);
    this.#connection.run(sql.update(names), [...changed.map(({ index }) => values[index]!), rid]);
    return names.some((name) => sql.searched.has(name));
  }

  #writePassages(
    layout: Layout,
    connector: number,
    rid: number,
    record: StoredRecord,
    texts: readonly FieldText[],
    newTerms: NewTerms,
    state: RecordPut,
  ): void {
    for (const { column, text, inColumn } of this.passages.put(layout, connector, rid, record, texts, state)) {
      // The column's own words are already indexed.
      if (inColumn && column.wordIndexed) continue;
      newTerms.push([scopeOf(connector, column), correctableIn(text)]);
    }
  }

  #statementsOf(layout: Layout): Statements {
    let statements = this.#statements.get(layout);
    if (!statements) {
      statements = statementsFor(layout);
      this.#statements.set(layout, statements);
    }
    return statements;
  }

  #drop(table: string, words: string, rows: ReadonlyArray<{ readonly rid: number }>): void {
    for (const { rid } of rows) {
      this.#connection.run(`delete from ${table} where rid = ?`, [rid]);
      this.#connection.run(`delete from ${words} where rowid = ?`, [rid]);
    }
  }
}

/** A counter that changes whenever terms are deleted. */
const termDeletions = (connection: Connection): number =>
  connection.get<{ n: number }>(`select n from terms where scope = '' and term = ''`)?.n ?? 0;

/** Vectors deleted at a time. */
const deletedVectors = 2000;

/** Writes passages and their vectors, always within the transaction that writes the record. */
export class PassageWriter {
  readonly #connection: Connection;
  readonly #words: WordChanges;
  /** Numbers of the fields that the current transaction has looked up. */
  readonly #fields = new Map<string, number>();

  constructor(connection: Connection, words: WordChanges) {
    this.#connection = connection;
    this.#words = words;
  }

  /** Called when a transaction starts: other processes may have deleted fields, and a failed one adds none. */
  forgetFields(): void {
    this.#fields.clear();
  }

  /** Updates a record's passages and returns the texts that were split or indexed again. */
  put(
    layout: Layout,
    connector: number,
    rid: number,
    record: StoredRecord,
    texts: readonly FieldText[],
    { isNew, isReindexing }: RecordPut,
  ): readonly ColumnText[] {
    if (isNew && texts.length === 0) return [];
    const newTexts = columnTexts(layout, record, texts);
    return layout.semantic.flatMap((column) => {
      const text = newTexts.find((one) => one.column === column);
      const field = this.#fieldOf(layout, connector, column, text !== undefined);
      if (field === undefined) return [];
      const find = 'select digest from passage_texts where field = ? and rid = ?';
      const existing = isNew ? undefined : this.#connection.get<{ digest: string }>(find, [field, rid]);
      if (existing?.digest === text?.digest) {
        if (!text || !isReindexing) return [];
        this.#reindex(field, rid, text);
        return [text];
      }
      if (existing) this.#removeFrom(field, rid);
      if (!text) return [];
      this.#add(field, rid, text);
      return [text];
    });
  }

  /** Deletes the given records' passages. */
  remove({ table }: Layout, connector: number, records: ReadonlyArray<{ readonly rid: number }>): void {
    const fields = this.#connection.all<{ number: number }>(
      'select number from passage_fields where connector = ? and entity = ?',
      [connector, table],
    );
    for (const { number } of fields) for (const { rid } of records) this.#removeFrom(number, rid);
  }

  /** Detaches the fields of detached connectors; `sweep` then deletes their rows. */
  detachFields(): void {
    this.#connection.run(
      `update passage_fields set entity = null
        where connector in (select number from connectors where connector_id is null)`,
    );
  }

  /** Deletes one batch of detached fields' rows; returns whether there was anything to delete. */
  sweep(): boolean {
    const field = this.#connection.get<{ number: number }>(
      'select number from passage_fields where entity is null limit 1',
    )?.number;
    if (field === undefined) return false;
    const { changes } = this.#connection.run(
      'delete from passages where passage in (select passage from passages where field = ? limit ?)',
      [field, deletedVectors],
    );
    if (changes > 0) return true;
    this.#connection.run('delete from passage_texts where field = ?', [field]);
    this.#connection.run('delete from embedded where field = ?', [field]);
    this.#connection.run('delete from passage_fields where number = ?', [field]);
    return true;
  }

  embed(embedder: string, vectors: readonly PassageVector[]): void {
    const dimensions = vectors[0]?.vector.length;
    if (dimensions === undefined) return;
    this.#connection.writeTransaction(() => {
      this.#connection.run('insert or ignore into embedders (id, dimensions) values (?, ?)', [embedder, dimensions]);
      const row = this.#connection.get<{ number: number; dimensions: number }>(
        'select number, dimensions from embedders where id = ?',
        [embedder],
      );
      const { number, dimensions: expectedDimensions } = row!;
      for (const { passage, vector } of vectors) {
        if (vector.length !== expectedDimensions)
          throw new Error(`Vectors from ${embedder} have ${expectedDimensions} dimensions, not ${vector.length}.`);
        const { scale, coarse, fine } = pack(normalize(vector));
        this.#connection.run('delete from vectors where passage = ? and embedder = ?', [passage, number]);
        this.#connection.run(
          `insert into vectors (embedder, field, rid, passage, scale, coarse, fine)
            select ?, field, rid, passage, ?, ?, ? from passages where passage = ?`,
          [number, scale, coarse, fine, passage],
        );
      }
      // Fully embedded passages need not be scanned again.
      this.#connection.run(
        `update embedders set done = coalesce((
            select p.passage - 1 from passages p where p.passage > done
              and not exists (select 1 from vectors v where v.passage = p.passage and v.embedder = ?1)
            order by p.passage limit 1),
          (select max(passage) from passages), 0) where number = ?1`,
        [number],
      );
    });
  }

  /** Deletes one batch of vectors from all other embedders; returns whether there was anything to delete. */
  removeOtherEmbedders(retained: readonly string[]): boolean {
    return this.#connection.writeTransaction(() => {
      const embedder = this.#connection.get<{ number: number }>(
        'select number from embedders where id not in (select value from json_each(?)) limit 1',
        [JSON.stringify(retained)],
      )?.number;
      if (embedder === undefined) return false;
      const { changes } = this.#connection.run(
        'delete from vectors where n in (select n from vectors where embedder = ? limit ?)',
        [embedder, deletedVectors],
      );
      if (changes > 0) return true;
      this.#connection.run('delete from embedded where embedder = ?', [embedder]);
      this.#connection.run('delete from embedders where number = ?', [embedder]);
      return true;
    });
  }

  /** The number of a connector's field; `make` creates it if missing. */
  #fieldOf({ table }: Layout, connector: number, { code }: Column, make: boolean): number | undefined {
    const values = [connector, table, code];
    const name = values.join(' ');
    let number = this.#fields.get(name);
    if (number !== undefined) return number;
    const find = 'select number from passage_fields where connector = ? and entity = ? and field = ?';
    number = this.#connection.get<{ number: number }>(find, values)?.number;
    if (number === undefined && make) {
      number = this.#connection.run(
        'insert into passage_fields (connector, entity, field) values (?, ?, ?)',
        values,
      ).rid;
    }
    if (number !== undefined) this.#fields.set(name, number);
    return number;
  }

  #add(field: number, rid: number, { column, text, body, inColumn, passages, digest }: ColumnText): void {
    const slice = slicer(text);
    this.#connection.run('insert into passage_texts (field, rid, digest, length, body) values (?, ?, ?, ?, ?)', [
      field,
      rid,
      digest,
      lengthOf(text),
      inColumn ? null : body,
    ]);
    for (const { start, end, attribution, turns } of passages) {
      const tokens = passageTokens(column, text, slice(start, end));
      const stored = turns ?? attribution;
      const attributionJson = Object.keys(stored).length > 0 ? JSON.stringify(stored) : null;
      const { rid: passage } = this.#connection.run(
        'insert into passages (field, rid, "start", "end", words, attribution) values (?, ?, ?, ?, ?, ?)',
        [field, rid, start, end, tokens.length, attributionJson],
      );
      this.#addWords(field, passage, tokens);
    }
  }

  /** Finds the words of passages again. */
  #reindex(field: number, rid: number, { column, text }: ColumnText): void {
    const slice = slicer(text);
    const rows = this.#connection.all<{ passage: number; start: number; end: number; words: number }>(
      'select passage, "start", "end", words from passages where field = ? and rid = ?',
      [field, rid],
    );
    for (const { passage, start, end, words } of rows) {
      const tokens = passageTokens(column, text, slice(start, end));
      this.#connection.run('update passages set words = ? where passage = ?', [tokens.length, passage]);
      this.#connection.run('update passage_fields set words = words + ? where number = ?', [
        tokens.length - words,
        field,
      ]);
      this.#words.add('delete from passage_words where rowid = ?', [passage]);
      this.#addWords(field, passage, tokens);
    }
  }

  #addWords(field: number, passage: number, tokens: readonly string[]): void {
    const terms = tokens.map((token) => termIn(field, token)).join(' ');
    this.#words.add('insert into passage_words (rowid, terms) values (?, ?)', [passage, terms]);
  }

  #removeFrom(field: number, rid: number): void {
    this.#connection.run('delete from passages where field = ? and rid = ?', [field, rid]);
    this.#connection.run('delete from passage_texts where field = ? and rid = ?', [field, rid]);
  }
}
