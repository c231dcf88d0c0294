import { expect } from 'vitest';
import { vectorOf } from './embedder.js';
import type { Case } from './semantic-cases.js';
import {
  embedAll,
  notesCollection,
  sampleNotes,
  searchSemantically,
  semanticSearchIds,
  textsOf,
} from './semantic-sample.js';

const lexical = { mode: 'lexical' };
const other = { ...notesCollection, connectorId: 'con_2' };

/** Context, storage and removal of passages. */
export const storageCases: readonly Case[] = [
  [
    'shows a passage with its attribution and the surrounding text',
    async (store) => {
      await store.write(notesCollection, sampleNotes, textsOf);
      const [hit] = await searchSemantically(store, { field: 'turns', prompt: 'backup' });
      expect(hit!.attribution).toEqual({ speakerId: 's2' });
      expect(hit!.context).toBe('Who restored the database?\nI did, from the backup of Tuesday.\nMusic played.');
      const [narrow] = await searchSemantically(store, { field: 'turns', prompt: 'backup', context_size: 1 });
      expect(narrow!.context).toBe('I did, from the backup of Tuesday.');
      const [wide] = await searchSemantically(store, { field: 'turns', prompt: 'backup', context_size: 50 });
      expect(wide!.context).toContain('I did, from the backup of Tuesday.');
      expect([...wide!.context].length).toBeLessThanOrEqual(50);
      expect((await searchSemantically(store, { field: 'turns', prompt: 'music' }))[0]!.attribution).toEqual({
        speakerId: null,
      });
      expect((await searchSemantically(store, { prompt: 'car' }))[0]!.attribution).toEqual({});
    },
  ],
  [
    'cuts long passages to the size of the context, around the words of the prompt',
    async (store) => {
      const filler = (count: number) => Array.from({ length: count }, (_, index) => `Filler ${index}`).join(', ');
      const bodies = [
        `${filler(60)}. The unicorn met a dragon. ${filler(40)}`,
        `${'倉庫の在庫を確認してください。'.repeat(30)}独角獣${'次の会議は金曜日です。'.repeat(20)}`,
      ];
      for (const body of bodies) {
        await store.write(notesCollection, [{ id: 'long', body }], (record) => [
          {
            field: 'body',
            text: String(record.body),
            passages: [{ start: 0, end: [...body].length, attribution: {} }],
          },
        ]);
        const prompt = body.includes('unicorn') ? 'unicorn dragon' : '独角獣';
        for (const size of [60, 120, 300]) {
          const [hit] = await searchSemantically(store, { prompt, context_size: size });
          expect([...hit!.context].length).toBeLessThanOrEqual(size);
          expect([...hit!.context].length).toBeGreaterThan(size - 25);
          expect(hit!.context).toContain(prompt.split(' ').at(-1));
          expect(body).toContain(hit!.context);
        }
        const [whole] = await searchSemantically(store, { prompt });
        expect(whole!.context).toBe(body);
      }
    },
  ],
  [
    'counts characters, however they are encoded',
    async (store) => {
      const around = '👩\u200d👩\u200d👧 e\u0301te\u0301 数据库 🎉 '.repeat(40);
      // Text with these characters is not stored in the record's own column.
      for (const signs of ['', '\u0000 \u0001 ']) {
        const body = `${signs}${around}\n\n🦄 the unicorn 数 e\u0301\n\n${around}`;
        await store.write(notesCollection, [{ id: 'odd', body }], textsOf);
        const [narrow] = await searchSemantically(store, { prompt: 'unicorn', context_size: 1 });
        expect(narrow!.context).toBe('🦄 the unicorn 数 e\u0301');
        for (const size of [20, 33, 200, 301, 1000]) {
          const [hit] = await searchSemantically(store, { prompt: 'unicorn', context_size: size });
          expect(hit!.context).toContain('🦄 the unicorn 数 e\u0301');
          expect([...hit!.context].length).toBeLessThanOrEqual(size);
          expect([...hit!.context].length).toBeGreaterThan(Math.min(size, [...body].length) - 82);
          expect(hit!.context).not.toMatch(/\p{Surrogate}/u);
          expect(body.replaceAll('\u0000', '\ufffd')).toContain(hit!.context);
        }
      }
    },
  ],
  [
    'keeps passages up to date with their records',
    async (store) => {
      await store.write(notesCollection, sampleNotes, textsOf);
      expect(await store.passageCount(notesCollection, 'body')).toEqual({ passages: 6, embedded: 0 });
      await store.write(notesCollection, [{ ...sampleNotes[0], body: 'A bicycle instead.' }], textsOf);
      expect(await semanticSearchIds(store, { prompt: 'mechanic battery car' })).toEqual([]);
      expect(await semanticSearchIds(store, { prompt: 'bicycles' })).toEqual(['garage']);
      expect(await store.passageCount(notesCollection, 'body')).toEqual({ passages: 5, embedded: 0 });
      await store.write(notesCollection, [{ ...sampleNotes[0], body: null }], textsOf);
      expect(await semanticSearchIds(store, { prompt: 'bicycle' })).toEqual([]);
      expect(await store.remove(notesCollection, ['night'])).toBe(1);
      expect(await semanticSearchIds(store, { prompt: 'database' })).toEqual([]);
      expect(await semanticSearchIds(store, { field: 'turns', prompt: 'backup' })).toEqual([]);
      expect(await store.passageCount(notesCollection, 'turns')).toEqual({ passages: 0, embedded: 0 });
      await store.write(notesCollection, [{ ...sampleNotes[1], title: 'Without texts' }]);
      expect(await semanticSearchIds(store, { prompt: 'printers' })).toEqual([]);
    },
  ],
  [
    'splits the texts of stored records that have not been split yet',
    async (store) => {
      await store.write(notesCollection, sampleNotes);
      expect(await semanticSearchIds(store, { prompt: 'car' })).toEqual([]);
      expect(await store.write(notesCollection, sampleNotes, textsOf)).toEqual({
        inserted: 0,
        updated: 0,
        unchanged: 4,
      });
      expect(await semanticSearchIds(store, { prompt: 'car' })).toEqual(['garage']);
    },
  ],
  [
    'never mixes connectors, entities or fields',
    async (store) => {
      const remarked = { ...notesCollection, entity: 'remarks' };
      await store.write(notesCollection, sampleNotes, textsOf);
      await store.write(other, [{ id: 'theirs', body: 'Their car has a secret.', turns: [{ text: 'car' }] }], textsOf);
      await store.write(remarked, [{ id: 'remark', body: 'A remark about the car and a zeppelin.' }], textsOf);
      const score = (await searchSemantically(store, { prompt: 'car' }))[0]!.score;
      await embedAll(store);
      for (const mode of ['lexical', 'dense', 'hybrid']) {
        const by = (field: string, of: typeof notesCollection) =>
          semanticSearchIds(store, { field, prompt: 'car', mode }, {}, of);
        expect(await by('body', notesCollection)).toContain('garage');
        expect(await by('body', notesCollection)).not.toContain('theirs');
        expect(await by('turns', notesCollection)).not.toContain('garage');
        expect(await by('body', other)).toEqual(['theirs']);
        expect(await by('turns', other)).toEqual(['theirs']);
        expect(await by('body', remarked)).toEqual(['remark']);
        expect(await by('body', { ...notesCollection, connectorId: 'con_3' })).toEqual([]);
      }
      // Words that occur only in other connectors are not used for corrections.
      expect(await semanticSearchIds(store, { prompt: 'secrat', ...lexical })).toEqual([]);
      expect(await semanticSearchIds(store, { prompt: 'zepelin', ...lexical })).toEqual([]);
      expect(await store.removeConnector('con_2')).toBe(1);
      expect(await semanticSearchIds(store, { prompt: 'secret', ...lexical }, {}, other)).toEqual([]);
      expect(await store.passageCount(other, 'body', 'words-64')).toEqual({ passages: 0, embedded: 0 });
      // Other connectors' records do not affect scores.
      expect((await searchSemantically(store, { prompt: 'car', ...lexical }))[0]!.score).toBeCloseTo(score, 6);
    },
  ],
  [
    'remembers what an embedder has processed until a text changes',
    async (store) => {
      await store.write(notesCollection, sampleNotes, textsOf);
      expect(await store.unembedded('words-64', 2)).toMatchObject([
        { text: 'The car would not start this morning.' },
        { text: 'A mechanic replaced the battery of the car and the lamps.' },
      ]);
      expect(await embedAll(store)).toBe(9);
      expect(await store.passageCount(notesCollection, 'body', 'words-64')).toEqual({ passages: 6, embedded: 6 });
      expect(await store.passageCount(notesCollection, 'body', 'another')).toEqual({ passages: 6, embedded: 0 });
      await store.write(notesCollection, [{ ...sampleNotes[0], title: 'Another title', priority: 9 }], textsOf);
      expect(await store.unembedded('words-64', 10)).toEqual([]);
      expect(await store.countUnembedded('words-64')).toBe(0);
      expect(await semanticSearchIds(store, { prompt: 'car', filter: { eq: { priority: 9 } }, mode: 'dense' })).toEqual(
        ['garage'],
      );
      await store.write(notesCollection, [{ ...sampleNotes[0], body: 'A new bicycle.' }], textsOf);
      expect(await store.unembedded('words-64', 10)).toMatchObject([{ text: 'A new bicycle.' }]);
      expect(await store.countUnembedded('words-64')).toBe(1);
      await embedAll(store);
      expect((await semanticSearchIds(store, { prompt: 'bicycle', mode: 'dense' }))[0]).toBe('garage');
      expect((await searchSemantically(store, { prompt: 'car', mode: 'dense' }))[0]!.score).toBeLessThan(0.5);
      // A passage that no longer exists.
      await store.embed('words-64', [{ passage: 999_999, vector: vectorOf('x') }]);
      await store.keepEmbedders([]);
      expect(await store.passageCount(notesCollection, 'body', 'words-64')).toEqual({ passages: 5, embedded: 0 });
      expect(await store.unembedded('words-64', 100)).toHaveLength(8);
      expect(await store.countUnembedded('words-64')).toBe(8);
    },
  ],
  [
    'reflects vectors that are added, changed and removed between searches',
    async (store) => {
      const count = 120;
      const write = (round: number) =>
        store.write(
          notesCollection,
          Array.from({ length: count }, (_, index) => ({ id: `r${index}`, body: `round${round} item${index} car` })),
          textsOf,
        );
      for (let round = 0; round < 3; round++) {
        await write(round);
        await embedAll(store);
        const hits = await searchSemantically(
          store,
          { prompt: `round${round} item7 car`, mode: 'dense' },
          { limit: 100 },
        );
        expect(hits).toHaveLength(100);
        expect(hits[0]!.record).toMatchObject({ id: 'r7' });
        expect(hits[0]!.score).toBeGreaterThan(0.99);
        for (const { record } of hits) expect(record.body).toMatch(new RegExp(`^round${round} `));
      }
      await store.remove(
        notesCollection,
        Array.from({ length: count - 1 }, (_, index) => `r${index}`),
      );
      expect(await semanticSearchIds(store, { prompt: 'item7 car', mode: 'dense' })).toEqual([`r${count - 1}`]);
    },
  ],
];
