import { expect, it } from 'vitest';
import type { StoredEntity } from '../../../service/src/data/records/entity.js';
import { mergeEntities } from '../../../service/src/data/records/passages/merge-fields.js';
import { entityWordsOf } from '../../../service/src/data/records/passages/semantic-search.js';
import { textsOf } from '../../../service/src/data/records/passages/split-passages.js';
import type { Store } from '../../../service/src/data/records/types.js';
import { openStaticEmbedder } from '../../../service/src/data/search/embedding/static/embedder.js';
import { newStore, searchIds } from './fixtures.js';
import { emptyPostgres } from './pglite.js';
import { wordGroups } from './word-groups.js';

const about = { title: ['title'], words: [] };
const documents: StoredEntity = {
  type: 'sample',
  entity: 'documents',
  fields: { id: 'string', title: 'string', body: 'string' },
  dateTimes: [],
  key: ['id'],
  semantic: ['body'],
  about,
};
const collection = { connectorId: 'con_1', type: 'sample', entity: 'documents' };
const embedder = openStaticEmbedder(() => null);

/** Each record as written, and as some systems write it. */
const records = Object.entries(wordGroups).flatMap(([group, { records: own }]) =>
  own.flatMap(([title, body], index) =>
    [
      { title, body },
      { title: title.normalize('NFD'), body: body.normalize('NFD') },
    ].map((texts, form) => ({
      id: `${group} ${index}${form === 1 ? ' NFD' : ''}`,
      ...texts,
    })),
  ),
);
const idsOf = (group: string, numbers: readonly number[]): string[] =>
  numbers.flatMap((number) => [`${group} ${number}`, `${group} ${number} NFD`]);

/** A text without marks, for judging whether a record has anything to do with a question. */
const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/[\p{Mn}\u00ad\u200b-\u200d]/gu, '')
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[đłکی]/g, (letter) => ({ đ: 'd', ł: 'l', ک: 'ك', ی: 'ي' })[letter]!);
const plainTexts = new Map(records.map(({ id, title, body }) => [id, plain(`${title} ${body}`)]));
const isWrong = (question: string, id: unknown): boolean =>
  !plain(question)
    .split(/[\s'’.,:/&@-]+/u)
    .some((word) => word.length > 1 && plainTexts.get(String(id))!.includes(word));

async function either(store: Store, operator: string, question: string): Promise<string[]> {
  const or = [{ [operator]: { title: question } }, { [operator]: { body: question } }];
  return (await searchIds(store, { query: { filter: { or } }, limit: 100 }, collection)).map(String);
}

/** Ids of the records that a workspace search finds on its first page. */
async function workspace(store: Store, prompt: string, mode?: 'lexical'): Promise<string[]> {
  const { texts, about: titles } = await store.wordStatistics({ ...collection, prompt });
  const words = entityWordsOf(texts, titles);
  const { fields } = await store.rankEntity({ ...collection, prompt, mode, words });
  return mergeEntities([{ target: collection, group: 'documents', fields }], words, { prompt, limit: 10 }).map(
    ({ record }) => record,
  );
}

async function filled(store: Store): Promise<Store> {
  await store.write(collection, records, textsOf({}, ['body'], about));
  for (;;) {
    const passages = await store.unembedded(embedder.id, 500);
    if (passages.length === 0) return store;
    const vectors = await embedder.embed(
      passages.map(({ text }) => text),
      'passage',
    );
    await store.embed(
      embedder.id,
      passages.map(({ passage }, index) => ({ passage, vector: vectors[index]! })),
    );
  }
}

const options = { entities: [documents], embedders: [embedder] };

/** Words that `keyword` finds, but no ranking by words. */
const lexicalGaps: Readonly<Record<string, readonly string[]>> = {
  German: ['Büro'],
  Identifiers: ['a1f39c7be28d', 'customerAccountId', '012345678', '4312345678', '5d1e0c77f2ab'],
};

it('keyword and rankings find words of many languages, and hardly any others, equally in both databases', async () => {
  const sqlite = await filled(await newStore({ folder: ':memory:', ...options }));
  const postgres = await filled(await newStore({ pool: await emptyPostgres(), ...options }));
  for (const [group, { words, ranked = {} }] of Object.entries(wordGroups)) {
    const counts = {
      missed: [] as string[],
      wrong: [] as string[],
      lexical: [] as string[],
      workspace: [] as string[],
    };
    for (const [question, numbers] of Object.entries({ ...words, ...ranked })) {
      const wanted = idsOf(group, numbers);
      const isMissed = (found: readonly string[]) => !wanted.every((id) => found.includes(id));
      const asked = async (ask: (store: Store) => Promise<string[]>): Promise<string[]> => {
        const found = await ask(sqlite);
        expect([question, await ask(postgres)]).toEqual([question, found]);
        return found;
      };
      const found = await asked((store) => either(store, 'keyword', question));
      await asked((store) => either(store, 'fuzzy', question));
      if (question in words) {
        if (isMissed(found)) counts.missed.push(question);
        counts.wrong.push(...found.filter((id) => !wanted.includes(id) && isWrong(question, id)));
      }
      if (isMissed(await asked((store) => workspace(store, question, 'lexical')))) counts.lexical.push(question);
      // Postgres stores vectors in a shorter form.
      for (const store of [sqlite, postgres])
        if (isMissed(await workspace(store, question))) counts.workspace.push(question);
    }
    expect({ group, ...counts, isFound: counts.missed.length <= 1 && counts.wrong.length <= 2 }).toEqual({
      group,
      missed: counts.missed,
      wrong: counts.wrong,
      lexical: lexicalGaps[group] ?? [],
      workspace: [],
      isFound: true,
    });
  }
}, 600_000);

it('contains and startswith find texts in both spellings, equally in both databases', async () => {
  for (const open of [{ folder: ':memory:' }, { pool: await emptyPostgres() }]) {
    const store = await newStore({ ...open, entities: [documents] });
    await store.write(collection, records);
    const ids = (operator: string, field: string, text: string) =>
      searchIds(store, { query: { filter: { [operator]: { [field]: text } } }, limit: 100 }, collection);
    for (const [group, { records: own }] of Object.entries(wordGroups)) {
      for (const [index, [title, body]] of own.entries()) {
        for (const form of ['NFC', 'NFD']) {
          expect(await ids('contains', 'title', title.normalize(form))).toEqual(idsOf(group, [index]));
          const end = body.normalize(form).split(' ').slice(1).join(' ') || body;
          expect(await ids('contains', 'body', end)).toEqual(expect.arrayContaining(idsOf(group, [index])));
          const [first] = title.normalize(form).split(' ');
          expect(await ids('startswith', 'title', first!)).toEqual(expect.arrayContaining(idsOf(group, [index])));
        }
      }
    }
  }
}, 600_000);
