import { connectors } from 'agent-connectors';
import { describe, expect, test } from 'vitest';
import { connectorPath, execute, startTestService, type Tenant } from './setup.js';

const collection = '/api/v1/integrations/connectors';
const linearKey = { api_key: 'lin_api_anything' };
const gongKey = { access_key: 'a', access_key_secret: 'b' };

const create = ({ ask }: Tenant, json: object) =>
  ask('POST', collection, { json: { workspace_name: 'main', connector_type: 'linear', ...json } });

describe('a connector', () => {
  test('is returned as created, but never with its credentials', async () => {
    const { tenant } = await startTestService();
    const acme = await tenant();
    const config = { interval: '30m', entities: ['issues', 'comments'] };
    const made = await create(acme, { name: ' Tickets ', credentials: linearKey, replication_config: config });
    expect(made.body).toEqual({
      id: expect.stringMatching(/^con_[0-9A-Za-z]{20,}$/),
      name: 'Tickets',
      connector_type: 'linear',
      workspace_name: 'main',
      replication_config: config,
      sync_interval: '30m',
      created_at: expect.stringMatching(/^\d{4}-.+Z$/),
      updated_at: made.body.created_at,
      status: 'ok',
    });
    expect((await acme.ask('GET', connectorPath(made.body.id))).body).toEqual(made.body);
    expect((await acme.ask('GET', collection)).body).toEqual({ data: [made.body], next: null });
  });

  test('is named after its type by default, with a number if that name is taken', async () => {
    const acme = await (await startTestService()).tenant();
    const names = [];
    for (let made = 0; made < 3; made++) names.push((await create(acme, {})).body.name);
    expect(names).toEqual(['Linear', 'Linear 2', 'Linear 3']);
    const taken = await create(acme, { name: 'Linear 2' });
    expect([taken.status, taken.body.code]).toEqual([409, 'conflict']);
  });

  test('cannot be created in an unknown workspace', async () => {
    const acme = await (await startTestService()).tenant();
    const refused = await create(acme, { workspace_name: 'none', credentials: linearKey });
    expect([refused.status, refused.body.code]).toEqual([404, 'not_found']);
  });

  test.each([
    ['both connector_type and definition_id', { definition_id: '1c5d8316-ed42-4473-8fbc-2626f03f070c' }, ''],
    ['neither', { connector_type: undefined }, ''],
    ['an unknown type', { connector_type: 'liner' }, 'connector_type'],
    ['an unknown id', { connector_type: undefined, definition_id: 'x' }, 'definition_id'],
    ['fields of no authentication mode', { credentials: { token: 'x' } }, 'credentials'],
    ['fields of two authentication modes', { credentials: { api_key: 'x', access_token: 'y' } }, 'credentials'],
    ['an empty key', { credentials: { api_key: '' } }, 'credentials.api_key'],
    ['a key with a line break', { credentials: { api_key: 'a\nb' } }, 'credentials.api_key'],
    ['an empty credentials object', { credentials: {} }, 'credentials'],
    ['a key that is not a string', { credentials: { api_key: 5 } }, 'credentials'],
    ['a field reserved for the service', { credentials: { ...linearKey, expires_at: '2030-01-01' } }, 'credentials'],
    ['a setting that the type does not have', { settings: { includePrivate: true } }, 'settings.includePrivate'],
    ['a replication setting that the type does not have', { settings: { property_id: '1' } }, 'settings.property_id'],
    [
      'a setting that is not a boolean',
      { connector_type: 'gong', credentials: undefined, settings: { includePrivate: 'yes' } },
      'settings.includePrivate',
    ],
    ['an invalid interval', { replication_config: { interval: 'often' } }, 'replication_config.interval'],
    [
      'an entity that is not searchable',
      { replication_config: { entities: ['isues'] } },
      'replication_config.entities',
    ],
    ['an unknown field in the config', { replication_config: { folder_url: 'x' } }, 'replication_config.folder_url'],
  ])('is not created with %s', async (_, json, field) => {
    const acme = await (await startTestService()).tenant();
    const refused = await create(acme, json);
    expect(refused.status).toBe(422);
    expect(['invalid_params', 'invalid_credentials']).toContain(refused.body.code);
    expect(refused.body.errors[0].field).toBe(field);
    expect((await acme.ask('GET', collection)).body.data).toEqual([]);
  });

  test('reports the valid fields for invalid credentials, without quoting values', async () => {
    const acme = await (await startTestService()).tenant();
    const pasted = 'lin_api_s3cret_pasted_where_a_name_belongs';
    for (const credentials of [
      { [pasted]: 'x' },
      { [pasted]: 5 },
      { api_key: `${pasted}\n` },
      { api_key: { [pasted]: 1 } },
    ]) {
      const refused = await create(acme, { credentials });
      expect(refused.status).toBe(422);
      expect(refused.text).not.toContain(pasted);
    }
    const refused = await create(acme, { credentials: { apikey: 'x' } });
    expect([refused.body.code, refused.body.message]).toEqual([
      'invalid_credentials',
      expect.stringContaining("did you mean 'api_key'?"),
    ]);
  });

  test('for Google Analytics requires property ids in any supported format', async () => {
    const acme = await (await startTestService()).tenant();
    const analytics = (property_ids: unknown) =>
      create(acme, { connector_type: 'google-analytics', replication_config: { property_ids } });
    for (const good of ['123', '123, 456', '["123","properties/456"]', ['123'], ['properties/1']]) {
      const made = await analytics(good);
      expect([good, made.status, made.body.replication_config?.property_ids]).toEqual([good, 200, good]);
    }
    for (const bad of [undefined, '', ' , ', '[]', '[1', [], ['x'], 'abc', 7, null]) {
      const refused = await analytics(bad);
      expect([bad, refused.status, refused.body.errors?.[0].field]).toEqual([
        bad,
        422,
        'replication_config.property_ids',
      ]);
    }
    const without = await create(acme, { connector_type: 'google-analytics' });
    expect([without.status, without.body.errors[0].field]).toEqual([422, 'replication_config.property_ids']);
  });

  test.each([
    ['gong', { start_date: '2026-01-31' }],
    ['google-drive', { folder_url: 'https://drive.google.com/drive/folders/abc' }],
    ['google-drive', { shared_with_me: true }],
    ['google-drive', { shared_with_me: 'false' }],
    ['granola', { interval: '1h', entities: ['notes'] }],
  ])('for %s accepts its own config', async (connector_type, replication_config) => {
    const acme = await (await startTestService()).tenant();
    const made = await create(acme, { connector_type, replication_config });
    expect([made.status, made.body.replication_config]).toEqual([200, replication_config]);
  });

  test('can be partially updated and shows its update time', async () => {
    let time = Date.now();
    const acme = await (await startTestService({ now: () => time })).tenant();
    const { body: made } = await create(acme, { connector_type: 'gong', credentials: gongKey });
    expect(made.settings).toEqual({});
    time += 5000;
    const renamed = await acme.ask('PUT', connectorPath(made.id), { json: { name: 'Calls' } });
    expect(renamed.body).toEqual({ ...made, name: 'Calls', updated_at: new Date(time).toISOString() });
    const set = await acme.ask('PUT', connectorPath(made.id), {
      json: { settings: { includePrivate: true }, replication_config: { start_date: '2026-01-01' } },
    });
    expect(set.body).toMatchObject({ name: 'Calls', settings: { includePrivate: true } });
    const cleared = await acme.ask('PUT', connectorPath(made.id), { json: { replication_config: null } });
    expect(cleared.body).toMatchObject({ replication_config: null, settings: { includePrivate: true } });
    await create(acme, { name: 'Taken' });
    for (const [json, status] of [
      [{ name: 'Taken' }, 409],
      [{ name: '' }, 422],
      [{ credentials: { api_key: 'x' } }, 422],
      [{ settings: { other: true } }, 422],
      [{ replication_config: { property_ids: '1' } }, 422],
      [{ workspace_name: 'main' }, 422],
    ] as const) {
      expect([json, (await acme.ask('PUT', connectorPath(made.id), { json })).status]).toEqual([json, status]);
    }
    expect((await acme.ask('GET', connectorPath(made.id))).body).toEqual(cleared.body);
  });

  test('is deleted with its credentials', async () => {
    const { service, tenant } = await startTestService();
    const acme = await tenant();
    const { body } = await create(acme, { credentials: linearKey });
    const gone = await acme.ask('DELETE', connectorPath(body.id));
    expect([gone.status, gone.body]).toEqual([200, { id: body.id, deleted: true, tokens_ended: false }]);
    expect(await service.state.credentials.load(body.id)).toBeUndefined();
    for (const [method, rest] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/check'],
      ['GET', '/inspect'],
      ['GET', '/describe'],
    ] as const) {
      const { status, body: error } = await acme.ask(method, connectorPath(body.id, rest));
      expect([rest, status, error.message]).toEqual([rest, 404, `There is no connector '${body.id}'.`]);
    }
    expect((await execute(acme, body.id, 'issues', 'list')).status).toBe(404);
  });
});

describe('a list of connectors', () => {
  test('is paginated without duplicates or gaps and can be filtered by workspace and type', async () => {
    const acme = await (await startTestService()).tenant();
    await acme.ask('POST', '/api/v1/workspaces', { json: { name: 'other' } });
    const all: string[] = [];
    for (let made = 0; made < 5; made++) all.push((await create(acme, {})).body.id);
    const granola = (await create(acme, { connector_type: 'granola', workspace_name: 'other' })).body.id;
    const paged: string[] = [];
    let next: string | null = '';
    while (next !== null) {
      const query: string = next === '' ? '' : `&cursor=${encodeURIComponent(next)}`;
      const { body } = await acme.ask('GET', `${collection}?limit=2${query}`);
      paged.push(...body.data.map(({ id }: { id: string }) => id));
      next = body.next;
    }
    expect(paged.sort()).toEqual([...all, granola].sort());
    const ids = async (query: string) =>
      (await acme.ask('GET', `${collection}?${query}`)).body.data.map(({ id }: { id: string }) => id);
    expect(await ids('workspace_name=other')).toEqual([granola]);
    expect(await ids('connector_type=Granola')).toEqual([granola]);
    expect(await ids('definition_id=9023923c-002f-4131-9554-3ebdf56540a4')).toEqual([granola]);
    expect(await ids('workspace_name=main&connector_type=granola')).toEqual([]);
    expect((await acme.ask('GET', `${collection}?workspace_name=none`)).status).toBe(404);
  });
});

test('every connector type in the library can be connected by any of its names and its id', async () => {
  const acme = await (await startTestService()).tenant();
  const config = { replication_config: { property_ids: ['1'] } };
  for (const [type, load] of Object.entries(connectors)) {
    const { manifest } = await load();
    const more = manifest.name === 'google-analytics' ? config : {};
    for (const named of [
      { connector_type: type },
      { connector_type: manifest.title.toUpperCase() },
      { connector_type: manifest.title.replaceAll(' ', '-') },
      { connector_type: manifest.title.replaceAll(' ', '_').toLowerCase() },
      { definition_id: manifest.definitionId },
    ]) {
      const { status, body } = await acme.ask('POST', collection, {
        json: { workspace_name: 'main', ...named, ...more },
      });
      expect([named, status, body.connector_type]).toEqual([named, 200, type]);
    }
  }
  const alias = { workspace_name: 'main', connector_type: 'Google-Analytics-Data-Api', ...config };
  expect((await acme.ask('POST', collection, { json: alias })).body.connector_type).toBe('google-analytics');
});
