import { expect, it } from 'vitest';
import { caseCount } from '../../cases.js';
import { compareAll, compareCommon } from './differential.js';
import { newStore } from './fixtures.js';
import { storedEntities } from './sample.js';

// In its own file, so that the databases are tested in parallel.
it(`SQLite finds the same records as a full scan, for ${caseCount(10_000)} queries`, async () => {
  const store = await newStore({ folder: ':memory:', entities: storedEntities });
  expect(await compareAll(store, caseCount(10_000))).toBeGreaterThan(caseCount(10_000));
}, 600_000);

it('SQLite finds the same records when the search terms match most of them', async () => {
  await compareCommon(await newStore({ folder: ':memory:', entities: storedEntities }));
}, 600_000);
