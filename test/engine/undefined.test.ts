import { AgentConnectors } from 'agent-connectors/hosted';
import { LinearConnector } from 'agent-connectors/linear';
import { expect, test } from 'vitest';

// The compiler also accepts these calls with `exactOptionalPropertyTypes`.
const linear = new LinearConnector({
  transport: async ({ params }) => ({ data: [], meta: { params } }),
  readOnly: undefined,
});

test('undefined is treated as missing in search conditions and options', async () => {
  const filter = { keyword: { title: 'invoice' }, eq: undefined, in: undefined, not: undefined, and: undefined };
  await expect(
    linear.issues.context_store_search(
      {
        query: { filter, sort: undefined, count: undefined },
        fields: undefined,
        limit: undefined,
        cursor: undefined,
      },
      { selectFields: undefined, timeoutMs: undefined },
    ),
  ).resolves.toMatchObject({ data: [] });
  const ranking = { field: undefined, context_size: undefined, dedup: undefined, mode: undefined };
  await expect(
    linear.comments.context_store_search({
      semantic: { prompt: 'invoices', filter: undefined, ...ranking },
      fields: undefined,
      limit: undefined,
    }),
  ).resolves.toMatchObject({ data: [] });
});

test('undefined is treated as missing in credentials', () => {
  const oauth = { client_id: 'id', client_secret: 'secret', refresh_token: 'token' };
  expect(() => new LinearConnector({ credentials: { ...oauth, access_token: undefined } })).not.toThrow();
});

test('undefined is treated as missing in requests to a service', async () => {
  const bodies: unknown[] = [];
  const service = new AgentConnectors({
    baseUrl: 'https://connectors.example.com',
    token: 'token',
    workspace: undefined,
    fetch: async (url, init) => {
      bodies.push([new URL(String(url)).search, init?.body]);
      return Response.json({ data: [], next: null });
    },
  });
  await service.connectors.list({ workspace_name: undefined, connector_type: 'linear', limit: undefined });
  await service.connectors.create({ connector_type: 'linear', name: undefined, settings: undefined });
  await service.audit.list({ from: undefined, cursor: undefined });
  expect(bodies).toEqual([
    ['?connector_type=linear', undefined],
    ['', JSON.stringify({ connector_type: 'linear', workspace_name: 'default' })],
    ['', undefined],
  ]);
});
