import { expect, it } from 'vitest';
import { caseCount } from '../../cases.js';
import { compareAll, compareCommon } from './differential.js';
import { newStore } from './fixtures.js';
import { emptyPostgres } from './pglite.js';
import { storedEntities } from './sample.js';

/** Fewer than for SQLite: a query takes four times as long in this Postgres. */
const queries = caseCount(10_000, 25);

// Alone in its file, so that the kinds of databases run beside each other.
it(`finds in Postgres what a scan over the records finds, for ${queries} queries`, async () => {
  const store = await newStore({ pool: await emptyPostgres(), entities: storedEntities });
  expect(await compareAll(store, queries)).toBeGreaterThan(queries);
}, 600_000);

it('finds the same in Postgres if terms match most of the records', async () => {
  await compareCommon(await newStore({ pool: await emptyPostgres(), entities: storedEntities }));
}, 600_000);
