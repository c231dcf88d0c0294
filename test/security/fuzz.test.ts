import { describe, test } from 'vitest';
import { cases } from '../cases.js';
import { fuzzes } from './fuzz/all.js';

describe(`${cases(500)} cases of`, () => {
  test.each(Object.entries(fuzzes))('%s', { timeout: 600_000 }, (_, fuzz) => fuzz(cases(500)));
});
