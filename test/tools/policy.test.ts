import { createAgentTools, type PendingWrite } from 'agent-connectors/tools';
import { describe, expect, test, vi } from 'vitest';
import { aiSdkTools } from '../../src/adapters/ai-sdk.js';
import { waitUntil } from '../engine/time.js';
import { connectorsOn, toolsOf } from './setup.js';
import { shelf } from './shelf.js';

const create = { entity: 'things', action: 'create', params: { text: 'Hello' } };
const made = () => shelf(() => ({ id: '1', text: 'Hello', size: 1 }));

test('read-only tools deny writes', async () => {
  const { connector, sent } = made();
  const { execute } = toolsOf(connector, { readOnly: true });
  for (const action of ['create', 'delete']) {
    const { text, isError } = await execute.run({ ...create, action });
    expect(isError).toBe(true);
    expect(text).toMatch(/^Failed: denied_by_policy[\s\S]+read-only/);
  }
  expect(sent).toEqual([]);
});

test('an allow list denies everything it does not list', async () => {
  const { connector, sent } = made();
  const { execute } = toolsOf(connector, { allow: ['things.create'] });
  expect((await execute.run({ entity: 'things', action: 'list' })).text).toContain('denied_by_policy');
  expect((await execute.run(create)).isError).toBe(false);
  expect(sent.map(({ action }) => action)).toEqual(['create']);
});

test("the connector's own policy applies as well", async () => {
  const { sandbox } = connectorsOn();
  const { LinearConnector } = await import('agent-connectors/linear');
  const credentials = sandbox.vendors.linear.credentials.api_key;
  const { execute } = toolsOf(new LinearConnector({ credentials, fetch: sandbox.fetch, readOnly: true }));
  const { text } = await execute.run({ entity: 'issues', action: 'update', params: { id: 'ENG-1', priority: 1 } });
  expect(text).toContain('denied_by_policy');
  expect(sandbox.requests).toHaveLength(0);
});

describe('approval', () => {
  test('is requested for writes, with all details, and not for reads', async () => {
    const { connector, sent } = made();
    const asked: PendingWrite[] = [];
    const approve = async (write: PendingWrite) => asked.push(write) > 0;
    const { execute } = toolsOf(connector, { approve });
    await execute.run({ entity: 'things', action: 'get', params: { id: '1' } });
    await execute.run({ ...create, intent: 'as the user asked' });
    await execute.run({ entity: 'things', action: 'delete', params: { id: '1' } });
    expect(asked).toEqual([
      {
        connector: 'shelf',
        entity: 'things',
        action: 'create',
        effect: 'write',
        params: { text: 'Hello' },
        intent: 'as the user asked',
        signal: undefined,
      },
      expect.objectContaining({ action: 'delete', effect: 'destroy', params: { id: '1' } }),
    ]);
    expect(sent.map(({ action }) => action)).toEqual(['get', 'create', 'delete']);
  });

  test.each([
    [() => false, 'was not approved. Nothing was changed.'],
    [() => 'Not on a Friday.', 'was not approved: Not on a Friday. Nothing was changed.'],
    [() => '', 'was not approved. Nothing was changed.'],
    [async () => undefined as never, 'was not approved. Nothing was changed.'],
    [async () => Promise.reject(new Error('token 4711')), 'the approval request failed'],
    [
      () => {
        throw new Error('token 4711');
      },
      'the approval request failed',
    ],
  ])('allows nothing if it is %o', async (approve, message) => {
    const { connector, sent } = made();
    const { text, isError } = await toolsOf(connector, { approve }).execute.run(create);
    expect(isError).toBe(true);
    expect(text).toContain(message);
    expect(text).toContain('denied_by_policy');
    expect(text).not.toContain('4711');
    expect(sent).toEqual([]);
  });

  test('applies to what is sent, even if the objects are modified in the meantime', async () => {
    const { connector, sent } = made();
    const params = { text: 'Hello' };
    const approve = (write: PendingWrite) => {
      params.text = 'changed by the caller';
      (write.params as { text: string }).text = 'changed by the hook';
      return true;
    };
    await toolsOf(connector, { approve }).execute.run({ ...create, params });
    expect(sent).toEqual([{ action: 'create', params: { text: 'Hello' } }]);
  });

  test('is requested only for calls that would be sent', async () => {
    const { connector, sent } = made();
    const approve = vi.fn(() => true);
    const { execute } = toolsOf(connector, { approve });
    for (const call of [
      { ...create, params: {} },
      { ...create, params: { text: 'Hello', colour: 'red' } },
      { ...create, select_fields: ['txt'] },
    ]) {
      expect(await execute.run(call)).toMatchObject({ isError: true, data: { code: 'invalid_params' } });
    }
    const { LinearConnector } = await import('agent-connectors/linear');
    const linear = new LinearConnector({ credentials: { api_key: 'x' }, allow: ['issues.list'] });
    const denied = await toolsOf(linear, { approve }).execute.run({ entity: 'issues', action: 'create', params: {} });
    expect(denied.text).toContain('denied_by_policy');
    expect([approve.mock.calls, sent]).toEqual([[], []]);
  });

  test('can come later: the call stays pending and asks again when repeated', async () => {
    const { connector, sent } = made();
    const seen = new Set<string>();
    const approve = ({ action, params }: PendingWrite) => {
      const write = JSON.stringify([action, params]);
      if (seen.has(write)) return true;
      seen.add(write);
      return { pending: 'plan_7' };
    };
    const { execute } = toolsOf(connector, { approve });
    const waiting = await execute.run(create);
    expect(waiting).toMatchObject({ isError: false, data: { status: 'pending', pending: 'plan_7' } });
    expect(waiting.text).toContain('things.create needs approval and was not sent.');
    expect(sent).toEqual([]);
    expect((await execute.run(create)).data).toMatchObject({ data: { id: '1' } });
    expect(sent).toHaveLength(1);
  });

  test('can be requested by a framework: a tool says which calls would write', async () => {
    const { connector, sent } = made();
    const [inspect, , execute] = createAgentTools(connector);
    const wouldWrite = (call: object) => execute.isWrite!(call);
    expect(await wouldWrite(create)).toBe(true);
    expect(await wouldWrite({ ...create, params: {} })).toBe(false);
    expect(await wouldWrite({ entity: 'things', action: 'list' })).toBe(false);
    expect(await wouldWrite({ calls: [create] })).toBe(false);
    expect(inspect.isWrite).toBeUndefined();
    expect(createAgentTools(connector, { readOnly: true })[2].isWrite).toBeUndefined();
    const [, , reads, writes] = createAgentTools(connector, { split: true });
    expect([reads.isWrite, await writes!.isWrite!(create)]).toEqual([undefined, true]);
    const set = aiSdkTools(createAgentTools(connector), (schema) => schema, { needsApproval: true });
    expect([set.inspect_connector!.needsApproval, await set.execute!.needsApproval!(create)]).toEqual([
      undefined,
      true,
    ]);
    expect(aiSdkTools(createAgentTools(connector), (schema) => schema).execute).not.toHaveProperty('needsApproval');
    expect(sent).toEqual([]);
  });

  test('that takes too long can be aborted by the signal', async () => {
    const { connector, sent } = made();
    const approve = vi.fn(() => new Promise<boolean>(() => {}));
    const controller = new AbortController();
    const running = toolsOf(connector, { approve }).execute.run(create, { signal: controller.signal });
    await waitUntil(() => approve.mock.calls.length > 0);
    controller.abort(new Error('gone'));
    await expect(running).rejects.toThrow('gone');
    expect(sent).toEqual([]);
  });
});
