import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'vitest';
import { Connection } from '../../../service/src/data/sqlite.js';
import { buildOnce, collection, newStore, searchIds, tasks } from './fixtures.js';

/** Records per batch. */
export const batchSize = 40;
/** The entity that the program writes. */
export const writtenEntity = { ...tasks, semantic: ['notes'] };

/** Starts a process that writes to a folder and reports each stored batch. */
export async function startWriter(folder: string, name: string, batches: number) {
  const code = await buildOnce();
  const args = [
    join(code, 'program.js'),
    folder,
    join(code, 'store-worker.js'),
    name,
    String(batches),
    JSON.stringify(writtenEntity),
  ];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const acknowledged: number[] = [];
  const lines = createInterface(child.stdout).on('line', (line) => acknowledged.push(Number(line)));
  return { child, acknowledged, done: Promise.all([once(child, 'exit'), once(lines, 'close')]) };
}

/** Checks that words, labels and records agree with each other, and that SQLite finds no errors in its file. */
export function expectIntegrity(folder: string): void {
  const connection = new Connection(join(folder, 'records.db'));
  try {
    expect(connection.all('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    const [rows] = connection.all<{ count: number }>('select count(*) as count from "sample.tasks"');
    const [words] = connection.all<{ count: number }>(
      `select count(*) as count from "sample.tasks.words_docsize" where id in (select rid from "sample.tasks")`,
    );
    expect(words).toEqual(rows);
    const [passages] = connection.all<{ count: number }>(`
      select count(*) as count from passages p join "sample.tasks" r on r.rid = p.rid
        join passage_texts t on t.rid = p.rid join passage_words_docsize w on w.id = p.passage`);
    expect(passages).toEqual(rows);
  } finally {
    connection.close();
  }
}

/** Kills a writing process after each of these delays, in milliseconds: reported records must be neither lost nor duplicated. */
export async function surviveKills(folder: string, pauses: readonly number[]): Promise<void> {
  for (const [round, pause] of pauses.entries()) {
    const { child, acknowledged, done } = await startWriter(folder, `round${round}`, 100_000);
    await once(child.stdout!, 'data');
    await new Promise((resolve) => setTimeout(resolve, pause));
    child.kill('SIGKILL');
    await done;
    expectIntegrity(folder);
    const store = await newStore({ folder, entities: [writtenEntity] });
    const ids = await searchIds(store, { query: { filter: { keyword: { title: `round${round}` } } }, limit: 10_000 });
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length % batchSize).toBe(0);
    // The batch in progress may have been stored without being reported.
    expect(ids.length / batchSize - acknowledged.length).toBeOneOf([0, 1]);
    expect(await store.passageCount(collection, 'notes')).toMatchObject({ passages: await store.count(collection) });
    const last = acknowledged.at(-1)!;
    expect(
      await searchIds(store, {
        query: { filter: { contains: { labels: `batch-${last}` }, keyword: { title: `round${round}` } } },
      }),
    ).toHaveLength(batchSize);
    await store.close();
  }
}

/** Delays before each kill, in milliseconds; the same for the same seed. */
export function seededPauses(seed: number, count: number): number[] {
  let state = seed;
  return Array.from({ length: count }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return 20 + (state % 260);
  });
}
