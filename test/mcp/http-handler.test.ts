import { mcpHandler } from 'agent-connectors/mcp';
import { describe, expect, test } from 'vitest';
import { shelf } from '../tools/shelf.js';
import { callers, execute, initialize, list, served } from './http-setup.js';

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

  test.each(['legacy', 'modern'] as const)(
    "offers a program's own tools next to the connectors', to %s clients",
    async (era) => {
      const { connector } = shelf(() => []);
      const { connect } = await served(connector, {
        extend: (server) => {
          server.registerTool('greet', { description: 'Greets.' }, () => ({
            content: [{ type: 'text', text: 'Hello.' }],
          }));
        },
      });
      const { client } = await connect(era);
      const names = (await client.listTools()).tools.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(['greet', 'execute']));
      expect(await client.callTool({ name: 'greet' })).toMatchObject({ content: [{ text: 'Hello.' }] });
      expect(await client.callTool(execute(list))).toMatchObject({ content: [{ type: 'text' }] });
    },
  );

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
