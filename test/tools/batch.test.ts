import { ConnectorError } from 'agent-connectors';
import { describe, expect, test } from 'vitest';
import { waitUntil } from '../engine/time.js';
import { connectorsOn, tokensIn, toolsOf } from './setup.js';
import { shelf } from './shelf.js';

const get = (id: string, more: object = {}) => ({ entity: 'things', action: 'get', params: { id }, ...more });
const thing = (id: string) => ({ id, text: `thing ${id}`, size: 1 });

describe('several reads in one call', () => {
  test('run concurrently, each with its own result under its own heading', async () => {
    let started = 0;
    const { connector } = shelf(async ({ params }) => {
      started++;
      await waitUntil(() => started === 3);
      if (params.id === '2') throw new ConnectorError('not_found', 'Shelf: no thing 2.', { status: 404 });
      return thing(params.id);
    });
    const calls = [get('1'), get('2'), get('3', { select_fields: ['id'] }), { entity: 'thing', action: 'get' }];
    const { text, data, isError } = await toolsOf(connector).execute.run({ calls });
    expect(isError).toBe(false);
    expect(text.match(/^## .*$/gm)).toEqual([
      '## 1. shelf/things.get',
      '## 2. shelf/things.get',
      '## 3. shelf/things.get',
      '## 4. shelf/thing.get',
    ]);
    expect((data as any).results).toMatchObject([
      { isError: false, data: thing('1') },
      { isError: true, code: 'not_found' },
      { isError: false, data: { id: '3' } },
      { isError: true, code: 'unknown_entity' },
    ]);
    // Details of how to call an action are omitted, so that ten failures are not ten tables.
    expect(text).not.toContain('How things.get is called');
  });

  test('go to several connectors', async () => {
    const { linear, granola } = connectorsOn();
    const { text, isError } = await toolsOf([linear, granola]).execute.run({
      calls: [
        { connector: 'linear', entity: 'issues', action: 'list', params: { first: 1 } },
        { connector: 'granola', entity: 'notes', action: 'list', params: { page_size: 1 } },
        { entity: 'notes', action: 'list' },
      ],
    });
    expect(isError).toBe(false);
    expect(text).toMatch(
      /^## 1\. linear\/issues\.list\n[\s\S]+^## 2\. granola\/notes\.list\n[\s\S]+^## 3\.\n.*\n.*connector is required/m,
    );
  });

  test('share one budget, and a truncated result can be continued', async () => {
    const long = 'word '.repeat(4_000);
    const { connector } = shelf(({ params }) => ({ ...thing(params.id), text: long }));
    const { execute } = toolsOf(connector, { maxOutputTokens: 2_000, countTokens: tokensIn });
    const { text } = await execute.run({ calls: [get('1'), get('2'), get('3')] });
    expect(tokensIn(text)).toBeLessThanOrEqual(2_000);
    const handles = [...text.matchAll(/continue: "([^"]+)"/g)].map(([, handle]) => handle);
    expect(new Set(handles).size).toBe(3);
    expect((await execute.run({ continue: handles[2] })).isError).toBe(false);
  });

  test('return an error if all of them fail', async () => {
    const { execute } = toolsOf(shelf(() => null).connector);
    expect((await execute.run({ calls: [{ entity: 'nothing', action: 'get' }] })).isError).toBe(true);
  });

  test.each([
    [
      { calls: [{ entity: 'things', action: 'create', params: { text: 'x' } }] },
      'Nothing was sent. 1. execute: key is required.',
    ],
    [{ calls: [] }, 'calls must contain 1 to 10 calls'],
    [{ calls: Array.from({ length: 11 }, () => get('1')) }, 'calls must contain 1 to 10 calls'],
    [{ calls: [get('1')], entity: 'things' }, 'calls must be the only argument: entity goes into each call'],
    [{ calls: [1] }, 'calls must be an array of objects'],
    [{ calls: [{ calls: [] }] }, 'calls is not an argument'],
    [{ calls: [{ action: 'get' }] }, 'entity is required'],
    [{ calls: '[{"entity":"things"}]' }, 'action is required'],
  ])('%o are rejected: %s', async (args, message) => {
    const { connector, sent } = shelf(() => null);
    const { text, isError } = await toolsOf(connector).execute.run(args);
    expect(isError).toBe(true);
    expect(text).toContain(message);
    expect(sent).toEqual([]);
  });

  test('cannot include writes if the tools are split', async () => {
    const { execute } = toolsOf(shelf(() => null).connector, { split: true });
    const { text } = await execute.run({ calls: [{ entity: 'things', action: 'delete', params: { id: '1' } }] });
    expect(text).toContain('call execute_write');
  });
});
