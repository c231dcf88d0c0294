import { expect } from 'vitest';
import type { Store } from '../../../service/src/data/records/types.js';
import { cosine, vectorOf } from './embedder.js';
import {
  embedAll,
  notesCollection,
  sampleNotes,
  searchSemantically,
  semanticSearchIds,
  textsOf,
} from './semantic-sample.js';

export { storageCases } from './semantic-storage-cases.js';

/** What every kind of database does: each case takes a store opened empty with `meaningOptions`. */
export type Case = readonly [name: string, check: (store: Store) => Promise<void>];

const lexical = { mode: 'lexical' };
const other = { ...notesCollection, connectorId: 'con_2' };

/** Finding and ranking. */
export const rankingCases: readonly Case[] = [
  [
    'ranks passages by their words, whatever their endings and accents',
    async (store) => {
      await store.write(notesCollection, sampleNotes, textsOf);
      expect(await semanticSearchIds(store, { prompt: 'replace batteries' })).toEqual(['garage']);
      expect(await semanticSearchIds(store, { prompt: 'the database index' })).toEqual(['night']);
      expect(await semanticSearchIds(store, { prompt: 'paper in the dàtabase' })).toEqual(
        expect.arrayContaining(['office', 'night']),
      );
      expect(await semanticSearchIds(store, { prompt: 'unheard-of' })).toEqual([]);
      const [hit] = await searchSemantically(store, { prompt: 'restored database' });
      expect(hit!.score).toBeGreaterThan(0);
      expect(hit!.score).toBeLessThan(1);
      expect(hit!.record).toMatchObject({ id: 'night', title: 'Night', priority: 3 });
      const { meta } = await store.semanticSearch({
        ...notesCollection,
        params: { semantic: { field: 'body', prompt: 'car' } },
      });
      expect(meta).toEqual({ took_ms: expect.any(Number), ranker: 'lexical' });
    },
  ],
  [
    'leaves out words that say nothing, unless there are no others',
    async (store) => {
      await store.write(
        notesCollection,
        [
          { id: 'a', body: 'What is it that we have with the release?' },
          { id: 'b', body: 'To be or not to be' },
        ],
        textsOf,
      );
      expect(await semanticSearchIds(store, { prompt: 'what is the release' })).toEqual(['a']);
      expect(await semanticSearchIds(store, { prompt: 'to be or not' })).toEqual(['b']);
    },
  ],
  [
    'takes a misspelt word for the nearest that the passages hold, and numbers as they are',
    async (store) => {
      await store.write(
        notesCollection,
        [...sampleNotes, { id: 'ticket', body: 'Ticket 1234 is about a keyboard.' }],
        textsOf,
      );
      await store.write(other, [{ id: 'x', body: 'keybord' }], textsOf);
      expect(await semanticSearchIds(store, { prompt: 'keybord' })).toEqual(['ticket']);
      expect(await semanticSearchIds(store, { prompt: 'databse' })).toEqual(['night']);
      expect(await semanticSearchIds(store, { field: 'turns', prompt: 'tuseday bakcup' })).toEqual(['night']);
      expect(await semanticSearchIds(store, { prompt: '1235' })).toEqual([]);
      expect(await semanticSearchIds(store, { prompt: '1234' })).toEqual(['ticket']);
    },
  ],
  [
    'finds words of scripts that part none',
    async (store) => {
      await store.write(
        notesCollection,
        [
          { id: 'zh', body: '数据库在夜间发生故障。' },
          { id: 'ja', body: '請求書の支払いを忘れました。' },
        ],
        textsOf,
      );
      expect(await semanticSearchIds(store, { prompt: '数据库故障' })).toEqual(['zh']);
      expect(await semanticSearchIds(store, { prompt: '支払い' })).toEqual(['ja']);
    },
  ],
  [
    'ranks by vectors as a plain comparison of all of them does, with and without a filter',
    async (store) => {
      const words = 'car invoice outage paper office night battery index lamp music deploy mechanic'.split(' ');
      const records = Array.from({ length: 300 }, (_, index) => ({
        id: `r${index}`,
        body: Array.from(
          { length: 9 },
          (__, place) => words[(index * (place + 3) + place * place) % words.length],
        ).join(' '),
        priority: index % 20,
      }));
      await store.write(notesCollection, records, textsOf);
      expect(await embedAll(store)).toBe(300);
      for (const prompt of ['automobile bill', 'night crash index', 'lamp']) {
        const queryVector = vectorOf(prompt);
        for (const filter of [undefined, { eq: { priority: 7 } }, { gte: { priority: 3 } }]) {
          const wanted = records
            .filter(({ priority }) => !filter || ('eq' in filter ? priority === 7 : priority >= 3))
            .map(({ body }) => cosine(vectorOf(body), queryVector))
            .sort((one, more) => more - one)
            .slice(0, 10);
          const hits = await searchSemantically(store, { prompt, mode: 'dense', ...(filter && { filter }) });
          expect(hits).toHaveLength(wanted.length);
          for (const [index, { score, record }] of hits.entries()) {
            expect(score).toBeCloseTo(Math.max(0, wanted[index]!), 2);
            expect(score).toBeCloseTo(Math.max(0, cosine(vectorOf(record.body as string), queryVector)), 2);
          }
        }
      }
    },
  ],
  [
    'joins both rankings where an embedder has the passages, and finds what shares no word with the prompt',
    async (store) => {
      await store.write(notesCollection, sampleNotes, textsOf);
      await embedAll(store);
      const { hits, meta } = await store.semanticSearch({
        ...notesCollection,
        params: { semantic: { field: 'body', prompt: 'automobile bill' }, limit: 2 },
      });
      expect(meta.ranker).toBe('hybrid');
      expect(new Set(hits.map(({ record }) => record.id))).toEqual(new Set(['garage', 'office']));
      const [best] = await searchSemantically(store, { prompt: 'outage of the database' });
      expect(best).toMatchObject({ record: { id: 'night' }, score: 1 });
      expect(await semanticSearchIds(store, { prompt: 'automobile', ...lexical })).toEqual([]);
      expect((await semanticSearchIds(store, { prompt: 'automobile', mode: 'dense' }))[0]).toBe('garage');
    },
  ],
  [
    'trusts words where they say most of the prompt, and vectors where they say little of it',
    async (store) => {
      const meetings = Array.from({ length: 30 }, (_, index) => ({
        id: `meeting${index}`,
        body: `Thursday we met about topic ${index}.`,
      }));
      const crash = { id: 'crash', body: 'A crash of the car.' };
      // Its many words hide the rare one from an embedder that only adds them up.
      const report = { id: 'report', body: `${'Printers, lamps and music came up. '.repeat(8)}Zephyrus is late.` };
      await store.write(notesCollection, [...meetings, crash, report], textsOf);
      await embedAll(store);
      const [other] = await searchSemantically(store, { prompt: 'automobile outage Thursday' });
      expect(other!.record.id).toBe('crash');
      const [named] = await searchSemantically(store, { prompt: 'Zephyrus late' });
      expect(named!.record.id).toBe('report');
    },
  ],
  [
    'gives the scores that compare hits with those of other fields where they are wanted, and the same hits',
    async (store) => {
      const many = Array.from({ length: 60 }, (_, index) => ({ id: `m${index}`, body: `Car number ${index}.` }));
      await store.write(notesCollection, [...sampleNotes, ...many], textsOf);
      await embedAll(store);
      for (const mode of ['lexical', 'dense', 'hybrid']) {
        const request = {
          ...notesCollection,
          params: { semantic: { field: 'body', prompt: 'the mechanic’s automobile', mode } },
        };
        const [plain, compared] = [
          await store.semanticSearch(request),
          await store.semanticSearch({ ...request, withScores: true }),
        ];
        expect(compared.hits.map(({ scores: _, ...hit }) => hit)).toEqual(plain.hits);
        expect(plain.scores).toBeUndefined();
        const { words, vectors, lexicalWeight } = compared.scores!;
        // One passage names the mechanic; all have vectors, of which the best fifty tell.
        expect(words?.passages).toBe(mode === 'dense' ? undefined : 1);
        expect(vectors?.passages).toBe(mode === 'lexical' ? undefined : 50);
        expect(lexicalWeight).toEqual({ lexical: undefined, dense: 0, hybrid: expect.any(Number) }[mode]);
        const garage = compared.hits.find(({ record }) => record.id === 'garage')!.scores!;
        expect(garage.words).toEqual(mode === 'dense' ? undefined : words!.sum);
        if (vectors) expect(garage.vectors).toBeGreaterThan(vectors.sum / vectors.passages);
      }
    },
  ],
  [
    'searches only the records that a filter leaves, however few they are',
    async (store) => {
      await store.write(notesCollection, sampleNotes, textsOf);
      await embedAll(store);
      for (const mode of ['lexical', 'dense', 'hybrid']) {
        const by = (filter: object) => semanticSearchIds(store, { prompt: 'database car paper', mode, filter });
        expect(new Set(await by({ eq: { ownerId: 'ann' } }))).toEqual(new Set(['garage', 'night']));
        expect(await by({ and: [{ eq: { ownerId: 'ann' } }, { gt: { priority: 1 } }] })).toEqual(['night']);
        expect(await by({ keyword: { title: 'office' } })).toEqual(['office']);
        expect(await by({ fuzzy: { title: 'ofice' }, like: { body: '%paper%' } })).toEqual(['office']);
        expect(await by({ eq: { id: 'nothing' } })).toEqual([]);
        expect(await by({ eq: { id: 'empty' } })).toEqual([]);
      }
    },
  ],
  [
    'gives the best passage of each record, or several of one',
    async (store) => {
      const many = Array.from({ length: 30 }, (_, index) => `The car drove ${index} miles, said the car's owner.`);
      await store.write(
        notesCollection,
        [
          { id: 'long', body: many.join('\n\n') },
          { id: 'short', body: 'Somebody mentioned a car while they talked about very different things all day.' },
        ],
        textsOf,
      );
      await embedAll(store);
      for (const mode of ['lexical', 'dense', 'hybrid']) {
        expect(await semanticSearchIds(store, { prompt: 'car', mode }, { limit: 2 })).toEqual(['long', 'short']);
        const all = await searchSemantically(store, { prompt: 'car', mode, dedup: 'none' }, { limit: 7 });
        expect(all.map(({ record }) => record.id)).toEqual(Array.from({ length: 7 }, () => 'long'));
        expect(all.map(({ score }) => score)).toEqual(all.map(({ score }) => score).sort((one, more) => more - one));
      }
      expect(
        await searchSemantically(store, { prompt: 'car', ...lexical, dedup: 'none' }, { limit: 100 }),
      ).toHaveLength(31);
    },
  ],
];
