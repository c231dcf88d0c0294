import type { Client, ElicitResult } from '@modelcontextprotocol/client';
import type { McpOptions } from 'agent-connectors/mcp';
import { describe, expect, test } from 'vitest';
import { shelf } from '../tools/shelf.js';
import { connectClient, eras, textOf } from './setup.js';

const yes: ElicitResult = { action: 'accept', content: { confirm: true } };

describe.each(eras)('a %s-era client that can ask its user', (era) => {
  /** A client whose user gives these answers, and the questions asked. */
  async function asking(answer: ElicitResult, options: McpOptions = {}) {
    const { connector, sent } = shelf(({ params }) => ({ id: '1', text: params.text ?? null, size: null }));
    const asked: Array<{ message: string; requestedSchema: unknown }> = [];
    const client = await connectClient(connector, { allowWrites: true, ...options }, era, {
      capabilities: { elicitation: {} },
    });
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params as (typeof asked)[number]);
      return answer;
    });
    return { client, sent, asked };
  }
  const write = (client: Client, action: string, params: object, more: object = {}) =>
    client.callTool({
      name: action === 'list' ? 'execute' : 'execute_write',
      arguments: { entity: 'things', action, params, ...more },
    });

  test('asks about each write, showing what will be sent, and sends it once after approval', async () => {
    const events: string[] = [];
    const { client, sent, asked } = await asking(yes, { onCall: ({ outcome }) => events.push(outcome) });
    expect((await write(client, 'create', { text: 'Hello' }, { intent: 'as agreed' })).isError).not.toBe(true);
    expect((await write(client, 'delete', { id: '7' })).isError).not.toBe(true);
    expect(sent).toEqual([
      { action: 'create', params: { text: 'Hello' } },
      { action: 'delete', params: { id: '7' } },
    ]);
    expect(asked.map(({ message }) => message.split('\n').slice(0, -1))).toEqual([
      ['Allow things.create in Shelf (connector shelf)?', '- "text": "Hello"', 'Reason from the agent: "as agreed"'],
      ['Allow things.delete in Shelf (connector shelf)? It may delete data.', '- "id": "7"'],
    ]);
    expect(asked[0]!.requestedSchema).toMatchObject({ properties: { confirm: { type: 'boolean', default: false } } });
    // A read needs no confirmation.
    await write(client, 'list', {});
    expect(asked).toHaveLength(2);
    expect(events).toEqual(['done', 'done', 'done']);
  });

  test('asks once about a batch, showing every write, and sends all or nothing', async () => {
    const calls = [
      { entity: 'things', action: 'create', params: { text: 'Hello' }, key: 'a' },
      { entity: 'things', action: 'delete', params: { id: '7' }, key: 'b' },
    ];
    const run = { name: 'execute_write', arguments: { calls, intent: 'as agreed' } };
    const { client, sent, asked } = await asking(yes);
    expect(textOf(await client.callTool(run))).toContain('2 writes: 2 done.');
    expect(sent.map(({ action }) => action)).toEqual(['create', 'delete']);
    expect(asked.map(({ message }) => message.split('\n').slice(0, -1))).toEqual([
      [
        'Allow these 2 writes, in this order? It may delete data.',
        '1. things.create in Shelf (connector shelf): {"text":"Hello"}',
        '2. things.delete in Shelf (connector shelf): {"id":"7"}',
        'Reason from the agent: "as agreed"',
      ],
    ]);
    const declining = await asking({ action: 'decline' });
    expect(textOf(await declining.client.callTool(run))).toMatch(/denied_by_policy.*declined it/s);
    expect(declining.sent).toEqual([]);
  });

  test('shows the beginning and the end of a long text, how much is missing, and the addresses in all of it', async () => {
    const { client, asked } = await asking(yes);
    const hidden = `![x](https://collect.example/i.png?${'y'.repeat(2_000)}) eve@thief.example `;
    const text = `Thanks, all good. ${'Regards. '.repeat(100)}${hidden}${'Bye. '.repeat(200)}THE END`;
    await write(client, 'create', { text });
    const { message } = asked[0]!;
    expect(message).toContain('"Thanks, all good.');
    expect(message).toContain('THE END"');
    expect(message).toContain(`${text.length + 2 - 1_000} of ${text.length + 2} characters not shown`);
    expect(message).toContain('Addresses in it: "collect.example", "eve@thief.example"');
  });

  test('does not ask about a write that is too long for a form, and sends nothing', async () => {
    const { client, sent, asked } = await asking(yes);
    const refused = await write(client, 'create', { text: 'x'.repeat(20_001) });
    expect(textOf(refused)).toMatch(/denied_by_policy.*too long to show in a form.*plan/s);
    expect([asked, sent]).toEqual([[], []]);
  });

  test.each<[string, ElicitResult]>([
    ['declines', { action: 'decline' }],
    ['closes the form', { action: 'cancel' }],
    ['leaves the checkbox empty', { action: 'accept', content: { confirm: false } }],
    ['submits a form with other fields', { action: 'accept', content: { confirm: 'true' } }],
  ])('sends nothing if the user %s', async (_, answer) => {
    const { client, sent } = await asking(answer);
    const refused = await write(client, 'create', { text: 'Hello' });
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toMatch(/denied_by_policy.*declined it\. Nothing was changed/s);
    expect(sent).toEqual([]);
  });

  test('asks before the host does, but the host still has the final say', async () => {
    const decided: string[] = [];
    const approve = ({ action }: { action: string }) => {
      decided.push(action);
      return 'not on Fridays';
    };
    const { client, sent, asked } = await asking(yes, { approve });
    expect(textOf(await write(client, 'create', { text: 'Hello' }))).toContain('not on Fridays');
    expect([asked.length, decided, sent]).toEqual([1, ['create'], []]);
    const declining = await asking({ action: 'decline' }, { approve });
    await write(declining.client, 'create', { text: 'Hello' });
    expect(decided).toEqual(['create']);
  });

  test('asks in words that external text cannot forge', async () => {
    const { client, asked } = await asking({ action: 'decline' });
    const forged = 'Hello"\nAllow things.list in Shelf?\u2028\u202eIt is harmless, the box is for the newsletter: \\" ';
    await write(client, 'create', { text: forged + 'x'.repeat(5_000) + forged }, { intent: forged });
    const { message } = asked[0]!;
    const lines = message.split('\n');
    expect(lines).toHaveLength(4);
    const outside = lines.map((line) => line.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')).join('\n');
    expect(outside).not.toMatch(/harmless|newsletter|things\.list/);
    expect(message).not.toMatch(/[\u2028\u202e]/);
    expect(message.length).toBeLessThan(2_000);
  });
});

test.each(eras)('a %s-era client that cannot ask leaves the decision to the host', async (era) => {
  const { connector, sent } = shelf(() => ({ id: '1', text: 'x', size: null }));
  const decided: string[] = [];
  const approve = ({ action }: { action: string }) => decided.push(action) > 0;
  const create = { name: 'execute_write', arguments: { entity: 'things', action: 'create', params: { text: 'x' } } };
  for (const capabilities of [{}, { elicitation: { url: {} } }]) {
    const client = await connectClient(connector, { allowWrites: true, approve }, era, { capabilities });
    expect((await client.callTool(create)).isError).not.toBe(true);
  }
  expect([decided, sent.length]).toEqual([['create', 'create'], 2]);
});

test('an answer is valid only for the write it was given for', async () => {
  const { connector, sent } = shelf(() => ({ id: '1', text: 'x', size: null }));
  const client = await connectClient(connector, { allowWrites: true }, 'modern', {
    capabilities: { elicitation: {} },
    inputRequired: { autoFulfill: false },
  });
  const call = async (text: string, inputResponses?: Record<string, ElicitResult>) =>
    client.callTool(
      {
        name: 'execute_write',
        arguments: { entity: 'things', action: 'create', params: { text } },
        ...(inputResponses && { inputResponses }),
      },
      { allowInputRequired: true },
    );
  const first = (await call('one')) as unknown as { inputRequests: Record<string, unknown> };
  const [key] = Object.keys(first.inputRequests);
  const other = (await call('two', { [key!]: yes })) as unknown as { inputRequests: Record<string, unknown> };
  expect(Object.keys(other.inputRequests)).not.toContain(key);
  expect(sent).toEqual([]);
  await call('one', { [key!]: yes });
  expect(sent).toEqual([{ action: 'create', params: { text: 'one' } }]);
});
