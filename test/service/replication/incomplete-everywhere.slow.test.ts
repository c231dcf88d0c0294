import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { codeMode } from 'agent-connectors/code';
import { LinearConnector } from 'agent-connectors/linear';
import { createAgentTools } from 'agent-connectors/tools';
import { expect, onTestFinished, test } from 'vitest';
import { clientOf, textOf } from '../../mcp/setup.js';
import { runToEnd } from '../cli/terminal.js';
import { connectorPath, execute, type Tenant } from '../http/setup.js';
import { newKey } from '../keys.js';
import { newFolder } from '../state/fixtures.js';
import { jobsOf, searchEntity, smallSandbox, startReplicatingService, syncAndWait, waitForNewestJob } from './setup.js';

type Answer = () => Response | Promise<Response>;

/** A service with Linear, whose responses to requests for comments a test can replace. */
async function start(limits: { readonly recordsPerOrganization?: number } = {}) {
  const sandbox = smallSandbox();
  const [dataFolder, key] = [newFolder(), newKey()];
  const vendor: { answer: Answer | undefined } = { answer: undefined };
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const isAboutComments = /(?<!newest: )\bcomments\(/.test(await request.clone().text());
    return isAboutComments && vendor.answer ? vendor.answer() : sandbox.fetch(request);
  };
  const running = await startReplicatingService({ sandbox, fetch, dataFolder, key, dev: false, limits });
  const config = { replication_config: { entities: ['teams', 'comments'], interval: '30d' } };
  return { ...running, vendor, folder: dataFolder, key, connect: () => running.linear(config) };
}

type Running = Awaited<ReturnType<typeof start>>;

const refusal = (message: string, code: string) =>
  Response.json({ errors: [{ message, extensions: { code, userError: true } }] }, { status: 400 });

/** Connects, syncs, and then replaces what the vendor responds about comments. */
async function synced({ connect, acme, vendor }: Running, answer: Answer): Promise<string> {
  const id = await connect();
  await waitForNewestJob(acme, id);
  vendor.answer = answer;
  return id;
}

/** Why comments are missing, and how that comes about; returns the connector's id. */
const causes: Readonly<Record<string, (running: Running) => Promise<string>>> = {
  async sync_failed(running) {
    const id = await synced(running, () => refusal('Broken.', 'INPUT_ERROR'));
    expect((await syncAndWait(running.acme, id)).status).toBe('failed');
    return id;
  },
  async first_sync({ connect, vendor, acme }) {
    vendor.answer = () => new Promise(() => {});
    const id = await connect();
    await expect.poll(async () => (await jobsOf(acme, id))[0]?.entities[1]?.status).toBe('running');
    return id;
  },
  async scope(running) {
    const id = await synced(running, () => refusal('Invalid scope: `read` required.', 'FORBIDDEN'));
    expect((await syncAndWait(running.acme, id)).status).toBe('failed');
    return id;
  },
  async rate_limit(running) {
    const headers = { 'retry-after': '7200' };
    const id = await synced(running, () => new Response('slow down', { status: 429, headers }));
    await running.acme.ask('POST', connectorPath(id, '/sync'));
    await expect.poll(async () => (await jobsOf(running.acme, id))[0].next_try_at).not.toBeNull();
    return id;
  },
  async record_quota({ connect, acme }) {
    const id = await connect();
    expect((await waitForNewestJob(acme, id)).status).toBe('failed');
    return id;
  },
  async unlisted_records(running) {
    const page = { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } };
    const id = await synced(running, () => Response.json({ data: { comments: page } }));
    expect((await syncAndWait(running.acme, id)).status).toBe('done');
    return id;
  },
  async written_records(running) {
    const { acme } = running;
    const id = await synced(running, () => refusal('Broken.', 'INPUT_ERROR'));
    const { body } = await searchEntity(acme, id, 'comments');
    const params = { issueId: body.result.data[0].issueId, body: 'Written while it cannot be read.' };
    expect((await execute(acme, id, 'comments', 'create', params)).status).toBe(200);
    return id;
  },
  async configuration_changed(running) {
    const id = await synced(running, () => new Promise(() => {}));
    const credentials = { api_key: running.sandbox.vendors.linear.credentials.api_key.api_key };
    const json = { credentials, replication_config: { entities: ['comments'], interval: '29d' } };
    expect((await running.acme.ask('PUT', connectorPath(id), { json })).status).toBe(200);
    return id;
  },
};

/** What is said about comments, by place: metadata, or text for a model or a person. */
async function statements({ acme, service, folder, key }: Running, id: string) {
  const search = async (params: object) => (await searchEntity(acme, id, 'comments', params)).body.result.meta;
  const { ask } = acme as Tenant;
  const { body: inspected } = await ask('GET', connectorPath(id, '/inspect'));
  const { body: found } = await ask('POST', '/api/v1/workspaces/main/search', {
    json: { prompt: 'import', entities: ['comments'] },
  });
  const { body: overview } = await ask('GET', '/api/v1/overview');
  const commentsOf = (entities: any[]) => entities.find(({ entity }) => entity === 'comments');
  const send: typeof globalThis.fetch = (input, init) => service.fetch(new Request(input, init));
  const { clientId, clientSecret } = acme;
  const hosted = { baseUrl: 'https://service.test', clientId, clientSecret, workspace: 'main' };
  const connector = new LinearConnector({ hosted, fetch: send });
  const [inspect, , run, code] = createAgentTools(connector, { codeMode: codeMode({ timeoutMs: 600_000 }) });
  const call = { entity: 'comments', action: 'context_store_search' };
  const client = clientOf('modern');
  await client.connect(
    new StreamableHTTPClientTransport(new URL('http://service.test/mcp'), {
      fetch: (input, init) => send(input, init),
      requestInit: { headers: { authorization: `Bearer ${acme.token}`, 'x-workspace': 'main' } },
    }),
  );
  onTestFinished(() => client.close());
  const mcp = async (name: string, args: object) =>
    textOf(await client.callTool({ name, arguments: args as Record<string, unknown> }));
  const command = (...given: string[]) =>
    runToEnd([...given, '--data', folder], { environment: { AGENT_CONNECTORS_KEY: key } });
  const none = { query: { filter: { eq: { id: 'none' } } } };
  const exported = JSON.parse((await command('export', `${newFolder()}/records.jsonl`, '--json')).out);
  return {
    metas: {
      'a search': await search({ query: {} }),
      'a search that finds nothing': await search(none),
      'a search for words': await search({ query: { filter: { keyword: { body: 'import' } } } }),
      'a count': await search({ query: { count: true } }),
      groups: await search({ query: { groupBy: 'issueId' } }),
      'an aggregate': await search({ query: { aggregates: { last: { max: 'createdAt' } } } }),
      'a semantic search': await search({ semantic: { prompt: 'import' } }),
      'a workspace search': found.meta,
      inspect: commentsOf(inspected.context_store_readiness.entities),
      'the overview': overview.data && commentsOf(overview.data.find((one: any) => one.id === id).entities),
      'an export': commentsOf(exported.entities),
    },
    texts: {
      'the tool': (await run.run({ ...call, params: { query: {} } })).text,
      'the tool without results': (await run.run({ ...call, params: none })).text,
      'the tool with a count': (await run.run({ ...call, params: { query: { count: true } } })).text,
      'the inspecting tool': (await inspect.run({})).text,
      code: (await code!.run({ code: 'return (await linear.comments.context_store_search({ query: {} })).meta.total' }))
        .text,
      'an MCP tool': await mcp('execute', { ...call, params: { query: {} } }),
      'the MCP search': await mcp('search', { prompt: 'import', entities: ['comments'] }),
      'the MCP inspection': await mcp('inspect_connector', {}),
      'an export to standard output': (await command('export', '-')).error,
      'an export of tables': (await command('export-tables', `${newFolder()}/tables`)).error,
    },
  };
}

test.each(Object.keys(causes))(
  'whatever is said about records, it says that some are missing: %s',
  async (reason) => {
    const running = await start(reason === 'record_quota' ? { recordsPerOrganization: 5 } : {});
    const id = await causes[reason]!(running);
    const { metas, texts } = await statements(running, id);
    for (const [place, meta] of Object.entries(metas)) {
      expect(meta, place).toMatchObject({ complete: false });
      expect(meta.total_is_exact ?? false, place).toBe(false);
      expect(
        meta.missing.map((gap: any) => gap.reason),
        place,
      ).toContain(reason);
    }
    for (const [place, text] of Object.entries(texts)) expect(text, place).toMatch(/Incomplete|Not searched/);
    expect(texts['the tool without results']).not.toMatch(/There are no comments|comments\)?\.$/m);
  },
  60_000,
);
