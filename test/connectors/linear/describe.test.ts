import { LinearConnector } from 'agent-connectors/linear';
import { describe, expect, test } from 'vitest';
import { contract } from './contract.js';

type Schema = {
  properties?: Record<string, Schema>;
  required?: string[];
  anyOf?: Schema[];
  type?: unknown;
  maximum?: number;
  enum?: string[];
};

const words = (text: string) => text.split(' ');
const keys = (schema: unknown) => Object.keys((schema as Schema).properties ?? {}).sort();
const description = LinearConnector.describe();
const entity = (name: string) => description.entities.find((found) => found.name === name)!;
const action = (of: string, name: string) => entity(of).actions.find((found) => found.name === name)!;

test('the connector is called what clients look it up by', () => {
  expect(description).toMatchObject({
    name: 'linear',
    title: 'Linear',
    definition_id: '1c5d8316-ed42-4473-8fbc-2626f03f070c',
  });
  const modes = description.auth.map(({ fields }) =>
    fields.map(({ name, required }) => (required ? name : `${name}?`)),
  );
  expect(modes).toEqual([
    ['api_key'],
    ['access_token'],
    ['client_id', 'client_secret', 'refresh_token', 'access_token?'],
  ]);
});

test('it has the six entities of the contract and no other', () => {
  expect(description.entities.map(({ name }) => name).sort()).toEqual(Object.keys(contract).sort());
});

describe.each(Object.entries(contract))('%s', (name, promised) => {
  test('has the actions of the contract, and the search', () => {
    const actions = entity(name).actions.map((found) => found.name);
    expect(actions).toEqual([...Object.keys(promised.actions), 'context_store_search']);
  });

  test('has the record of the contract, field for field, all but the id nullable', () => {
    const record = entity(name).record as Schema;
    expect(keys(record)).toEqual(words(promised.record).sort());
    for (const [field, schema] of Object.entries(record.properties!)) {
      const types = [schema, ...(schema.anyOf ?? [])].flatMap(({ type }) => type);
      expect(types.includes('null'), field).toBe(field !== 'id');
    }
  });

  test.each(Object.entries(promised.actions))('%s takes the parameters of the contract', (name_, params) => {
    const schema = action(name, name_).params as Schema;
    const required = schema.required ?? [];
    const found = keys(schema).map((key) => (required.includes(key) ? key : `${key}?`));
    expect(found.sort()).toEqual(words(params).sort());
  });

  test('returns what the contract promises', () => {
    for (const read of entity(name).actions.filter(({ name }) => name === 'list' || name === 'get')) {
      expect(keys(read.data)).toEqual(words(promised.record).sort());
      expect(read.meta === null ? null : keys(read.meta)).toEqual(
        read.name === 'list' ? ['endCursor', 'hasNextPage'] : null,
      );
    }
    for (const [key, fields] of Object.entries(promised.saved ?? {})) {
      for (const write of entity(name).actions.filter(({ effect }) => effect === 'write')) {
        const data = write.data as Schema;
        expect(keys(data)).toEqual(['success', key].sort());
        expect(keys(data.properties![key])).toEqual(words(fields).sort());
      }
    }
  });

  test('is searchable by the fields of the contract', () => {
    const { fields, semantic } = entity(name).search!;
    const byType: Record<string, string[]> = {};
    for (const [field, type] of Object.entries(fields)) byType[type] = [...(byType[type] ?? []), field];
    expect(byType).toEqual(
      Object.fromEntries(Object.entries(promised.searchable).map(([type, text]) => [type, words(text)])),
    );
    const hits = Object.entries(promised.semantic ?? {}).map(([field, { hit, enriched }]) => [
      field,
      { max_context_size: 2048, entity_fields: words(hit), enrichments: words(enriched), attribution: [] },
    ]);
    expect(semantic).toEqual(Object.fromEntries(hits));
  });

  test('search takes a query, or a meaning where a field has one, but is left to a service', () => {
    const search = action(name, 'context_store_search');
    expect(search).toMatchObject({ hosted_only: true, effect: 'read', paginated: true, binary: false });
    const branches = (search.params as Schema).anyOf ?? [search.params as Schema];
    expect(branches.map(keys)).toEqual(
      promised.semantic
        ? [
            ['cursor', 'fields', 'limit', 'query'],
            ['fields', 'limit', 'semantic'],
          ]
        : [['cursor', 'fields', 'limit', 'query']],
    );
  });
});

test('lists are paginated, limits and enumerations are those of the contract', () => {
  for (const { name, actions } of description.entities) {
    for (const found of actions) {
      expect(found.paginated, `${name}.${found.name}`).toBe(['list', 'context_store_search'].includes(found.name));
      if (found.name === 'list') expect((found.params as Schema).properties!.first!.maximum).toBe(250);
    }
  }
  const states = ['backlog', 'planned', 'started', 'paused', 'completed', 'canceled'];
  for (const name of ['create', 'update']) {
    expect((action('projects', name).params as Schema).properties!.state!.enum).toEqual(states);
    expect((action('issues', name).params as Schema).properties!.priority).toMatchObject({ minimum: 0, maximum: 4 });
  }
});

test('effects follow from what the actions do', () => {
  const effects = description.entities.flatMap(({ actions }) => actions.map(({ name, effect }) => `${name} ${effect}`));
  expect([...new Set(effects)].sort()).toEqual([
    'context_store_search read',
    'create write',
    'get read',
    'list read',
    'update write',
  ]);
});
