import { expect, test } from 'vitest';
import { type Case, casesOf, runCases, sampleOf } from './matrix.js';
import { startRig } from './rig.js';
import { writes } from './writes.js';

test('a write is executed once, regardless of the byte after which the exchange breaks off', async () => {
  const rig = await startRig();
  const cases: Case[] = [];
  for (const write of writes) {
    cases.push(...sampleOf(await casesOf(rig, write, { step: () => 1, everyKind: true }), 20_261_121, 6));
  }
  const { counts, wrong } = await runCases(rig, cases);
  expect(wrong).toEqual([]);
  expect(Object.values(counts).reduce((sum, count) => sum + count)).toBe(6 * writes.length);
}, 300_000);
