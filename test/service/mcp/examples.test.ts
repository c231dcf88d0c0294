import { expect, test } from 'vitest';
import { textOf } from '../../mcp/setup.js';
import { startMcpService } from './setup.js';

const types = ['linear', 'gong', 'granola', 'google-drive', 'google-analytics'] as const;

test.each([
  ['each connector alone', types.map((type) => [type])],
  ['all five', [types]],
])('examples of searches can be sent as they are, with %s', async (_, workspaces) => {
  const { tenant, connect, sandbox } = await startMcpService();
  for (const [index, offered] of workspaces.entries()) {
    const acme = await tenant(`Acme ${index}`);
    // The service creates one Linear connector itself.
    for (const type of offered.filter((name) => name !== 'linear')) {
      const [credentials] = Object.values(sandbox.vendors[type].credentials as object);
      const { website } = sandbox.vendors['google-analytics'].properties;
      await acme.connect(type, credentials, {
        name: type,
        ...(type === 'google-analytics' && { replication_config: { property_ids: [website] } }),
      });
    }
    if (!offered.includes('linear')) await acme.ask('DELETE', `/api/v1/integrations/connectors/${acme.linear}`);
    const client = await connect(acme.token);
    const call = async (name: string, args: object) =>
      client.callTool({ name, arguments: args as Record<string, unknown> });
    let sent = 0;
    for (const connector of offered) {
      const named = offered.length > 1 ? { connector } : {};
      const { entities } = (await call('inspect_connector', { connector })).structuredContent as any;
      for (const { name: entity, actions } of entities) {
        if (!actions.some((action: any) => action.name === 'context_store_search')) continue;
        const where = { ...named, entity, action: 'context_store_search' };
        const section = `actions.${entity}.context_store_search`;
        const documented = textOf(await call('read_skill_docs', { ...named, section }));
        const refused = textOf(await call('execute', { ...where, params: { no_such_parameter: 1 } }));
        for (const text of [documented, refused]) {
          const [, example] = /^Example: (.*)$/m.exec(text)!;
          const result = await call('execute', JSON.parse(example!));
          expect(result.isError, textOf(result)).not.toBe(true);
          sent++;
        }
      }
    }
    expect(sent).toBeGreaterThan(0);
  }
});

test('the searches in the search section can be sent with the names of fields', async () => {
  const { tenant, connect } = await startMcpService();
  const client = await connect((await tenant()).token);
  const { content } = await client.callTool({ name: 'read_skill_docs', arguments: { section: 'search' } });
  const params = templatesIn(textOf({ content })).map((json) =>
    JSON.parse(
      json
        .replaceAll('"avg": "<field>"', '"avg": "estimate"')
        .replaceAll('<date field>', 'createdAt')
        .replaceAll('<field>', 'title')
        .replaceAll('<name>', 'name'),
    ),
  );
  expect(params.length).toBeGreaterThanOrEqual(5);
  for (const each of params) {
    const search = { entity: 'issues', action: 'context_store_search', params: each };
    const result = await client.callTool({ name: 'execute', arguments: search });
    expect(result.isError, `${JSON.stringify(each)} ${textOf(result)}`).not.toBe(true);
  }
});

/** The parameters in a text, with placeholders. */
function templatesIn(text: string): string[] {
  return [...text.matchAll(/\{"(?:query|semantic)": /g)].map(({ index }) => {
    let depth = 0;
    for (let at = index; ; at++) {
      if (text[at] === '{') depth++;
      if (text[at] === '}') depth--;
      if (depth === 0) return text.slice(index, at + 1);
    }
  });
}
