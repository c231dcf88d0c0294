import { AgentConnectors } from 'agent-connectors/hosted';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startBoundDrive } from '../access/setup.js';
import { connectorPath, execute, type Tenant } from '../http/setup.js';
import { newFolder } from '../state/fixtures.js';
import { hitsOf, searchEntity, startReplicatingService, syncAndWait, waitForNewestJob } from './setup.js';

const feedOf = ({ ask }: Pick<Tenant, 'ask'>, id: string, entity: string, query: Record<string, string> = {}) =>
  ask('GET', connectorPath(id, `/changes?${new URLSearchParams({ entity, ...query })}`));

const kindsOf = ({ body }: { readonly body: any }): string[] =>
  body.data.map(({ change, id }: any) => `${change} ${id}`);

test('lists all records, then what syncs and writes change, and nothing when they change nothing', async () => {
  const { acme, linear } = await startReplicatingService();
  const id = await linear();
  await waitForNewestJob(acme, id);
  const issues = hitsOf(await searchEntity(acme, id, 'issues', { query: {}, limit: 10_000 }));
  const listed: any[] = [];
  let cursor: string | undefined;
  for (let has_more = true; has_more; ) {
    const { status, body, text } = await feedOf(acme, id, 'issues', { limit: '7', ...(cursor && { cursor }) });
    expect(status, text).toBe(200);
    expect(body.meta).toMatchObject({ complete: true, synced_at: expect.any(String) });
    expect(body.data.length).toBeLessThanOrEqual(7);
    listed.push(...body.data);
    ({ cursor, has_more } = body.meta);
  }
  expect(listed.every(({ change }) => change === 'added')).toBe(true);
  const byId = (records: any[]) => records.sort((one, other) => (one.id < other.id ? -1 : 1));
  expect(byId(listed.map(({ record }) => record))).toEqual(byId(issues));

  await syncAndWait(acme, id);
  const unchanged = await feedOf(acme, id, 'issues', { cursor: cursor! });
  expect(unchanged.body).toMatchObject({ data: [], meta: { has_more: false } });
  const ofIssues = await feedOf(acme, id, 'users', { cursor: cursor! });
  expect([ofIssues.status, ofIssues.body.code]).toEqual([422, 'invalid_params']);
  expect(ofIssues.body.message).toContain('each entity of each connector has its own cursors');

  const { id: issue, team } = issues[0];
  await execute(acme, id, 'issues', 'update', { id: issue, title: 'Renamed' });
  await execute(acme, id, 'issues', 'create', { teamId: team.id, title: 'New' });
  const changed = await feedOf(acme, id, 'issues', { cursor: unchanged.body.meta.cursor });
  const kinds = changed.body.data.map(({ change, id: changedId, record }: any) => [
    change,
    changedId === issue,
    record.title,
  ]);
  expect(kinds.sort()).toEqual([
    ['added', false, 'New'],
    ['updated', true, 'Renamed'],
  ]);
  expect((await feedOf(acme, id, 'issues', { cursor: changed.body.meta.cursor })).body.data).toEqual([]);
});

test('says what the replica does not have, as searches do', async () => {
  const { acme, linear } = await startReplicatingService({ replicate: false });
  const id = await linear();
  const { status, body } = await feedOf(acme, id, 'issues');
  expect(status).toBe(200);
  expect(body).toMatchObject({ data: [], meta: { has_more: false, complete: false, synced_at: null } });
  expect(body.meta.missing).toMatchObject([
    { reason: 'not_synced', entity: 'issues' },
    { reason: 'withheld', permanent: true },
  ]);
});

test('follows policies and scopes, and is audited, like a search', async () => {
  const { acme, linear } = await startReplicatingService({ replicate: false });
  const id = await linear();
  const unknown = (await feedOf(acme, id, 'Issues')).body;
  expect(unknown).toMatchObject({ code: 'unknown_entity' });
  expect(unknown.message).toContain("no searchable entity 'Issues'. Did you mean 'issues'?");
  expect((await acme.ask('GET', connectorPath(id, '/changes'))).status).toBe(422);
  expect((await feedOf(acme, id, 'issues', { cursor: 'made up' })).body).toMatchObject({ code: 'invalid_params' });
  await acme.ask('PUT', '/api/v1/policies', {
    json: { workspace_name: 'main', connector_id: id, allow: ['comments.*'] },
  });
  expect((await feedOf(acme, id, 'issues')).body).toMatchObject({ code: 'denied_by_policy' });
  expect((await feedOf(acme, id, 'comments')).status).toBe(200);
  const { body } = await acme.ask('GET', '/api/v1/audit?limit=10');
  const entries = body.data.filter(({ action }: any) => action === 'context_store_search');
  expect(entries.map(({ entity, outcome }: any) => [entity, outcome])).toEqual(
    expect.arrayContaining([
      ['comments', 'success'],
      ['issues', 'denied_by_policy'],
    ]),
  );
});

test('a token bound to a user gets lost access as a deletion', async () => {
  const ana = 'ana@fernhill.example';
  const files: Record<string, string> = {};
  const drive = await startBoundDrive(async ({ file, root }) => {
    for (const name of ['open', 'closed']) files[name] = await file(name, 'text', root);
  });
  const { id, share, send, sync } = drive as typeof drive & { send: (...request: any[]) => Promise<any> };
  const permission = await share(files.open!, { type: 'user', emailAddress: ana });
  await sync();
  const user = await drive.as(ana);
  const first = await feedOf(user, id, 'files');
  expect(kindsOf(first)).toEqual([`added ${files.open}`]);
  expect(first.body.data[0].record).toMatchObject({ readers: null, file_path: null });
  await send('DELETE', `/files/${files.open}/permissions/${permission.id}`, {}).catch(() => undefined);
  await sync();
  const second = await feedOf(user, id, 'files', { cursor: first.body.meta.cursor });
  expect(kindsOf(second)).toEqual([`deleted ${files.open}`]);
  const other = await drive.as(ana, { as_groups: ['staff@fernhill.example'] });
  const expired = await feedOf(other, id, 'files', { cursor: first.body.meta.cursor });
  expect([expired.status, expired.body.code]).toEqual([410, 'cursor_expired']);
  const everyone = await feedOf(drive.acme, id, 'files');
  expect(kindsOf(everyone)).toContain(`added ${files.closed}`);
});

test('the pages of a token bound to a user do not tell how many changes it cannot see', async () => {
  const ana = 'ana@fernhill.example';
  let shared: string[] = [];
  const drive = await startBoundDrive(async ({ file, root, share }) => {
    const files: string[] = [];
    for (let index = 0; index < 12; index += 1) files.push(await file(`file ${index}`, 'text', root));
    shared = [files[1]!, files[6]!];
    for (const id of shared) await share(id, { type: 'user', emailAddress: ana });
  });
  const { id, file, root, share, sync } = drive;
  const user = await drive.as(ana);
  const pagesFrom = async (cursor?: string) => {
    const pages: string[][] = [];
    for (let from = cursor; ; ) {
      const page = await feedOf(user, id, 'files', { limit: '1', ...(from !== undefined && { cursor: from }) });
      pages.push(kindsOf(page));
      from = page.body.meta.cursor;
      if (!page.body.meta.has_more) return { pages, cursor: from! };
    }
  };
  const first = await pagesFrom();
  expect(first.pages.flat().sort()).toEqual(shared.map((one) => `added ${one}`).sort());
  expect(first.pages.map(({ length }) => length)).toEqual([1, 1]);
  for (let index = 0; index < 5; index += 1) await file(`hidden ${index}`, 'text', root);
  await sync();
  const second = await pagesFrom(first.cursor);
  expect(second.pages).toEqual([[]]);
  const more: string[] = [];
  for (let index = 0; index < 4; index += 1) {
    more.push(await file(`shared ${index}`, 'text', root));
    await share(more[index]!, { type: 'user', emailAddress: ana });
    await file(`between ${index}`, 'text', root);
  }
  await sync();
  const third = await pagesFrom(second.cursor);
  expect(third.pages.flat().sort()).toEqual(more.map((one) => `added ${one}`).sort());
  expect(third.pages.map(({ length }) => length)).toEqual([1, 1, 1, 1]);
});

test('is followed by the library and by a program that embeds the service, over restarts', async () => {
  const dataFolder = newFolder();
  const { service, acme, linear, sandbox } = await startReplicatingService({ dataFolder });
  const id = await linear();
  await waitForNewestJob(acme, id);
  const client = new AgentConnectors({
    baseUrl: 'https://service.test',
    token: acme.token,
    fetch: (input, init) => service.fetch(new Request(input, init)),
  });
  const found: string[] = [];
  let cursor: string | null = null;
  for await (const { data, meta } of client.connectors.changes(id, { entity: 'issues', limit: 5 })) {
    found.push(...data.map((one) => one.id));
    ({ cursor } = meta);
  }
  expect(new Set(found).size).toBe(found.length);
  const issue = found[0]!;
  await execute(acme, id, 'issues', 'update', { id: issue, title: 'Renamed' });
  await service.close();
  const again = await startReplicatingService({ dataFolder, sandbox, replicate: false });
  const scope = { organizationId: acme.organizationId };
  const stop = new AbortController();
  const options = { entity: 'issues', cursor: cursor!, follow: true, intervalMs: 1, signal: stop.signal };
  const changes: unknown[] = [];
  for await (const { data } of again.service.changes(scope, id, options)) {
    changes.push(...data.map(({ change, id: changed }) => [change, changed]));
    if (changes.length > 0) stop.abort();
  }
  expect(changes).toEqual([['updated', issue]]);
  await expect(again.service.changes({ organizationId: 'none' }, id, options).next()).rejects.toThrow('no connector');
});

test('the program in the guide keeps a copy', async () => {
  const { service, acme, linear } = await startReplicatingService();
  const id = await linear();
  await waitForNewestJob(acme, id);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    vi.unstubAllGlobals();
  });
  vi.stubEnv('AGENT_CONNECTORS_BASE_URL', 'https://service.test');
  vi.stubEnv('AGENT_CONNECTORS_CLIENT_ID', acme.clientId);
  vi.stubEnv('AGENT_CONNECTORS_CLIENT_SECRET', acme.clientSecret);
  vi.stubGlobal('fetch', (input: string, init?: RequestInit) => service.fetch(new Request(input, init)));
  const { follow } = await import('../../../examples/guides/change-feed.js');
  const copy = new Map<string, any>();
  const cursor = await follow(copy, id);
  const [issue] = copy.keys();
  await execute(acme, id, 'issues', 'update', { id: issue, title: 'Renamed' });
  expect(await follow(copy, id, cursor)).not.toBe(cursor);
  expect(copy.get(issue!).title).toBe('Renamed');
  expect([...copy.keys()].sort()).toEqual(
    hitsOf(await searchEntity(acme, id, 'issues', { query: {}, limit: 10_000 }))
      .map((record) => record.id)
      .sort(),
  );
});
