import { describe, test } from 'vitest';
import { caseCount } from '../cases.js';
import { fuzzes } from './fuzz/all.js';

describe(`${caseCount(500)} cases of`, () => {
  test.each(Object.entries(fuzzes))('%s', { timeout: 600_000 }, (_, fuzz) => fuzz(caseCount(500)));
});
