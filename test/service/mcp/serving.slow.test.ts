import { describe, expect, test } from 'vitest';
import { eras, listChanges, textOf } from '../../mcp/setup.js';
import { samplesOf } from '../http/metrics.js';
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

describe.each(eras)('a %s-era client', (era) => {
  test('lists tools, runs actions, reads documentation and inspects connectors', async () => {
    const { tenant, connect, server } = await startMcpService();
    const acme = await tenant();
    await acme.connect('google-drive', undefined, { name: 'Our Files' });
    const client = await connect(acme.token, mainWorkspaceHeaders, era);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
      'inspect_connector',
      'read_skill_docs',
      'execute',
      'search',
    ]);
    expect(client.getInstructions()).toContain('our-files (Google Drive): files,');
    const listed = await client.callTool(execute({ connector: 'linear', ...teams }));
    expect(dataOf(listed).length).toBeGreaterThan(0);
    const picked = { select_fields: ['name'], params: { first: 1 } };
    expect(dataOf(await client.callTool(execute({ connector: 'linear', ...teams, ...picked })))).toEqual([
      { name: dataOf(listed)[0].name },
    ]);
    const docs = { connector: 'linear', section: 'actions.issues.list' };
    expect(textOf(await client.callTool({ name: 'read_skill_docs', arguments: docs }))).toContain('issues');
    const skill = await client.readResource({ uri: 'skill://linear/SKILL.md' });
    expect((skill.contents[0] as { text: string }).text).toContain('name: linear');
    const inspected = await client.callTool({ name: 'inspect_connector', arguments: { connector: 'our-files' } });
    expect(inspected.structuredContent).toMatchObject({
      name: 'our-files',
      mode: 'hosted',
      context_store_readiness: { entities: expect.arrayContaining([expect.objectContaining({ entity: 'files' })]) },
      warnings: [expect.stringContaining('no credentials')],
    });
    const samples = samplesOf(await (await fetch(`${server.url}/metrics`)).text());
    expect(samples).toContainEqual({
      name: 'agent_connectors_executions_total',
      labels: { connector_type: 'linear', ...teams, outcome: 'success' },
      value: 2,
    });
    expect(samples).toContainEqual({
      name: 'agent_connectors_http_requests_total',
      labels: { route: '/mcp', method: 'POST', status: '200' },
      value: expect.any(Number),
    });
  });

  test('has its searches run by the service', async () => {
    const { tenant, connect } = await startMcpService();
    const client = await connect((await tenant()).token, mainWorkspaceHeaders, era);
    const params = { query: { filter: { like: { title: '%' } } } };
    const found = await client.callTool(execute({ entity: 'issues', action: 'context_store_search', params }));
    expect(textOf(found)).toContain('not_configured');
    expect(found.isError).not.toBe(true);
  });

  test('cannot make changes, unless the operator allows it', async () => {
    const careful = await startMcpService();
    const acme = await careful.tenant();
    const reader = await careful.connect(acme.token, mainWorkspaceHeaders, era);
    const [{ id }] = dataOf(await reader.callTool(execute(teams)));
    const before = careful.sandbox.requests.length;
    expect(before).toBeGreaterThan(0);
    const refused = await reader.callTool(execute(create(id)));
    expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringContaining('denied_by_policy')]);
    expect(careful.sandbox.requests).toHaveLength(before);
    expect(reader.getInstructions()).toContain('Writes are not allowed.');
    const open = await startMcpService({ mcpAllowWrites: true });
    const writer = await open.connect((await open.tenant()).token, mainWorkspaceHeaders, era);
    const made = await writer.callTool(executeWrite(create(id)));
    expect(dataOf(made)).toMatchObject({ success: true, issue: { title: 'By a client of MCP' } });
  });

  test('is rejected on its next request after it has been deleted', async () => {
    const { tenant, connect, server } = await startMcpService();
    const acme = await tenant();
    const client = await connect(acme.token, mainWorkspaceHeaders, era);
    expect((await client.callTool(execute(teams))).isError).not.toBe(true);
    await server.state.clients.delete(acme.clientId);
    await expect(client.callTool(execute(teams))).rejects.toThrow();
    await expect(connect(acme.token, mainWorkspaceHeaders, era)).rejects.toThrow();
  });

  test('keeps its session, sees new connectors, and no longer sees deleted ones', async () => {
    const { tenant, connect } = await startMcpService();
    const acme = await tenant();
    const { heard, options } = listChanges();
    const client = await connect(acme.token, mainWorkspaceHeaders, era, options);
    const session = client.sessionId();
    for (let count = 0; count < 3; count++) expect((await client.callTool(execute(teams))).isError).not.toBe(true);
    await acme.connect('google-drive', undefined, { name: 'Our Files' });
    const named = { connector: 'linear', ...teams };
    expect((await client.callTool(execute(named))).isError).not.toBe(true);
    await acme.ask('DELETE', `/api/v1/integrations/connectors/${acme.linear}`);
    expect(textOf(await client.callTool(execute(teams)))).toContain("no entity 'teams'");
    await expect.poll(() => JSON.stringify(heard.resources.at(-1))).toMatch(/^(?!.*linear).*our-files/);
    expect(client.sessionId()).toBe(session);
  });
});

describe('the MCP server of the service', () => {
  test('gives each connector a unique name that calls can use', async () => {
    // Names are given in order of creation, so no two connectors may be created at the same time.
    let time = Date.now();
    const { tenant, connect } = await startMcpService({ now: () => time++ });
    const acme = await tenant();
    for (const name of ['LINEAR!', 'Linear 2', 'LINEAR?', '__proto__', '世界', 'x'.repeat(200)])
      await acme.connect('granola', undefined, { name });
    const client = await connect(acme.token);
    const [inspect] = (await client.listTools()).tools;
    const names: string[] = [...(inspect!.inputSchema.properties as any).connector.enum];
    expect(names.sort()).toEqual([
      '__proto__',
      'connector',
      'linear',
      'linear-2',
      'linear-2-2',
      'linear-3',
      'x'.repeat(56),
    ]);
  });

  test("keeps an organization's sessions, no matter how many workspaces another organization uses", async () => {
    const { tenant, post, server } = await startMcpService({ limits: { rate: 0 } });
    const [acme, other] = [await tenant('Acme'), await tenant('Other')];
    const headersOf = ({ token }: typeof acme, workspace: string) => ({
      authorization: `Bearer ${token}`,
      'x-workspace': workspace,
    });
    const begun = await post(initialize, headersOf(acme, 'main'));
    const session = { ...headersOf(acme, 'main'), 'mcp-session-id': begun.headers.get('mcp-session-id')! };
    const ping = async () => (await post({ jsonrpc: '2.0', id: 2, method: 'ping' }, session)).status;
    expect(await ping()).toBe(200);
    for (let from = 0; from < 1_001; from += 77) {
      const names = Array.from({ length: 77 }, (_, index) => `w${from + index}`);
      for (const name of names) await server.state.workspaces.create(other.organizationId, name);
      const answers = await Promise.all(names.map((name) => post(initialize, headersOf(other, name))));
      // Beyond its part of the memory, the other organization is refused.
      for (const { status } of answers) expect(from === 0 ? [200] : [200, 429]).toContain(status);
    }
    expect(await ping()).toBe(200);
  }, 120_000);

  test('rejects a body larger than the operator allows', async () => {
    const { tenant, post } = await startMcpService({ maxBodyBytes: 5_000 });
    const headers = { authorization: `Bearer ${(await tenant()).token}`, ...mainWorkspaceHeaders };
    expect((await post({ ...initialize, more: 'x'.repeat(6_000) }, headers)).status).toBe(413);
  });
});
