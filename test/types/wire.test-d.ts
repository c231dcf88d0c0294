import type { AgentConnectors, HostedConnector } from 'agent-connectors/hosted';
import { ConnectorResponse, WorkspaceResponse, WorkspacesQuery } from 'agent-connectors/wire';
import { expectTypeOf, test } from 'vitest';
import type * as z from 'zod';
import { route } from '../../service/src/web/api/route.js';

const spec = {
  method: 'GET',
  path: '/api/v1/workspaces/{name}',
  operationId: 'getWorkspace',
  summary: 'Get a workspace.',
  access: 'organization',
  tokenScope: 'read',
} as const;
const workspace = { id: 'wsp_1', name: 'Acme', organization_id: 'org_1', created_at: '2026-09-01T00:00:00Z' };

test('the client returns what the schemas describe', () => {
  expectTypeOf<HostedConnector>().toExtend<z.output<typeof ConnectorResponse>>();
  expectTypeOf<z.output<typeof ConnectorResponse>>().toExtend<HostedConnector>();
  expectTypeOf<AgentConnectors['connectors']['get']>().returns.resolves.toEqualTypeOf<HostedConnector>();
});

test('a handler gets what its schemas accept and returns what its response documents', () => {
  route({
    ...spec,
    query: WorkspacesQuery,
    response: WorkspaceResponse,
    handle({ query }) {
      expectTypeOf(query.limit).toEqualTypeOf<number | undefined>();
      return workspace;
    },
  });
  const { name: _, ...nameless } = workspace;
  // @ts-expect-error: name is missing
  route({ ...spec, response: WorkspaceResponse, handle: () => nameless });
  // @ts-expect-error: the name is not text
  route({ ...spec, response: WorkspaceResponse, handle: async () => ({ ...workspace, name: 1 }) });
  // @ts-expect-error: an unknown status
  route({ ...spec, response: ConnectorResponse.pick({ status: true }), handle: () => ({ status: 'broken' }) });
});
