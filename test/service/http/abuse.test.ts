import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { mainWorkspaceHeaders, startMcpService } from '../mcp/setup.js';
import { connectorPath, readResponse, startTestService } from './setup.js';

test('a call with a large number of unknown names is rejected with a small response', async () => {
  const { tenant, sandbox } = await startTestService();
  const { ask, connect } = await tenant();
  const id = await connect('linear', sandbox.vendors.linear.credentials.api_key);
  const params = Object.fromEntries(Array.from({ length: 7_000 }, (_, at) => [`k${at}`, 1]));
  const { status, text, body } = await ask('POST', connectorPath(id, '/execute'), {
    json: { entity: 'issues', action: 'list', params },
  });
  expect(status).toBe(422);
  expect(body.errors.length).toBeLessThanOrEqual(50);
  expect(text.length).toBeLessThan(50_000);
  const long = await ask('POST', connectorPath(id, '/execute'), {
    json: { entity: 'issues', action: 'list', params: { ['k'.repeat(1_000_000)]: 1 } },
  });
  expect(long.text.length).toBeLessThan(5_000);
});

describe('a body with a large number of values', () => {
  const path = '/api/v1/workspaces';
  const json = { 'content-type': 'application/json' };
  const list = (length: number) => Array.from({ length }, () => 1);

  test.each([
    ['names', `{${list(400_000).map((_, at) => `"k${at}":1`)}}`],
    ['numbers', `[${list(8_000)}]`],
    ['empty lists', `[${list(4_000).map(() => '[]')}]`],
    ['text that is not JSON', ','.repeat(8_000)],
  ])('is rejected before it is parsed: %s', async (_, raw) => {
    const { ask } = await (await startTestService()).tenant();
    const parse = vi.spyOn(JSON, 'parse');
    onTestFinished(() => parse.mockRestore());
    const refused = await ask('POST', path, { raw, headers: json });
    expect([refused.status, refused.body.code]).toEqual([413, 'too_large']);
    expect(refused.body.message).toContain('8000 values');
    expect(parse.mock.calls.filter(([text]) => text.length >= raw.length)).toEqual([]);
  });

  test('is rejected by the MCP server as well', async () => {
    const { tenant, post } = await startMcpService();
    const headers = { authorization: `Bearer ${(await tenant()).token}`, ...mainWorkspaceHeaders };
    const params = { name: 'execute', arguments: { list: list(8_000) } };
    const refused = await readResponse(await post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers));
    expect([refused.status, refused.body.code]).toEqual([413, 'too_large']);
  });

  test('is parsed in its own turn of the event loop, even if many arrive simultaneously', async () => {
    const { ask } = await (await startTestService()).tenant();
    let turn = 0;
    const next = () => {
      turn++;
      timer = setImmediate(next);
    };
    let timer = setImmediate(next);
    onTestFinished(() => clearImmediate(timer));
    const turns: number[] = [];
    const { parse } = JSON;
    const spy = vi.spyOn(JSON, 'parse').mockImplementation((text, reviver) => {
      if (text.length > 10_000) turns.push(turn);
      return parse(text, reviver);
    });
    onTestFinished(() => spy.mockRestore());
    await Promise.all(Array.from({ length: 20 }, () => ask('POST', path, { json: list(7_000) })));
    expect(turns).toHaveLength(20);
    expect(new Set(turns).size).toBe(20);
  });

  test('is accepted if it has few values, even if its strings contain many commas and brackets', async () => {
    const { ask } = await (await startTestService()).tenant();
    const raw = `${' '.repeat(3_000_000)}{"name":"${'\\",[{'.repeat(30)}"}`;
    expect((await ask('POST', path, { raw, headers: json })).status).toBe(200);
    const most = await ask('POST', path, { json: list(7_999) });
    expect([most.status, most.body.errors[0].message]).toEqual([422, 'must be an object']);
  });

  test('gets one error per object instead of one per field if it has too many fields', async () => {
    const acme = await (await startTestService()).tenant();
    const many = Object.fromEntries(list(101).map((_, at) => [`k${at}`, 1]));
    const refused = await acme.ask('POST', '/api/v1/integrations/connectors', {
      json: { workspace_name: 'main', connector_type: 'linear', credentials: many, settings: many },
    });
    expect(refused.status).toBe(422);
    expect(refused.body.errors.map(({ message }: any) => message)).toEqual([
      'credentials must have at most 100 fields',
      'settings must have at most 100 fields',
    ]);
  });
});

test('unauthenticated bodies must be small and flat, or are rejected before they are parsed', async () => {
  const { ask } = await startTestService();
  const path = '/api/v1/account/applications/token';
  const headers = { 'content-type': 'application/json' };
  const large = await ask('POST', path, { raw: `{"client_id":"${'x'.repeat(20_000)}"}`, headers });
  expect([large.status, large.body.code]).toEqual([413, 'too_large']);
  const deep = await ask('POST', path, { raw: '['.repeat(5_000) + ']'.repeat(5_000), headers });
  expect(deep.status).toBe(400);
  const brackets = await ask('POST', path, {
    raw: JSON.stringify({ client_id: '[{'.repeat(200), client_secret: '"\\[' }),
    headers,
  });
  expect([401, 422]).toContain(brackets.status);
});
