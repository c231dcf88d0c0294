import { describe, expect, test } from 'vitest';
import { connectorPath, startTestService } from './setup.js';

const linearKey = { api_key: 'lin_api_anything' };

describe('check', () => {
  test.each([
    ['linear', 'api_key'],
    ['granola', 'api_key'],
    ['gong', 'basic'],
    ['google-drive', 'access_token'],
    ['google-analytics', 'service_account'],
  ] as const)('for %s succeeds with valid credentials, using one cheap read', async (type, mode) => {
    const { sandbox, tenant } = await startTestService();
    const acme = await tenant();
    const credentials = (sandbox.vendors[type].credentials as unknown as Record<string, object>)[mode]!;
    const property = type === 'google-analytics' ? Object.values(sandbox.vendors[type].properties)[0] : undefined;
    const id = await acme.connect(type, credentials, {
      ...(property !== undefined && { replication_config: { property_ids: String(property) } }),
    });
    const { status, body } = await acme.ask('POST', connectorPath(id, '/check'));
    expect(status).toBe(200);
    expect(body).toEqual({
      id,
      status: 'succeeded',
      error_message: null,
      entity_check_results: [{ entity: expect.any(String), action: 'list', status: 'succeeded', error_message: null }],
    });
  });

  test('fails with the reason if the credentials are invalid', async () => {
    const { sandbox, tenant } = await startTestService();
    const acme = await tenant();
    const ids = [
      await acme.connect('linear', linearKey),
      await acme.connect('granola', sandbox.vendors.granola.credentials.no_scope),
      await acme.connect('linear'),
    ];
    for (const id of ids) {
      const { status, body } = await acme.ask('POST', connectorPath(id, '/check'), { json: {} });
      expect([status, body.status]).toEqual([200, 'failed']);
      expect(body.error_message.length).toBeGreaterThan(20);
      expect(body.entity_check_results[0]).toMatchObject({ status: 'failed', error_message: body.error_message });
    }
  });

  test('is inconclusive if the vendor cannot be reached', async () => {
    const acme = await (
      await startTestService({
        fetch: async () => {
          throw Object.assign(new TypeError('fetch failed'), {
            cause: Object.assign(new Error(), { code: 'ENOTFOUND' }),
          });
        },
      })
    ).tenant();
    const { body } = await acme.ask('POST', connectorPath(await acme.connect('linear', linearKey), '/check'));
    expect(body).toMatchObject({
      status: 'inconclusive',
      error_message: expect.stringContaining('could not be reached'),
    });
  });
});

describe('inspect and describe', () => {
  test('describe a connector and its searchable data', async () => {
    const { sandbox, tenant } = await startTestService();
    const acme = await tenant();
    const id = await acme.connect('linear', sandbox.vendors.linear.credentials.api_key, { name: 'Tickets' });
    const { body } = await acme.ask('GET', connectorPath(id, '/inspect'));
    expect(body).toMatchObject({
      connector_id: id,
      name: 'Tickets',
      connector_type: 'linear',
      definition_id: '1c5d8316-ed42-4473-8fbc-2626f03f070c',
      workspace_name: 'main',
      organization_id: acme.organizationId,
      docs_skill_id: expect.any(String),
      identity: null,
      warnings: [],
    });
    const { entities } = body.context_store_readiness;
    expect(entities.map(({ entity }: { entity: string }) => entity)).toEqual([
      'issues',
      'projects',
      'teams',
      'workflow_states',
      'users',
      'comments',
    ]);
    expect(entities[0]).toEqual({
      entity: 'issues',
      status: 'not_configured',
      ready_for_search: false,
      entity_count: null,
      synced_at: null,
      error: null,
      complete: false,
      missing: [
        { reason: 'not_synced', entity: 'issues', detail: expect.any(String) },
        expect.objectContaining({ reason: 'withheld', permanent: true }),
      ],
      semantic: [{ field: 'description', status: 'not_configured' }],
    });
    const empty = await acme.ask('GET', connectorPath(await acme.connect('linear'), '/inspect'));
    expect(empty.body.warnings).toHaveLength(1);
    const replication_config = { property_ids: ['properties/320200001'] };
    const reports = await acme.connect('google-analytics', undefined, { replication_config });
    expect((await acme.ask('GET', connectorPath(reports, '/inspect'))).body).toMatchObject({
      known_parameters: { property_id: ['320200001'] },
    });
    const described = await acme.ask('GET', connectorPath(id, '/describe'));
    expect(described.body).toMatchObject({ name: 'linear', entities: expect.any(Array), auth: expect.any(Array) });
    expect(described.body.entities[0].actions[0].params.type).toBe('object');
  });
});
