import { setImmediate } from 'node:timers/promises';
import { quoteIdentifier } from '../../schema.js';
import { openMemory, openSimdMemory, type SimdMemory } from '../vectors/memory.js';
import { VectorTable } from '../vectors/table.js';
import type { RunStatement } from './connection.js';
import type { VectorLocation } from './vectors.js';

/** The vectors of one embedder in one field of a connector. */
export interface VectorSet extends VectorLocation {
  readonly connector: number;
  readonly field: number;
  /** The organization whose memory the copy counts against. */
  readonly tenant: string;
}

/** A search's view of a copy, valid until the search ends. */
export interface VectorCopy {
  /** The passages nearest to a vector, nearest first, optionally restricted to the given records. */
  nearest(vector: Float32Array, records: readonly number[] | undefined, limit: number): Promise<number[]>;
  /** Removes passages that no longer exist; returns whether others are then missing, as after a restored backup. */
  drop(passages: ReadonlySet<number>): boolean;
  /** Reads all vectors again. */
  reload(): Promise<void>;
}

/** Vectors as a few long values, which are faster to read than rows. */
interface VectorBatch {
  readonly passages: string;
  readonly records: string;
  readonly vectors: Uint8Array;
  readonly revision: string;
}

interface Limits {
  /** Maximum bytes of all copies, and of those of one organization. */
  readonly total: number;
  readonly perTenant: number;
}

const defaultLimits: Limits = { total: 1_000_000_000, perTenant: 256_000_000 };
/** Bytes of vectors per read. */
const bytesPerLoad = 1_000_000;
/** Each vector starts with a factor, a number of this many bytes. */
const scaleBytes = 4;
/** Approximate memory for a record's number and place. */
const bytesPerRecord = 48;

/** The vectors that a copy contains. */
class Copy {
  readonly table: VectorTable;
  /** Places of records in the table, which needs small numbers. */
  readonly places = new Map<number, number>();
  revision = 0;
  passage = 0;
  /** Number of vectors removed, and how many there were in the database when all were last read. */
  dropped = 0;
  expected = 0;

  constructor(memory: SimdMemory | null, dimensions: number) {
    this.table = new VectorTable(openMemory(memory, dimensions), dimensions);
  }

  get bytes(): number {
    return this.table.bytes + bytesPerRecord * this.places.size;
  }

  add({ passages, records, vectors, revision }: VectorBatch, dimensions: number): number {
    const numbers = passages.split(',').map(Number);
    const places = records.split(',').map((text) => {
      const record = Number(text);
      const place = this.places.get(record) ?? this.places.size;
      this.places.set(record, place);
      return place;
    });
    const coarse = new Uint8Array(numbers.length * dimensions);
    const view = new DataView(vectors.buffer, vectors.byteOffset, vectors.byteLength);
    const scales = numbers.map((_, index) => {
      const start = index * (scaleBytes + dimensions);
      coarse.set(vectors.subarray(start + scaleBytes, start + scaleBytes + dimensions), index * dimensions);
      return view.getFloat32(start, true);
    });
    this.table.add(numbers, places, scales, coarse);
    [this.revision, this.passage] = [Number(revision), numbers.at(-1)!];
    return numbers.length;
  }

  placesOf(records: readonly number[]): Int32Array {
    return Int32Array.from(records.flatMap((record) => this.places.get(record) ?? [])).sort();
  }
}

/**
 * Copies of vectors in memory, for databases that cannot compare vectors. Before each search, a copy reads the vectors
 * with a newer revision; see `embedOf`.
 */
export class VectorCopies {
  readonly #limits: Limits;
  /** The most recently used copy comes last. */
  readonly #copies = new Map<string, { readonly tenant: string; readonly copy: Copy }>();
  /** Ends of the searches that use a copy: one at a time may read or change it. */
  readonly #turns = new Map<string, Promise<unknown>>();
  /** Created with the first copy; null if the machine does not support SIMD. */
  #memory: SimdMemory | null | undefined;

  constructor(limits = defaultLimits) {
    this.#limits = limits;
  }

  /** Whether a copy of so many vectors would fit. */
  fits({ dimensions }: VectorLocation, vectors: number): boolean {
    return vectors * (dimensions + bytesPerRecord) <= this.#limits.perTenant;
  }

  /** Runs a search with an up-to-date copy. `query` belongs to a transaction in which the connector was entered. */
  use<T>(query: RunStatement, set: VectorSet, search: (copy: VectorCopy) => Promise<T>): Promise<T> {
    const name = `${set.connector} ${set.field} ${set.embedder}`;
    const turn = (this.#turns.get(name) ?? Promise.resolve()).then(() => this.#use(query, set, name, search));
    const end = turn.then(
      () => undefined,
      () => undefined,
    );
    this.#turns.set(name, end);
    void end.then(() => this.#turns.get(name) === end && this.#turns.delete(name));
    return turn;
  }

  async #use<T>(
    query: RunStatement,
    set: VectorSet,
    name: string,
    search: (copy: VectorCopy) => Promise<T>,
  ): Promise<T> {
    const [row] = await query<{ revision: string; passages: string }>(
      `select revision::text as revision, passages::text as passages from embedded
        where connector = $1 and field = $2 and embedder = $3`,
      [set.connector, set.field, set.embedder],
    );
    const [revision, passages] = [Number(row?.revision ?? 0), Number(row?.passages ?? 0)];
    let copy = this.#copies.get(name)?.copy ?? this.#create(set, name);
    const reload = async () => {
      copy.table.release();
      copy = this.#create(set, name);
      await this.#load(query, set, copy);
    };
    if (copy.table.count - copy.dropped < passages || copy.revision < revision) {
      await this.#load(query, set, copy);
      // Processes of an older release store vectors without a revision.
      const isIncomplete = copy.table.count - copy.dropped < passages && copy.expected !== passages;
      if (isIncomplete || copy.table.count > 2 * passages + 1000) await reload();
    }
    copy.expected = passages;
    this.#copies.delete(name);
    this.#copies.set(name, { tenant: set.tenant, copy });
    this.#makeRoom(set.tenant, name);
    return search({
      async nearest(vector, records, limit) {
        const places = records && copy.placesOf(records);
        const steps = copy.table.nearestInSteps(vector, places, limit);
        for (;;) {
          const step = steps.next();
          if (step.done) return step.value;
          await setImmediate();
        }
      },
      drop(gone) {
        // The search may see an older state than the one that the copy was read from.
        if (revision < copy.revision) return false;
        copy.table.drop(gone);
        copy.dropped += gone.size;
        return copy.table.count - copy.dropped < passages;
      },
      reload,
    });
  }

  #create({ dimensions, tenant }: VectorSet, name: string): Copy {
    if (this.#memory === undefined) this.#memory = openSimdMemory() ?? null;
    const copy = new Copy(this.#memory, dimensions);
    // Kept from the start: a search that runs out of time leaves what it has read to the next one.
    this.#copies.set(name, { tenant, copy });
    return copy;
  }

  async #load(
    query: RunStatement,
    { connector, field, embedder, dimensions, table }: VectorSet,
    copy: Copy,
  ): Promise<void> {
    const size = Math.ceil(bytesPerLoad / dimensions);
    for (let read = size; read === size; ) {
      const [batch] = await query<VectorBatch>(
        `select string_agg(passage::text, ',' order by revision, passage) as passages,
            string_agg(record::text, ',' order by revision, passage) as records,
            string_agg(vector, ''::bytea order by revision, passage) as vectors, max(revision)::text as revision
          from (select revision, passage, record, vector from ${quoteIdentifier(table)}
            where connector = $1 and field = $2 and embedder = $3 and (revision, passage) > ($4::bigint, $5::bigint)
            order by revision, passage limit ${size}) v`,
        [connector, field, embedder, copy.revision, copy.passage],
      );
      read = batch?.passages ? copy.add(batch, dimensions) : 0;
    }
  }

  /** Forgets the least recently used copies, first those of the same organization. */
  #makeRoom(tenant: string, used: string): void {
    const forget = (limit: number, isCounted: (owner: string) => boolean): void => {
      let bytes = 0;
      for (const [name, { tenant: owner, copy }] of [...this.#copies].reverse()) {
        if (!isCounted(owner)) continue;
        bytes += copy.bytes;
        if (bytes <= limit || name === used || this.#turns.has(name)) continue;
        this.#copies.delete(name);
        copy.table.release();
      }
    };
    forget(this.#limits.perTenant, (owner) => owner === tenant);
    forget(this.#limits.total, () => true);
  }
}
