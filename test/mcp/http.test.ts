import { type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type McpCaller, type McpHandlerOptions, mcpHandler } from 'agent-connectors/mcp';
import type { ToolConnectors } from 'agent-connectors/tools';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connectorsOn, handleIn, insideOf } from '../tools/setup.js';
import { shelf } from '../tools/shelf.js';
import { listen } from './loopback.js';
import { clientOf, deferred, type Era, eras, listChanges, textOf } from './setup.js';

/** The caller behind each token; a test may change it. */
let callers: Record<string, McpCaller>;
let ended: Array<() => Promise<unknown>>;

beforeEach(() => {
  ended = [];
  callers = {};
});

afterEach(async () => {
  for (const end of ended.reverse()) await end();
});

/** A handler that identifies its callers by their tokens, on its own server. */
async function served(connectors: ToolConnectors, options: McpHandlerOptions = {}) {
  for (const name of ['ann', 'bob']) callers[name] = { principal: name, connectors };
  const seen: Request[] = [];
  const handler = mcpHandler((request) => {
    seen.push(request);
    const [, token = ''] = /^Bearer (\w+)-token$/.exec(request.headers.get('authorization') ?? '') ?? [];
    const refusal = { status: 401, headers: { 'www-authenticate': 'Bearer' } };
    return callers[token] ?? new Response('{"message":"Who are you?"}', refusal);
  }, options);
  const server = await listen(handler);
  ended.push(() => handler.close(), server.close);
  const connect = async (era: Era, name = 'ann', options: ClientOptions = {}) => {
    const client = clientOf(era, options);
    const headers = { authorization: `Bearer ${name}-token` };
    const transport = new StreamableHTTPClientTransport(server.url, { requestInit: { headers } });
    await client.connect(transport);
    ended.push(() => client.close());
    return { client, transport };
  };
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    fetch(server.url, {
      method: 'POST',
      headers: {
        authorization: 'Bearer ann-token',
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  return { ...server, seen, connect, post };
}

const list = { entity: 'things', action: 'list' };
const execute = (args: Record<string, unknown>) => ({ name: 'execute', arguments: args });

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

describe.each(eras)('over HTTP, a %s-era client', (era) => {
  test('uses tools, resources and prompts', async () => {
    const { linear, granola } = connectorsOn();
    const { connect } = await served({ linear, granola });
    const { client } = await connect(era);
    expect((await client.listTools()).tools).toHaveLength(3);
    const result = await client.callTool(execute({ connector: 'linear', entity: 'teams', action: 'list' }));
    const { data } = await linear.execute('teams', 'list', { first: 25 }, { view: 'concise' });
    expect(result.structuredContent).toMatchObject({ data });
    const docs = await client.callTool({ name: 'read_skill_docs', arguments: { connector: 'granola' } });
    expect(textOf(docs)).toContain('Granola');
    expect(textOf(await client.callTool({ name: 'inspect_connector', arguments: {} }))).toContain('Linear');
    const { resources } = await client.listResources();
    const { contents } = await client.readResource({ uri: resources[0]!.uri });
    expect((contents[0] as { text: string }).text).toContain('name: granola');
    expect((await client.listPrompts()).prompts).toHaveLength(4);
    const refused = await client.callTool(
      execute({ connector: 'linear', entity: 'issues', action: 'create', params: { title: 'x' } }),
    );
    expect(textOf(refused)).toContain('denied_by_policy');
  });

  test('cancels a call all the way down to the connector', async () => {
    const [begun, stopped] = [deferred(), deferred<unknown>()];
    const { connector } = shelf(() => undefined);
    const { connect } = await served({
      describe: () => connector.describe(),
      execute: (_entity, _action, _params, options) =>
        new Promise((_, reject) => {
          begun.resolve();
          options!.signal!.addEventListener('abort', () => {
            stopped.resolve('stopped');
            reject(options!.signal!.reason);
          });
        }),
    });
    const { client } = await connect(era);
    const stop = new AbortController();
    const call = client.callTool(execute(list), { signal: stop.signal });
    call.catch(() => {});
    await begun.promise;
    stop.abort();
    await expect(call).rejects.toThrow();
    expect(await stopped.promise).toBe('stopped');
  });

  test('gets progress during a long call', async () => {
    const release = deferred();
    const { connector } = shelf(() => release.promise.then(() => []));
    const { connect } = await served(connector);
    const { client } = await connect(era);
    const told: number[] = [];
    await client.callTool(execute(list), {
      onprogress: ({ progress }) => {
        told.push(progress);
        release.resolve();
      },
    });
    // On a busy machine there may be more than one notification.
    expect(told[0]).toBe(1);
  });

  test('can make 200 concurrent calls', async () => {
    const { connector } = shelf(({ params }) => ({ id: params.id, text: null, size: null }));
    const { connect } = await served(connector);
    const { client } = await connect(era);
    const ids = Array.from({ length: 200 }, (_, index) => `thing-${index}`);
    const started = performance.now();
    const results = await Promise.all(
      ids.map((id) => client.callTool(execute({ entity: 'things', action: 'get', params: { id } }))),
    );
    console.log(`measured: 200 MCP calls at once over HTTP, ${era}: ${Math.round(performance.now() - started)} ms`);
    expect(results.map(({ structuredContent }) => (structuredContent as any).data.id)).toEqual(ids);
  });

  test('continues a truncated result, which no other caller can do', async () => {
    const things = Array.from({ length: 300 }, (_, index) => ({ id: `${index}`, text: 'x'.repeat(50), size: null }));
    const { connector } = shelf(() => things);
    const { connect } = await served(connector, { maxOutputTokens: 2_000 });
    const [ann, bob] = [await connect(era, 'ann'), await connect(era, 'bob')];
    const first = await ann.client.callTool(execute(list));
    const handle = handleIn(textOf(first))!;
    const stolen = await bob.client.callTool(execute({ continue: handle }));
    expect(textOf(stolen)).toContain('handles expire');
    const second = await ann.client.callTool(execute({ continue: handle }));
    const both = insideOf(textOf(first)).inside + insideOf(textOf(second)).inside;
    const rows = things.map(({ id, text }) => `${id}|${text}`).join('\n');
    expect(`null or empty in all: size\nid|text\n${rows}`).toContain(both.slice(0, 3_000));
  });

  test('can continue after its connectors change, and is notified of changed lists', async () => {
    const { linear, granola, drive } = connectorsOn();
    const { connect } = await served({ linear, granola });
    const { heard, options } = listChanges();
    const { client, transport } = await connect(era, 'ann', options);
    const session = transport.sessionId;
    await client.callTool(execute({ connector: 'linear', entity: 'teams', action: 'list' }));
    callers.ann = { principal: 'ann', connectors: { granola, drive } };
    const files = { connector: 'drive', entity: 'files', action: 'list', select_fields: ['id'] };
    const listed = await client.callTool(execute(files));
    expect((listed.structuredContent as any).data.length).toBeGreaterThan(0);
    await expect.poll(() => heard.tools.length * heard.prompts.length * heard.resources.length).toBeGreaterThan(0);
    expect(JSON.stringify(heard.tools.at(-1))).toContain('drive');
    expect(JSON.stringify(heard.tools.at(-1))).not.toContain('linear');
    const names = (await client.listResources()).resources.map(({ name }) => name);
    expect(names).toContain('drive/actions.files.list');
    expect(names).not.toContain('linear/actions.issues.list');
    await expect(client.readResource({ uri: 'skill://linear/SKILL.md' })).rejects.toThrow();
    const { text } = (await client.getPrompt({ name: 'what_is_here' })).messages[0]!.content as { text: string };
    expect(text).toContain('inspect_connector');
    expect(transport.sessionId).toBe(session);
    // Recreating a connector is not a change.
    const before = heard.tools.length;
    callers.ann = { principal: 'ann', connectors: { granola: connectorsOn().granola, drive } };
    await client.callTool(execute({ connector: 'granola', entity: 'notes', action: 'list' }));
    callers.ann = { principal: 'ann', connectors: {} };
    await expect(client.callTool(execute({ connector: 'granola', entity: 'notes', action: 'list' }))).rejects.toThrow();
    await expect.poll(() => heard.tools.length).toBe(before + 1);
    expect(heard.tools.at(-1)).toEqual([]);
    await expect.poll(() => heard.prompts.at(-1)).toEqual([]);
    callers.ann = { principal: 'ann', connectors: { linear }, allowWrites: true };
    await client.callTool(execute({ entity: 'teams', action: 'list' }));
    await expect.poll(() => JSON.stringify(heard.prompts.at(-1))).toContain('prepare_change');
  });

  test('immediately loses access to whatever its caller is no longer allowed to use', async () => {
    const { linear, granola } = connectorsOn();
    const { connect } = await served({ linear, granola });
    const { client } = await connect(era);
    const call = () => client.callTool(execute({ connector: 'linear', entity: 'teams', action: 'list' }));
    expect((await call()).isError).not.toBe(true);
    callers.ann = { principal: 'ann', connectors: { granola } };
    const after = await call().then(textOf, (error: Error) => error.message);
    expect(after).toMatch(/no entity 'teams'|Unknown connector 'linear'/);
    delete callers.ann;
    await expect(call()).rejects.toThrow();
  });
});

describe('the handler', () => {
  test("hides the caller's token from the server, and authenticates every request", async () => {
    const { connector } = shelf(() => []);
    const { connect, seen, post } = await served(connector);
    const { client } = await connect('modern');
    await client.callTool(execute(list));
    expect(seen.length).toBeGreaterThanOrEqual(2);
    expect(new Set(seen.map(({ headers }) => headers.get('authorization')))).toEqual(new Set(['Bearer ann-token']));
    const answer = await post(initialize);
    expect(await answer.text()).not.toContain('token');
    const refused = await post(initialize, { authorization: 'Bearer nobody' });
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(await refused.json()).toEqual({ message: 'Who are you?' });
  });

  test.each([
    ['https://evil.example', 403],
    ['null', 403],
    ['http://localhost:5173', 200],
  ])('responds to a page from %s with %d, before it authenticates the request', async (origin, status) => {
    const { connector } = shelf(() => []);
    const { post, seen } = await served(connector);
    expect((await post(initialize, { origin })).status).toBe(status);
    expect(seen).toHaveLength(status === 200 ? 1 : 0);
  });

  test('responds only to the configured host names', async () => {
    const { connector } = shelf(() => []);
    const { post } = await served(connector, { allowedHosts: ['connectors.example'] });
    expect((await post(initialize)).status).toBe(403);
  });

  test('gives sessions unguessable ids that are valid for one caller only', async () => {
    const { connector } = shelf(() => []);
    const { connect, post } = await served(connector);
    const ids = await Promise.all([1, 2, 3].map(async () => (await connect('legacy')).transport.sessionId!));
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const ask = (session: string, name: string) =>
      post(
        { jsonrpc: '2.0', id: 2, method: 'tools/list' },
        { 'mcp-session-id': session, authorization: `Bearer ${name}-token` },
      );
    expect((await ask(ids[0]!, 'ann')).status).toBe(200);
    expect((await ask(ids[0]!, 'bob')).status).toBe(404);
    expect((await ask(crypto.randomUUID(), 'ann')).status).toBe(404);
    const { status } = await post({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
    expect(status).toBe(400);
  });

  test("ends a session at the client's request", async () => {
    const { connector } = shelf(() => []);
    const { connect, post } = await served(connector);
    const { transport } = await connect('legacy');
    const id = transport.sessionId!;
    await transport.terminateSession();
    const { status } = await post({ jsonrpc: '2.0', id: 2, method: 'tools/list' }, { 'mcp-session-id': id });
    expect(status).toBe(404);
  });

  test('keeps the newest 64 sessions of a caller', async () => {
    const { connector } = shelf(() => []);
    const { post } = await served(connector);
    const ids: string[] = [];
    for (let index = 0; index < 66; index++) ids.push((await post(initialize)).headers.get('mcp-session-id')!);
    const status = async (id: string) =>
      (await post({ jsonrpc: '2.0', id: 2, method: 'tools/list' }, { 'mcp-session-id': id })).status;
    expect([await status(ids[65]!), await status(ids[0]!)]).toEqual([200, 404]);
  });

  test.each([
    ['a body that is too large', `{"x":"${'x'.repeat(3_000)}"}`, 413],
    ['a body that is not JSON', '{', 400],
  ])('rejects %s', async (_, body, status) => {
    const { connector } = shelf(() => []);
    const { post } = await served(connector, { maxBodyBytes: 2_000 });
    expect((await post(body)).status).toBe(status);
  });

  test('allows writes for one caller and not for another', async () => {
    const { connector, sent } = shelf(() => ({ id: '1', text: 'x', size: null }));
    const { connect } = await served(connector);
    callers.bob = { ...callers.bob!, allowWrites: true };
    const create = execute({ entity: 'things', action: 'create', params: { text: 'x' } });
    const [ann, bob] = [await connect('modern', 'ann'), await connect('modern', 'bob')];
    expect((await ann.client.callTool(create)).isError).toBe(true);
    expect((await bob.client.callTool({ ...create, name: 'execute_write' })).isError).not.toBe(true);
    expect(sent).toHaveLength(1);
  });

  test('serves a caller without connectors', async () => {
    const { connect } = await served({});
    const { client } = await connect('modern');
    expect((await client.listTools()).tools).toEqual([]);
    expect((await client.listPrompts()).prompts).toEqual([]);
    expect((await client.listResources()).resources).toEqual([]);
    expect(client.getInstructions()).toContain('no connectors');
  });

  test('rejects unknown options', () => {
    expect(() => mcpHandler(() => new Response(), { allowedOrigin: ['x'] } as object)).toThrow('allowedOrigin');
    expect(() => mcpHandler(() => new Response(), { maxOutputTokens: 1 })).toThrow('at least 1000');
  });
});
