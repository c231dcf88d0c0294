import { expect, it } from 'vitest';
import { caseCount } from '../../cases.js';
import { compareAll, compareCommon } from './differential.js';
import { newStore } from './fixtures.js';
import { storedEntities } from './sample.js';

// Alone in its file, so that the kinds of databases run beside each other.
it(`finds in SQLite what a scan over the records finds, for ${caseCount(10_000)} queries`, async () => {
  const store = await newStore({ folder: ':memory:', entities: storedEntities });
  expect(await compareAll(store, caseCount(10_000))).toBeGreaterThan(caseCount(10_000));
}, 600_000);

it('finds the same in SQLite if terms match most of the records', async () => {
  await compareCommon(await newStore({ folder: ':memory:', entities: storedEntities }));
}, 600_000);
