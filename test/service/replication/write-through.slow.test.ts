import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import type { Sandbox } from 'agent-connectors-sandbox';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createLogger } from '../../../service/src/common/log.js';
import { connectorPath, createRequester, execute, startTestService, type Tenant, tenantOf } from '../http/setup.js';
import { newKey } from '../keys.js';
import { newFolder, newState } from '../state/fixtures.js';
import {
  hitsOf,
  jobsOf,
  searchEntity,
  smallSandbox,
  startReplicatingService,
  syncAndWait,
  waitForNewestJob,
} from './setup.js';
import { holding, recordsById, write, writeRaces } from './write-races.js';

const found = async (acme: Tenant, id: string, entity: string, text: string): Promise<string[]> => {
  const params = { semantic: { prompt: text, mode: 'lexical' }, limit: 50 };
  return hitsOf(await searchEntity(acme, id, entity, params)).flatMap(({ entity: record, metadata }) =>
    metadata.context.includes(text) ? (record.id ?? record.identifier ?? metadata.context) : [],
  );
};

/** Access to Linear in which lists of issues fail while `reads.failing` is set. */
function issuesThatMayFail(sandbox: Sandbox) {
  const reads = { failing: false };
  const fetch: typeof globalThis.fetch = async (input, init) =>
    reads.failing && String(init?.body).includes('issues(first')
      ? new Response('{}', { status: 503 })
      : sandbox.fetch(input as Request, init);
  return { reads, fetch };
}

describe('a write through the service', () => {
  test('to Linear is found immediately, and stored exactly as a full replication would store it', async () => {
    const { acme, linear } = await startReplicatingService();
    const id = await linear();
    await waitForNewestJob(acme, id);
    const [team] = hitsOf(await searchEntity(acme, id, 'teams'));
    const [user] = hitsOf(await searchEntity(acme, id, 'users'));
    const made: Record<string, string[]> = { issues: [], projects: [], comments: [] };
    const project = (
      await write(acme, id, 'projects', 'create', { name: 'Quokka', teamIds: [team.id], leadId: user.id })
    ).project;
    const renamed = (await write(acme, id, 'projects', 'create', { name: 'Before', teamIds: [team.id] })).project;
    expect(await recordsById(acme, id, 'projects', [renamed.id])).toMatchObject([{ name: 'Before' }]);
    await write(acme, id, 'projects', 'update', { id: renamed.id, name: 'After', targetDate: '2027-01-31' });
    expect(await recordsById(acme, id, 'projects', [renamed.id])).toMatchObject([{ name: 'After' }]);
    made.projects!.push(renamed.id, project.id);
    const params = { teamId: team.id, title: 'Axolotl', description: 'The axolotl regrows.', assigneeId: user.id };
    const { issue } = await write(acme, id, 'issues', 'create', params);
    // Even if the caller selects only some fields.
    const shaped = await write(acme, id, 'issues', 'create', params, { select_fields: ['issue.title'] });
    expect(shaped).toEqual({ issue: { title: 'Axolotl' } });
    expect(await found(acme, id, 'issues', 'axolotl')).toHaveLength(2);
    await write(acme, id, 'issues', 'update', { id: issue.identifier, description: 'The pangolin rolls.' });
    expect(await found(acme, id, 'issues', 'axolotl')).toHaveLength(1);
    expect(await found(acme, id, 'issues', 'pangolin')).toHaveLength(1);
    made.issues!.push(issue.id);
    const { comment } = await write(acme, id, 'comments', 'create', { issueId: issue.id, body: 'A narwhal agrees.' });
    expect(await found(acme, id, 'comments', 'narwhal')).toHaveLength(1);
    await write(acme, id, 'comments', 'update', { id: comment.id, body: 'A dugong agrees.' });
    expect(await found(acme, id, 'comments', 'narwhal')).toEqual([]);
    expect(await found(acme, id, 'comments', 'dugong')).toHaveLength(1);
    made.comments!.push(comment.id);

    const other = await linear({ name: 'from the beginning' });
    await waitForNewestJob(acme, other);
    for (const [entity, ids] of Object.entries(made)) {
      const stored = await recordsById(acme, id, entity, ids);
      expect(stored).toHaveLength(ids.length);
      expect(stored, entity).toEqual(await recordsById(acme, other, entity, ids));
    }
  });

  test('to Google Drive is found immediately, and stored exactly as a full replication would store it', async () => {
    const { acme, sandbox } = await startReplicatingService();
    const { oauth } = sandbox.vendors['google-drive'].credentials;
    const drive = (name: string) => acme.connect('google-drive', oauth, { name });
    const id = await drive('written');
    await waitForNewestJob(acme, id);
    const folder = await write(acme, id, 'files', 'create', {
      name: 'Zoo',
      mimeType: 'application/vnd.google-apps.folder',
    });
    const uploaded = await write(acme, id, 'files_upload', 'create', {
      name: 'animals.txt',
      text: 'An okapi hides.',
      file_mime_type: 'text/plain',
      parents: [folder.id],
    });
    expect(await found(acme, id, 'files', 'okapi')).toHaveLength(1);
    const renamed = await write(acme, id, 'files', 'create', { name: 'Before', mimeType: 'text/plain' });
    const moved = { name: 'After', addParents: folder.id, removeParents: renamed.parents[0] };
    await write(acme, id, 'files', 'update', { fileId: renamed.id, ...moved });
    const ids = [uploaded.id, renamed.id];
    const stored = await recordsById(acme, id, 'files', ids);
    expect(stored.map(({ file_path }) => file_path).sort()).toEqual(['Zoo/After', 'Zoo/animals.txt']);
    const deleted = await write(acme, id, 'files_upload', 'create', {
      name: 'gone.txt',
      text: 'A quagga ran.',
      file_mime_type: 'text/plain',
    });
    expect(await found(acme, id, 'files', 'quagga')).toHaveLength(1);
    await write(acme, id, 'files', 'delete', { fileId: deleted.id });
    expect(await found(acme, id, 'files', 'quagga')).toEqual([]);

    const other = await drive('from the beginning');
    await waitForNewestJob(acme, other);
    expect(stored).toEqual(await recordsById(acme, other, 'files', ids));
    expect(await syncAndWait(acme, id)).toMatchObject({ counts: { inserted: 0, updated: 0, removed: 0 } });
  });

  test('changes the number of records at once, once per record', async () => {
    const { acme, sandbox } = await startReplicatingService();
    const id = await acme.connect('google-drive', sandbox.vendors['google-drive'].credentials.oauth);
    await waitForNewestJob(acme, id);
    const count = async () => {
      await searchEntity(acme, id, 'files');
      const { body } = await acme.ask('GET', connectorPath(id, '/inspect'));
      return body.context_store_readiness.entities[0].entity_count;
    };
    const before = await count();
    expect(before).toBeGreaterThan(5);
    const file = await write(acme, id, 'files', 'create', { name: 'Counted', mimeType: 'text/plain' });
    expect(await count()).toBe(before + 1);
    await write(acme, id, 'files', 'update', { fileId: file.id, name: 'Counted once' });
    expect(await count()).toBe(before + 1);
    await write(acme, id, 'files', 'delete', { fileId: file.id });
    expect(await count()).toBe(before);
    expect(await syncAndWait(acme, id)).toMatchObject({ counts: { inserted: 0, removed: 0 } });
    expect(await count()).toBe(before);
  });

  test('is stored only for its connector and its replicated entities', async () => {
    const { acme, linear, service, sandbox } = await startReplicatingService();
    const id = await linear({ replication_config: { entities: ['teams', 'comments'] } });
    const umbrella = await tenantOf(service, 'Umbrella');
    const theirs = await umbrella.connect('linear', sandbox.vendors.linear.credentials.api_key);
    await Promise.all([waitForNewestJob(acme, id), waitForNewestJob(umbrella, theirs)]);
    const [team] = hitsOf(await searchEntity(acme, id, 'teams'));
    const { issue } = await write(acme, id, 'issues', 'create', { teamId: team.id, title: 'Okapi' });
    expect(await recordsById(acme, id, 'issues', [issue.id])).toEqual([]);
    expect(await recordsById(umbrella, theirs, 'issues', [issue.id])).toEqual([]);
  });

  test('leaves the replica unchanged if the vendor rejects it, or if the record cannot be read back', async () => {
    const sandbox = smallSandbox();
    let failing = false;
    const fetch: typeof globalThis.fetch = async (input, init) =>
      failing && String(init?.body).includes('issues(first')
        ? new Response('{}', { status: 400 })
        : sandbox.fetch(input as Request, init);
    const { acme, linear } = await startReplicatingService({ sandbox, fetch });
    const id = await linear();
    await waitForNewestJob(acme, id);
    const [issue] = hitsOf(await searchEntity(acme, id, 'issues'));
    const refused = await execute(acme, id, 'issues', 'update', { id: issue.id, stateId: 'no such state' });
    expect(refused.status).not.toBe(200);
    expect(await recordsById(acme, id, 'issues', [issue.id])).toEqual([issue]);
    failing = true;
    await write(acme, id, 'issues', 'update', { id: issue.id, title: 'Written all the same' });
    expect(await recordsById(acme, id, 'issues', [issue.id])).toEqual([issue]);
    failing = false;
    await syncAndWait(acme, id);
    expect(await recordsById(acme, id, 'issues', [issue.id])).toMatchObject([{ title: 'Written all the same' }]);
  });
});

describe('the record of a write', () => {
  test('is read back after the response, and searches wait for it', async () => {
    const sandbox = smallSandbox();
    const read = holding(sandbox, 'issues(first');
    const { acme, linear } = await startReplicatingService({ sandbox, fetch: read.fetch });
    const id = await linear();
    await waitForNewestJob(acme, id);
    const [issue] = hitsOf(await searchEntity(acme, id, 'issues'));
    read.arm();
    await write(acme, id, 'issues', 'update', { id: issue.id, title: 'Okapi' });
    await write(acme, id, 'issues', 'update', { id: issue.id, title: 'Quokka' });
    const searches = [
      recordsById(acme, id, 'issues', [issue.id]),
      acme.ask('POST', '/api/v1/workspaces/main/search', { json: { prompt: 'Quokka', entities: ['issues'] } }),
    ] as const;
    await read.reached;
    read.release();
    const [records, everywhere] = await Promise.all(searches);
    expect(records).toMatchObject([{ title: 'Quokka' }]);
    expect(everywhere.body.data[0].entity).toMatchObject({ title: 'Quokka' });
  });

  test('that cannot be read back makes searches incomplete until the next sync', async () => {
    const sandbox = smallSandbox();
    const { acme, linear } = await startReplicatingService({ sandbox });
    const id = await linear();
    await waitForNewestJob(acme, id);
    const [issue] = hitsOf(await searchEntity(acme, id, 'issues'));
    sandbox.faults.add({ kind: 'refused', status: 400, rootField: 'issues', count: 1 });
    await write(acme, id, 'issues', 'update', { id: issue.id, title: 'Okapi' });
    const { body } = await searchEntity(acme, id, 'issues');
    expect(body.result.meta).toMatchObject({
      complete: false,
      total_is_exact: false,
      missing: [{ reason: 'written_records', entity: 'issues', count: 1 }, { permanent: true }],
    });
    await syncAndWait(acme, id);
    const after = await searchEntity(acme, id, 'issues');
    expect(after.body.result.meta).toMatchObject({
      complete: true,
      missing: [{ permanent: true }],
      total_is_exact: true,
    });
    expect(await recordsById(acme, id, 'issues', [issue.id])).toMatchObject([{ title: 'Okapi' }]);
  });

  test('that the database cannot store makes searches incomplete until it can, without a sync', async () => {
    const dataFolder = newFolder();
    const { acme, linear } = await startReplicatingService({ dataFolder, key: newKey(), dev: false });
    const id = await linear({ replication_config: { entities: ['teams', 'issues'], interval: '30d' } });
    await waitForNewestJob(acme, id);
    const [team] = hitsOf(await searchEntity(acme, id, 'teams'));
    const other = new DatabaseSync(join(dataFolder, 'records.db'));
    onTestFinished(() => other.close());
    other.exec('BEGIN IMMEDIATE');
    const { issue } = await write(acme, id, 'issues', 'create', { teamId: team.id, title: 'Kakapo' });
    const byTitle = { query: { filter: { eq: { title: 'Kakapo' } } } };
    const meta = async () => (await searchEntity(acme, id, 'issues', byTitle)).body.result.meta;
    await expect.poll(meta, { timeout: 40_000, interval: 500 }).toMatchObject({
      complete: false,
      missing: [{ reason: 'written_records', entity: 'issues', count: 1 }, { permanent: true }],
    });
    other.exec('ROLLBACK');
    await expect
      .poll(meta, { timeout: 60_000, interval: 500 })
      .toMatchObject({ complete: true, missing: [{ permanent: true }], total: 1 });
    expect(hitsOf(await searchEntity(acme, id, 'issues', byTitle))[0].id).toBe(issue.id);
    expect(await jobsOf(acme, id)).toHaveLength(1);
  }, 120_000);

  test('is found by another process although the one that wrote it has not read it back', async () => {
    const at = { dataFolder: newFolder(), key: newKey(), dev: false };
    const sandbox = smallSandbox();
    const read = holding(sandbox, 'issues(first');
    const { acme, linear } = await startReplicatingService({ ...at, sandbox, fetch: read.fetch });
    const id = await linear();
    await waitForNewestJob(acme, id);
    const [issue] = hitsOf(await searchEntity(acme, id, 'issues'));
    read.arm();
    await write(acme, id, 'issues', 'update', { id: issue.id, title: 'Okapi' });
    await read.reached;
    const other = await startTestService({ ...at, sandbox });
    const ask = createRequester(other.service, { authorization: `Bearer ${acme.token}` });
    expect(await recordsById({ ...acme, ask }, id, 'issues', [issue.id])).toMatchObject([{ title: 'Okapi' }]);
    read.release();
    expect(await recordsById(acme, id, 'issues', [issue.id])).toMatchObject([{ title: 'Okapi' }]);
  });
});

test('written records of an entity that the vendor does not return do not hold up those of others', async () => {
  const sandbox = smallSandbox();
  const { reads, fetch } = issuesThatMayFail(sandbox);
  const options = { sandbox, dataFolder: newFolder(), key: newKey(), dev: false };
  const { acme, linear, service } = await startReplicatingService({ ...options, fetch });
  const id = await linear();
  await waitForNewestJob(acme, id);
  const [project] = hitsOf(await searchEntity(acme, id, 'projects'));
  const [issue] = hitsOf(await searchEntity(acme, id, 'issues'));
  await service.close();
  // Marked by a process that has ended, the failing entity first.
  const state = await newState({ folder: options.dataFolder, keys: [options.key] });
  await state.replicas.markWritten(id, 'issues', [issue.id]);
  await state.replicas.markWritten(id, 'projects', [project.id]);
  await state.close();
  reads.failing = true;
  const { service: next } = await startReplicatingService({ ...options, fetch, replicate: false });
  const left = async () => (await next.state.replicas.unstored(id)).map(({ entity }) => entity);
  await expect.poll(left, { timeout: 60_000, interval: 50 }).toEqual(['issues']);
  reads.failing = false;
  await expect.poll(left, { timeout: 60_000, interval: 50 }).toEqual([]);
}, 180_000);

describe('a written record that was not read back before the service stopped', () => {
  test('because the vendor was unavailable is reported, with one line in the log, and read back at the next start', async () => {
    const sandbox = smallSandbox();
    const { reads, fetch } = issuesThatMayFail(sandbox);
    const lines: string[] = [];
    const logger = createLogger({ level: 'error', destination: { write: (line) => lines.push(line) } });
    const time = Date.now();
    const options = { sandbox, dataFolder: newFolder(), key: newKey(), dev: false, now: () => time };
    const { acme, linear, service } = await startReplicatingService({ ...options, fetch, logger });
    const id = await linear();
    await waitForNewestJob(acme, id);
    const [team] = hitsOf(await searchEntity(acme, id, 'teams'));
    reads.failing = true;
    const missing = async () => {
      const { body } = await acme.ask('GET', connectorPath(id, '/inspect'));
      const { entities } = body.context_store_readiness;
      return entities.find(({ entity }: any) => entity === 'issues').missing;
    };
    const ids: string[] = [];
    for (let number = 0; number < 20; number++)
      ids.push((await write(acme, id, 'issues', 'create', { teamId: team.id, title: `Okapi ${number}` })).issue.id);
    await expect.poll(() => lines.length).toBeGreaterThan(0);
    expect(await missing()).toMatchObject([
      { reason: 'written_records', entity: 'issues', count: 20 },
      { permanent: true },
    ]);
    const { body } = await searchEntity(acme, id, 'issues');
    expect(body.result.meta).toMatchObject({
      complete: false,
      missing: [{ reason: 'written_records', count: 20 }, { permanent: true }],
    });
    await service.close();
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ request_id: 'write-through', connector_id: id }]);
    reads.failing = false;
    const { service: next } = await startReplicatingService({ ...options, replicate: false });
    await expect.poll(() => next.state.replicas.unstored(id)).toEqual([]);
    const elsewhere = { ...acme, ask: createRequester(next, { authorization: `Bearer ${acme.token}` }) };
    expect(await recordsById(elsewhere, id, 'issues', ids)).toHaveLength(20);
  });

  test('is read back at the next start', async () => {
    const sandbox = smallSandbox();
    const { fetch, arm, reached } = holding(sandbox, '"in":["');
    const options = { sandbox, dataFolder: newFolder(), key: newKey(), dev: false };
    const { acme, linear, service } = await startReplicatingService({ ...options, fetch });
    const id = await linear();
    await waitForNewestJob(acme, id);
    const [issue] = hitsOf(await searchEntity(acme, id, 'issues'));
    arm();
    await write(acme, id, 'issues', 'update', { id: issue.id, title: 'Acknowledged' });
    await reached;
    await service.close();
    const { service: next } = await startReplicatingService({ ...options, replicate: false });
    await expect.poll(() => next.state.replicas.unstored(id)).toEqual([]);
    const elsewhere = { ...acme, ask: createRequester(next, { authorization: `Bearer ${acme.token}` }) };
    expect(await recordsById(elsewhere, id, 'issues', [issue.id])).toMatchObject([{ title: 'Acknowledged' }]);
  });
});

describe('a replication that read the state before a write', () => {
  test('does not restore that state', async () => {
    const sandbox = smallSandbox();
    const { fetch, arm, reached, release } = holding(sandbox, 'issues(first: 50');
    const { acme, linear } = await startReplicatingService({ sandbox, fetch });
    const id = await linear();
    await waitForNewestJob(acme, id);
    const [issue] = hitsOf(await searchEntity(acme, id, 'issues'));
    // Updated at the vendor, so that the record is in the run's page.
    await write(acme, id, 'issues', 'update', { id: issue.id, title: 'First' });
    arm();
    const synced = syncAndWait(acme, id, { entities: ['issues'] });
    await reached;
    await write(acme, id, 'issues', 'update', { id: issue.id, title: 'Second' });
    release();
    expect((await synced).status).toBe('done');
    expect(await recordsById(acme, id, 'issues', [issue.id])).toMatchObject([{ title: 'Second' }]);
  });

  test('does not remove a record created while it was listing the ids', async () => {
    const sandbox = smallSandbox();
    const { fetch, arm, reached, release } = holding(sandbox, 'issues(first: 250');
    const { acme, linear } = await startReplicatingService({ sandbox, fetch });
    const id = await linear();
    await waitForNewestJob(acme, id);
    const [team] = hitsOf(await searchEntity(acme, id, 'teams'));
    arm();
    const synced = syncAndWait(acme, id, { entities: ['issues'] });
    await reached;
    const { issue } = await write(acme, id, 'issues', 'create', { teamId: team.id, title: 'Just now' });
    release();
    expect((await synced).entities[0]).toMatchObject({ status: 'done', removed: 0 });
    expect(await recordsById(acme, id, 'issues', [issue.id])).toHaveLength(1);
  });
});

describe('processes that share SQLite', () => {
  test.each(writeRaces)('%s', async (_, check) => check({ dataFolder: newFolder() }));
});
