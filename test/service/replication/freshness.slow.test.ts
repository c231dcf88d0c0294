import { createSandbox, type Sandbox } from 'agent-connectors-sandbox';
import { expect, test } from 'vitest';
import { connectorPath, execute, type Tenant } from '../http/setup.js';
import {
  hitsOf,
  jobsOf,
  searchEntity,
  smallSandbox,
  startReplicatingService,
  syncAndWait,
  waitForNewestJob,
} from './setup.js';

const minute = 60_000;
const hour = 60 * minute;

const inLinear = async ({ fetch, vendors }: Sandbox, mutation: string) => {
  const headers = { authorization: vendors.linear.credentials.api_key.api_key, 'content-type': 'application/json' };
  const body = JSON.stringify({ query: `mutation { ${mutation} { success } }` });
  const answer = await (await fetch('https://api.linear.app/graphql', { method: 'POST', headers, body })).json();
  expect(answer).not.toHaveProperty('errors');
};

/** A colleague of the user whose Drive is replicated. */
async function colleagueInDrive({ fetch, vendors }: Sandbox) {
  const form = new URLSearchParams({
    grant_type: 'refresh_token',
    ...vendors['google-drive'].credentials.administrator,
  });
  const token = await fetch('https://oauth2.googleapis.com/token', { method: 'POST', body: form });
  const { access_token } = (await token.json()) as { access_token: string };
  return async (method: string, path: string, body?: object): Promise<any> => {
    const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' };
    const url = `https://www.googleapis.com/drive/v3/files${path}`;
    const response = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    if (!response.ok) throw new Error(await response.text());
    return response.status === 204 ? undefined : response.json();
  };
}

const idsOf = async (acme: Pick<Tenant, 'ask'>, id: string, entity: string): Promise<string[]> =>
  hitsOf(await searchEntity(acme, id, entity, { query: {}, fields: ['id'], limit: 10_000 })).map((one) => one.id);

/** Advances the clock by the interval; returns the job that is due then and its requests. */
async function nextRun(sandbox: Sandbox, acme: Tenant, id: string, minutes: number) {
  const before = (await jobsOf(acme, id)).length;
  sandbox.requests.clear();
  sandbox.clock.advance(minutes * minute);
  const job = await waitForNewestJob(acme, id, before + 1);
  expect(job).toMatchObject({ requested: 'interval', status: 'done' });
  return { job, requests: sandbox.requests.length };
}

test('records deleted at Linear, including comments, disappear from search results one interval later', async () => {
  const sandbox = smallSandbox();
  const { acme, linear } = await startReplicatingService({ sandbox, now: sandbox.clock.now });
  const id = await linear();
  await waitForNewestJob(acme, id);
  const [comment] = await idsOf(acme, id, 'comments');
  const [issue] = await idsOf(acme, id, 'issues');
  await inLinear(sandbox, `commentDelete(id: "${comment}")`);
  await inLinear(sandbox, `issueDelete(id: "${issue}")`);
  await nextRun(sandbox, acme, id, 5);
  expect(await idsOf(acme, id, 'comments')).not.toContain(comment);
  expect(await idsOf(acme, id, 'issues')).not.toContain(issue);
});

test('files deleted from Google Drive, or no longer shared, disappear from search results one interval later', async () => {
  const sandbox = smallSandbox();
  const { acme } = await startReplicatingService({ sandbox, now: sandbox.clock.now });
  const send = await colleagueInDrive(sandbox);
  const shared = await send('POST', '', { name: 'Theirs.txt', mimeType: 'text/plain' });
  const permission = await send('POST', `/${shared.id}/permissions`, {
    type: 'user',
    role: 'reader',
    emailAddress: 'ines.carvalho@fernhill.example',
  });
  const { oauth } = sandbox.vendors['google-drive'].credentials;
  const id = await acme.connect('google-drive', oauth, { replication_config: { shared_with_me: true } });
  await waitForNewestJob(acme, id);
  const { body } = await execute(acme, id, 'files', 'create', { name: 'Ours.txt', mimeType: 'text/plain' });
  const own = body.result.id;
  expect(await idsOf(acme, id, 'files')).toEqual(expect.arrayContaining([shared.id, own]));
  const token = sandbox.vendors['google-drive'].credentials.access_token.access_token;
  const headers = { authorization: `Bearer ${token}` };
  await sandbox.fetch(`https://www.googleapis.com/drive/v3/files/${own}`, { method: 'DELETE', headers });
  await send('DELETE', `/${shared.id}/permissions/${permission.id}`);
  await nextRun(sandbox, acme, id, 5);
  const left = await idsOf(acme, id, 'files');
  expect([left.includes(shared.id), left.includes(own)]).toEqual([false, false]);
});

test('a Granola note that is deleted after it could not be read disappears from search results two intervals later', async () => {
  const sandbox = smallSandbox();
  const { granola } = sandbox.vendors;
  const { acme } = await startReplicatingService({ sandbox, now: sandbox.clock.now });
  const id = await acme.connect('granola', granola.credentials.api_key);
  await waitForNewestJob(acme, id);
  const [note] = await idsOf(acme, id, 'notes');
  granola.rename(note!, 'Renamed');
  sandbox.faults.add({ kind: 'refused', status: 404, vendor: 'granola', path: `/v1/notes/${note}`, count: 1 });
  const { job } = await nextRun(sandbox, acme, id, 5);
  expect(job.counts.failed).toBe(1);
  // It is still listed, so it still exists.
  expect(await idsOf(acme, id, 'notes')).toContain(note);
  granola.remove(note!);
  await nextRun(sandbox, acme, id, 5);
  // A single list does not prove that it is gone.
  expect(await idsOf(acme, id, 'notes')).toContain(note);
  await nextRun(sandbox, acme, id, 5);
  expect(await idsOf(acme, id, 'notes')).not.toContain(note);
});

test.each([
  ['linear', 'api_key', 5, 12],
  ['google-drive', 'oauth', 5, 4],
  ['granola', 'api_key', 5, 3],
] as const)('an idle %s sync follows its own interval and makes few requests', async (type, mode, minutes, atMost) => {
  const sandbox = smallSandbox();
  const { acme } = await startReplicatingService({ sandbox, now: sandbox.clock.now });
  const credentials = sandbox.vendors[type].credentials as unknown as Readonly<Record<string, object>>;
  const id = await acme.connect(type, credentials[mode] ?? Object.values(credentials)[0]);
  await waitForNewestJob(acme, id);
  await nextRun(sandbox, acme, id, minutes);
  const { requests } = await nextRun(sandbox, acme, id, minutes);
  expect([requests > 0, Math.max(requests, atMost)]).toEqual([true, atMost]);
});

test('a resumed sync is as recent as its start, not as the attempt that ends it', async () => {
  const sandbox = createSandbox({ seed: 7 });
  const { acme, linear } = await startReplicatingService({ sandbox, now: sandbox.clock.now });
  // The second page fails, including its retries.
  sandbox.faults.add({ kind: '503', vendor: 'linear', rootField: 'issues', nth: 3, count: 12 });
  const startedAt = sandbox.clock.now();
  const id = await linear({ replication_config: { entities: ['issues'], interval: '1d' } });
  await expect.poll(async () => (await jobsOf(acme, id))[0]?.attempts, { timeout: 60_000 }).toBeGreaterThan(0);
  expect((await jobsOf(acme, id))[0].counts.read).toBeGreaterThan(0);
  sandbox.faults.clear();
  sandbox.clock.advance(12 * hour);
  expect((await waitForNewestJob(acme, id)).status).toBe('done');
  const syncedAt = async () =>
    Date.parse((await searchEntity(acme, id, 'issues')).body.result.meta.readiness.synced_at) - startedAt;
  expect(await syncedAt()).toBeLessThan(hour);
  // The next run starts anew.
  await syncAndWait(acme, id);
  expect(await syncedAt()).toBeGreaterThanOrEqual(12 * hour);
});

/** A change to the title of an issue, and whether a search finds it. */
async function renaming(sandbox: Sandbox, acme: Tenant, id: string) {
  const [{ id: issue }] = hitsOf(await searchEntity(acme, id, 'issues'));
  const title = 'Changed before the request';
  return {
    rename: () => inLinear(sandbox, `issueUpdate(id: "${issue}", input: { title: "${title}" })`),
    found: async () =>
      hitsOf(await searchEntity(acme, id, 'issues', { query: { filter: { eq: { title } } } })).length === 1,
  };
}

test('a requested sync reads what changed before the request, even if its job has already read that entity', async () => {
  const sandbox = smallSandbox();
  const { acme, linear } = await startReplicatingService({ sandbox, now: sandbox.clock.now });
  const id = await linear({ replication_config: { entities: ['issues', 'comments'], interval: '1d' } });
  await waitForNewestJob(acme, id);
  const { rename, found } = await renaming(sandbox, acme, id);
  sandbox.faults.add({ kind: '503', vendor: 'linear', rootField: 'comments', count: 12 });
  sandbox.clock.advance(25 * hour);
  await expect.poll(async () => (await jobsOf(acme, id))[0].attempts, { timeout: 60_000 }).toBeGreaterThan(0);
  sandbox.faults.clear();
  await rename();
  expect((await syncAndWait(acme, id)).status).toBe('done');
  expect(await found()).toBe(true);
});

test('a sync requested while a job runs is done only when that job has also read what was requested', async () => {
  const sandbox = smallSandbox();
  let held: Promise<void> | undefined;
  const { acme, linear } = await startReplicatingService({
    sandbox,
    now: sandbox.clock.now,
    fetch: async (input, init) => {
      await held;
      return sandbox.fetch(input, init);
    },
  });
  const id = await linear({ replication_config: { entities: ['issues', 'teams'], interval: '1d' } });
  await waitForNewestJob(acme, id);
  const { rename, found } = await renaming(sandbox, acme, id);
  await rename();
  const request = async (entities: string[]) =>
    (await acme.ask('POST', connectorPath(id, '/sync'), { json: { entities } })).body.job_id;
  let release = () => {};
  held = new Promise((resolve) => {
    release = resolve;
  });
  const job = await request(['teams']);
  await expect.poll(async () => (await jobsOf(acme, id))[0].status).toBe('running');
  expect(await request(['issues'])).toBe(job);
  held = undefined;
  release();
  expect(await waitForNewestJob(acme, id, 2)).toMatchObject({ id: job, status: 'done' });
  expect(await found()).toBe(true);
  expect(await jobsOf(acme, id)).toHaveLength(2);
});

test('renamed labels and users have their new names in issues after the next sync', async () => {
  const sandbox = smallSandbox();
  const { acme, linear } = await startReplicatingService({ sandbox, now: sandbox.clock.now });
  const id = await linear({ replication_config: { entities: ['issues'], interval: '1d' } });
  await waitForNewestJob(acme, id);
  sandbox.clock.advance(hour);
  const dump = sandbox.dump() as any;
  const { issueLabels, users } = dump.vendors.linear.workspace.tables;
  const updatedAt = new Date(sandbox.clock.now()).toISOString();
  for (const row of issueLabels) Object.assign(row, { name: `Renamed ${row.name}`, updatedAt });
  for (const row of users) Object.assign(row, { name: `Renamed ${row.name}`, updatedAt });
  sandbox.load(dump);
  expect((await syncAndWait(acme, id)).status).toBe('done');
  const issues = hitsOf(await searchEntity(acme, id, 'issues'));
  const names = issues.flatMap(({ labels, assignee, subscribers }) =>
    [...labels.nodes, ...subscribers.nodes, ...(assignee ? [assignee] : [])].map(({ name }: any) => name),
  );
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !name.startsWith('Renamed'))).toEqual([]);
});
