import { action, apiKey, connector, entity, get, many, record } from 'agent-connectors';
import type { Batch, Failure, Source } from 'agent-connectors/replication';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { connectorPath, createRequester, execute, startTestService, type Tenant } from '../http/setup.js';
import { newKey } from '../keys.js';
import { newFolder } from '../state/fixtures.js';
import { searchEntity, smallSandbox, startReplicatingService, syncAndWait, waitForNewestJob } from './setup.js';

type Asker = Pick<Tenant, 'ask'>;

/** Metadata of a search for these parameters, or for all records. */
async function metaOf(tenant: Asker, id: string, name: string, params: object = { query: {} }): Promise<any> {
  const { status, body } = await searchEntity(tenant as Tenant, id, name, params);
  expect([status, body.message]).toEqual([200, undefined]);
  return body.result.meta;
}

async function inspected(tenant: Asker, id: string, name: string): Promise<any> {
  const { body } = await tenant.ask('GET', connectorPath(id, '/inspect'));
  return body.context_store_readiness.entities.find((one: any) => one.entity === name);
}

const searchWorkspace = async ({ ask }: Asker, body: object): Promise<any> =>
  (await ask('POST', '/api/v1/workspaces/main/search', { json: body })).body.meta;

/** The gap of a Linear entity whose archived records are left out. */
const archived = (entity: string) => ({
  reason: 'withheld',
  entity,
  permanent: true,
  detail: expect.stringMatching(new RegExp(`^Archived (?:and trashed )?${entity} are not replicated`)),
});

describe('what a search is known not to see', () => {
  test('is only what is never replicated after a sync', async () => {
    const { acme, linear } = await startReplicatingService();
    const id = await linear({ replication_config: { entities: ['issues', 'comments'] } });
    await waitForNewestJob(acme, id);
    const complete = { complete: true, missing: [expect.objectContaining(archived('issues'))] };
    expect(await metaOf(acme, id, 'issues')).toMatchObject({ ...complete, total_is_exact: true });
    expect(await metaOf(acme, id, 'issues', { query: { count: true } })).toMatchObject(complete);
    expect(await metaOf(acme, id, 'issues', { semantic: { prompt: 'login' } })).toMatchObject(complete);
    expect(await inspected(acme, id, 'issues')).toMatchObject(complete);
    const comments = { complete: true, missing: [archived('comments')], total_is_exact: true };
    expect(await metaOf(acme, id, 'comments')).toMatchObject(comments);
    expect(await searchWorkspace(acme, { prompt: 'login', entities: ['issues'] })).toMatchObject(complete);
    const { complete: whole, missing } = await searchWorkspace(acme, { prompt: 'login' });
    expect([whole, new Set(missing.map((gap: any) => [gap.reason, gap.permanent].join()))]).toEqual([
      true,
      new Set(['not_synced,true', 'withheld,true']),
    ]);
  });

  test('includes what a failed sync has not read, until a sync succeeds', async () => {
    const sandbox = smallSandbox();
    const { acme, linear } = await startReplicatingService({ sandbox, now: sandbox.clock.now });
    const id = await linear({ replication_config: { entities: ['issues', 'comments'] } });
    await waitForNewestJob(acme, id);
    const { synced_at } = (await metaOf(acme, id, 'comments')).readiness;
    sandbox.faults.add({ kind: 'refused', status: 400, rootField: 'comments', count: 1000 });
    expect((await syncAndWait(acme, id)).status).toBe('failed');
    const gap = { entity: 'comments', after: synced_at, detail: expect.stringContaining('The last sync failed') };
    const incomplete = { complete: false, missing: [expect.objectContaining(gap), archived('comments')] };
    expect(await metaOf(acme, id, 'comments')).toMatchObject({ ...incomplete, total_is_exact: false });
    const count = { query: { groupBy: 'issueId' } };
    expect(await metaOf(acme, id, 'comments', count)).toMatchObject({ ...incomplete, total_is_exact: false });
    expect(await inspected(acme, id, 'comments')).toMatchObject(incomplete);
    expect(await searchWorkspace(acme, { prompt: 'login', entities: ['comments'] })).toMatchObject({
      complete: false,
      missing: [{ ...gap, connector: { id } }, archived('comments')],
    });
    // The other entity is not affected.
    const whole = { complete: true, total_is_exact: true };
    expect(await metaOf(acme, id, 'issues')).toMatchObject({ ...whole, missing: [archived('issues')] });
    sandbox.faults.clear();
    expect((await syncAndWait(acme, id)).status).toBe('done');
    expect(await metaOf(acme, id, 'comments')).toMatchObject({ ...whole, missing: [archived('comments')] });
  });

  test('names a missing scope, and counts the private calls that are left out', async () => {
    const { acme, sandbox } = await startReplicatingService();
    const id = await acme.connect('gong', sandbox.vendors.gong.credentials.limited, {
      replication_config: { entities: ['calls', 'settings_scorecards'] },
    });
    await waitForNewestJob(acme, id);
    const scope = { complete: false, missing: [expect.objectContaining({ reason: 'scope' })] };
    expect(await metaOf(acme, id, 'settings_scorecards')).toMatchObject(scope);
    const { complete, missing } = await metaOf(acme, id, 'calls');
    expect(complete).toBe(true);
    const permanent = { reason: 'withheld', entity: 'calls', permanent: true };
    const before = { ...permanent, detail: expect.stringContaining('Calls before') };
    const hidden = missing.find(({ count }: any) => count > 0).count;
    const left = { ...permanent, count: hidden, detail: expect.stringMatching(/private records? left out\. Create/) };
    expect(missing).toEqual([left, before]);
    // A call that becomes private is counted from the next sync on, however old it is.
    const { body } = await searchEntity(acme, id, 'calls', { query: { filter: {}, sort: [{ started: 'asc' }] } });
    expect(body.message).toBeUndefined();
    sandbox.vendors.gong.hideCall(body.result.data[0].id);
    await syncAndWait(acme, id);
    expect((await metaOf(acme, id, 'calls')).missing).toEqual([{ ...left, count: hidden + 1 }, before]);
    const all = { settings: { includePrivate: true }, replication_config: { entities: ['calls'] } };
    const open = await acme.connect('gong', sandbox.vendors.gong.credentials.basic, all);
    await waitForNewestJob(acme, open);
    expect((await metaOf(acme, open, 'calls')).missing).toEqual([before]);
  });

  test('includes records that could not be read, until they are', async () => {
    const sandbox = smallSandbox();
    const { granola } = sandbox.vendors;
    const { acme } = await startReplicatingService({ sandbox, now: sandbox.clock.now });
    const id = await acme.connect('granola', granola.credentials.api_key);
    await waitForNewestJob(acme, id);
    const { body } = await searchEntity(acme, id, 'notes');
    const { id: note } = body.result.data[0];
    granola.rename(note, 'Renamed');
    sandbox.faults.add({ kind: 'refused', status: 404, vendor: 'granola', path: `/v1/notes/${note}`, count: 1 });
    await syncAndWait(acme, id);
    const unread = { reason: 'unread_records', entity: 'notes', count: 1, detail: expect.stringContaining('1 record') };
    expect(await metaOf(acme, id, 'notes')).toMatchObject({
      complete: false,
      total_is_exact: false,
      missing: [unread, { reason: 'withheld' }],
    });
    await syncAndWait(acme, id);
    expect(await metaOf(acme, id, 'notes')).toMatchObject({ complete: true, missing: [{ reason: 'withheld' }] });
  });

  test('includes texts that could not be read if the search depends on them', async () => {
    const { acme, sandbox } = await startReplicatingService();
    const { oauth } = sandbox.vendors['google-drive'].credentials;
    const id = await acme.connect('google-drive', oauth);
    await waitForNewestJob(acme, id);
    const { missing } = await metaOf(acme, id, 'files', { semantic: { prompt: 'document' } });
    expect(missing.filter(({ cause }: any) => cause === 'damaged')).toEqual([]);
    const mimeType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
    const broken = { name: 'Broken.docx', mimeType, text: 'This is no document.' };
    expect((await execute(acme, id, 'files_upload', 'create', broken)).status).toBe(200);
    await syncAndWait(acme, id);
    const withheld = { reason: 'withheld', permanent: true };
    const unread = { reason: 'unread_records', entity: 'files', field: 'content', state: 'not_read', cause: 'damaged' };
    const gaps = { complete: false, missing: [{ ...unread, count: 1 }, ...missing] };
    expect(await metaOf(acme, id, 'files', { semantic: { prompt: 'document' } })).toMatchObject(gaps);
    const byText = { query: { filter: { keyword: { content: 'document' } } } };
    expect(await metaOf(acme, id, 'files', byText)).toMatchObject({ ...gaps, total_is_exact: false });
    const byName = { query: { filter: { eq: { file_name: 'Broken.docx' } } } };
    const named = { complete: true, total: 1, total_is_exact: true, missing: [withheld, withheld, withheld] };
    expect(await metaOf(acme, id, 'files', byName)).toMatchObject(named);
  });
});

const Book = record({ id: z.string(), title: z.string(), pages: z.union([z.string(), z.number()]).nullable() });

/** A connector to a shelf, which searches these fields and cannot read some books. */
const shelf = (
  fields: { readonly string: readonly string[]; readonly number?: readonly string[] },
  failed: readonly Failure[] = [],
) =>
  class extends connector({
    name: 'shelf',
    title: 'Shelf',
    description: 'Books on a shelf.',
    version: '1.0.0',
    definitionId: '0d8a1f2e-3b4c-4d5e-8f60-718293a4b5c6',
    endpoints: { api: 'https://api.shelf.example' },
    auth: { api_key: apiKey('API key.', 'bearer') },
    fault: () => undefined,
    entities: {
      books: entity({
        description: 'Books.',
        search: { fields } as { readonly fields: { readonly string: readonly ['id', 'title'] } },
        actions: {
          list: action({
            description: 'List books.',
            params: z.strictObject({}),
            returns: many(Book, z.object({})),
            request: () => get('/books', {}),
            read: ({ books }) => ({ data: books, meta: {} }),
            example: {},
          }),
        },
      }),
    },
    replication: async () => ({
      replication: {
        entities: {
          books: {
            async *read(source: Source): AsyncGenerator<Batch> {
              // Only the first run finds anything new.
              const { data } = source.state === undefined ? await source.execute('books', 'list', {}) : { data: [] };
              yield { records: data, failed, state: 'read' };
            },
          },
        },
      },
    }),
  }) {};

test.each([
  ['a field is new', { string: ['id', 'title'], number: ['pages'] }, { field: 'pages' }],
  ['a field is stored differently', { string: ['id'], number: ['title'] }, {}],
])('after an upgrade in which %s, records are incomplete until they are read again', async (_, fields, gap) => {
  const options = { dataFolder: newFolder(), key: newKey(), dev: false };
  const books = [{ id: '1', title: 'Emma', pages: 474 }];
  const fetch = async () => Response.json({ books });
  const before = await startTestService({
    ...options,
    fetch,
    replicate: true,
    connectors: [shelf({ string: ['id', 'title'] })],
  });
  const tenant = await before.tenant();
  const id = await tenant.connect('shelf', { api_key: 'key' });
  await waitForNewestJob(tenant, id);
  expect(await metaOf(tenant, id, 'books')).toMatchObject({ complete: true, total: 1, total_is_exact: true });
  await before.service.close();

  const connectors = [shelf(fields)];
  const paused = await startTestService({ ...options, fetch, replicate: false, connectors });
  const ask = createRequester(paused.service, { authorization: `Bearer ${tenant.token}` });
  const [lacking] = Object.values(gap);
  const query = lacking === undefined ? { query: {} } : { query: { filter: { gte: { [lacking]: 1 } } } };
  expect(await metaOf({ ask }, id, 'books', query)).toMatchObject({
    complete: false,
    total: 0,
    total_is_exact: false,
    missing: [{ reason: 'configuration_changed', entity: 'books', ...gap }],
  });
  if (lacking !== undefined) expect(await metaOf({ ask }, id, 'books')).toMatchObject({ complete: true, total: 1 });
  await paused.service.close();

  const resumed = await startTestService({ ...options, fetch, replicate: true, connectors });
  const again = createRequester(resumed.service, { authorization: `Bearer ${tenant.token}` });
  expect((await syncAndWait({ ask: again }, id)).status).toBe('done');
  expect(await metaOf({ ask: again }, id, 'books', query)).toMatchObject({ complete: true, missing: [], total: 1 });
});

test('the message of a failure is bounded in the job and in searches', async () => {
  const failed = [{ id: '2', message: 'x'.repeat(5000) }];
  const { tenant: tenantOf } = await startTestService({
    fetch: async () => Response.json({ books: [] }),
    replicate: true,
    connectors: [shelf({ string: ['id', 'title'] }, failed)],
  });
  const tenant = await tenantOf();
  const id = await tenant.connect('shelf', { api_key: 'key' });
  const job = await waitForNewestJob(tenant, id);
  expect(job.entities[0].failures).toEqual([{ id: '2', message: 'x'.repeat(300) }]);
  const { missing } = await metaOf(tenant, id, 'books');
  expect(missing).toMatchObject([{ reason: 'unread_records', count: 1 }]);
  expect(missing[0].detail.length).toBeLessThan(400);
});
