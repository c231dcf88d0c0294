import { expect, onTestFinished, test } from 'vitest';
import { tenantOf } from '../http/setup.js';
import { jobsOf, smallSandbox, startReplicatingService, waitForNewestJob } from './setup.js';

const slots = 4;

/** A service with an organization whose vendor can stop responding, and another organization. */
async function startWithHostileTenant() {
  const sandbox = smallSandbox();
  const { api_key: honestKey, team_restricted: hostileKey } = sandbox.vendors.linear.credentials;
  let hangs = false;
  let waiting = 0;
  const release = new AbortController();
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    if (!hangs || request.headers.get('authorization') !== hostileKey.api_key) return sandbox.fetch(request);
    waiting += 1;
    return new Promise((_, reject) => {
      for (const signal of [release.signal, request.signal]) {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      }
    });
  };
  const { service, acme: hostile } = await startReplicatingService({ sandbox, fetch });
  onTestFinished(() => release.abort());
  const honest = await tenantOf(service, 'Honest');
  const connectHostile = async () => {
    const names = ['1', '2', '3', '4', '5', '6'];
    return Promise.all(names.map((name) => hostile.connect('linear', hostileKey, { name })));
  };
  const runningJobs = async (ids: readonly string[]) => {
    const newest = await Promise.all(ids.map(async (id) => (await jobsOf(hostile, id))[0]));
    return newest.filter((job) => job?.status === 'running').length;
  };
  return {
    sandbox,
    connectHostile,
    runningJobs,
    honest,
    waiting: () => waiting,
    connectHonest: () => honest.connect('linear', honestKey),
    hang: () => {
      hangs = true;
    },
  };
}

test('an organization whose vendor never responds leaves a slot for others', async () => {
  const { connectHostile, connectHonest, honest, hang, waiting, runningJobs } = await startWithHostileTenant();
  hang();
  const ids = await connectHostile();
  await expect.poll(waiting).toBeGreaterThanOrEqual(slots - 1);
  expect((await waitForNewestJob(honest, await connectHonest())).status).toBe('done');
  expect(await runningJobs(ids)).toBe(slots - 1);
}, 60_000);

test('jobs that resume after a pause leave a slot for others', async () => {
  const { sandbox, connectHostile, connectHonest, honest, hang, waiting, runningJobs } = await startWithHostileTenant();
  sandbox.faults.add({ kind: 'rate_limited', retryAfter: 1, count: 10_000 });
  const ids = await connectHostile();
  await expect.poll(() => runningJobs(ids), { timeout: 60_000 }).toBe(ids.length);
  hang();
  sandbox.faults.clear();
  await expect.poll(waiting, { timeout: 60_000 }).toBeGreaterThanOrEqual(slots);
  expect((await waitForNewestJob(honest, await connectHonest())).status).toBe('done');
}, 120_000);

test('connectors that share a failing credential wait while the first of them retries', async () => {
  const sandbox = smallSandbox();
  const { acme, linear } = await startReplicatingService({ sandbox, now: sandbox.clock.now });
  const first = await linear({ name: 'first' });
  await waitForNewestJob(acme, first);
  sandbox.faults.add({ kind: 'reset_before', count: 10_000 });
  sandbox.clock.advance(300_000);
  await expect.poll(async () => (await jobsOf(acme, first))[0]).toMatchObject({ attempts: 1 });
  const requests = sandbox.requests.length;
  const second = await linear({ name: 'second' });
  await expect
    .poll(async () => (await jobsOf(acme, second))[0])
    .toMatchObject({ status: 'queued', attempts: 0, error: expect.stringContaining('is not responding') });
  expect(sandbox.requests.length).toBe(requests);
  sandbox.faults.clear();
  await expect
    .poll(
      async () => {
        sandbox.clock.advance(60_000);
        return (await jobsOf(acme, second))[0]?.status;
      },
      { timeout: 60_000 },
    )
    .toBe('done');
}, 120_000);
