import type { StoredRecord } from '../../entity.js';
import type { FieldText, PassageVector } from '../../passages/types.js';
import { type ColumnText, columnTexts, slicer } from '../../rows.js';
import type { Column, Layout } from '../../schema.js';
import { lengthOf, passageTokens, termIn } from '../../words.js';
import type { Connection } from './connection.js';
import { normalize, pack } from './vectors/packed.js';

const batchSize = 2000;

/** Writes passages and their vectors, always within the transaction that writes the record. */
export class PassageWriter {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Updates a record's passages and returns the texts that were split again. */
  put(
    layout: Layout,
    connector: number,
    rid: number,
    record: StoredRecord,
    texts: readonly FieldText[],
  ): readonly ColumnText[] {
    const newTexts = columnTexts(layout, record, texts);
    return layout.semantic.flatMap((column) => {
      const text = newTexts.find((one) => one.column === column);
      const field = this.#fieldOf(layout, connector, column, text !== undefined);
      if (field === undefined) return [];
      const existing = this.#connection.get<{ digest: string }>(
        'select digest from passage_texts where field = ? and rid = ?',
        [field, rid],
      );
      if (existing?.digest === text?.digest) return [];
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
      [field, batchSize],
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
        [embedder, batchSize],
      );
      if (changes > 0) return true;
      this.#connection.run('delete from embedded where embedder = ?', [embedder]);
      this.#connection.run('delete from embedders where number = ?', [embedder]);
      return true;
    });
  }

  /** The number of a connector's field; `make` creates it if missing. */
  #fieldOf({ table }: Layout, connector: number, { code }: Column, make: boolean): number | undefined {
    const find = 'select number from passage_fields where connector = ? and entity = ? and field = ?';
    const known = this.#connection.get<{ number: number }>(find, [connector, table, code])?.number;
    if (known !== undefined || !make) return known;
    return this.#connection.run('insert into passage_fields (connector, entity, field) values (?, ?, ?)', [
      connector,
      table,
      code,
    ]).rid;
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
      const terms = tokens.map((token) => termIn(field, token)).join(' ');
      this.#connection.run('insert into passage_words (rowid, terms) values (?, ?)', [passage, terms]);
    }
  }

  #removeFrom(field: number, rid: number): void {
    this.#connection.run('delete from passages where field = ? and rid = ?', [field, rid]);
    this.#connection.run('delete from passage_texts where field = ? and rid = ?', [field, rid]);
  }
}
