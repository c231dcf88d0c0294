import { describe, test } from 'vitest';
import { fuzzes } from './fuzz/all.js';

describe('500 cases of', () => {
  test.each(Object.entries(fuzzes))('%s', { timeout: 120_000 }, (_, fuzz) => fuzz(500));
});
