import { expect, test } from 'vitest';
import { connectorPath, createRequester, startTestService } from '../http/setup.js';
import { newKey } from '../keys.js';
import { newFolder } from '../state/fixtures.js';
import { smallSandbox, startReplicatingService, syncAndWait, waitForNewestJob } from './setup.js';

const refusal =
  /^The organization has reached its limit of 30 replicated records\. .+ recordsPerOrganization in --limits\.$/;

test("a job that would exceed the organization's record quota stops, keeps existing records and resumes later", async () => {
  const at = { dataFolder: newFolder(), key: newKey(), dev: false, sandbox: smallSandbox() };
  const { service, acme, linear, tenant, sandbox } = await startReplicatingService({
    ...at,
    limits: { recordsPerOrganization: 30 },
  });
  const id = await linear();
  const job = await waitForNewestJob(acme, id);
  expect([job.status, job.attempts]).toEqual(['failed', 0]);
  const failed = job.entities.filter(({ status }: { status: string }) => status === 'failed');
  expect(failed.length).toBeGreaterThan(0);
  for (const { error } of failed) expect(error).toMatch(refusal);
  const readiness = async (ask: typeof acme.ask) =>
    (await ask('GET', connectorPath(id, '/inspect'))).body.context_store_readiness.entities;
  const before = await readiness(acme.ask);
  const count = (entities: any[]): number => entities.reduce((sum, one) => sum + (one.entity_count ?? 0), 0);
  expect(count(before)).toBeGreaterThan(0);
  expect(count(before)).toBeLessThanOrEqual(30);
  expect(before.find(({ entity }: { entity: string }) => entity === failed[0].entity)).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(refusal),
  });
  // Stored records can still be updated, and the other organization has its own limit.
  const again = await syncAndWait(acme, id);
  expect([again.status, again.counts.inserted]).toEqual(['failed', 0]);
  const rival = await tenant('Rival');
  const other = await rival.connect('linear', sandbox.vendors.linear.credentials.api_key);
  expect((await waitForNewestJob(rival, other)).counts.inserted).toBe(count(before));
  await service.close();

  const roomier = await startTestService({ ...at, replicate: true });
  const ask = createRequester(roomier.service, { authorization: `Bearer ${acme.token}` });
  expect((await syncAndWait({ ask }, id)).status).toBe('done');
  const after = await readiness(ask);
  expect(count(after)).toBeGreaterThan(30);
  for (const { error } of after) expect(error).toBeNull();
});
