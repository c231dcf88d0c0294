import { expect, test } from 'vitest';
import { connectorPath } from '../http/setup.js';
import { startDepot } from './depot.js';
import { jobsOf, syncAndWait } from './setup.js';

const outage = () => new Response('{}', { status: 500 });

test('a replica counts as failed once its job has failed, and as being read while the job is retried', async () => {
  const depot = await startDepot(['whole'], { whole: () => ({ rows: [{ id: 'a' }] }) });
  const { tenant, id, clock, readiness, answers } = depot;
  answers.whole = outage;
  await tenant.ask('POST', connectorPath(id, '/sync'));
  const statuses = new Set<string>();
  for (let attempt = 1; attempt <= 5; attempt++) {
    await expect.poll(async () => (await jobsOf(tenant, id))[0].attempts).toBeGreaterThanOrEqual(Math.min(attempt, 4));
    const [job] = await jobsOf(tenant, id);
    if (attempt === 5) await expect.poll(async () => (await jobsOf(tenant, id))[0].status).toBe('failed');
    else {
      const { status, error, complete } = await readiness('whole');
      statuses.add([job.status, job.entities[0].status, status, complete].join());
      expect(error).toContain('500');
      expect(job.entities[0].error).toContain('500');
    }
    // Longer than the pauses of the vendor and of the job.
    clock.aheadMs += 10 * 60_000;
  }
  expect(statuses).toEqual(new Set(['queued,waiting,updating,false']));
  const { status, error } = await readiness('whole');
  expect([status, (await jobsOf(tenant, id))[0].entities[0].status]).toEqual(['failed', 'failed']);
  expect(error).toContain('500');
});

test('syncs requested while the vendor is paused are no attempts', async () => {
  const depot = await startDepot(['whole'], { whole: () => ({ rows: [{ id: 'a' }] }) });
  const { tenant, id, clock, answers, requests, stored } = depot;
  answers.whole = outage;
  await tenant.ask('POST', connectorPath(id, '/sync'));
  await expect.poll(async () => (await jobsOf(tenant, id))[0].attempts).toBe(1);
  answers.whole = () => ({ rows: [{ id: 'b' }] });
  const before = requests.length;
  for (let press = 0; press < 6; press++) {
    await tenant.ask('POST', connectorPath(id, '/sync'));
    await expect.poll(async () => (await jobsOf(tenant, id))[0].next_try_at).not.toBeNull();
  }
  const [job] = await jobsOf(tenant, id);
  expect([job.status, job.attempts, requests.length]).toEqual(['queued', 1, before]);
  expect(job.error).toContain('will be retried');
  expect(job.entities[0].error).toContain('500');
  clock.aheadMs += 60_000;
  expect((await syncAndWait(tenant, id)).status).toBe('done');
  expect(await stored('whole')).toEqual(['b']);
});
