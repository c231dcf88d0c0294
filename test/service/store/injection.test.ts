import { describe, it } from 'vitest';
import { kinds, tasks } from './fixtures.js';
import { expectNoInjection } from './injection.js';

describe.each(kinds)('in %s', { timeout: 600_000 }, (_, open) => {
  it('takes text from outside for nothing but text, wherever it stands', async () => {
    await expectNoInjection(await open([tasks]));
  });
});
