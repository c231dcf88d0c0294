import { connectors } from 'agent-connectors';
import { LinearConnector } from 'agent-connectors/linear';
import { operators } from 'agent-connectors/search';
import { describe, expect, it } from 'vitest';
import { ShelfConnector } from './shelf.js';

const described = [LinearConnector.describe(), ShelfConnector.describe()];
const linear = LinearConnector.describe();
const entityOf = (name: string) => linear.entities.find((entity) => entity.name === name)!;
const actionOf = (entity: string, action: string) => [...entityOf(entity).actions].find(({ name }) => name === action)!;

describe('describe()', () => {
  it('is the same for the class and an instance', () => {
    expect(new LinearConnector().describe()).toEqual(linear);
  });

  it.each(described.map((description) => [description.name, description] as const))(
    'is plain JSON for %s',
    (_, one) => {
      expect(JSON.parse(JSON.stringify(one))).toEqual(one);
      const functions: string[] = [];
      JSON.stringify(one, (key, value) => {
        if (typeof value === 'function' || value === undefined) functions.push(key);
        return value;
      });
      expect(functions).toEqual([]);
    },
  );

  it.each(described.map((description) => [description.name, description] as const))(
    'has no references for %s',
    (_, one) => {
      const text = JSON.stringify(one);
      expect(text).not.toContain('$ref');
      expect(text).not.toContain('$defs');
      expect(text).not.toContain('$schema');
      expect(text).not.toContain('~standard');
    },
  );

  it("names Linear's entities and actions as in the contract", () => {
    const actions = Object.fromEntries(linear.entities.map(({ name, actions }) => [name, actions.map((a) => a.name)]));
    expect(actions).toEqual({
      issues: ['list', 'get', 'create', 'update', 'context_store_search'],
      projects: ['list', 'get', 'create', 'update', 'context_store_search'],
      teams: ['list', 'get', 'context_store_search'],
      workflow_states: ['list', 'context_store_search'],
      users: ['list', 'get', 'context_store_search'],
      comments: ['list', 'get', 'create', 'update', 'context_store_search'],
    });
  });

  it('distinguishes reads from writes, paginated from single results, and hosted-only actions', () => {
    expect(actionOf('issues', 'list')).toMatchObject({ effect: 'read', paginated: true, hosted_only: false });
    expect(actionOf('issues', 'create')).toMatchObject({ effect: 'write', paginated: false, hosted_only: false });
    expect(actionOf('issues', 'context_store_search')).toMatchObject({
      effect: 'read',
      paginated: true,
      hosted_only: true,
    });
    const [books] = ShelfConnector.describe().entities;
    expect(books!.actions.find(({ name }) => name === 'delete')!.effect).toBe('destroy');
    expect(books!.actions.find(({ name }) => name === 'move')!.effect).toBe('write');
  });

  it('describes parameters with their bounds and whether they are required', () => {
    expect(actionOf('issues', 'list').params).toMatchObject({
      type: 'object',
      additionalProperties: false,
      properties: { first: { type: 'integer', minimum: 1, maximum: 250 }, after: { type: 'string' } },
    });
    const create = actionOf('issues', 'create').params as any;
    expect(create.required).toEqual(['teamId', 'title']);
    expect(create.properties.priority).toMatchObject({ type: 'integer', minimum: 0, maximum: 4 });
    expect(create.properties.teamId.description).toContain('teams.list');
  });

  it('marks the secret credential fields', () => {
    const oauth = linear.auth.find(({ mode }) => mode === 'oauth')!;
    expect(oauth.fields.map(({ name, required, secret }) => [name, required, secret])).toEqual([
      ['client_id', true, false],
      ['client_secret', true, true],
      ['refresh_token', true, true],
      ['access_token', false, true],
    ]);
    expect(linear.auth.map(({ mode }) => mode)).toEqual(['api_key', 'access_token', 'oauth']);
  });

  it('lists searchable and semantic fields', () => {
    const { search } = entityOf('issues');
    expect(search!.fields).toMatchObject({ title: 'string', estimate: 'number', state: 'object', labelIds: 'array' });
    expect(search!.semantic).toEqual({
      description: {
        max_context_size: 2048,
        entity_fields: ['id', 'url', 'identifier', 'title', 'creatorId', 'assigneeId', 'createdAt'],
        enrichments: ['creatorName', 'assigneeName'],
        attribution: [],
      },
    });
  });

  it('describes the operators of a search', () => {
    const { anyOf } = actionOf('issues', 'context_store_search').params as any;
    for (const { filter } of [anyOf[0].properties.query.properties, anyOf[1].properties.semantic.properties]) {
      expect(Object.keys(filter.properties)).toEqual([...Object.keys(operators), 'not', 'and', 'or']);
      for (const [name, { description }] of Object.entries(operators))
        expect(filter.properties[name].description).toContain(description);
    }
  });

  it('requires semantic.field only if there are several', () => {
    const semantic = (schema: any) => schema.anyOf[1].properties.semantic.required;
    expect(semantic(actionOf('issues', 'context_store_search').params)).toEqual(['prompt']);
    const [books] = ShelfConnector.describe().entities;
    expect(semantic(books!.actions.find(({ name }) => name === 'context_store_search')!.params)).toEqual([
      'field',
      'prompt',
    ]);
  });

  it('has an example for every action, valid according to its schema', async () => {
    const calls: string[] = [];
    for (const Class of [LinearConnector, ShelfConnector]) {
      const instance = new Class({
        transport: async ({ entity, action }) => ({ data: calls.push(`${entity}.${action}`), meta: {} }),
      });
      for (const { name, actions } of instance.describe().entities) {
        for (const { name: action, example } of actions) await (instance as any).execute(name, action, example);
      }
    }
    expect(calls).toHaveLength(23 + 7);
  });

  it('cannot be used to change the connector', () => {
    const once = LinearConnector.describe() as any;
    once.entities[0].actions[0].params.properties = {};
    once.auth[0].fields.length = 0;
    expect(LinearConnector.describe()).toEqual(linear);
  });

  it('loads a connector by its type name', async () => {
    expect(await connectors.linear()).toBe(LinearConnector);
    expect(Object.keys(connectors)).toContain('linear');
  });
});
