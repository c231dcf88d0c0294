import type { PassageScope, RankedPassage } from '../../passages/types.js';
import { type Layout, quoted } from '../../schema.js';
import type { Connection } from './connection.js';
import type { KnownField, PassageReader } from './passage-reader.js';
import type { Reader } from './read.js';
import { type Blocks, openBlocks } from './vectors/blocks.js';
import { NumberSet } from './vectors/number-set.js';
import { cosineOf, type PackedVector, unit } from './vectors/packed.js';
import { VectorTable } from './vectors/table.js';

interface Loaded {
  readonly table: VectorTable;
  /** Number of the newest vector in it. */
  newest: number;
}

interface KnownEmbedder {
  readonly number: number;
  readonly dimensions: number;
}

/** A passage, and its cosine. */
interface Compared {
  readonly passage: number;
  readonly rid: number;
  readonly score: number;
}

/** So many more than wanted are compared exactly. */
const spare = 50;
/** So many bytes of vectors are kept at most, unless one field alone has more. */
const mostBytes = 1_000_000_000;
const perLoad = 5000;

/** Finds the nearest vectors by comparing all of them, which it keeps in memory. */
export class Nearest {
  readonly #connection: Connection;
  readonly #reader: Reader;
  readonly #passages: PassageReader;
  readonly #loaded = new Map<string, Loaded>();
  #blocks: Blocks | undefined;

  constructor(connection: Connection, reader: Reader, passages: PassageReader) {
    this.#connection = connection;
    this.#reader = reader;
    this.#passages = passages;
  }

  find(
    layout: Layout,
    { connectorId, field: name, condition, limit }: PassageScope,
    id: string,
    vector: Float32Array,
  ): RankedPassage[] {
    return this.#connection.reading(() => {
      const field = this.#passages.field(layout, connectorId, name);
      const embedder = this.#connection.get<KnownEmbedder>('select number, dimensions from embedders where id = ?', [
        id,
      ]);
      if (!field || !embedder) return [];
      if (embedder.dimensions !== vector.length) {
        throw new Error(`The vectors of ${id} have ${embedder.dimensions} numbers, not ${vector.length}.`);
      }
      const wanted = unit(vector);
      const rids = condition && this.#reader.numbersOf(layout, field.connector, condition);
      const records = rids && new NumberSet(rids);
      const most = limit + spare;
      const table = this.#upToDate(field, embedder);
      const near = table.nearest(wanted, records, most);
      let found = this.#exact(embedder, wanted, near);
      if (found.length < Math.min(limit, near.length) && near.length === most) {
        // Many have gone since they were loaded, and took the places of others.
        found = this.#exact(embedder, wanted, this.#anew(field, embedder).nearest(wanted, records, most));
      } else if (found.length < near.length) {
        const left = new Set(found.map(({ passage }) => passage));
        table.drop(new Set(near.filter((passage) => !left.has(passage))));
      }
      found.sort((one, other) => other.score - one.score || one.passage - other.passage);
      return this.#ranked(layout, found.slice(0, limit));
    });
  }

  /** The vectors of a field as the file has them now; some may be of passages that are gone. */
  #upToDate(field: KnownField, embedder: KnownEmbedder): VectorTable {
    const name = nameOf(field, embedder);
    const loaded = this.#loaded.get(name);
    if (!loaded) return this.#anew(field, embedder);
    this.#load(loaded, field, embedder);
    if (loaded.table.count > 2 * field.passages + 1000) return this.#anew(field, embedder);
    // The one that was used last is the last to go.
    this.#loaded.delete(name);
    this.#loaded.set(name, loaded);
    return loaded.table;
  }

  #anew(field: KnownField, embedder: KnownEmbedder): VectorTable {
    const name = nameOf(field, embedder);
    this.#unload(name);
    this.#blocks ??= openBlocks();
    const loaded = { table: new VectorTable(this.#blocks, embedder.dimensions), newest: 0 };
    try {
      this.#load(loaded, field, embedder);
    } catch (error) {
      loaded.table.release();
      throw error;
    }
    let bytes = loaded.table.bytes;
    for (const [other, { table }] of [...this.#loaded].reverse()) {
      bytes += table.bytes;
      if (bytes > mostBytes) this.#unload(other);
    }
    this.#loaded.set(name, loaded);
    return loaded.table;
  }

  #unload(name: string): void {
    this.#loaded.get(name)?.table.release();
    this.#loaded.delete(name);
  }

  #load(loaded: Loaded, { number: field }: KnownField, { number: embedder }: KnownEmbedder): void {
    for (;;) {
      const rows = this.#connection.all<{ n: number; passage: number; rid: number; scale: number; coarse: Uint8Array }>(
        `select n, passage, rid, scale, coarse from vectors where embedder = ? and field = ? and n > ? order by n limit ?`,
        [embedder, field, loaded.newest, perLoad],
      );
      for (const { passage, rid, scale, coarse } of rows) loaded.table.add(passage, rid, scale, coarse);
      loaded.newest = rows.at(-1)?.n ?? loaded.newest;
      if (rows.length < perLoad) return;
    }
  }

  /** The exact cosines of those passages that are still there. */
  #exact({ number }: KnownEmbedder, wanted: Float32Array, passages: readonly number[]): Compared[] {
    const rows = this.#connection.all<PackedVector & { passage: number; rid: number }>(
      `select passage, rid, scale, coarse, fine from vectors
        where embedder = ? and passage in (select value from json_each(?))`,
      [number, JSON.stringify(passages)],
    );
    return rows.map(({ passage, rid, ...vector }) => ({ passage, rid, score: cosineOf(wanted, vector) }));
  }

  /** The same with the ids of their records. */
  #ranked({ table }: Layout, found: readonly Compared[]): RankedPassage[] {
    const rows = this.#connection.all<{ rid: number; id: string }>(
      `select rid, id from ${quoted(table)} where rid in (select value from json_each(?))`,
      [JSON.stringify(found.map(({ rid }) => rid))],
    );
    const ids = new Map(rows.map(({ rid, id }) => [rid, id]));
    return found.map(({ passage, rid, score }) => ({ passage, record: ids.get(rid)!, score }));
  }
}

const nameOf = (field: KnownField, embedder: KnownEmbedder): string => `${field.number} ${embedder.number}`;
