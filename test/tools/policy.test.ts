import type { PendingWrite } from 'agent-connectors/tools';
import { describe, expect, test, vi } from 'vitest';
import { waitUntil } from '../engine/time.js';
import { connectorsOn, toolsOf } from './setup.js';
import { shelf } from './shelf.js';

const create = { entity: 'things', action: 'create', params: { text: 'Hello' } };
const made = () => shelf(() => ({ id: '1', text: 'Hello', size: 1 }));

test('read-only refuses writes that are asked for all the same', async () => {
  const { connector, sent } = made();
  const { execute } = toolsOf(connector, { readOnly: true });
  for (const action of ['create', 'delete']) {
    const { text, isError } = await execute.run({ ...create, action });
    expect(isError).toBe(true);
    expect(text).toMatch(/^Failed: denied_by_policy[\s\S]+read-only/);
  }
  expect(sent).toEqual([]);
});

test('an allow list refuses what it does not name', async () => {
  const { connector, sent } = made();
  const { execute } = toolsOf(connector, { allow: ['things.create'] });
  expect((await execute.run({ entity: 'things', action: 'list' })).text).toContain('denied_by_policy');
  expect((await execute.run(create)).isError).toBe(false);
  expect(sent.map(({ action }) => action)).toEqual(['create']);
});

test("the connector's own policy holds as well", async () => {
  const { sandbox } = connectorsOn();
  const { LinearConnector } = await import('agent-connectors/linear');
  const credentials = sandbox.vendors.linear.credentials.api_key;
  const { execute } = toolsOf(new LinearConnector({ credentials, fetch: sandbox.fetch, readOnly: true }));
  const { text } = await execute.run({ entity: 'issues', action: 'update', params: { id: 'ENG-1', priority: 1 } });
  expect(text).toContain('denied_by_policy');
  expect(sandbox.requests).toHaveLength(0);
});

describe('approval', () => {
  test('is asked for writes, with all there is to know, and not for reads', async () => {
    const { connector, sent } = made();
    const asked: PendingWrite[] = [];
    const approve = async (write: PendingWrite) => asked.push(write) > 0;
    const { execute } = toolsOf(connector, { approve });
    await execute.run({ entity: 'things', action: 'get', params: { id: '1' } });
    await execute.run({ ...create, intent: 'as the user asked' });
    await execute.run({ entity: 'things', action: 'delete', params: { id: '1' } });
    expect(asked).toEqual([
      {
        ...{ connector: 'shelf', entity: 'things', action: 'create', effect: 'write' },
        ...{ params: { text: 'Hello' }, intent: 'as the user asked', signal: undefined },
      },
      expect.objectContaining({ action: 'delete', effect: 'destroy', params: { id: '1' } }),
    ]);
    expect(sent.map(({ action }) => action)).toEqual(['get', 'create', 'delete']);
  });

  test.each([
    [() => false, 'it was not approved'],
    [() => 'Not on a Friday.', 'was refused: Not on a Friday. Nothing was changed.'],
    [() => '', 'it was not approved'],
    [async () => undefined as never, 'it was not approved'],
    [async () => Promise.reject(new Error('token 4711')), 'asking for approval failed'],
    [
      () => {
        throw new Error('token 4711');
      },
      'asking for approval failed',
    ],
  ])('that is %o lets nothing through', async (approve, message) => {
    const { connector, sent } = made();
    const { text, isError } = await toolsOf(connector, { approve }).execute.run(create);
    expect(isError).toBe(true);
    expect(text).toContain(message);
    expect(text).toContain('denied_by_policy');
    expect(text).not.toContain('4711');
    expect(sent).toEqual([]);
  });

  test('is for what is sent, whatever becomes of the objects meanwhile', async () => {
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

  test('that takes too long ends with the signal', async () => {
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
