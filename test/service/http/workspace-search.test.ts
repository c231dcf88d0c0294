import { expect, test } from 'vitest';
import { startTestService } from './setup.js';

test('a workspace search covers more than 500 connectors', async () => {
  const { service, tenant } = await startTestService();
  const acme = await tenant();
  const scope = { organizationId: acme.organizationId };
  const { id: workspaceId } = (await service.state.workspaces.find(scope, acme.workspace))!;
  for (let index = 0; index < 505; index += 1) {
    await service.state.connectors.create(scope, {
      workspaceId,
      name: `c${index}`,
      type: 'google-analytics',
      replicationConfig: null,
      settings: {},
      credentials: null,
    });
  }
  const list = (cursor?: string) => service.state.connectors.list(scope, { limit: 500, ...(cursor && { cursor }) });
  const first = await list();
  const { rows: later } = await list(first.next!);
  const search = async (restriction: object = {}) => {
    const json = { prompt: 'bank feeds', ...restriction };
    const { status, body } = await acme.ask('POST', `/api/v1/workspaces/${acme.workspace}/search`, { json });
    expect(status).toBe(200);
    return body.meta.skipped.map(({ connector }: { connector: { id: string } }) => connector.id);
  };
  expect(later).toHaveLength(5);
  expect(await search()).toEqual([...first.rows, ...later].map(({ id }) => id));
  expect(await search({ connector_ids: [later[4]!.id] })).toEqual([later[4]!.id]);
  expect(await search({ connectors: [later[0]!.name] })).toEqual([later[0]!.id]);
});
