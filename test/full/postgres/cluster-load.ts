import type { Store } from '../../../service/src/data/records/types.js';
import { collection, searchIds } from '../../service/store/fixtures.js';
import { ownerUrl, type Worker } from './cluster.js';
import { query } from './server.js';

/** Records per batch. */
const size = 20;

/** Where a connector's records are stored. */
export async function workerOf(databaseUrl: string, connectorId: string): Promise<Worker> {
  const [row] = await query<Worker>(
    ownerUrl(databaseUrl),
    `select nodename as host, nodeport as port from citus_shards where table_name = 'terms'::regclass
      and shardid = get_shard_id_for_distribution_column('terms', (select number from connectors where connector_id = $1))`,
    [connectorId],
  );
  return row!;
}

/** Writes and searches for one connector, one after the other, until stopped; batches that fail are repeated. */
export class Load {
  readonly connectorId: string;
  readonly #store: Store;
  readonly #done: Promise<unknown>;
  #running = true;
  /** Batches that were acknowledged. */
  batches = 0;
  searches = 0;
  failures: Error[] = [];
  /** Longest time between two successes, in milliseconds. */
  longestGapMs = { write: 0, search: 0 };

  constructor(store: Store, connectorId: string) {
    this.connectorId = connectorId;
    this.#store = store;
    this.#done = Promise.all([
      this.#repeat('write', () => this.#write()),
      this.#repeat('search', () => this.#search()),
    ]);
  }

  get #collection() {
    return { ...collection, connectorId: this.connectorId };
  }

  async #repeat(kind: 'write' | 'search', work: () => Promise<void>): Promise<void> {
    let last = performance.now();
    while (this.#running) {
      try {
        await work();
        const now = performance.now();
        this.longestGapMs[kind] = Math.max(this.longestGapMs[kind], now - last);
        last = now;
      } catch (error) {
        this.failures.push(error as Error);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async #write(): Promise<void> {
    const batch = this.batches;
    const records = Array.from({ length: size }, (_, index) => ({ id: `${batch}-${index}`, title: `Task ${batch}` }));
    await this.#store.write(this.#collection, records);
    this.batches += 1;
  }

  /** Acknowledged records are found immediately, each exactly once. */
  async #search(): Promise<void> {
    const batch = this.batches - 1;
    if (batch < 0) return;
    const ids = await searchIds(
      this.#store,
      { query: { filter: { eq: { title: `Task ${batch}` } } }, limit: 100 },
      this.#collection,
    );
    if (ids.length !== size || new Set(ids).size !== size) throw new Error(`Batch ${batch} has ${ids.length} records.`);
    this.searches += 1;
  }

  /** Waits until this many more batches are acknowledged and this many more searches answered. */
  async progress(count: number, timeoutMs = 60_000): Promise<void> {
    const [batches, searches, until] = [this.batches, this.searches, performance.now() + timeoutMs];
    while (this.batches < batches + count || this.searches < searches + count) {
      if (performance.now() > until)
        throw new Error(`${this.connectorId} stands still: ${this.failures.at(-1)?.message}`, {
          cause: this.failures.at(-1),
        });
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** Stops, and returns how many records are missing and how many are extra. */
  async stop(): Promise<{ acknowledged: number; lost: number; extra: number }> {
    this.#running = false;
    await this.#done;
    const found = new Map<string, number>();
    for await (const { id } of this.#store.records(this.#collection)) found.set(id, (found.get(id) ?? 0) + 1);
    let lost = 0;
    for (let batch = 0; batch < this.batches; batch++)
      for (let index = 0; index < size; index++) if (!found.has(`${batch}-${index}`)) lost += 1;
    const extra = [...found].reduce((sum, [id, count]) => {
      // The last batch may have been kept without being acknowledged.
      const isKnown = Number(id.split('-')[0]) <= this.batches;
      return sum + (isKnown ? count - 1 : count);
    }, 0);
    return { acknowledged: this.batches * size, lost, extra };
  }
}
