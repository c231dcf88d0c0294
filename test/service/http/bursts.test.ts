import { expect, test } from 'vitest';
import { startTestService } from './setup.js';

test('a request of one organization is answered in the middle of a burst of another one', async () => {
  const { tenant } = await startTestService({ limits: { rate: 0 } });
  const [hostile, honest] = [await tenant(), await tenant('Other')];
  let answered = 0;
  const burst = Array.from({ length: 200 }, async () => {
    const { status } = await hostile.ask('GET', '/api/v1/account/me');
    answered++;
    return status;
  });
  expect((await honest.ask('GET', '/api/v1/account/me')).status).toBe(200);
  expect(answered).toBeLessThan(100);
  expect(new Set(await Promise.all(burst))).toEqual(new Set([200]));
});
