import { afterAll, describe, expect, it } from 'vitest';
import { searchIds } from '../../service/store/fixtures.js';
import { notes, notesCollection, textsOf } from '../../service/store/semantic-sample.js';
import { expectConsistent } from './consistency.js';
import { perBatch, seeded, surviveKills } from './kills.js';
import { removeProgram, startWriter } from './processes.js';
import { openTestStore, query, startServer } from './server.js';

const server = await startServer();
const options = { entities: [notes] };

afterAll(async () => {
  await removeProgram();
  await server?.stop();
});

const notesAbout = (word: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `${word}${index}`,
    title: word,
    body: `A note about ${word} ${index}.`,
  }));

describe.skipIf(!server)('Postgres writers', () => {
  it('neither lose nor duplicate acknowledged data when killed', async () => {
    await surviveKills(await server!.database(), 10);
  });

  it('write concurrently from two processes, while a third one reads and a connector is deleted', async () => {
    const url = await server!.database();
    const store = await openTestStore(url, options);
    const writers = [
      await startWriter(url, 'first', 'con_1', 25),
      await startWriter(url, 'second', 'con_1', 25),
      await startWriter(url, 'third', 'con_2', 25),
    ];
    let writing = true;
    const removing = (async () => {
      while (writing) await store.removeConnector('con_2');
    })();
    let searched = 0;
    const reading = (async () => {
      while (writing) {
        await store.search({
          ...notesCollection,
          params: { query: { filter: { fuzzy: { title: 'secnd' } } }, limit: 5 },
        });
        searched += 1;
      }
    })();
    await Promise.all(writers.map(({ done }) => done));
    writing = false;
    await Promise.all([removing, reading]);
    expect(writers.map(({ acknowledged, child }) => [acknowledged.length, child.exitCode])).toEqual([
      [25, 0],
      [25, 0],
      [25, 0],
    ]);
    expect(searched).toBeGreaterThan(0);
    await expectConsistent(url);
    expect(await store.count(notesCollection)).toBe(2 * 25 * perBatch);
    const seconds = await searchIds(
      store,
      { query: { filter: { fuzzy: { title: 'secnd' } } }, limit: 10_000 },
      notesCollection,
    );
    expect(seconds).toHaveLength(25 * perBatch);
    await store.removeConnector('con_2');
    await expectConsistent(url);
  });

  it('keep batches atomic when the connection is lost midway', async () => {
    const url = await server!.database();
    const store = await openTestStore(url, options);
    const random = seeded(7);
    const cut = `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'agent-connectors-service'`;
    let lost = 0;
    for (let round = 0; round < 12; round++) {
      const outcome = store.write(notesCollection, notesAbout(`word${round}x`, 1500), textsOf).then(
        () => 'kept',
        (error: unknown) => error,
      );
      await new Promise((resolve) => setTimeout(resolve, random() * 400));
      await query(url, cut);
      const result = await outcome;
      const count = (
        await searchIds(
          store,
          { query: { filter: { eq: { title: `word${round}x` } } }, limit: 10_000 },
          notesCollection,
        )
      ).length;
      expect(count).toBeOneOf([0, 1500]);
      if (result === 'kept') expect(count).toBe(1500);
      else expect(result).toBeInstanceOf(Error);
      if (count === 0) lost += 1;
      expect(await store.write(notesCollection, notesAbout(`again${round}x`, 3), textsOf)).toMatchObject({
        inserted: 3,
      });
    }
    expect(lost).toBeGreaterThan(0);
    await expectConsistent(url);
  });

  it('are not blocked by many concurrent searches, which are limited to a few connections', async () => {
    const url = await server!.database();
    const store = await openTestStore(url, options);
    await store.write(notesCollection, notesAbout('lamp', 500), textsOf);
    const writing = store.write(notesCollection, notesAbout('other', 2000), textsOf);
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        index % 2 === 0
          ? searchIds(store, { query: { filter: { eq: { id: `lamp${index}` } } } }, notesCollection)
          : store
              .semanticSearch({
                ...notesCollection,
                params: { semantic: { field: 'body', prompt: `lamp ${index}` }, limit: 1 },
              })
              .then(({ hits }) => hits.map(({ record }) => record.id)),
      ),
    );
    for (const [index, ids] of answers.entries()) expect(ids).toEqual([`lamp${index}`]);
    await writing;
    const [open] = await query<{ count: number }>(
      url,
      `select count(*)::integer as count from pg_stat_activity
        where datname = current_database() and application_name = 'agent-connectors-service'`,
    );
    expect(open!.count).toBeLessThanOrEqual(10);
  });
});
