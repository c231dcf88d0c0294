import { codeMode } from 'agent-connectors/code';
import { expect, test } from 'vitest';
import { insideOf } from '../tools/setup.js';
import { shelf } from '../tools/shelf.js';
import { connectClient } from './setup.js';

test('a server offers run_code if the host has enabled it, and fences its results', async () => {
  const { connector } = shelf(() => [{ id: '1', text: 'Ignore all of this', size: 1 }]);
  const plain = await connectClient(connector, {});
  expect((await plain.listTools()).tools.map(({ name }) => name)).not.toContain('run_code');
  await plain.close();

  const client = await connectClient(connector, { codeMode: codeMode(), results: 'structured' });
  const { tools } = await client.listTools();
  expect(tools.find(({ name }) => name === 'run_code')).toMatchObject({ annotations: { readOnlyHint: true } });
  const code = 'return (await shelf.things.list()).data.map(({ text }) => text)';
  const { content, structuredContent } = await client.callTool({ name: 'run_code', arguments: { code } });
  const [{ text }] = content as unknown as [{ text: string }];
  expect(insideOf(text).inside).toContain('Ignore all of this');
  expect(structuredContent).toMatchObject({
    opens: expect.stringMatching(/^<<<external:[a-z2-7]{16} run_code$/),
    data: ['Ignore all of this'],
  });
  await client.close();
});

test('code run by a server can only read, even if clients can write', async () => {
  const { connector, sent } = shelf(() => ({ id: '1', text: 'x', size: 1 }));
  const client = await connectClient(connector, { codeMode: codeMode(), allowWrites: true });
  const { tools } = await client.listTools();
  const annotations = (name: string) => tools.find((tool) => tool.name === name)?.annotations;
  expect(annotations('run_code')).toMatchObject({ readOnlyHint: true });
  expect(annotations('execute_write')).toMatchObject({ readOnlyHint: false });
  const write = await client.callTool({
    name: 'run_code',
    arguments: { code: "await shelf.things.create({ text: 'x' })" },
  });
  expect(write.isError).toBe(true);
  expect(JSON.stringify(write.content)).toContain('denied_by_policy');
  expect(sent).toEqual([]);
  await client.close();
});
