import type { Connection } from '../../../sqlite.js';
import type { PassageScope, PromptVector, RankedPassage } from '../../passages/types.js';
import { type Layout, quoteIdentifier } from '../../schema.js';
import { IntegerSorter } from '../vectors/integer-sorter.js';
import { openMemory, openSimdMemory, type SimdMemory } from '../vectors/memory.js';
import { cosineOf, normalize } from '../vectors/packed.js';
import { VectorTable } from '../vectors/table.js';
import { PassageFilter } from './passage-filter.js';
import type { KnownField, PassageReader } from './passage-reader.js';
import type { Reader } from './read.js';

interface LoadedTable {
  readonly table: VectorTable;
  /** Number of the newest loaded vector. */
  newest: number;
}

interface KnownEmbedder {
  readonly number: number;
  readonly dimensions: number;
}

/** A passage and its cosine similarity. */
interface ScoredPassage {
  readonly passage: number;
  readonly rid: number;
  readonly score: number;
  readonly scale: number;
}

/** Many vectors as a few long values, which are faster to read than rows and create less garbage. */
interface VectorColumns {
  readonly passages: string;
  readonly rids: string;
  readonly scales: string;
  readonly coarse: Uint8Array;
}

/** Scales are stored as multiples of 1 / scaleSteps: integers are faster to write and read. */
const scaleSteps = 2 ** 40;
const vectorColumns = `json_group_array(passage) as passages, json_group_array(rid) as rids,
  json_group_array(cast(round(scale * ${scaleSteps}) as integer)) as scales, cast(group_concat(coarse, '') as blob) as coarse`;
const parseScales = (text: string): number[] => parseNumbers(text).map((scale) => scale / scaleSteps);

/** Extra candidates for the exact comparison. */
const extraCandidates = 50;
/** Bytes of codes per read. */
const bytesPerLoad = 1_000_000;
/** Size of the first batch of exact comparisons. */
const initialBatchSize = 20;
/** Maximum error of an approximate cosine, in steps of the coarse byte. */
const errorMargin = 4;

/** Finds the nearest vectors by brute force over an in-memory copy. */
export class Nearest {
  readonly #connection: Connection;
  readonly #reader: Reader;
  readonly #passages: PassageReader;
  readonly #loaded = new Map<string, LoadedTable>();
  readonly #maxBytes: number;
  readonly #sorter = new IntegerSorter();
  /** Created with the first table; null if the machine does not support SIMD. */
  #memory: SimdMemory | null | undefined;

  constructor(connection: Connection, reader: Reader, passages: PassageReader, maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#connection = connection;
    this.#reader = reader;
    this.#passages = passages;
  }

  find(
    layout: Layout,
    { connectorId, field: name, condition, limit, stopAfterRecords }: PassageScope,
    { embedder: id, vector }: PromptVector,
  ): RankedPassage[] {
    return this.#connection.readTransaction(() => {
      const field = this.#passages.field(layout, connectorId, name);
      const embedder = this.#connection.get<KnownEmbedder>('select number, dimensions from embedders where id = ?', [
        id,
      ]);
      if (!field || !embedder) return [];
      if (embedder.dimensions !== vector.length) {
        throw new Error(`Vectors from ${id} have ${embedder.dimensions} dimensions, not ${vector.length}.`);
      }
      const normalized = normalize(vector);
      const filter = condition && new PassageFilter(this.#connection, this.#reader, layout, field.connector, condition);
      const candidateCount = limit + extraCandidates;
      const nearestIn = (table: VectorTable): number[] => {
        // Sorted, since vectors are usually stored in that order and sequential memory access is much faster.
        const rank = (count: number, rids?: string) =>
          table.nearest(normalized, rids === undefined ? undefined : this.#sorter.of(rids), count);
        return filter ? filter.best(candidateCount, rank) : rank(candidateCount);
      };
      const table = this.#currentTable(field, embedder);
      const candidates = nearestIn(table);
      let { found, removed } = this.#nearest(embedder, normalized, candidates, stopAfterRecords);
      if (
        candidates.length - removed.size < Math.min(limit, candidates.length) &&
        candidates.length === candidateCount
      ) {
        // Many entries have been deleted since the table was loaded and are crowding out others, so reload it.
        const reloaded = nearestIn(this.#reload(field, embedder));
        ({ found } = this.#nearest(embedder, normalized, reloaded, stopAfterRecords));
      } else if (removed.size > 0) {
        table.drop(removed);
      }
      return this.#withRecordIds(layout, found.slice(0, limit));
    });
  }

  /** A field's vectors as currently stored; some may belong to deleted passages. */
  #currentTable(field: KnownField, embedder: KnownEmbedder): VectorTable {
    const name = nameOf(field, embedder);
    const loaded = this.#loaded.get(name);
    if (!loaded) return this.#reload(field, embedder);
    this.#load(loaded, field, embedder);
    if (loaded.table.count > 2 * field.passages + 1000) return this.#reload(field, embedder);
    // Reinserted to mark it as the most recently used.
    this.#loaded.delete(name);
    this.#loaded.set(name, loaded);
    return loaded.table;
  }

  #reload(field: KnownField, embedder: KnownEmbedder): VectorTable {
    const name = nameOf(field, embedder);
    this.#unload(name);
    if (this.#memory === undefined) this.#memory = openSimdMemory() ?? null;
    const { dimensions } = embedder;
    const loaded = { table: new VectorTable(openMemory(this.#memory, dimensions), dimensions), newest: 0 };
    try {
      this.#load(loaded, field, embedder);
    } catch (error) {
      loaded.table.release();
      throw error;
    }
    let bytes = loaded.table.bytes;
    for (const [other, { table }] of [...this.#loaded].reverse()) {
      bytes += table.bytes;
      if (bytes > this.#maxBytes) this.#unload(other);
    }
    this.#loaded.set(name, loaded);
    return loaded.table;
  }

  #unload(name: string): void {
    this.#loaded.get(name)?.table.release();
    this.#loaded.delete(name);
  }

  #load(loaded: LoadedTable, { number: field }: KnownField, { number: embedder, dimensions }: KnownEmbedder): void {
    const batchSize = Math.ceil(bytesPerLoad / dimensions);
    for (;;) {
      // Usually nothing is new, and this query is the fastest way to check.
      const next = this.#connection.get('select n from vectors where embedder = ? and field = ? and n > ? limit 1', [
        embedder,
        field,
        loaded.newest,
      ]);
      if (!next) return;
      const row = this.#connection.get<VectorColumns & { readonly newest: number }>(
        `select max(n) as newest, ${vectorColumns}
          from (select n, passage, rid, scale, coarse from vectors
            where embedder = ? and field = ? and n > ? order by n limit ?)`,
        [embedder, field, loaded.newest, batchSize],
      );
      const passages = parseNumbers(row!.passages);
      loaded.table.add(passages, parseNumbers(row!.rids), parseScales(row!.scales), row!.coarse);
      loaded.newest = row!.newest;
    }
  }

  /** The nearest of the approximate candidates, and the candidates that no longer exist. */
  #nearest(
    embedder: KnownEmbedder,
    normalized: Float32Array,
    candidates: readonly number[],
    stopAfterRecords: number | undefined,
  ): { readonly found: ScoredPassage[]; readonly removed: ReadonlySet<number> } {
    const found: ScoredPassage[] = [];
    const removed = new Set<number>();
    for (
      let [from, count] = [0, stopAfterRecords === undefined ? candidates.length : initialBatchSize + stopAfterRecords];
      from < candidates.length;
    ) {
      const part = candidates.slice(from, from + count);
      const compared = this.#exactScores(embedder, normalized, part);
      const present = new Set(compared.map(({ passage }) => passage));
      for (const passage of part) if (!present.has(passage)) removed.add(passage);
      found.push(...compared);
      found.sort((one, other) => other.score - one.score || one.passage - other.passage);
      [from, count] = [from + count, 2 * count];
      if (stopAfterRecords === undefined || from >= candidates.length) continue;
      const leading = takeRecords(found, stopAfterRecords);
      if (leading) return { found: leading, removed };
    }
    return { found, removed };
  }

  /** Exact cosines of the passages that still exist. */
  #exactScores({ number }: KnownEmbedder, normalized: Float32Array, passages: readonly number[]): ScoredPassage[] {
    const row = this.#connection.get<VectorColumns & { readonly fine: Uint8Array }>(
      `select ${vectorColumns}, cast(group_concat(fine, '') as blob) as fine from vectors
        where embedder = ? and passage in (select value from json_each(?))`,
      [number, JSON.stringify(passages)],
    )!;
    const [rids, scales] = [parseNumbers(row.rids), parseScales(row.scales)];
    return parseNumbers(row.passages).map((passage, at) => {
      const [from, to] = [at * normalized.length, (at + 1) * normalized.length];
      const [coarse, fine] = [row.coarse.subarray(from, to), row.fine.subarray(from, to)];
      const scale = scales[at]!;
      return { passage, rid: rids[at]!, scale, score: cosineOf(normalized, { scale, coarse, fine }) };
    });
  }

  /** Adds the record ids. */
  #withRecordIds({ table }: Layout, found: readonly ScoredPassage[]): RankedPassage[] {
    const rows = this.#connection.all<{ rid: number; id: string }>(
      `select rid, id from ${quoteIdentifier(table)} where rid in (select value from json_each(?))`,
      [JSON.stringify(found.map(({ rid }) => rid))],
    );
    const ids = new Map(rows.map(({ rid, id }) => [rid, id]));
    return found.map(({ passage, rid, score }) => ({ passage, record: ids.get(rid)!, score }));
  }
}

/**
 * The first passages that belong to `records` distinct records, if no uncompared passage can rank among them given the
 * error margin.
 */
function takeRecords(found: readonly ScoredPassage[], records: number): ScoredPassage[] | undefined {
  const seen = new Set<number>();
  const end = found.findIndex(({ rid }) => seen.add(rid).size >= records);
  if (end < 0) return undefined;
  const error = errorMargin * Math.max(...found.map(({ scale }) => scale));
  return found[end]!.score > found.at(-1)!.score + error ? found.slice(0, end + 1) : undefined;
}

const parseNumbers = (text: string): number[] => JSON.parse(text) as number[];

const nameOf = (field: KnownField, embedder: KnownEmbedder): string => `${field.number} ${embedder.number}`;
