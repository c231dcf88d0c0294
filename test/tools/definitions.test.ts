import { ConnectorError, connectors } from 'agent-connectors';
import { createAgentTools, type ToolConnector } from 'agent-connectors/tools';
import { expect, test } from 'vitest';
import { connectorsOn, tokensIn, toolsOf } from './setup.js';
import { shelf } from './shelf.js';

const everyConnector = async (): Promise<ToolConnector[]> =>
  Promise.all(Object.values(connectors).map(async (load) => new (await load())() as ToolConnector));

const announced = (tools: ReturnType<typeof createAgentTools>) => tools.map(({ run: _, ...definition }) => definition);

/** Every schema within a schema, starting with itself. */
function* schemasIn(schema: any): Generator<any> {
  yield schema;
  for (const inner of [...Object.values(schema.properties ?? {}), schema.items]) if (inner) yield* schemasIn(inner);
}

test('five connectors are announced in fewer than 1,500 tokens', async () => {
  const tokens = tokensIn(JSON.stringify(announced(createAgentTools(await everyConnector()))));
  console.log(`measured: definitions of three tools for five connectors: ${tokens} tokens`);
  expect(tokens).toBeLessThan(1_500);
});

test('every description starts with the names of the vendors, for clients that show only its start', async () => {
  const searchAll = async () => ({ data: [] });
  const five = await everyConnector();
  for (const { description } of createAgentTools(five, { split: true, searchAll })) {
    for (const connector of five) expect(description.slice(0, 100)).toContain(connector.describe().title);
  }
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`c${at}`, titled(`Vendor ${at}`)]));
  const [inspect] = createAgentTools(many);
  expect(inspect.description).toMatch(/^Vendor 0, .*, Vendor 7, 12 more: shows what/);
});

test('inspecting more connectors than fit names them, and each can be inspected by itself', async () => {
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`c${at}`, titled(`Vendor ${at}`)]));
  const [inspect] = createAgentTools(many, { maxOutputTokens: 1_000 });
  const { text, data } = await inspect.run();
  expect(tokensIn(text)).toBeLessThanOrEqual(1_000);
  expect(text).toMatch(/^200 connectors\. Pass connector to see/);
  expect(text).toMatch(/- Vendor 0, called c0: things\n.*- and \d+ more, which the argument connector lists\.$/s);
  expect((data as any).connectors).toHaveLength(200);
  expect((await inspect.run({ connector: 'c59' })).text).toMatch(/^Vendor 59, called c59; .*- things: list, get/s);
});

/** A connector of another vendor. */
function titled(title: string): ToolConnector {
  const { connector } = shelf(() => null);
  return { describe: () => ({ ...connector.describe(), title }), execute: async () => ({ data: null, meta: {} }) };
}

test('schemas contain nothing that a model API rejects', async () => {
  for (const tools of [createAgentTools(await everyConnector()), createAgentTools(shelf(() => null).connector)]) {
    for (const { inputSchema } of tools) {
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      for (const schema of schemasIn(inputSchema)) {
        expect(schema.type).toBeTypeOf('string');
        expect(Object.keys(schema).filter((key) => /^(\$.*|anyOf|oneOf|allOf|not|default|const)$/.test(key))).toEqual(
          [],
        );
      }
    }
  }
});

test('the tools declare whether they change and destroy data', () => {
  const { connector } = shelf(() => null);
  const annotations = (options: object) => createAgentTools(connector, options).map((tool) => tool.annotations);
  const looking = { readOnly: true, destructive: false };
  expect(annotations({})).toEqual([looking, looking, { readOnly: false, destructive: true }]);
  expect(annotations({ allow: ['things.create'] })[2]).toEqual({ readOnly: false, destructive: false });
  expect(annotations({ readOnly: true })[2]).toEqual(looking);
  const { linear } = connectorsOn();
  const updating = createAgentTools(linear, { allow: ['issues.update'] });
  expect(updating[2].annotations).toEqual({ readOnly: false, destructive: true });
  const reading = [looking, looking, looking];
  expect(annotations({ split: true })).toEqual([...reading, { readOnly: false, destructive: true }]);
  expect(annotations({ split: true, allow: ['things.create'] })[3]).toEqual({ readOnly: false, destructive: false });
  expect(annotations({ split: true, readOnly: true })).toEqual(reading);
});

test('reads and writes can be separate tools, each with its actions', async () => {
  const { connector, sent } = shelf(() => ({ id: '1', text: 'Hello', size: 1 }));
  const [, , execute, write] = createAgentTools(connector, { split: true });
  expect([execute.name, write!.name]).toEqual(['execute', 'execute_write']);
  expect(execute.inputSchema).toMatchObject({
    properties: { action: { enum: expect.not.arrayContaining(['create']) } },
  });
  expect(write!.inputSchema).toMatchObject({ properties: { action: { enum: ['create', 'delete'] } } });
  expect(write!.description).toMatch(/^things create delete$/m);
  const create = { entity: 'things', action: 'create', params: { text: 'Hello' } };
  const get = { entity: 'things', action: 'get', params: { id: '1' } };
  expect((await execute.run(create)).text).toContain(
    'things.create changes data: call execute_write. Nothing was sent.',
  );
  expect((await write!.run(get)).text).toContain('things.get makes no changes: call execute. Nothing was sent.');
  expect(sent).toEqual([]);
  expect((await write!.run(create)).isError).toBe(false);
  expect((await execute.run(get)).isError).toBe(false);
});

test('denied actions are not announced', () => {
  const [, , execute] = createAgentTools(shelf(() => null).connector, {
    allow: ['things.list', '*.delete'],
    readOnly: true,
  });
  expect(execute.description).toMatch(/^things list$/m);
  expect(execute.inputSchema).toMatchObject({ properties: { action: { enum: ['list'] } } });
});

test('a prefix is added to the names, and wherever text mentions them', () => {
  const [inspect, docs, execute] = createAgentTools(shelf(() => null).connector, { prefix: 'acme' });
  expect([inspect, docs, execute].map(({ name }) => name)).toEqual([
    'acme_inspect_connector',
    'acme_read_skill_docs',
    'acme_execute',
  ]);
  expect(execute.description).toContain('acme_read_skill_docs');
});

test('several connectors are distinguished by name, which defaults to their own', async () => {
  const { linear, granola } = connectorsOn();
  const several = toolsOf({ work: linear, notes: granola });
  expect(several.execute.inputSchema).toMatchObject({
    properties: { connector: { enum: ['work', 'notes'] } },
    required: [],
  });
  const found = await several.execute.run({ connector: 'notes', entity: 'notes', action: 'list' });
  expect(found.text).toContain(' notes/notes.list\n');
  const missing = await several.execute.run({ entity: 'notes', action: 'list' });
  expect(missing).toMatchObject({ isError: true, text: expect.stringContaining('one of work, notes') });
});

test('inspects all connectors at once, or a single one', async () => {
  const { linear, granola } = connectorsOn();
  const { inspect } = toolsOf([linear, granola]);
  expect((await inspect.run()).text.split('\n')).toEqual([
    '2 connectors. The tools list their entities and actions; pass connector for the details of one.',
    '- Linear, called linear; local.',
    '- Granola, called granola; local.',
    // What both report is said once.
    'linear, granola:',
    'Warning: This connector has no service, so context_store_search fails with hosted_only.',
  ]);
  expect((await inspect.run({ connector: 'linear' })).text).toMatch(/^Linear, called linear.*\n- issues: list, get/s);
  expect((await inspect.run({ connector: 'granola' })).data).toMatchObject({
    name: 'granola',
    docs_skill_id: 'granola-connector-docs',
    docs_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    entities: [{ name: 'notes', actions: expect.arrayContaining([{ name: 'list', effect: 'read' }]) }],
    warnings: [expect.stringContaining('hosted_only')],
  });
});

test('shows what a connector reports about its service', async () => {
  const { connector } = shelf(() => null);
  const readiness = { entities: [{ entity: 'things', status: 'ready' }] };
  const inspection = { mode: 'hosted', context_store_readiness: readiness, warnings: ['The key\u202e expires.'] };
  const { inspect } = toolsOf(Object.assign(connector, { inspect: async () => inspection }));
  const { text, data } = await inspect.run({});
  expect(data).toMatchObject({ mode: 'hosted', context_store_readiness: readiness });
  expect(text).toContain('- things: {"status":"ready"}');
  expect(text).toContain('The key\\u202e expires.');
});

test('lists the readiness of several connectors in few tokens, and everything that is not as usual', async () => {
  const usual = { status: 'ready', ready_for_search: true, complete: true, missing: [], error: null };
  const entities = [
    { entity: 'issues', entity_count: 120, ...usual, synced_at: '2026-11-28T12:00:01.123Z' },
    { entity: 'users', entity_count: 9, ...usual, synced_at: '2026-11-28T12:00:40.500Z' },
    { entity: 'comments', entity_count: 3, ...usual, status: 'initializing', ready_for_search: false, synced_at: null },
    {
      entity: 'teams',
      entity_count: 2,
      ...usual,
      complete: false,
      missing: [{ detail: 'One page failed.' }],
      synced_at: null,
    },
  ].map((each) => ({ ...each, semantic: [{ field: 'text', status: each.status }] }));
  const hosted = (connector: object) =>
    Object.assign(connector, {
      inspect: async () => ({ mode: 'hosted', context_store_readiness: { entities }, warnings: [] }),
    });
  const { linear, granola } = connectorsOn();
  const { text } = await toolsOf([hosted(linear), hosted(granola)] as never).inspect.run({});
  expect(text.split('\n').slice(5, -1)).toEqual([
    'linear, granola:',
    'Search readiness, with the number of records:',
    '- issues 120, users 9: {"status":"ready","synced_at":"2026-11-28T12:00Z"}',
    '- comments 3: {"status":"initializing","ready_for_search":false,"complete":true,"semantic":[{"field":"text","status":"initializing"}]}',
    '- teams 2: {"status":"ready","complete":false}',
    '  Incomplete: One page failed.',
  ]);
});

test.each([
  [[], {}, /no connector/],
  [[shelf(() => null).connector, shelf(() => null).connector], {}, /two connectors are named 'shelf'/],
  [shelf(() => null).connector, { readonly: true }, /Did you mean 'readOnly'/],
  [shelf(() => null).connector, { allow: ['thing.*'] }, /Did you mean 'things'/],
  [shelf(() => null).connector, { prefix: '1' }, /prefix must start with/],
  [shelf(() => null).connector, { maxOutputTokens: 10 }, /at least 500/],
])('%o with %o is rejected immediately', (given, options, message) => {
  expect(() => createAgentTools(given as ToolConnector, options as object)).toThrow(message);
  expect(() => createAgentTools(given as ToolConnector, options as object)).toThrow(ConnectorError);
});

test('searches are not listed if the connector has no service', async () => {
  const { connector } = shelf(() => null);
  const { text, data } = await toolsOf(connector).inspect.run({});
  expect(text).not.toMatch(/^- .*context_store_search/m);
  expect(JSON.stringify((data as { entities: object }).entities)).not.toContain('context_store_search');
  const served = { mode: 'hosted', context_store_readiness: null, warnings: [] };
  const hosted = Object.assign(shelf(() => null).connector, { inspect: async () => served });
  expect((await toolsOf(hosted).inspect.run({})).text).toMatch(/^- things: .*context_store_search/m);
});

test('a page size is only promised for lists that have one', () => {
  const { execute } = toolsOf(shelf(() => null).connector);
  expect(execute.description).toContain('Lists return 25 records');
  expect(execute.description).toContain('Pass entity and action, or only calls, or only continue.');
});

test('a pattern only needs to match one of several connectors', async () => {
  const { linear, granola } = connectorsOn();
  const { execute } = toolsOf([linear, granola], { allow: ['issues.list', '*.get'] });
  expect(execute.description).toContain('linear: issues list get;');
  expect(execute.description).toContain('granola: notes get');
  const denied = await execute.run({ connector: 'granola', entity: 'notes', action: 'list' });
  expect(denied.text).toContain('denied_by_policy');
});
