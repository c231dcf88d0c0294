import { describe, expect, it } from 'vitest';
import type { StoredRecord } from '../../../service/src/data/records/entity.js';
import { exportRecords, importRecords } from '../../../service/src/data/records/index.js';
import type { Store, StoreOptions } from '../../../service/src/data/records/types.js';
import { WordEmbedder } from './embedder.js';
import { newStore } from './fixtures.js';
import { emptyPostgres } from './pglite.js';
import {
  embedAll,
  notesCollection,
  sampleNotes,
  searchSemantically,
  semanticOptions,
  textsOf,
} from './semantic-sample.js';

type Options = Omit<StoreOptions, 'cursorKeys'>;

const sqlite = (more: Partial<Options> = {}) => newStore({ folder: ':memory:', ...semanticOptions(), ...more });
const postgres = async (pgvector: boolean) =>
  newStore({ pool: await emptyPostgres({ pgvector }), ...semanticOptions() });

const kinds: ReadonlyArray<readonly [string, () => Promise<Store>]> = [
  ['SQLite', () => sqlite()],
  ['Postgres with pgvector', () => postgres(true)],
  ['Postgres without pgvector', () => postgres(false)],
];

async function linesOf(store: Store, counts?: { records: number; vectors: number }): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of exportRecords(store, counts)) lines.push(line);
  return lines;
}

const byVectors = async (store: Store) =>
  (await searchSemantically(store, { prompt: 'automobile database', mode: 'dense' })).map(({ record, score }) => [
    record.id,
    score,
  ]);

/** A store with all passages embedded, and its export. */
async function exported(open: () => Promise<Store> = sqlite) {
  const store = await open();
  await store.write(notesCollection, sampleNotes, textsOf);
  await embedAll(store);
  const counts = { records: 0, vectors: 0 };
  return { store, counts, lines: await linesOf(store, counts) };
}

describe('an export', { timeout: 600_000 }, () => {
  it.each(kinds)('from %s includes its vectors for every kind of database', async (_, open) => {
    const { store, counts, lines } = await exported(open);
    expect(counts).toEqual({ records: 4, vectors: 9 });
    for (const [name, openOther] of kinds) {
      const other = await openOther();
      expect(await importRecords(other, lines, () => textsOf), name).toEqual({ records: 4, left: 0, vectors: 9 });
      expect(await other.unembedded('words-64', 10)).toEqual([]);
      expect(await other.passageCount(notesCollection, 'turns', 'words-64')).toEqual({ passages: 3, embedded: 3 });
      const [wanted, found] = [await byVectors(store), await byVectors(other)];
      expect(found.map(([id]) => id)).toEqual(wanted.map(([id]) => id));
      for (const [index, [, score]] of found.entries()) expect(score).toBeCloseTo(wanted[index]![1] as number, 2);
    }
  });

  it('is the same after an import and another export', async () => {
    const { lines } = await exported();
    const other = await sqlite();
    await importRecords(other, lines, () => textsOf);
    await importRecords(other, lines, () => textsOf);
    const again = await linesOf(other);
    const texts = (from: readonly string[]) =>
      from.map((line) => JSON.parse(line)).map(({ vectors, ...rest }) => vectors?.digest ?? rest);
    expect(texts(again)).toEqual(texts(lines));
    const third = await sqlite();
    expect(await importRecords(third, again, () => textsOf)).toMatchObject({ vectors: 9 });
  });

  it('omits passages that have not been embedded', async () => {
    const store = await sqlite();
    await store.write(notesCollection, sampleNotes, textsOf);
    const embedder = new WordEmbedder();
    const some = await store.unembedded(embedder.id, 4);
    const vectors = await embedder.embed(some.map(({ text }) => text));
    await store.embed(
      embedder.id,
      some.map(({ passage }, index) => ({ passage, vector: vectors[index]! })),
    );
    const other = await sqlite();
    expect(await importRecords(other, await linesOf(store), () => textsOf)).toMatchObject({ records: 4, vectors: 4 });
    expect((await other.unembedded(embedder.id, 10)).length).toBe(5);
    expect(await embedAll(other)).toBe(5);
  });

  it('keeps vectors from several embedders separate, and a different embedder starts from scratch', async () => {
    const { store } = await exported();
    await embedAll(store, new WordEmbedder('short', 16));
    const other = await sqlite({ embedders: [new WordEmbedder('new', 32), new WordEmbedder('short', 16)] });
    expect(await importRecords(other, await linesOf(store), () => textsOf)).toMatchObject({ vectors: 18 });
    expect((await byVectors(other))[0]![0]).toBe('garage');
    expect((await other.unembedded('new', 20)).length).toBe(9);
    expect([await other.dimensionsOf('short'), await other.dimensionsOf('new')]).toEqual([16, undefined]);
  });

  it("is embedded again if the embedder's dimensions differ", async () => {
    const { lines } = await exported();
    const other = await sqlite();
    const remark = { ...notesCollection, entity: 'remarks' };
    await other.write(remark, [{ id: 'a', body: 'A remark.' }], textsOf);
    await embedAll(other, new WordEmbedder('words-64', 32));
    expect(await importRecords(other, lines, () => textsOf)).toEqual({ records: 4, left: 0, vectors: 0 });
    expect((await other.unembedded('words-64', 20)).length).toBe(9);
  });

  it('is embedded again if its texts are split differently here or are damaged', async () => {
    const { lines } = await exported();
    const whole = (record: StoredRecord) =>
      textsOf(record).map(({ field, text, passages }) => ({
        field,
        text,
        passages: field === 'turns' ? passages : [{ start: 0, end: [...text].length, attribution: {} }],
      }));
    const other = await sqlite();
    expect(await importRecords(other, lines, () => whole)).toMatchObject({ vectors: 3 });
    expect((await other.unembedded('words-64', 20)).length).toBe(3);
    const spoilt = lines.map((line) => line.replace(/"passages":\["[^"]{8}/, '"passages":["'));
    expect(spoilt).not.toEqual(lines);
    const third = await sqlite();
    expect((await importRecords(third, spoilt, () => textsOf)).vectors).toBeLessThan(9);
    const without = await sqlite();
    expect(await importRecords(without, lines)).toEqual({ records: 4, left: 0, vectors: 0 });
  });

  it('from the previous release, without vectors, can be imported', async () => {
    const { lines } = await exported();
    const before = lines.filter((line) => !('vectors' in JSON.parse(line)));
    before[0] = before[0]!.replace('"version":2', '"version":1');
    const other = await sqlite();
    expect(await importRecords(other, before, () => textsOf)).toEqual({ records: 4, left: 0, vectors: 0 });
    const later = [lines[0]!.replace('"version":2', '"version":3'), ...lines.slice(1)];
    await expect(importRecords(other, later)).rejects.toThrow('not a record export');
  });
});
