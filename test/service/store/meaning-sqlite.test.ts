import { describe, it } from 'vitest';
import { newStore } from './fixtures.js';
import { keepingCases, rankingCases } from './meaning-cases.js';
import { meaningOptions } from './meaning-sample.js';

describe('by meaning, in SQLite', { timeout: 120_000 }, () => {
  it.each([...rankingCases, ...keepingCases])('%s', async (_, check) => {
    await check(await newStore({ folder: ':memory:', ...meaningOptions() }));
  });
});
