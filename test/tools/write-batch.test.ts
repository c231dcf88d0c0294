import { ConnectorError } from 'agent-connectors';
import type { AgentToolsOptions, PendingWrite } from 'agent-connectors/tools';
import { createSandbox } from 'agent-connectors-sandbox';
import { beforeEach, describe, expect, test } from 'vitest';
import { skipBackoff } from '../engine/time.js';
import { connectorsOn, insideOf, outsideOf, toolsOf } from './setup.js';
import { shelf } from './shelf.js';

beforeEach(() => skipBackoff());

const create = (text: string, key: string | undefined = text) => ({
  entity: 'things',
  action: 'create',
  params: { text },
  key,
});
const made = ({ params }: { params: Record<string, any> }) => ({
  id: `t-${params.text}`,
  text: params.text,
  size: null,
});

describe('several writes in one call', () => {
  test('are sent in order, each with its own result', async () => {
    const { connector, sent } = shelf(({ params }) => {
      if (params.text === 'two') throw new ConnectorError('conflict', 'Shelf: the second is taken.', { status: 409 });
      return made({ params });
    });
    const { text, data, isError } = await toolsOf(connector).execute.run({
      calls: [create('one'), create('two'), create('three')],
    });
    expect(isError).toBe(false);
    expect(sent.map(({ params }) => params.text)).toEqual(['one', 'two', 'three']);
    expect(outsideOf(text).split('\n').slice(0, 4)).toEqual([
      '3 writes: 2 done, 1 failed.',
      '1. shelf/things.create (one): done',
      '2. shelf/things.create (two): failed',
      '3. shelf/things.create (three): done',
    ]);
    const { inside } = insideOf(text);
    expect(inside).toContain('1 {"id":"t-one","text":"one"}');
    expect(inside).toContain('2 {"code":"conflict","message":"Shelf: the second is taken."}');
    expect((data as any).results).toMatchObject([
      { key: 'one', status: 'done', data: { id: 't-one' } },
      { key: 'two', status: 'failed', error: { code: 'conflict' } },
      { key: 'three', status: 'done' },
    ]);
  });

  test('stop at the first unknown outcome', async () => {
    const { connector, sent } = shelf(({ params }) => {
      if (params.text === 'two') throw new ConnectorError('unknown_outcome', 'No response.');
      return made({ params });
    });
    const { text, data } = await toolsOf(connector).execute.run({
      calls: ['one', 'two', 'three', 'four'].map((text) => create(text)),
    });
    expect(sent).toHaveLength(2);
    expect(outsideOf(text)).toContain('4 writes: 1 done, 1 outcome unknown, 2 not sent.');
    expect(text).toMatch(/Say so and stop\. The same calls with the same keys/);
    expect((data as any).results.map(({ status }: any) => status)).toEqual(['done', 'unknown', 'not_sent', 'not_sent']);
  });

  test.each<[string, object[], RegExp]>([
    ['a key is missing', [create('one'), { ...create('two'), key: undefined }], /2\. execute: key is required/],
    ['a key is used twice', [create('one', 'k'), create('two', 'k')], /2\. key was used above/],
    ['a key has other characters', [create('one', 'naïve')], /1\. key must be 1 to 128 printable ASCII characters/],
    ['one is invalid', [create('one'), { ...create('two'), params: { txt: 'two' } }], /2\. .*txt/],
    ['one is unknown', [create('one'), { ...create('two'), action: 'craete' }], /2\. .*craete/],
    [
      'one is a read',
      [create('one'), { entity: 'things', action: 'get', params: { id: '1' }, key: 'x' }],
      /2\. things\.get makes no changes/,
    ],
    [
      'there are more than 25',
      Array.from({ length: 26 }, (_, index) => create(`${index}`)),
      /must contain 1 to 25 calls/,
    ],
  ])('are not sent if %s', async (_, calls, message) => {
    const { connector, sent } = shelf(made);
    const asked: PendingWrite[] = [];
    const approve = (write: PendingWrite) => asked.push(write) > 0;
    const { text, isError } = await toolsOf(connector, { approve }).execute.run({ calls });
    expect(isError).toBe(true);
    expect(text).toMatch(message);
    expect(text).toContain('Nothing was sent.');
    expect([sent, asked]).toEqual([[], []]);
  });

  test('are not sent if the permissions deny one', async () => {
    const { connector, sent } = shelf(made);
    const { text } = await toolsOf(connector, { allow: ['things.create', 'things.get'] }).execute.run({
      calls: [create('one'), { entity: 'things', action: 'delete', params: { id: '1' }, key: 'two' }],
    });
    expect(text).toMatch(/^Failed: denied_by_policy[\s\S]*2\. things\.delete/);
    expect(sent).toEqual([]);
  });

  test.each<[AgentToolsOptions['approve'], RegExp]>([
    [
      ({ params }) => params.text !== 'two' || 'not on Fridays',
      /things\.create \(2 of 2\) was not approved: not on Fridays/,
    ],
    [({ params }) => ({ pending: `p-${params.text}` }), /The batch of 2 writes needs approval and was not sent/],
  ])('are approved one by one, but all or none is sent', async (approve, message) => {
    const { connector, sent } = shelf(made);
    const asked: PendingWrite[] = [];
    const { text, data } = await toolsOf(connector, {
      approve: (write) => {
        asked.push(write);
        return approve!(write);
      },
    }).execute.run({ calls: [create('one'), create('two')], intent: 'as agreed' });
    expect(text).toMatch(message);
    expect(sent).toEqual([]);
    // Each decision sees all writes.
    expect(
      asked.map(({ params, intent, batch }) => [params.text, intent, batch!.map((each) => each.params.text)]),
    ).toEqual([
      ['one', 'as agreed', ['one', 'two']],
      ['two', 'as agreed', ['one', 'two']],
    ]);
    if (text.includes('needs approval')) expect(data).toEqual({ status: 'pending', pending: 'p-one, p-two' });
  });

  test('need approval by a client that asks before writes', async () => {
    const { execute } = toolsOf(shelf(made).connector);
    expect(await execute.isWrite!({ calls: [create('one')] })).toBe(true);
    expect(await execute.isWrite!({ calls: [{ entity: 'things', action: 'get', params: { id: '1' } }] })).toBe(false);
  });

  test('fit the budget with 25 long results', async () => {
    const { connector } = shelf(({ params }) => ({ ...made({ params }), text: 'word '.repeat(2_000) }));
    const calls = Array.from({ length: 25 }, (_, index) => create(`text ${index}`, `key-${index}`));
    const countTokens = (text: string) => text.length / 4;
    const { text } = await toolsOf(connector, { maxOutputTokens: 1_000, countTokens }).execute.run({ calls });
    expect(countTokens(text)).toBeLessThanOrEqual(1_000);
    expect(text).toContain('25. shelf/things.create (key-24): done');
  });
});

describe('the same batch again', () => {
  test('looks the unknown write up, and sends only what is not done', async () => {
    const sandbox = createSandbox({ seed: 7 });
    const { linear } = connectorsOn(sandbox);
    const { execute } = toolsOf(linear);
    const [team] = (await linear.teams.list()).data;
    const calls = ['one', 'two', 'three'].map((title) => ({
      entity: 'issues',
      action: 'create',
      params: { teamId: team!.id, title },
      key: title,
    }));
    sandbox.faults.add({ kind: 'reset_after', rootField: 'issueCreate', nth: 2, count: 20 });
    sandbox.faults.add({ kind: 'reset_before', rootField: 'issue', count: 20 });
    const first = await execute.run({ calls });
    expect(first.text).toContain('3 writes: 1 done, 1 outcome unknown, 1 not sent.');
    sandbox.faults.clear();
    sandbox.requests.clear();
    const second = await execute.run({ calls });
    expect(second.text).toContain('3 writes: 3 done.');
    expect(sandbox.requests.filter(({ rootField }) => rootField === 'issueCreate')).toHaveLength(1);
    const { data } = await linear.issues.list({ first: 50 });
    for (const title of ['one', 'two', 'three']) expect(data.filter((issue) => issue.title === title)).toHaveLength(1);
    // A key belongs to its parameters.
    const other = await execute.run({ calls: [{ ...calls[0]!, params: { teamId: team!.id, title: 'other' } }] });
    expect(other.text).toContain('conflict');
  });
});
