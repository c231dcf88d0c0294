import { connectors } from 'agent-connectors';
import { createAgentTools, type ToolConnector } from 'agent-connectors/tools';
import { createSandbox } from 'agent-connectors-sandbox';
import { expect, test } from 'vitest';
import { insideOf } from './setup.js';

/** One list per connector, and an invalid call that the error's table corrects. */
const lists: Record<string, [entity: string, params: object, wrong: object]> = {
  'google-analytics': ['pages', { property_id: '320200001' }, { property_id: 'G-ABC123' }],
  gong: ['calls', {}, { fromDateTime: 'yesterday' }],
  granola: ['notes', {}, { page_size: 31 }],
  'google-drive': ['files', {}, { pagesize: 10 }],
  linear: ['issues', {}, { first: 0 }],
};

const sandbox = createSandbox({ seed: 7 });
const tools = async () => {
  const made = await Promise.all(
    Object.entries(connectors).map(async ([name, load]): Promise<[string, ToolConnector]> => {
      const credentials = Object.values(sandbox.vendors[name as 'linear'].credentials)[0]!;
      const Connector = (await load()) as unknown as new (options: object) => ToolConnector;
      return [name, new Connector({ credentials, fetch: sandbox.fetch })];
    }),
  );
  return createAgentTools(Object.fromEntries(made));
};

test.each(Object.entries(lists))(
  '%s: reads its docs, lists, and is told how to fix a call',
  async (connector, list) => {
    const [, docs, execute] = await tools();
    const [entity, params, wrong] = list;
    const section = `${entity}.list`;
    expect(await docs.run({ connector, section })).toMatchObject({ isError: false });
    const { text, isError } = await execute.run({ connector, entity, action: 'list', params });
    expect(isError, text).toBe(false);
    const { inside, provenance } = insideOf(text);
    expect(provenance).toBe(`${connector}/${section}`);
    expect(inside.split('\n').length).toBeGreaterThan(3);
    const refused = await execute.run({ connector, entity, action: 'list', params: wrong });
    expect(refused.text).toMatch(new RegExp(`^Failed: invalid_params in ${connector}/${section}`));
    expect(refused.text).toContain('| Parameter | Type |');
  },
);
