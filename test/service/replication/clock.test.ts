import { expect, test } from 'vitest';
import { connectorPath } from '../http/setup.js';
import { startDepot } from './depot.js';
import { jobsOf, waitForNewestJob } from './setup.js';

const day = 86_400_000;
const rows = () => ({ rows: [{ id: 'a', updatedAt: '2026-01-01T00:00:00.000Z' }] });

test('after a clock that was ahead has been set back, syncs are due again and nothing is as of the future', async () => {
  const { tenant, id, clock, search } = await startDepot(['changed'], { changed: rows });
  clock.aheadMs = 60 * day;
  await waitForNewestJob(tenant, id, 2);
  clock.aheadMs = 0;
  expect(await waitForNewestJob(tenant, id, 3)).toMatchObject({ status: 'done', requested: 'interval' });
  const times = (await jobsOf(tenant, id)).flatMap((job) => [job.created_at, job.started_at, job.finished_at]);
  for (const time of [...times, (await search('changed')).meta.readiness.synced_at]) {
    expect(Date.parse(time)).toBeLessThanOrEqual(Date.now());
  }
});

test('a job and a vendor that were paused by a clock that was ahead are tried again once it has been set back', async () => {
  const depot = await startDepot(['whole'], { whole: rows });
  const { tenant, id, clock, answers } = depot;
  answers.whole = () => new Response('{}', { status: 500 });
  clock.aheadMs = 60 * day;
  await expect.poll(async () => (await jobsOf(tenant, id))[0].attempts).toBe(1);
  answers.whole = rows;
  clock.aheadMs = 0;
  await expect.poll(async () => (await jobsOf(tenant, id)).map(({ status }) => status)).toEqual(['done', 'done']);
});

test('a vendor can put a sync off for a day at most, and searches say so', async () => {
  const { tenant, id, answers, readiness, search } = await startDepot(['changed'], { changed: rows });
  answers.changed = () =>
    new Response('{"code":"slow"}', { status: 429, headers: { 'retry-after': 'Thu, 31 Dec 2099 00:00:00 GMT' } });
  await tenant.ask('POST', connectorPath(id, '/sync'));
  await expect.poll(async () => (await jobsOf(tenant, id))[0].next_try_at).not.toBeNull();
  const [job] = await jobsOf(tenant, id);
  expect(Date.parse(job.next_try_at) - Date.now()).toBeLessThanOrEqual(day);
  const gap = { reason: 'rate_limit', entity: 'changed', after: expect.any(String) };
  const known = { complete: false, missing: [expect.objectContaining(gap)] };
  expect(await readiness('changed')).toMatchObject(known);
  expect((await search('changed')).meta).toMatchObject({ ...known, total_is_exact: false });
});
