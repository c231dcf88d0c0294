import { ConnectorError } from 'agent-connectors';
import { expect } from 'vitest';
import type { Store } from '../../../service/src/data/records/types.js';
import { collection, searchIds } from './fixtures.js';

const corpus = [
  `' or 1=1 --`,
  `'; drop table "sample.tasks"; --`,
  `") or (1=1`,
  `" or ""="`,
  `x') union select sql from sqlite_master --`,
  `'||(select 1)||'`,
  `$1`,
  `?1`,
  `:name`,
  `$."state"`,
  `$[0]`,
  `a" OR "b`,
  `* NOT NEAR(a b)`,
  `{title} : x`,
  `rowid`,
  `%' escape '\\`,
  `\\`,
  `\\'`,
  `a & !b | 'c':*`,
  `'::tsquery`,
  `{}`,
  `{"a":1}`,
  `pg_sleep(5)`,
  `\u0000`,
  `\u0001\u0002`,
  `\ud800`,
  `__proto__`,
  `constructor`,
  `toString`,
  `state.__proto__.polluted`,
  `state."name"`,
  `state.name'`,
  `state[0]`,
  `c_title`,
  `connector`,
  `r.connector`,
  `../../etc/passwd`,
];

/** Passes texts that look like commands wherever a store of `tasks` accepts text; the store must be empty. */
export async function expectNoInjection(store: Store): Promise<void> {
  const other = { ...collection, connectorId: 'con_2' };
  await store.write(collection, [{ id: 'one', title: 'plain', state: { name: 'open' }, labels: ['x'] }]);
  await store.write(
    other,
    corpus.map((text, index) => ({ id: `other${index}`, title: text, ownerId: text })),
  );

  for (const text of corpus) {
    for (const operator of ['eq', 'gt', 'lt', 'like', 'keyword', 'fuzzy']) {
      for (const field of ['title', 'ownerId', 'state.name']) {
        const ids = await searchIds(store, { query: { filter: { [operator]: { [field]: text } } } });
        expect(
          ids.filter((id) => id !== 'one'),
          `${operator} ${field} ${text}`,
        ).toEqual([]);
      }
    }
    expect(await searchIds(store, { query: { filter: { in: { title: [text] } } } })).toEqual([]);
    expect(await searchIds(store, { query: { filter: { contains: { labels: text } } } })).toEqual([]);
    // Texts are returned unchanged, except for lone surrogates.
    const same = await searchIds(store, { query: { filter: { eq: { ownerId: text } } } }, other);
    expect(same).toContain(`other${corpus.indexOf(text)}`);

    for (const params of [
      { query: { filter: { eq: { [text]: 'x' } } } },
      { query: { filter: { eq: { [`state.${text}`]: 'x' } } } },
      { query: { filter: { [text]: { title: 'x' } } } },
      { query: { sort: [{ [text]: 'asc' }] } },
      { query: { sort: [{ [`state.${text}`]: 'desc' }] } },
      { query: { sort: [{ title: text }] } },
      { query: {}, fields: [text] },
      { query: {}, fields: [`state.${text}`] },
      { query: {}, cursor: text },
      { query: {}, cursor: Buffer.from(text).toString('base64url') },
      { query: {}, limit: text },
    ]) {
      const outcome = await store.search({ ...collection, params }).catch((error: unknown) => error);
      if (outcome instanceof Error) expect(ConnectorError.is(outcome), String(outcome)).toBe(true);
      else expect((outcome as { data: unknown[] }).data.length).toBeLessThanOrEqual(1);
    }
  }
  expect(await store.count(collection)).toBe(1);
  expect(await store.count(other)).toBe(corpus.length);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
}
