import { rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ObjectStore } from '../../../service/src/data/objects/types.js';
import { exportRecords } from '../../../service/src/data/records/index.js';
import type { Store, StoreOptions } from '../../../service/src/data/records/types.js';
import { failure } from '../../failure.js';
import { vectorOf } from './embedder.js';
import { newFolder, newStore } from './fixtures.js';
import {
  documents,
  documentsOf,
  inMemory,
  longDocument,
  maxInline,
  newObjects,
  sha256,
  shortDocument,
  textsOf,
} from './objects.js';
import { emptyPostgres } from './pglite.js';

type Location = Pick<StoreOptions, 'folder' | 'pool'>;

const locations: ReadonlyArray<readonly [name: string, make: () => Promise<Location>]> = [
  ['SQLite', async () => ({ folder: ':memory:' })],
  ['Postgres', async () => ({ pool: await emptyPostgres() })],
];

const embedder = {
  id: 'test',
  embed: async (texts: readonly string[]) => texts.map((text) => vectorOf(text)),
};

const of = documentsOf('con_1');
const open = (location: Location, objects?: ObjectStore, more: Partial<StoreOptions> = {}) =>
  newStore({ ...location, entities: [documents], maxInline, ...(objects && { objects }), ...more });

const records = [
  longDocument('a', 'zebra'),
  longDocument('bb', 'okapi'),
  shortDocument('c'),
  longDocument('ddd', 'lynx'),
];

const notAnswering = () => {
  throw new Error('not available');
};

async function searchAll(store: Store, params: object) {
  const { data, meta } = await store.search({ ...of, params });
  return { data, total: meta.total };
}

async function hits(store: Store, prompt: string, mode: string, field = 'content') {
  const params = { semantic: { field, prompt, mode }, limit: 10 };
  const found = await store.semanticSearch({ ...of, params });
  return found.hits.map(({ record, score, context }) => ({ id: record.id, score: score.toFixed(6), context }));
}

const searches: readonly object[] = [
  { query: {} },
  { query: { sort: [{ title: 'desc' }] }, fields: ['id', 'content'] },
  { query: {}, fields: ['id', 'transcript.speaker'] },
  { query: { filter: { keyword: { content: 'okapi' } } } },
  { query: { filter: { like: { content: '%QUARTERLY%the end of a' } } } },
  { query: { filter: { like: { content: '%word_ %lynx%' } } } },
  { query: { filter: { not: { like: { content: '%zebra%' } } } } },
  { query: { filter: { or: [{ like: { content: '%okapi%' } }, { eq: { id: 'c' } }] } } },
  { query: { filter: { fuzzy: { content: 'zebr quarterly' } } } },
  { query: { filter: { fuzzy: { content: 'quarterly zebra' } } } },
  { query: { filter: { fuzzy: { content: 'okapj' } } } },
  { query: { filter: { eq: { content: records[0]!.content } } } },
  { query: { filter: { neq: { content: records[0]!.content } } } },
  { query: { filter: { eq: { content: null } } } },
  { query: { filter: { contains: { transcript: { speaker: 'lynx-bob' } } } } },
  { query: { filter: { not: { contains: { transcript: { speaker: 'ann' } } } } } },
  { query: { filter: { eq: { transcript: records[3]!.transcript } } } },
  { query: { filter: { like: { content: '%3f%' } } } },
];

describe.each(locations)('long texts in %s with an object store', (_, make) => {
  test('every search returns the same results as with texts stored in the rows', async () => {
    const { objects, keys } = newObjects();
    const [plain, store] = [await open({ folder: ':memory:' }), await open(await make(), objects)];
    for (const one of [plain, store]) {
      expect(await one.write(of, records, textsOf)).toEqual({ inserted: 4, updated: 0, unchanged: 0 });
      expect(await one.write(of, records, textsOf)).toEqual({ inserted: 0, updated: 0, unchanged: 4 });
    }
    // Contents and transcripts, and the texts that their passages are split from.
    expect(keys().length).toBeGreaterThanOrEqual(9);
    for (const params of searches) {
      const ids = async (from: Store) => (await searchAll(from, params)).data.map(({ id }) => id);
      expect([params, await ids(store)]).toEqual([params, await ids(plain)]);
      expect([params, await searchAll(store, params)]).toEqual([params, await searchAll(plain, params)]);
    }
    expect(await store.get(of, ['a', 'c'])).toEqual(await plain.get(of, ['a', 'c']));
    for (const prompt of ['zebra revenue', 'word7 okapi', 'short']) {
      for (const field of ['content', 'transcript']) {
        expect(await hits(store, prompt, 'lexical', field)).toEqual(await hits(plain, prompt, 'lexical', field));
      }
    }
    const exported = async (from: Store) => {
      const lines: unknown[] = [];
      for await (const line of exportRecords(from)) lines.push(JSON.parse(line));
      return lines;
    };
    expect(await exported(store)).toEqual(await exported(plain));
  });

  test('the same texts are embedded and shown in dense hits', async () => {
    const { objects } = newObjects();
    const stores = [await open({ folder: ':memory:' }, undefined, { embedders: [embedder] })];
    stores.push(await open(await make(), objects, { embedders: [embedder] }));
    const found = [];
    for (const store of stores) {
      await store.write(of, records, textsOf);
      const passages = await store.unembedded(embedder.id, 1000);
      await store.embed(
        embedder.id,
        passages.map(({ passage, text }) => ({ passage, vector: vectorOf(text) })),
      );
      // Postgres stores numbers with fewer digits.
      const nearest = (await hits(store, 'zebra', 'dense')).map(({ id, context }) => ({ id, context }));
      found.push([passages.map(({ text }) => text).sort(), nearest]);
    }
    expect(found[1]).toEqual(found[0]);
  });

  test('connectors do not share objects: keys combine the connector and the digest', async () => {
    const { objects, keys } = newObjects();
    const store = await open(await make(), objects);
    const record = longDocument('a', 'zebra');
    await store.write(of, [record]);
    await store.write(documentsOf('con_2'), [record]);
    const digest = sha256(record.content.replaceAll('\u0000', '\u0001\u0002'));
    expect(keys().filter((key) => key.endsWith(digest))).toEqual([`con_1/${digest}`, `con_2/${digest}`]);
    await store.removeConnector('con_1');
    expect(keys().every((key) => key.startsWith('con_2/'))).toBe(true);
    expect((await store.get(documentsOf('con_2'), ['a']))[0]!.record.content).toBe(record.content);
  });

  test('a missing or damaged object affects only its field, and the next write restores it', async () => {
    const { folder, objects, keys } = newObjects();
    const store = await open(await make(), objects);
    await store.write(of, records, textsOf);
    const digest = (id: number) => sha256((records[id]!.content as string).replaceAll('\u0000', '\u0001\u0002'));
    const path = (id: number) => join(folder, keys().find((key) => key.endsWith(digest(id)))!);
    rmSync(path(0));
    // Of the same length, so only the digest differs.
    writeFileSync(path(1), 'x'.repeat(statSync(path(1)).size));
    const { data } = await store.search({ ...of, params: { query: { sort: [{ id: 'asc' }] } } });
    expect(data.map(({ content }) => content)).toEqual([
      '[unavailable: this text is missing in the object store]',
      '[unavailable: this text is damaged in the object store]',
      records[2]!.content,
      records[3]!.content,
    ]);
    expect(data.map(({ transcript }) => transcript)).toEqual(records.map(({ transcript }) => transcript));
    const { data: lynx } = await store.search({
      ...of,
      params: { query: { filter: { like: { content: '%lynx%' } } } },
    });
    expect(lynx).toEqual([records[3]]);
    // An error message must not be exported as the text.
    await expect(async () => {
      for await (const _ of store.records(of));
    }).rejects.toThrow("A text field of sample.documents 'a' cannot be read from the object store.");
    await store.write(of, records, textsOf);
    expect((await store.get(of, ['a', 'bb'])).map(({ record }) => record.content).sort()).toEqual(
      [records[0]!.content, records[1]!.content].sort(),
    );
  });

  test('unreferenced objects are collected once they are older than any running write', async () => {
    const { folder, objects, keys } = newObjects();
    const store = await open(await make(), objects);
    await store.write(of, records, textsOf);
    const all = keys();
    writeFileSync(join(folder, 'con_1', 'f'.repeat(64)), 'a write under way');
    await store.remove(of, ['a']);
    expect(await store.collectObjects()).toBe(0);
    for (const key of keys()) utimesSync(join(folder, key), 0, 0);
    writeFileSync(join(folder, 'con_1', 'e'.repeat(64)), 'another one');
    expect(await store.collectObjects()).toBeGreaterThanOrEqual(3);
    expect(keys()).toContain(`con_1/${'e'.repeat(64)}`);
    expect(keys()).not.toContain(`con_1/${'f'.repeat(64)}`);
    expect(keys().length).toBeLessThan(all.length);
    const { data } = await store.search({ ...of, params: { query: { sort: [{ id: 'asc' }] } } });
    expect(data).toEqual(records.slice(1));
    // A write that refers to an old object rewrites that object first.
    for (const key of keys()) utimesSync(join(folder, key), 0, 0);
    await store.write(of, [{ ...records[1]!, title: 'Another' }], textsOf);
    expect(await store.collectObjects()).toBe(1);
    expect((await store.search({ ...of, params: { query: {} } })).data).toHaveLength(3);
    expect(keys()).not.toContain(`con_1/${'e'.repeat(64)}`);
  });

  test('objects of removed connectors are collected', async () => {
    const { folder, objects, keys } = newObjects();
    const store = await open(await make(), { ...objects, list: notAnswering });
    await store.write(of, records.slice(0, 1));
    await store.removeConnector('con_1');
    expect(keys().length).toBeGreaterThan(0);
    for (const key of keys()) utimesSync(join(folder, key), 0, 0);
    const next = await open(await make(), objects);
    expect(await next.collectObjects()).toBeGreaterThan(0);
    expect(keys()).toEqual([]);
  });

  test('a record is written after its texts, and not at all if they cannot be stored', async () => {
    const { objects } = newObjects();
    let isFull = true;
    const store = await open(await make(), {
      ...objects,
      put: async (...given) => {
        if (isFull) throw new Error('full');
        return objects.put(...given);
      },
    });
    await expect(store.write(of, records, textsOf)).rejects.toThrow('full');
    expect(await store.count(of)).toBe(0);
    isFull = false;
    await store.write(of, records, textsOf);
    expect(await store.count(of)).toBe(4);
  });

  test('a condition that would read too many long texts is rejected', async () => {
    const store = await open(await make(), inMemory(), { maxInline: 10 });
    const many = Array.from({ length: 501 }, (_, index) => ({
      ...shortDocument(`d${index}`),
      content: `the text of number ${index}`,
    }));
    await store.write(of, many);
    const params = (filter: object) => ({ ...of, params: { query: { filter } } });
    const error = await failure(store.search(params({ like: { content: '%text of%' } })));
    expect(error).toMatchObject({ code: 'invalid_params' });
    expect(error.message).toContain('more than 500 long texts');
    const narrow = { and: [{ like: { content: '%text of%' } }, { in: { id: ['d7', 'd8'] } }] };
    expect((await store.search(params(narrow))).data.map(({ id }) => id)).toEqual(['d7', 'd8']);
  });
});

test('text already stored in rows stays readable; without the object store, a message replaces all other text', async () => {
  const folder = newFolder();
  const { objects } = newObjects();
  const run = async (work: (store: Store) => Promise<void>, more: Partial<StoreOptions>) => {
    const store = await newStore({ folder, entities: [documents], maxInline, worker: null, ...more });
    await work(store);
    await store.close();
  };
  await run(async (store) => void (await store.write(of, records, textsOf)), {});
  await run(
    async (store) => {
      expect((await store.search({ ...of, params: { query: {} } })).data).toEqual(records);
      expect(await store.write(of, records.slice(0, 1), textsOf)).toMatchObject({ updated: 1 });
      expect((await store.search({ ...of, params: { query: {} } })).data).toEqual(records);
    },
    { objects },
  );
  await run(async (store) => {
    const { data } = await store.search({ ...of, params: { query: {} } });
    expect(JSON.parse(JSON.stringify(data[0])).content).toBe(
      '[unavailable: this text is in an object store that the service is not configured to use]',
    );
    expect(data[1]).toEqual(records[1]);
  }, {});
});
