import { createSandbox } from 'agent-connectors-sandbox';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { eras, textOf } from '../../mcp/setup.js';
import { connectorPath, tenantOf } from '../http/setup.js';
import {
  create,
  dataOf,
  execute,
  executeWrite,
  initialize,
  mainWorkspaceHeaders,
  startMcpService,
  teams,
} from './setup.js';

describe('the MCP server of the service', () => {
  test('requires a service token, like every route', async () => {
    const { post, server } = await startMcpService();
    for (const headers of [{}, { authorization: 'Bearer nobody' }]) {
      const refused = await post(initialize, headers);
      expect(refused.status).toBe(401);
      const metadata = `${server.url}/.well-known/oauth-protected-resource/mcp`;
      expect(refused.headers.get('www-authenticate')).toContain(`Bearer resource_metadata="${metadata}"`);
      expect(await refused.json()).toMatchObject({ code: 'unauthorized', request_id: expect.any(String) });
    }
    const others = await Promise.all(
      ['GET', 'DELETE', 'PUT'].map((method) => fetch(`${server.url}/mcp`, { method }).then(({ status }) => status)),
    );
    expect(others).toEqual([401, 401, 405]);
  });

  test('shows a scoped token only its own workspace', async () => {
    const { tenant, connect, post, sandbox } = await startMcpService();
    const acme = await tenant();
    const path = '/api/v1/account/applications/scoped-token';
    const { token } = (await acme.ask('POST', path, { json: { workspace_name: 'customer-7' } })).body;
    const json = { workspace_name: 'customer-7', connector_type: 'linear', name: 'Tickets' };
    const credentials = { api_key: sandbox.vendors.linear.credentials.api_key.api_key };
    await acme.ask('POST', '/api/v1/integrations/connectors', { json: { ...json, credentials } });
    const client = await connect(token, {});
    expect(client.getInstructions()).toContain('Connectors and their entities: tickets (Linear): issues,');
    const lost = await client.callTool(execute({ connector: 'linear', ...teams }));
    expect(textOf(lost)).toContain('Unknown connector');
    const other = await post(initialize, { authorization: `Bearer ${token}`, ...mainWorkspaceHeaders });
    expect([other.status, await other.json()]).toEqual([404, expect.objectContaining({ code: 'not_found' })]);
  });

  test('allows no changes without the write scope, and no reads without the read scope', async () => {
    const { tenant, connect, post, sandbox } = await startMcpService({ mcpAllowWrites: true });
    const acme = await tenant();
    const tokenFor = async (...scopes: string[]): Promise<string> => {
      const json = { workspace_name: 'main', scopes };
      return (await acme.ask('POST', '/api/v1/account/applications/scoped-token', { json })).body.token;
    };
    const writer = await connect(await tokenFor('read', 'write'), {});
    const reader = await connect(await tokenFor('read', 'manage', 'admin'), {});
    const [{ id }] = dataOf(await reader.callTool(execute(teams)));
    const before = sandbox.requests.length;
    const refused = await reader.callTool(execute(create(id)));
    expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringContaining('denied_by_policy')]);
    expect(sandbox.requests).toHaveLength(before);
    expect(reader.getInstructions()).toContain('Writes are not allowed.');
    expect(dataOf(await writer.callTool(executeWrite(create(id))))).toMatchObject({ success: true });
    const authorization = `Bearer ${await tokenFor('write', 'manage', 'admin')}`;
    const hidden = await post(initialize, { authorization });
    expect([hidden.status, await hidden.json()]).toEqual([
      403,
      expect.objectContaining({ code: 'forbidden', message: expect.stringContaining("The 'read' scope is required") }),
    ]);
  });

  test('does not let a token without write access use a session that has it', async () => {
    const { tenant, connect, post } = await startMcpService({ mcpAllowWrites: true });
    const acme = await tenant();
    const path = '/api/v1/account/applications/scoped-token';
    const json = { workspace_name: 'main', scopes: ['read'] };
    const { token } = (await acme.ask('POST', path, { json })).body;
    const writer = await connect(acme.token, mainWorkspaceHeaders, 'legacy');
    const message = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
    const headers = { authorization: `Bearer ${token}`, 'mcp-session-id': writer.sessionId()! };
    expect((await post(message, headers)).status).toBe(404);
  });

  test.each(eras)('gives a %s-era client no kept file or completion that a policy has denied since', async (era) => {
    const sandbox = createSandbox({ seed: 7, scale: 0.2 });
    const file = () => new Response(new Uint8Array(20_000), { headers: { 'content-type': 'application/pdf' } });
    const { tenant, connect } = await startMcpService({
      fetch: async (input, init) => (String(input).includes('alt=media') ? file() : sandbox.fetch(input, init)),
    });
    const acme = await tenant();
    const driveId = await acme.connect('google-drive', sandbox.vendors['google-drive'].credentials.access_token);
    const client = await connect(acme.token, mainWorkspaceHeaders, era);
    const drive = (action: string, params = {}) =>
      client.callTool(execute({ connector: 'google-drive', entity: 'files', action, params }));
    const completed = async () => {
      const { completion } = await client.complete({
        ref: { type: 'ref/prompt', name: 'summarise' },
        argument: { name: 'id', value: 'ENG-' },
        context: { arguments: { connector: 'linear', entity: 'issues' } },
      });
      return completion.values.length;
    };
    const list = { entity: 'files', action: 'list', params: { pageSize: 100 } };
    const listed = await acme.ask('POST', connectorPath(driveId, '/execute'), { json: list });
    const { id } = listed.body.result.find(({ mimeType }: any) => !mimeType.includes('google-apps'));
    const [uri] = /agent-connectors:\/\/files\/\w+/.exec(textOf(await drive('download', { fileId: id })))!;
    expect((await client.readResource({ uri })).contents).toHaveLength(1);
    expect(await completed()).toBeGreaterThan(0);
    const policy = (rule: object) => acme.ask('PUT', '/api/v1/policies', { json: { workspace_name: 'main', ...rule } });
    expect((await policy({ allow: ['teams.list'] })).status).toBe(200);
    await expect(client.readResource({ uri })).rejects.toThrow(/not found/i);
    expect(await completed()).toBe(0);
    await policy({});
    expect(await completed()).toBeGreaterThan(0);
  });

  test("does not show anything to another organization's token", async () => {
    const { tenant, connect, post, server } = await startMcpService();
    const acme = await tenant();
    const stranger = await tenantOf(server, 'Other');
    const client = await connect(stranger.token);
    expect((await client.listTools()).tools).toEqual([]);
    expect(client.getInstructions()).toContain('no connectors');
    const headers = {
      authorization: `Bearer ${stranger.token}`,
      ...mainWorkspaceHeaders,
      'x-organization-id': acme.organizationId,
    };
    expect((await post(initialize, headers)).status).toBe(403);
    const own = await connect(acme.token, mainWorkspaceHeaders, 'legacy');
    const stolen = await post(
      { jsonrpc: '2.0', id: 2, method: 'tools/list' },
      { authorization: `Bearer ${stranger.token}`, ...mainWorkspaceHeaders, 'mcp-session-id': own.sessionId()! },
    );
    expect(stolen.status).toBe(404);
  });

  test('serves the `default` workspace by default', async () => {
    const { tenant, connect, post, server } = await startMcpService();
    const acme = await tenant();
    const missing = await post(initialize, { authorization: `Bearer ${acme.token}` });
    expect([missing.status, ((await missing.json()) as any).message]).toEqual([
      404,
      "There is no workspace 'default'.",
    ]);
    await server.state.workspaces.create(acme.organizationId, 'default');
    expect((await connect(acme.token, {})).getInstructions()).toContain('no connectors');
  });

  test('requires a client that belongs to several organizations to specify one', async () => {
    const { tenant, post, connect, server } = await startMcpService();
    const acme = await tenant();
    const second = await server.state.organizations.create('Second');
    const { client, secret } = await server.state.clients.create('both', [acme.organizationId, second.id]);
    const { body } = await acme.ask('POST', '/api/v1/account/applications/token', {
      json: { client_id: client.id, client_secret: secret },
    });
    const authorization = `Bearer ${body.access_token}`;
    expect((await post(initialize, { authorization, ...mainWorkspaceHeaders })).status).toBe(400);
    const chosen = await connect(body.access_token, {
      ...mainWorkspaceHeaders,
      'x-organization-id': acme.organizationId,
    });
    expect(chosen.getInstructions()).toContain('linear');
  });

  test.each([
    ['https://evil.example', undefined, 403],
    ['http://localhost:5173', undefined, 200],
    ['https://app.example.com', ['app.example.com'], 200],
    ['http://localhost:5173', ['app.example.com'], 403],
  ])('for a page from %s and allowed hosts %j, responds with %d', async (origin, mcpAllowOrigins, status) => {
    const { tenant, post } = await startMcpService({ mcpAllowOrigins });
    const { token } = await tenant();
    expect((await post(initialize, { authorization: `Bearer ${token}`, ...mainWorkspaceHeaders, origin })).status).toBe(
      status,
    );
  });

  test("never passes the caller's token to a vendor or leaks secrets or tenant data into logs or results", async () => {
    const spoken = (['log', 'warn', 'error'] as const).map((name) => vi.spyOn(console, name).mockReturnValue());
    onTestFinished(() => spoken.forEach((spy) => void spy.mockRestore()));
    const [lines, sent, told]: [object[], string[], string[]] = [[], [], []];
    const note = (fields: object) => void lines.push(fields);
    const { server, connect } = await startMcpService({
      logger: { debug: note, info: note, warn: note, error: note },
      fetch: async (input, init) => {
        const said = `${input} ${JSON.stringify([...new Headers(init?.headers)])} ${String(init?.body)}`;
        sent.push(said);
        return Response.json({ errors: [{ message: said }] }, { status: 400 });
      },
    });
    const acme = await tenantOf(server, 'Acme');
    await acme.connect('linear', { api_key: 'lin_api_CANARYcanary0123456789' }, { name: 'TENANT-NAME' });
    lines.length = 0;
    for (const era of eras) {
      const client = await connect(acme.token, mainWorkspaceHeaders, era);
      const params = { id: 'TENANT-TEXT' };
      told.push(JSON.stringify(await client.callTool(execute({ entity: 'issues', action: 'get', params }))));
      told.push(JSON.stringify(await client.callTool({ name: 'inspect_connector', arguments: {} })));
    }
    expect(sent.length).toBeGreaterThan(0);
    expect(sent.join()).toContain('CANARY');
    expect(sent.join()).not.toContain(acme.token);
    expect(told.join()).toContain('Failed: ');
    expect(told.join()).not.toContain('CANARY');
    expect(told.join()).not.toContain(acme.token);
    expect(JSON.stringify(lines)).not.toMatch(/TENANT|CANARY|tenant-name/);
    expect(lines[0]).toEqual({
      method: 'POST',
      route: '/mcp',
      status: 200,
      ms: expect.any(Number),
      request_id: expect.any(String),
      organization: acme.organizationId,
      client: acme.clientId,
      connector: undefined,
    });
    for (const spy of spoken) expect(spy).not.toHaveBeenCalled();
  });
});
