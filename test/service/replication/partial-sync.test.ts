import { createSandbox } from 'agent-connectors-sandbox';
import { expect, test } from 'vitest';
import { connectorPath } from '../http/setup.js';
import { hitsOf, searchEntity, smallSandbox, startReplicatingService, syncAndWait, waitForNewestJob } from './setup.js';

/** A service whose vendor refuses requests after the first ones that `isRead` accepts, until `repair` is called. */
async function startInterrupted(
  isRead: (url: string, body: string) => boolean,
  pages: number,
  sandbox = smallSandbox(),
) {
  let left = pages;
  const running = await startReplicatingService({
    sandbox,
    now: sandbox.clock.now,
    fetch: async (url, init) => {
      if (!isRead(String(url), String(init?.body)) || left-- > 0) return sandbox.fetch(url, init);
      return Response.json(
        {
          errors: [{ message: 'Refused.', extensions: { type: 'invalid input', code: 'INPUT_ERROR' } }],
          error: { code: 400, message: 'Refused.' },
        },
        { status: 400 },
      );
    },
  });
  const gapsOf = async (id: string, entity: string) => {
    const { missing } = (await searchEntity(running.acme, id, entity)).body.result.meta;
    const { body } = await running.acme.ask('GET', connectorPath(id, '/inspect'));
    const readiness = body.context_store_readiness.entities.find((one: any) => one.entity === entity);
    expect(readiness.missing).toEqual(missing);
    return missing.filter(({ permanent }: any) => !permanent);
  };
  const repair = () => {
    left = Number.POSITIVE_INFINITY;
  };
  return { ...running, gapsOf, repair };
}

test('a first sync that stopped part-way says before which creation time issues are missing', async () => {
  const { acme, linear, gapsOf, repair } = await startInterrupted(
    (_, body) => / issues\(first: 50, after: \$after, filter/.test(body),
    1,
    createSandbox({ seed: 7, scale: 0.4 }),
  );
  const id = await linear({ replication_config: { entities: ['issues'] } });
  expect((await waitForNewestJob(acme, id)).status).toBe('failed');
  const stored = hitsOf(await searchEntity(acme, id, 'issues', { query: {}, limit: 1000 }));
  const oldest = stored.map(({ createdAt }) => createdAt).sort()[0];
  const [gap, ...others] = await gapsOf(id, 'issues');
  expect(others).toEqual([]);
  expect(stored.length).toBeGreaterThan(0);
  expect(gap).toMatchObject({ entity: 'issues', before: new Date(Date.parse(oldest) + 1).toISOString() });
  expect(gap).not.toHaveProperty('after');
  expect(gap.detail).toContain(`createdAt is before ${gap.before}`);
  repair();
  expect((await syncAndWait(acme, id)).status).toBe('done');
  expect(await gapsOf(id, 'issues')).toEqual([]);
  const all = hitsOf(await searchEntity(acme, id, 'issues', { query: {}, limit: 1000 }));
  const late = all.filter(({ createdAt }) => createdAt >= gap.before);
  const kept = new Set(stored.map((issue) => issue.id));
  expect(late.filter((issue) => !kept.has(issue.id))).toEqual([]);
  expect(all.length).toBeGreaterThan(stored.length);
});

test('a first sync that reads calls from the oldest on says from when on they are missing', async () => {
  const { acme, sandbox, gapsOf, repair } = await startInterrupted((url) => /\/v2\/calls\?/.test(url), 2);
  const start_date = new Date(sandbox.clock.now() - 80 * 86_400_000).toISOString().slice(0, 10);
  const id = await acme.connect('gong', sandbox.vendors.gong.credentials.basic, {
    replication_config: { entities: ['calls'], start_date },
  });
  expect((await waitForNewestJob(acme, id)).status).toBe('failed');
  const [gap] = await gapsOf(id, 'calls');
  expect(gap).not.toHaveProperty('before');
  expect(gap.detail).toContain(`started is ${gap.after} or later`);
  const stored = hitsOf(await searchEntity(acme, id, 'calls', { query: {}, limit: 1000 }));
  repair();
  expect((await syncAndWait(acme, id)).status).toBe('done');
  const all = hitsOf(await searchEntity(acme, id, 'calls', { query: {}, limit: 1000 }));
  const early = all.filter(({ started }) => Date.parse(started) < Date.parse(gap.after));
  const kept = new Set(stored.map((call) => call.id));
  expect(early.filter((call) => !kept.has(call.id))).toEqual([]);
  expect(all.length).toBeGreaterThan(stored.length);
});

test('a first sync of reports says from which day on rows are missing, unless a property has none', async () => {
  const { acme, sandbox, gapsOf } = await startInterrupted((url) => url.includes(':runReport'), 2);
  const { credentials, properties } = sandbox.vendors['google-analytics'];
  const start_date = new Date(sandbox.clock.now() - 100 * 86_400_000).toISOString().slice(0, 10);
  const connect = (...property_ids: string[]) =>
    acme.connect('google-analytics', credentials.oauth ?? credentials, {
      replication_config: { property_ids, start_date, entities: ['devices'] },
    });
  const id = await connect(properties.website);
  expect((await waitForNewestJob(acme, id)).status).toBe('failed');
  const [gap] = await gapsOf(id, 'devices');
  expect(gap.after).toBe(new Date(Date.parse(start_date) + 60 * 86_400_000).toISOString());
  const stored = hitsOf(await searchEntity(acme, id, 'devices', { query: {}, limit: 10_000 }));
  const last = stored
    .map(({ date }) => date)
    .sort()
    .at(-1);
  expect(Number(last)).toBeLessThan(Number(gap.after.slice(0, 10).replaceAll('-', '')));
  const both = await connect(properties.website, properties.application);
  await waitForNewestJob(acme, both);
  const [unknown] = await gapsOf(both, 'devices');
  expect(unknown).not.toHaveProperty('after');
});
