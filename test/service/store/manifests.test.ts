import { connectors, type Manifest } from 'agent-connectors';
import { expect, it } from 'vitest';
import { exportRecords, importRecords } from '../../../service/src/data/records/index.js';
import { entitiesOf } from '../../../service/src/data/records/keys.js';
import { layoutOf } from '../../../service/src/data/records/schema.js';
import { kinds, newStore } from './fixtures.js';

const all = async () => {
  const classes = (await Promise.all(Object.values(connectors).map((load) => load()))) as ReadonlyArray<{
    readonly manifest: Manifest;
  }>;
  const kept = classes.map(async ({ manifest }) => entitiesOf(manifest, (await manifest.replication?.())?.replication));
  return (await Promise.all(kept)).flat();
};

it('stores every searchable entity of every connector, with declared keys and dates that exist', async () => {
  const entities = await all();
  expect(entities.map(({ type, entity }) => `${type}.${entity}`)).toHaveLength(22);
  for (const entity of entities) {
    const names = Object.keys(entity.fields);
    expect(names).toEqual(expect.arrayContaining([...entity.key]));
    for (const field of entity.dateTimes) expect(entity.fields[field], field).toBe('string');
    expect(layoutOf(entity).columns).toHaveLength(names.length);
  }
});

it('moves records between all supported databases', async () => {
  const entities = await all();
  const [sqlite, postgres] = await Promise.all(kinds.map(([, open]) => open(entities)));
  const calls = { connectorId: 'con_gong', type: 'gong', entity: 'calls_extensive' };
  const pages = { connectorId: 'con_analytics', type: 'google-analytics', entity: 'pages' };
  await sqlite!.write(calls, [
    { id: '7782342274025937895', metaData: { title: 'A\u0000B' }, parties: [{ name: 'Ann' }] },
    { id: '42', startdatetime: '2024-03-01T10:00:00Z' },
  ]);
  await sqlite!.write(pages, [
    { property_id: '1', date: '20240301', pagePathPlusQueryString: '/a?b=1', screenPageViews: 12, bounceRate: 0.25 },
    { property_id: '1', date: '20240301', pagePathPlusQueryString: '/b', screenPageViews: 7 },
  ]);
  const lines = async (store: typeof sqlite) => {
    const found: string[] = [];
    for await (const line of exportRecords(store!)) found.push(line);
    return found;
  };
  const exported = await lines(sqlite);
  expect(await importRecords(postgres!, exported)).toEqual({ records: 4, left: 0, vectors: 0 });
  expect((await lines(postgres)).map((line) => JSON.parse(line))).toEqual(exported.map((line) => JSON.parse(line)));

  const third = await newStore({ folder: ':memory:', entities: entities.filter(({ type }) => type === 'gong') });
  expect(await importRecords(third, await lines(postgres))).toEqual({ records: 2, left: 2, vectors: 0 });
  const ids: string[] = [];
  for await (const id of third.ids(calls)) ids.push(id);
  expect((await third.get(calls, ids.slice(0, 1)))[0]).toMatchObject({ record: { id: '42' } });
  expect(third.idOf('gong', 'calls_extensive', { id: 42 })).toBe(ids[0]);
  await expect(importRecords(third, ['{"format":"other"}'])).rejects.toThrow('not a record export');
}, 600_000);
