import { expect } from 'vitest';
import { mergeEntities } from '../../../service/src/data/records/passages/merge-fields.js';
import { entityWordsOf } from '../../../service/src/data/records/passages/semantic-search.js';
import type { Store } from '../../../service/src/data/records/types.js';
import { cosine, vectorOf } from './embedder.js';
import {
  embedAll,
  notesCollection,
  sampleNotes,
  searchSemantically,
  semanticSearchIds,
  textsOf,
  ticketTexts,
} from './semantic-sample.js';

export { storageCases } from './semantic-storage-cases.js';

/** Common to all kinds of databases: each case receives an empty store opened with `semanticOptions`. */
export type Case = readonly [name: string, check: (store: Store) => Promise<void>];

const lexical = { mode: 'lexical' };
const other = { ...notesCollection, connectorId: 'con_2' };

/** Matching and ranking. */
export const rankingCases: readonly Case[] = [
  [
    'ranks passages by their words, ignoring endings and accents',
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
    'names the rare words of a prompt that no hit contains, and returns fewer hits then',
    async (store) => {
      const bodies = Array.from({ length: 12 }, (_, index) => `Car number ${index} needs a battery`);
      await store.write(
        notesCollection,
        bodies.map((body, index) => ({ id: `n${index}`, title: index === 3 ? 'Quokka' : 'Garage', body })),
        textsOf,
      );
      await embedAll(store);
      const search = async (prompt: string, more: object = {}, readers?: readonly string[]) => {
        const params = { semantic: { field: 'body', prompt, ...more }, limit: 10 };
        const { hits, meta } = await store.semanticSearch({ ...notesCollection, params, ...(readers && { readers }) });
        return [hits.length, meta.unmatched_words];
      };
      expect(await search('car battery')).toEqual([10, undefined]);
      expect(await search('Zeppelin')).toEqual([5, ['zeppelin']]);
      expect(await search('car zeppelin')).toEqual([5, ['zeppelin']]);
      expect(await search('car battery needs zeppelin')).toEqual([8, ['zeppelin']]);
      expect(await search('car battery needs quokka')).toEqual([10, undefined]);
      // Vectors alone do not look at words.
      expect(await search('zeppelin', { mode: 'dense' })).toEqual([10, undefined]);
      expect(await search('zeppelin', { mode: 'lexical' })).toEqual([0, undefined]);
    },
  ],
  [
    'ignores stop words, unless there are no others',
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
    'corrects a misspelled word to the closest one in the passages, but not numbers',
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
    'finds words in scripts without spaces',
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
    'ranks by vectors like a full comparison, with and without a filter',
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
    'fuses both rankings if passages are embedded, and finds passages that share no word with the prompt',
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
    'favors words if they cover most of the prompt, and vectors if they cover little of it',
    async (store) => {
      const meetings = Array.from({ length: 30 }, (_, index) => ({
        id: `meeting${index}`,
        body: `Thursday we met about topic ${index}.`,
      }));
      const crash = { id: 'crash', body: 'A crash of the car.' };
      // Its many other words outweigh the rare one for an embedder that only adds up words.
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
    "scores a record's title together with its text, and finds a record with text by its title only",
    async (store) => {
      const called = { ...notesCollection, entity: 'tickets' };
      const tickets = [
        { id: 'battery', title: 'Battery of the scanner', people: [{ name: 'Ann Lee' }], body: 'It is flat.' },
        { id: 'lamp', title: 'Lamp in the hall', people: [{ name: 'Bob Ray' }], body: 'The battery was replaced.' },
        { id: 'bare', title: 'Scanner without a text', people: [], body: null },
      ];
      await store.write(called, tickets, ticketTexts);
      const find = async (prompt: string, more = {}) => {
        const { hits } = await store.semanticSearch({
          ...called,
          params: { semantic: { prompt, ...lexical, ...more } },
        });
        return hits.map(({ record }) => record.id);
      };
      expect(await find('scanner battery')).toEqual(['battery', 'lamp']);
      expect(await find('Bob')).toEqual(['lamp']);
      expect(await find('Bob scanner', { filter: { eq: { id: 'battery' } } })).toEqual(['battery']);
      expect(await find('scaner')).toEqual(['battery']);
      expect(await find('without')).toEqual([]);
      const { texts, about } = await store.wordStatistics({ ...called, prompt: 'scanner battery' });
      const words = entityWordsOf(texts, about);
      const { fields } = await store.rankEntity({ ...called, prompt: 'scanner battery', mode: 'lexical', words });
      const merged = mergeEntities([{ target: called, group: 'tickets', fields }], words, {
        prompt: 'scanner battery',
        limit: 10,
      });
      expect(merged.map(({ record, field }) => [record, field])).toEqual([
        ['battery', '$about'],
        ['bare', '$about'],
        ['lamp', 'body'],
      ]);
      const read = await store.readHits(called, merged, { prompt: 'scanner', contextSize: 100 });
      expect(read.get(merged[1]!.passage)?.context).toBe('Scanner without a text');
    },
  ],
  [
    'searches only the records that match a filter, however few they are',
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
    'returns the best passage of each record, or several',
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
