import { FairQueue, type Requester } from '../../../../common/fair-queue.js';
import { SearchTimeout, searchWaitingLimit } from '../../timeout.js';
import type { ConnectionPool, RunStatement } from './connection.js';

/** Maximum concurrent searches; the pool's other connections are reserved for everything else. */
const maxSearches = 6;
/** SQLSTATE `query_canceled`. */
const canceledCode = '57014';

/** Runs searches on a pool: tenants take turns, and a search has a time limit for waiting and one for running. */
export class SearchLimits {
  readonly #pool: ConnectionPool;
  readonly #timeoutMs: number;
  readonly #queue: FairQueue<number>;

  constructor(pool: ConnectionPool, timeoutMs: number) {
    this.#pool = pool;
    this.#timeoutMs = timeoutMs;
    const slots = Array.from({ length: maxSearches }, (_, index) => index);
    this.#queue = new FairQueue(() => slots, searchWaitingLimit);
  }

  /** Runs a search in one transaction. */
  run<T>(requester: Requester, work: (query: RunStatement) => Promise<T>): Promise<T> {
    return this.#queue.run(requester, async () => {
      const deadline = performance.now() + this.#timeoutMs;
      let statementMs = this.#timeoutMs;
      const limited =
        (query: RunStatement): RunStatement =>
        async (sql, values) => {
          // The database limits the time of each statement, not their total time.
          const leftMs = Math.ceil(deadline - performance.now());
          if (leftMs <= 0) throw new SearchTimeout(this.#timeoutMs);
          if (leftMs < statementMs / 2) {
            statementMs = leftMs;
            await query(`set local statement_timeout = ${leftMs}`);
          }
          return query(sql, values);
        };
      try {
        return await this.#pool.readTransaction((query) => work(limited(query)), this.#timeoutMs);
      } catch (error) {
        throw (error as { readonly code?: unknown }).code === canceledCode ? new SearchTimeout(this.#timeoutMs) : error;
      }
    });
  }

  /** Rejects pending and future searches. */
  close(): void {
    this.#queue.close(new Error('The store has been closed.'));
  }
}
