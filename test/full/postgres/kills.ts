import { once } from 'node:events';
import { expect } from 'vitest';
import { searchIds } from '../../service/store/fixtures.js';
import { notes, notesCollection } from '../../service/store/semantic-sample.js';
import { expectConsistent } from './consistency.js';
import { startWriter } from './processes.js';
import { openTestStore, waitUntilIdle } from './server.js';

/** Records per batch that the program writes. */
export const perBatch = 40;

/** Pseudorandom numbers that are the same in every run. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/**
 * Kills a writing process many times; acknowledged data is neither lost nor duplicated. On Citus, only a superuser can
 * read the rows of all organizations.
 */
export async function surviveKills(url: string, kills: number, superuser = url): Promise<void> {
  const random = seeded(20261120);
  for (let round = 0; round < kills; round++) {
    const { child, acknowledged, done } = await startWriter(url, `round${round}`, 'con_1', 100_000);
    await once(child.stdout, 'data');
    await new Promise((resolve) => setTimeout(resolve, 20 + random() * 300));
    child.kill('SIGKILL');
    await done;
    await waitUntilIdle(url);
    await expectConsistent(superuser);
    const store = await openTestStore(url, { entities: [notes] });
    const filter = {
      and: [{ keyword: { title: `round${round}` } }, { not: { eq: { id: `round${round}-passing` } } }],
    };
    const ids = await searchIds(store, { query: { filter }, limit: 10_000 }, notesCollection);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length % perBatch).toBe(0);
    // The batch in progress may have been stored without being reported.
    expect(ids.length / perBatch - acknowledged.length).toBeOneOf([0, 1]);
    await store.close();
  }
}
