import { cpSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { createSandbox } from 'agent-connectors-sandbox';
import { serve as serveSandbox } from 'agent-connectors-sandbox/server';
import { createService } from 'agent-connectors-service';
import { expect, onTestFinished, test } from 'vitest';
import { runToEnd } from '../cli/terminal.js';
import { newKey } from '../keys.js';
import { createTenant, newFolder, newState } from '../state/fixtures.js';
import { serviceProcesses } from './children.js';

const start = serviceProcesses();

/** A folder with Linear connectors that have not been replicated yet, and a sandbox on a socket. */
async function setting(connectors = 1) {
  const server = await serveSandbox({ sandbox: createSandbox({ seed: 7, scale: 0.3 }) });
  onTestFinished(() => server.close());
  const [folder, key] = [newFolder(), newKey()];
  const state = await newState({ folder, keys: [key] });
  const { scope, connect } = await createTenant(state);
  const credentials = { ...server.sandbox.vendors.linear.credentials.api_key };
  const ids: string[] = [];
  for (let number = 0; number < connectors; number++) {
    ids.push((await connect({ name: `Linear ${number}`, credentials })).id);
  }
  await state.close();
  return { server, folder, key, scope, ids };
}

type Setting = Awaited<ReturnType<typeof setting>>;

/** Waits until every connector's newest job is done, checking from another process. */
async function done({ key, scope, ids }: Setting, folder: string) {
  const state = await newState({ folder, keys: [key] });
  const jobsOf = async (limit: number) =>
    (await Promise.all(ids.map((id) => state.jobs.list(scope, id, { limit })))).flatMap(({ rows }) => rows);
  const newest = async () => (await jobsOf(1)).map(({ status }) => status);
  try {
    await expect.poll(newest, { timeout: 60_000, interval: 20 }).toEqual(ids.map(() => 'done'));
    return {
      jobs: await jobsOf(10),
      replicas: await Promise.all(
        ids.map(async (id) => (await state.replicas.list(id)).map(({ entity, records }) => [entity, records])),
      ),
    };
  } finally {
    await state.close();
  }
}

/** Finishes the replication in this process and returns the contents of the folder. */
async function finished(world: Setting, folder: string, aheadMs = 0) {
  const { server, key } = world;
  const service = await createService({
    dataFolder: folder,
    key,
    now: () => Date.now() + aheadMs,
    endpoints: { linear: `${server.url}/linear` },
  });
  try {
    const { replicas } = await done(world, folder);
    return replicas;
  } finally {
    await service.close();
  }
}

/** The contents of a folder, without vectors, which are created in the background after a job. */
async function recordsIn(folder: string, { key }: Setting): Promise<string[]> {
  const environment = { AGENT_CONNECTORS_KEY: key };
  const { code, out, error } = await runToEnd(['export', '-', '--data', folder], { environment });
  expect([code, error]).toEqual([0, '']);
  return out
    .trimEnd()
    .split('\n')
    .filter((line) => !('vectors' in JSON.parse(line)));
}

const copyOf = (folder: string): string => {
  const copy = newFolder();
  cpSync(folder, copy, { recursive: true });
  return copy;
};

/** Pseudorandom numbers from 0 to 1 with a fixed seed. */
function* numbers(seed: number): Generator<number> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

test('a service killed during replication ends up with the same result as an uninterrupted one', async () => {
  const world = await setting();
  const { server, folder, key } = world;
  const undisturbed = copyOf(folder);
  const replicas = await finished(world, undisturbed);
  const expected = await recordsIn(undisturbed, world);
  expect(expected.length).toBeGreaterThan(200);
  const requests = server.sandbox.requests.length;

  const random = numbers(20_260_504);
  for (let point = 0; point < 5; point += 1) {
    const copy = copyOf(folder);
    const after = 1 + Math.floor((random.next().value as number) * (requests - 1));
    server.sandbox.requests.clear();
    const victim = await start(copy, key, server.url);
    while (server.sandbox.requests.length < after) await wait(1);
    await wait((random.next().value as number) * 15);
    await victim.kill();
    // The next process's clock is set ahead so that the killed process's lease has expired.
    expect([after, await finished(world, copy, 60_000)]).toEqual([after, replicas]);
    expect([after, await recordsIn(copy, world)]).toEqual([after, expected]);
  }
}, 300_000);

test('two services on one folder share the work without duplicating it', async () => {
  const world = await setting(4);
  const { server, folder, key } = world;
  const services = await Promise.all([start(folder, key, server.url), start(folder, key, server.url)]);
  const { jobs } = await done(world, folder);
  await Promise.all(services.map((service) => service.stop()));
  expect(jobs).toHaveLength(4);
  for (const { attempts, entities } of jobs) {
    expect(attempts).toBe(0);
    expect(entities.map(({ read, inserted }) => read - inserted)).toEqual(entities.map(() => 0));
  }
  const records = (await recordsIn(folder, world)).slice(1).map((line) => JSON.parse(line));
  const counts = world.ids.map((id) => records.filter(({ connector_id }) => connector_id === id).length);
  expect(counts).toEqual(world.ids.map(() => records.length / 4));
}, 180_000);
