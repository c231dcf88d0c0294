import { type AnyConnector, type ConnectorError, connectors } from 'agent-connectors';
import { createAgentTools } from 'agent-connectors/tools';
import { createSandbox } from 'agent-connectors-sandbox';
import { describe, expect, test } from 'vitest';
import { guardConnector } from '../../src/mcp/connector-entries.js';
import { connectClient, textOf } from '../mcp/setup.js';

type Made = AnyConnector & { describe(): any };

const sandbox = createSandbox({ seed: 7, scale: 0.1 });

/** Every connector with its writes, on the sandbox. */
const all = await Promise.all(
  Object.entries(connectors).map(async ([type, load]) => {
    const Class = (await load()) as unknown as new (options: object) => Made;
    const { credentials } = sandbox.vendors[type as keyof typeof sandbox.vendors];
    const options = { fetch: sandbox.fetch, credentials: Object.values(credentials as object)[0] };
    const make = (more: object = {}) => new Class({ ...options, ...more });
    const actions = make()
      .describe()
      .entities.flatMap(({ name: entity, actions: own }: any) =>
        own.map(({ name: action, effect, example }: any) => ({ entity, action, effect, example })),
      );
    const writes = actions.filter(({ effect }: any) => effect !== 'read');
    return { type, make, writes };
  }),
);
const writing = all.filter(({ writes }) => writes.length > 0);

const codeOf = async (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'done',
    (error: ConnectorError) => error.code,
  );

test('some connectors can write', () => {
  expect(writing.map(({ type }) => type).sort()).toEqual(['google-drive', 'linear']);
});

describe.each(writing.map((one) => [one.type, one] as const))('each write of %s', (_, { make, writes }) => {
  test('is not listed by the MCP server until writes are allowed', async () => {
    const client = await connectClient(make());
    const told = JSON.stringify([await client.listTools(), await client.callTool({ name: 'inspect_connector' })]);
    const allowed = await connectClient(make(), { allowWrites: true });
    const more = textOf(await allowed.callTool({ name: 'inspect_connector' }));
    for (const { action } of writes) {
      expect(told).not.toMatch(new RegExp(`\\b${action}\\b`));
      expect(more).toMatch(new RegExp(`\\b${action}\\b`));
    }
    await Promise.all([client.close(), allowed.close()]);
  });

  test("is rejected independently by the tools, the server's surface and the connector", async () => {
    const before = sandbox.requests.length;
    const [, , execute] = createAgentTools([make()], { readOnly: true });
    const offered = guardConnector(make(), false);
    const connector = make({ readOnly: true });
    for (const { entity, action, example } of writes) {
      const { isError, text } = await execute.run({ entity, action, params: example });
      expect([isError, text.includes('denied_by_policy')]).toEqual([true, true]);
      expect(await codeOf(offered.execute(entity, action, example))).toBe('denied_by_policy');
      expect(await codeOf(connector.execute(entity, action, example))).toBe('denied_by_policy');
    }
    expect(sandbox.requests).toHaveLength(before);
  });

  test("is rejected by the server's surface even if its tools would allow it", async () => {
    const before = sandbox.requests.length;
    const [, , execute] = createAgentTools([guardConnector(make(), false)]);
    for (const { entity, action, example } of writes) {
      expect((await execute.run({ entity, action, params: example })).text).toContain('denied_by_policy');
    }
    expect(sandbox.requests).toHaveLength(before);
  });
});

test.each(all.map(({ type, make }) => [type, make] as const))('an action unknown to %s is denied', async (_, make) => {
  const before = sandbox.requests.length;
  const offered = guardConnector(make(), false);
  for (const [entity, action] of [
    ['issues', 'purge'],
    ['nothing', 'list'],
    ['__proto__', 'list'],
    ['files', 'constructor'],
    ['', ''],
  ] as const) {
    expect(await codeOf(offered.execute(entity, action, {}))).toBe('denied_by_policy');
    expect(await codeOf(make({ readOnly: true }).execute(entity, action, {}))).toMatch(/^unknown_(entity|action)$/);
  }
  expect(sandbox.requests).toHaveLength(before);
});
