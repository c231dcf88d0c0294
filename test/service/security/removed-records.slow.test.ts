import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { StoredRecord } from '../../../service/src/data/records/entity.js';
import { newFolder, newStore, removeBuilt, searchIds, workerCode } from '../store/fixtures.js';
import { notesCollection, semanticOptions, textsOf } from '../store/semantic-sample.js';

afterAll(removeBuilt);

const other = { ...notesCollection, connectorId: 'con_2' };

/** A note with a distinct word in each of its texts. */
const canary = (id: number): StoredRecord => ({
  id: `idcanary${id}`,
  title: `A title with titlecanary${id}`,
  body: `A paragraph with bodycanary${id}.\n\n${'Long enough to need pages of its own. '.repeat(id % 9 === 0 ? 1000 : 1)}`,
  ownerId: `ownercanary${id}`,
  turns: [{ speakerId: `speakercanary${id}`, text: `They said turncanary${id}.` }],
});

const plain = (id: number): StoredRecord => ({
  id: `n${id}`,
  title: `A title of number ${id}`,
  body: `A paragraph that stays, number ${id}.`,
  turns: [{ speakerId: 's', text: `They said word${id}.` }],
});

/** Counts occurrences of removed notes' words, but not ids, in the files of a folder, by file: deletions are listed by id in the change feed. */
function copiesIn(folder: string): Record<string, number> {
  const found = readdirSync(folder).map((file) => {
    const copies = readFileSync(join(folder, file))
      .toString('latin1')
      .match(/(?<!id)canary/g);
    return [file, copies?.length ?? 0] as const;
  });
  return Object.fromEntries(found.filter(([, copies]) => copies > 0));
}

const range = <T>(length: number, make: (index: number) => T): T[] => Array.from({ length }, (_, index) => make(index));

async function openNotes(folder: string) {
  return newStore({ folder, ...semanticOptions(), worker: await workerCode() });
}

/** A folder with canaries among other notes, written in several batches, with vectors for all passages. */
async function folderWithCanaries(connector = notesCollection) {
  const folder = newFolder();
  const store = await openNotes(folder);
  for (let batch = 0; batch < 6; batch++) {
    const at = batch * 100;
    await store.write(
      notesCollection,
      range(100, (index) => plain(at + index)),
      textsOf,
    );
    await store.write(
      connector,
      range(40, (index) => canary(at + index)),
      textsOf,
    );
  }
  const embedder = semanticOptions().embedders[0]!;
  const passages = await store.unembedded(embedder.id, 10_000);
  const vectors = await embedder.embed(passages.map(({ text }) => text));
  await store.embed(
    embedder.id,
    passages.map(({ passage }, index) => ({ passage, vector: vectors[index]! })),
  );
  return { folder, store };
}

const canaryIds = range(6, (batch) => range(40, (index) => `idcanary${batch * 100 + index}`)).flat();

describe('once the store is closed, no trace of deleted data remains in the folder', () => {
  it('after records were deleted', async () => {
    const { folder, store } = await folderWithCanaries();
    expect(await store.remove(notesCollection, canaryIds)).toBe(240);
    await store.close();
    expect(copiesIn(folder)).toEqual({});
  });

  it('after a connector was deleted', async () => {
    const { folder, store } = await folderWithCanaries(other);
    expect(await store.removeConnector(other.connectorId)).toBe(240);
    await store.close();
    expect(copiesIn(folder)).toEqual({});
  });

  it('after records were deleted one by one, repeatedly', async () => {
    const { folder, store } = await folderWithCanaries();
    for (const id of canaryIds) await store.remove(notesCollection, [id]);
    await store.close();
    expect(copiesIn(folder)).toEqual({});
    const again = await openNotes(folder);
    await again.write(notesCollection, [canary(1), plain(1)], textsOf);
    await again.close();
    const third = await openNotes(folder);
    await third.remove(notesCollection, ['idcanary1']);
    await third.close();
    expect(copiesIn(folder)).toEqual({});
  });
});

describe('words of deleted records', () => {
  const find = (word: string) => ({ query: { filter: { fuzzy: { title: word } } } });

  it('are found again if other records contain them', async () => {
    const folder = newFolder();
    const store = await openNotes(folder);
    const [first, second] = ['first', 'second'].map((id) => ({ id, title: 'An unusual zeitgeist' }));
    await store.write(notesCollection, [first!, { id: 'kept', title: 'Something else' }]);
    expect(await searchIds(store, find('zeitgeits'), notesCollection)).toEqual(['first']);
    await store.remove(notesCollection, ['first']);
    await store.close();

    const again = await openNotes(folder);
    // A second process, which still knows the words.
    const beside = await openNotes(folder);
    await beside.write(notesCollection, [first!]);
    await again.remove(notesCollection, ['first']);
    await again.close();
    await beside.write(notesCollection, [second!]);
    expect(await searchIds(beside, find('zeitgeits'), notesCollection)).toEqual(['second']);
  });

  it('do not leave behind ids that a reader could mistake for those of other words', async () => {
    const store = await newStore({ folder: newFolder(), ...semanticOptions() });
    await store.write(notesCollection, [{ id: 'a', title: 'kept' }]);
    await store.write(
      other,
      range(20, (index) => ({ id: `b${index}`, title: `word${index}` })),
    );
    expect(await searchIds(store, find('kep'), notesCollection)).toEqual(['a']);
    await store.removeConnector(other.connectorId);
    await store.write(notesCollection, [{ id: 'c', title: 'latecomer' }]);
    expect(await searchIds(store, find('latecomr'), notesCollection)).toEqual(['c']);
  });

  it('remain if other records contain them', async () => {
    const folder = newFolder();
    const store = await openNotes(folder);
    const turns = [{ speakerId: null, text: 'The quarterly projections differ.' }];
    await store.write(
      notesCollection,
      [
        { id: 'a', title: 'projections', turns },
        { id: 'b', turns },
      ],
      textsOf,
    );
    await store.remove(notesCollection, ['a']);
    await store.close();
    const again = await openNotes(folder);
    const params = { semantic: { field: 'turns', prompt: 'quartely projctions', mode: 'lexical' } };
    const { hits } = await again.semanticSearch({ ...notesCollection, params });
    expect(hits.map(({ record }) => record.id)).toEqual(['b']);
  });
});
