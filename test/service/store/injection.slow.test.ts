import { describe, it } from 'vitest';
import { kinds, tasks } from './fixtures.js';
import { expectNoInjection } from './injection.js';

describe.each(kinds)('in %s', { timeout: 600_000 }, (_, open) => {
  it('treats external text as plain text, wherever it occurs', async () => {
    await expectNoInjection(await open([tasks]));
  });
});
