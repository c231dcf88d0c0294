import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { describe, expect, test } from 'vitest';
import { createRequester as createVendorRequester } from '../../sandbox/requester.js';
import { connectorPath, createRequester, startTestService } from '../http/setup.js';
import { newKey } from '../keys.js';
import { newFolder } from '../state/fixtures.js';
import { hitsOf, searchEntity, smallSandbox, startReplicatingService, syncAndWait, waitForNewestJob } from './setup.js';

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

describe('deletions make room', () => {
  test('that a change log reports after new records', async () => {
    const { acme, sandbox } = await startReplicatingService({ limits: { recordsPerOrganization: 4 } });
    const { oauth } = sandbox.vendors['google-drive'].credentials;
    const drive = new GoogleDriveConnector({ credentials: oauth, fetch: sandbox.fetch });
    const folder = (await drive.files.create({ name: 'Kept', mimeType: 'application/vnd.google-apps.folder' })).data.id;
    const add = async (name: string) =>
      (await drive.files_upload.create({ name, parents: [folder], file_content: btoa(name) })).data.id;
    const [first, second] = [await add('1.txt'), await add('2.txt'), await add('3.txt'), await add('4.txt')];
    const id = await acme.connect('google-drive', oauth, { replication_config: { folder_url: folder } });
    expect((await waitForNewestJob(acme, id)).status).toBe('done');
    const names = async () =>
      hitsOf(await searchEntity(acme, id, 'files'))
        .map(({ file_name }) => file_name)
        .sort();

    await add('5.txt');
    expect((await syncAndWait(acme, id)).status).toBe('failed');
    expect(await names()).toEqual(['1.txt', '2.txt', '3.txt', '4.txt']);
    await drive.files.delete({ fileId: first! });
    await add('6.txt');
    await drive.files.delete({ fileId: second! });
    const { status, counts } = await syncAndWait(acme, id);
    expect([status, counts.removed]).toEqual(['done', 2]);
    expect(await names()).toEqual(['3.txt', '4.txt', '5.txt', '6.txt']);
  });

  test('that a sweep finds', async () => {
    const sandbox = smallSandbox();
    const ask = createVendorRequester(sandbox);
    const { nodes } = (await ask('{ comments(first: 250) { nodes { id issueId } } }')).data.comments;
    const { acme, linear } = await startReplicatingService({
      sandbox,
      limits: { recordsPerOrganization: nodes.length },
    });
    const id = await linear({ replication_config: { entities: ['comments'] } });
    expect(await waitForNewestJob(acme, id)).toMatchObject({ status: 'done', counts: { inserted: nodes.length } });
    const ids = async () => hitsOf(await searchEntity(acme, id, 'comments')).map((comment) => comment.id);

    const { issueId } = nodes.find((node: any) => node.issueId !== null);
    const input = `{ issueId: "${issueId}", body: "Shipped." }`;
    const added = await ask(`mutation { commentCreate(input: ${input}) { comment { id } } }`);
    expect((await syncAndWait(acme, id)).status).toBe('failed');
    await ask(`mutation { commentDelete(id: "${nodes[0].id}") { success } }`);
    expect((await syncAndWait(acme, id)).status).toBe('done');
    expect(await ids()).toContain(added.data.commentCreate.comment.id);
    expect(await ids()).not.toContain(nodes[0].id);
  });
});
