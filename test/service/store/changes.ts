import { ConnectorError } from 'agent-connectors';
import { expect } from 'vitest';
import type { RecordChange } from '../../../service/src/data/records/changes/page.js';
import type { Store } from '../../../service/src/data/records/types.js';
import { collection, tasks } from './fixtures.js';

/** Tasks whose labels list who may see them. */
export const guarded = { ...tasks, readers: 'labels' };

/** A program that keeps a copy of the records by following the feed. */
export class Consumer {
  readonly copy = new Map<string, unknown>();
  cursor: string | undefined;
  /** Deletions of records that it did not have. */
  unknownDeletions = 0;
  readonly #of: typeof collection & { readonly readers?: readonly string[] };

  constructor(readers?: readonly string[]) {
    this.#of = { ...collection, ...(readers && { readers }) };
  }

  /** Applies a page; a record must not be added twice, or updated before it was added. */
  apply(changes: readonly RecordChange[]): void {
    for (const { change, id, record } of changes) {
      if (change === 'deleted') {
        if (!this.copy.delete(id)) this.unknownDeletions += 1;
        continue;
      }
      expect([change, id]).toEqual([this.copy.has(id) ? 'updated' : 'added', id]);
      this.copy.set(id, record);
    }
    const ids = changes.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  }

  /** Reads one page; returns the changes in it. */
  async pull(store: Pick<Store, 'changes'>, limit = 100): Promise<readonly RecordChange[]> {
    const { changes, cursor, has_more } = await store.changes(this.#of, { cursor: this.cursor, limit });
    this.apply(changes);
    this.cursor = cursor;
    this.hasMore = has_more;
    return changes;
  }

  hasMore = false;

  /** Reads all pages; returns the number of changes. */
  async drain(store: Pick<Store, 'changes'>, limit = 100): Promise<number> {
    let count = 0;
    do count += (await this.pull(store, limit)).length;
    while (this.hasMore);
    return count;
  }
}

/** A random number from 0 to 1 for each call, the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export const expectExpired = async (work: Promise<unknown>, reason: RegExp): Promise<void> => {
  const error: unknown = await work.catch((failure: unknown) => failure);
  expect(ConnectorError.is(error) && error.code).toBe('cursor_expired');
  expect((error as Error).message).toMatch(reason);
};
