import { describe, expect, it } from 'vitest';
import { openPostgres } from '../../../service/src/data/records/drivers/postgres/driver.js';
import { layoutOf } from '../../../service/src/data/records/schema.js';
import { vectorOf } from './embedder.js';
import { newStore } from './fixtures.js';
import { emptyPostgres } from './pglite.js';
import { rankingCases, storageCases } from './semantic-cases.js';
import {
  embedAll,
  notes,
  notesCollection,
  sampleNotes,
  searchSemantically,
  semanticOptions,
  semanticSearchIds,
  textsOf,
} from './semantic-sample.js';

const forms = [
  ['with pgvector', true],
  ['without pgvector', false],
] as const;

describe.each(forms)('Postgres %s', { timeout: 600_000 }, (_, pgvector) => {
  const open = async () => newStore({ pool: await emptyPostgres({ pgvector }), ...semanticOptions() });

  it.each([...rankingCases, ...storageCases])('%s', async (__, check) => check(await open()));

  it('rejects vectors of a different length under the same name, and invalid vectors', async () => {
    const store = await open();
    await store.write(notesCollection, sampleNotes, textsOf);
    await embedAll(store);
    const [first] = await store.unembedded('another', 1);
    const passage = first!.passage;
    await expect(store.embed('words-64', [{ passage, vector: vectorOf('x', 32) }])).rejects.toThrow(/needs a new id/);
    await expect(
      store.embed('another', [
        { passage, vector: vectorOf('x', 32) },
        { passage: passage + 1, vector: vectorOf('x', 16) },
      ]),
    ).rejects.toThrow(/different lengths/);
    await expect(store.embed('another', [{ passage, vector: Float32Array.of(1, Number.NaN) }])).rejects.toThrow(
      /NaN or Infinity/,
    );
    await store.embed('zeros', [{ passage, vector: new Float32Array(4) }]);
    expect(await store.passageCount(notesCollection, 'body', 'zeros')).toMatchObject({ embedded: 1 });
  });

  it('keeps vectors from several embedders separate, even if they have the same length', async () => {
    const store = await open();
    await store.write(notesCollection, sampleNotes, textsOf);
    const all = await store.unembedded('first', 100);
    await store.embed(
      'first',
      all.map(({ passage, text }) => ({ passage, vector: vectorOf(text) })),
    );
    await store.embed(
      'words-64',
      all.slice(0, 2).map(({ passage }) => ({ passage, vector: vectorOf('zeppelin') })),
    );
    expect(await store.passageCount(notesCollection, 'body', 'first')).toEqual({ passages: 6, embedded: 6 });
    expect(await store.passageCount(notesCollection, 'body', 'words-64')).toEqual({ passages: 6, embedded: 2 });
    const hits = await searchSemantically(store, { prompt: 'zeppelin', mode: 'dense', dedup: 'none' });
    expect(hits).toHaveLength(2);
    for (const { score } of hits) expect(score).toBeCloseTo(1, 3);
    await store.keepEmbedders(['words-64']);
    expect(await store.unembedded('first', 100)).toHaveLength(9);
    expect(await store.unembedded('words-64', 100)).toHaveLength(7);
  });

  it('treats texts that look like commands as plain text', async () => {
    const store = await open();
    const texts = [
      `' or 1=1 --`,
      `a' & 'b`,
      `$1`,
      `\\`,
      `'::tsquery`,
      `a:* | !b`,
      `\u00b71`,
      `\ud800 x`,
      `\u0000`,
      `%s`,
    ];
    await store.write(
      notesCollection,
      texts.map((text, index) => ({ id: `t${index}`, body: `${text} unusual`, turns: [{ speakerId: text, text }] })),
      textsOf,
    );
    await embedAll(store);
    for (const text of texts) {
      for (const mode of ['lexical', 'dense', 'hybrid']) {
        const ids = await semanticSearchIds(store, {
          prompt: `${text} unusual`,
          mode,
          filter: { like: { body: '%unusual%' } },
        });
        expect(ids).toHaveLength(texts.length);
      }
    }
    const [hit] = await searchSemantically(store, { field: 'turns', prompt: 'a b' });
    expect(hit!.attribution).toEqual({ speakerId: `a' & 'b` });
  });
});

it('embeds passages again when pgvector is added or removed', async () => {
  const pool = await emptyPostgres();
  const layout = layoutOf(notes);
  const driver = await openPostgres(pool, [layout], 0);
  await driver.write(layout, 'con_1', sampleNotes, sampleNotes.map(textsOf), 0);
  const all = await driver.passages!.unembedded('words', 100);
  await driver.passages!.embed(
    'words',
    all.map(({ passage, text }) => ({ passage, vector: vectorOf(text) })),
  );
  // As if the extension had been too old at the time of writing.
  await pool.writeTransaction((query) => query(`update embedders set kept_in = 'vectors_bytes'`));
  const again = await openPostgres(pool, [layout], 0);
  expect(await again.passages!.count(layout, 'con_1', 'body', 'words')).toEqual({ passages: 6, embedded: 0 });
  expect(await again.passages!.unembedded('words', 100)).toHaveLength(9);
});

it("discards an entity's passages if its table no longer matches its definition", async () => {
  const pool = await emptyPostgres();
  const layout = layoutOf(notes);
  const driver = await openPostgres(pool, [layout], 0);
  await driver.write(layout, 'con_1', sampleNotes, sampleNotes.map(textsOf), 0);
  const changed = layoutOf({ ...notes, fields: { ...notes.fields, priority: 'string' } });
  const again = await openPostgres(pool, [changed], 0);
  expect(await again.passages!.count(changed, 'con_1', 'body', undefined)).toEqual({ passages: 0, embedded: 0 });
  const scope = { connectorId: 'con_1', field: 'body', condition: undefined, limit: 10 };
  expect(
    await again.passages!.lexical(changed, scope, {
      frequencies: [['car', 1]],
      unknown: 0,
      passages: 1,
      averageLength: 1,
    }),
  ).toEqual([]);
});

it('says why searches by vector are slow in a database without pgvector', async () => {
  const without = await newStore({ pool: await emptyPostgres({ pgvector: false }), entities: [notes] });
  expect(without.slowVectors).toMatch(/pgvector 0\.8 or newer.*Install pgvector/);
  const withExtension = await newStore({ pool: await emptyPostgres(), entities: [notes] });
  expect(withExtension.slowVectors).toBeUndefined();
});
