import { expect, it } from 'vitest';
import { caseCount } from '../../cases.js';
import { compareAll, compareCommon } from './differential.js';
import { newStore } from './fixtures.js';
import { emptyPostgres } from './pglite.js';
import { storedEntities } from './sample.js';

/** Fewer than for SQLite, since a query takes four times as long in this Postgres. */
const queries = caseCount(10_000, 25);

// In its own file, so that the databases are tested in parallel.
it(`Postgres finds the same records as a full scan, for ${queries} queries`, async () => {
  const store = await newStore({ pool: await emptyPostgres(), entities: storedEntities });
  expect(await compareAll(store, queries)).toBeGreaterThan(queries);
}, 600_000);

it('Postgres finds the same records when the search terms match most of them', async () => {
  await compareCommon(await newStore({ pool: await emptyPostgres(), entities: storedEntities }));
}, 600_000);
