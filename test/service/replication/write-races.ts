import { createSandbox, type Sandbox } from 'agent-connectors-sandbox';
import { type CreateOptions, createService } from 'agent-connectors-service';
import { expect, onTestFinished } from 'vitest';
import { createRequester, execute, type Tenant, tenantOf } from '../http/setup.js';
import { newKey } from '../keys.js';
import { hitsOf, searchEntity, syncAndWait, waitForNewestJob } from './setup.js';

/** Executes a write and returns its result as the caller sees it. */
export async function write(acme: Tenant, id: string, entity: string, action: string, params: object, more = {}) {
  const { status, body, text } = await execute(acme, id, entity, action, params, more);
  if (status !== 200) throw new Error(text);
  return body.result;
}

export const recordsById = async (acme: Tenant, id: string, entity: string, ids: readonly string[]) =>
  hitsOf(await searchEntity(acme, id, entity, { query: { filter: { in: { id: ids } }, sort: [{ id: 'asc' }] } }));

/** A fetch that delays the vendor's response to the next request that contains the text after `arm` is called. */
export function holding(sandbox: Sandbox, text?: string) {
  let release = () => {};
  let reach = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  let held: string | undefined;
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { method, url } = new Request(input, init);
    const request = `${method} ${url} ${init?.body}`;
    const holds = held !== undefined && request.includes(held);
    if (holds) held = undefined;
    const response = await sandbox.fetch(input as Request, init);
    if (!holds) return response;
    reach();
    await released;
    return response;
  };
  const arm = (other = text) => {
    held = other;
  };
  onTestFinished(() => release());
  return { fetch, arm, reached, release: () => release() };
}

/** Two services on shared state, one of which replicates; vendor responses to each can be delayed. */
async function twoServices(options: CreateOptions) {
  const sandbox = createSandbox({ seed: 7, scale: 0.1 });
  const run = holding(sandbox);
  const read = holding(sandbox);
  const common = { key: newKey(), embedders: [], limits: { rate: 0 }, ...options };
  const replicating = await createService({ ...common, fetch: run.fetch });
  const writing = await createService({ ...common, fetch: read.fetch, replicate: false });
  onTestFinished(async () => {
    run.release();
    read.release();
    await writing.close();
    await replicating.close();
  });
  const acme = await tenantOf(replicating, 'Acme');
  const elsewhere: Tenant = { ...acme, ask: createRequester(writing, { authorization: `Bearer ${acme.token}` }) };
  return { sandbox, run, read, acme, elsewhere };
}

/**
 * Ends a test once no process reads records back: the services share a thread, so one that closes would block another
 * one's transaction.
 */
const endWhenIdle = (
  { run, read, acme, elsewhere }: Awaited<ReturnType<typeof twoServices>>,
  id: string,
  entity: string,
) =>
  onTestFinished(async () => {
    run.release();
    read.release();
    for (const tenant of [acme, elsewhere]) await searchEntity(tenant, id, entity);
  });

async function withLinear(options: CreateOptions) {
  const services = await twoServices(options);
  const { acme, sandbox } = services;
  const connect = (name: string, entities: readonly string[]) =>
    acme.connect('linear', sandbox.vendors.linear.credentials.api_key, { name, replication_config: { entities } });
  const id = await connect('replicated', ['issues', 'teams']);
  const vendor = await connect('by hand', ['teams']);
  await Promise.all([waitForNewestJob(acme, id), waitForNewestJob(acme, vendor)]);
  endWhenIdle(services, id, 'issues');
  const [issue] = hitsOf(await searchEntity(acme, id, 'issues'));
  const titles = async () => (await recordsById(acme, id, 'issues', [issue.id])).map(({ title }) => title);
  const update = (tenant: Tenant, title: string, connector = id) =>
    write(tenant, connector, 'issues', 'update', { id: issue.id, title });
  return { ...services, id, issue, titles, update, byHand: (title: string) => update(acme, title, vendor) };
}

async function withFile(options: CreateOptions) {
  const services = await twoServices(options);
  const { acme, sandbox } = services;
  const { oauth } = sandbox.vendors['google-drive'].credentials;
  const id = await acme.connect('google-drive', oauth);
  await waitForNewestJob(acme, id);
  endWhenIdle(services, id, 'files');
  const content = { name: 'old.txt', text: 'A quagga ran.', file_mime_type: 'text/plain' };
  const file = await write(acme, id, 'files_upload', 'create', content);
  return { ...services, id, file, stored: () => recordsById(acme, id, 'files', [file.id]) };
}

/** In whatever order processes read from the vendor and store the results, the newest state must remain. */
export const writeRaces: ReadonlyArray<readonly [name: string, check: (options: CreateOptions) => Promise<void>]> = [
  [
    'a write that is read back slowly does not undo what a running replication has read since then',
    async (options) => {
      const { acme, elsewhere, id, issue, run, read, titles, update, byHand } = await withLinear(options);
      read.arm(`"in":["${issue.id}"`);
      const written = update(elsewhere, 'First');
      await read.reached;
      await byHand('Second');
      run.arm('issues(first: 250');
      const synced = syncAndWait(acme, id, { entities: ['issues'] });
      await run.reached;
      expect(await titles()).toEqual(['Second']);
      read.release();
      await written;
      run.release();
      await synced;
      expect(await titles()).toEqual(['Second']);
    },
  ],
  [
    'a write that is read back slowly does not undo a later write of another process',
    async (options) => {
      const { acme, elsewhere, id, issue, read, titles, update } = await withLinear(options);
      read.arm(`"in":["${issue.id}"`);
      const written = update(elsewhere, 'First');
      await read.reached;
      await update(acme, 'Second');
      read.release();
      await written;
      expect(await titles()).toEqual(['Second']);
      await syncAndWait(acme, id);
      expect(await titles()).toEqual(['Second']);
    },
  ],
  [
    'a write that is read back slowly does not restore what another process has deleted',
    async (options) => {
      const { acme, elsewhere, id, file, read, stored } = await withFile(options);
      read.arm(`GET https://www.googleapis.com/drive/v3/files/${file.id}`);
      const written = write(elsewhere, id, 'files', 'update', { fileId: file.id, name: 'new.txt' });
      await read.reached;
      await write(acme, id, 'files', 'delete', { fileId: file.id });
      read.release();
      await written.catch(() => {});
      expect(await stored()).toEqual([]);
      await syncAndWait(acme, id);
      expect(await stored()).toEqual([]);
    },
  ],
  [
    'a replication does not restore what another process deleted while it was reading',
    async (options) => {
      const { acme, elsewhere, id, file, run, stored } = await withFile(options);
      run.arm('/changes?');
      const synced = syncAndWait(acme, id);
      await run.reached;
      await write(elsewhere, id, 'files', 'delete', { fileId: file.id });
      run.release();
      await synced;
      expect(await stored()).toEqual([]);
    },
  ],
  [
    'writes by two processes during replications leave one copy of each record, as it is at the vendor',
    async (options) => {
      const { acme, elsewhere, id } = await withLinear(options);
      const issues = hitsOf(await searchEntity(acme, id, 'issues', { query: {}, limit: 3 }));
      const rounds = Array.from({ length: 4 }, (_, round) => round);
      const writers = [acme, elsewhere].flatMap((tenant, process) =>
        issues.map(async (issue) => {
          for (const round of rounds) {
            const description = `Zeppelin ${process} ${round} of ${issue.identifier}.`;
            await write(tenant, id, 'issues', 'update', { id: issue.id, description });
          }
        }),
      );
      const synced = rounds.map(() => syncAndWait(acme, id));
      await Promise.all([...writers, ...synced]);
      for (const issue of issues) {
        const { body } = await execute(acme, id, 'issues', 'get', { id: issue.id });
        const [stored, ...others] = await recordsById(acme, id, 'issues', [issue.id]);
        expect([stored?.description, others]).toEqual([body.result.description, []]);
      }
      const params = { semantic: { prompt: 'zeppelin', dedup: 'none', mode: 'lexical' }, limit: 50 };
      const found = hitsOf(await searchEntity(acme, id, 'issues', params));
      expect(found.map(({ entity }) => entity.identifier).sort()).toEqual(
        issues.map(({ identifier }) => identifier).sort(),
      );
    },
  ],
];
