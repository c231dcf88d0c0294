import { action, Connector, entity, get, type Manifest, many, notes, record, shapeResult } from 'agent-connectors';
import { LinearConnector } from 'agent-connectors/linear';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { failure } from '../failure.js';

const Call = record({
  id: z.string(),
  title: z.string().nullable(),
  owner: z.object({ name: z.string(), email: z.string() }).nullable(),
  parties: z.array(z.object({ name: z.string().nullable(), speaker: z.object({ id: z.string() }) })).nullable(),
  crm: z.looseObject({ objectType: z.string() }).nullable(),
  tags: z.record(z.string(), z.string()),
  extra: z.unknown(),
});

const manifest = {
  name: 'phone',
  title: 'Phone',
  description: 'Calls.',
  version: '1.0.0',
  definitionId: '00000000-0000-4000-8000-000000000002',
  endpoints: { api: 'https://phone.example' },
  auth: {},
  entities: {
    calls: entity({
      description: 'Calls.',
      search: {
        fields: { string: ['id', 'startedAt'], object: ['owner'] },
        semantic: { id: { entity_fields: ['id'] } },
      },
      actions: {
        list: action({
          description: 'List calls.',
          params: z.strictObject({}),
          returns: many(Call, z.object({ notes })),
          request: () => get('/calls'),
          example: {},
        }),
      },
    }),
  },
} satisfies Manifest;

const phone = (data: unknown, meta: object = {}) =>
  new Connector(manifest as Manifest, { transport: async () => ({ data, meta }) });
const list = (data: unknown, options: object, meta?: object) => phone(data, meta).execute('calls', 'list', {}, options);

describe('a nonexistent path', () => {
  it.each([
    ['titel', "'titel' is not a field. Did you mean 'title'? Valid fields: id, title, owner"],
    ['owner.nam', "'owner.nam' is not a field. Did you mean 'owner.name'? Valid fields of owner: name, email."],
    ['owner_email', "Did you mean 'owner.email'?"],
    ['person.email', "Did you mean 'owner.email'?"],
    ['email', "Did you mean 'owner.email'?"],
    [
      'parties.name.first',
      "'parties.name.first' is not a field. Did you mean 'parties.name'? parties.name has no fields.",
    ],
    ['parties.speaker.ident', 'Valid fields of parties.speaker: id.'],
    ['parties.0.name', "Did you mean 'parties.name'?"],
    ['crm2', "Did you mean 'crm'?"],
    ['__proto__', "'__proto__' is not a field. Valid fields: id, title"],
    ['owner.constructor', 'Valid fields of owner: name, email.'],
  ])('is rejected with a suggestion of the closest one, at any depth: %s', async (path, said) => {
    for (const name of ['selectFields', 'excludeFields']) {
      const error = await failure(list([], { [name]: ['id', path] }));
      expect(error).toMatchObject({ code: 'invalid_params', issues: [{ path: name }] });
      expect(error.message).toContain(said);
    }
  });

  it.each(['owner', 'owner.name', 'parties.speaker.id', 'crm.anything.goes', 'tags.x', 'tags.x.y', 'extra.a.b'])(
    'is not reported if the path is valid: %s',
    async (path) => {
      expect(await list([], { selectFields: [path] })).toEqual({ data: [], meta: {} });
    },
  );

  it('is passed to the vendor if raw is set', async () => {
    expect((await list([], { raw: true, selectFields: ['owner.nam'] })).data).toEqual([]);
  });

  it('is rejected for Linear, whose records contain exactly what was requested', async () => {
    const linear = new LinearConnector({ credentials: { api_key: 'x' } });
    const error = await failure(linear.issues.list({}, { selectFields: ['assignee.nam'] }));
    expect(error.message).toContain("Did you mean 'assignee.name'?");
  });

  it('is rejected in a search, based on the searchable fields and in either spelling', async () => {
    const search = (path: string, params: object) =>
      phone([]).execute('calls', 'context_store_search', params, { selectFields: [path] });
    expect((await failure(search('startdAt', { query: {} }))).message).toContain("Did you mean 'startedAt'?");
    expect((await failure(search('title', { semantic: { prompt: 'x' } }))).message).toContain('entity, metadata');
    for (const path of ['id', 'startedAt', 'started_at', 'owner.any']) {
      expect((await search(path, { query: {} })).data).toEqual([]);
    }
    for (const path of ['entity.id', 'metadata.context']) {
      expect((await search(path, { semantic: { prompt: 'x' } })).data).toEqual([]);
    }
  });
});

describe('a path without a value in any record', () => {
  const crm = (more: object) => ({ id: 'c', owner: null, parties: [], crm: { objectType: 'Account', ...more } });

  it('is noted, with the closest existing path', async () => {
    const { data, meta } = await list([crm({ stage: 'won' }), crm({})], { selectFields: ['id', 'crm.stag'] });
    expect(data).toEqual([
      { id: 'c', crm: {} },
      { id: 'c', crm: {} },
    ]);
    expect(meta).toEqual({ notes: ["'crm.stag' has no value in any of these 2 records; did you mean 'crm.stage'?"] });
  });

  it('is noted once, alongside any other notes', async () => {
    const said = "'crm.x' has no value in this record.";
    const { meta } = await list(
      [crm({})],
      { selectFields: ['crm.x'] },
      { notes: ['Private calls were left out.', said] },
    );
    expect(meta).toEqual({ notes: ['Private calls were left out.', said] });
  });

  it('is not noted if a record has a value, or if that cannot be determined', async () => {
    const some = await list([crm({ x: 1 }), crm({})], { selectFields: ['crm.x', 'owner.name', 'parties.name'] });
    expect(some.meta).toEqual({});
    expect((await list([], { selectFields: ['crm.x'] })).meta).toEqual({});
  });

  it('is detected inside arrays, including when every value is null', async () => {
    const data = [
      { id: 'c', parties: [{ name: null }, { name: null }] },
      { id: 'd', parties: [] },
    ];
    const { meta } = await list(data, { selectFields: ['parties.name'] });
    expect(meta).toEqual({ notes: ["'parties.name' has no value in any of these 2 records."] });
  });

  it('is noted for fields known only to the vendor', async () => {
    const { meta } = await list([{ id: 'c' }], { raw: true, selectFields: ['idd', ''] });
    expect(meta).toEqual({
      notes: ["'idd' has no value in this record; did you mean 'id'?", "'' has no value in this record."],
    });
  });

  it('is not noted if it was excluded', async () => {
    const options = { selectFields: ['crm'], excludeFields: ['crm.objectType'] };
    expect((await shapeResult({ data: [crm({})], meta: {} }, options)).meta).toEqual({});
  });
});
