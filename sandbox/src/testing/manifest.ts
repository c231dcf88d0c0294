import { readFile } from 'node:fs/promises';
import { ConnectorError, type JsonSchema } from 'agent-connectors';
import { describe, expect, test } from 'vitest';
import { outlineOf } from './outline.js';
import { localActions, type Subject } from './subject.js';

interface Schema {
  readonly properties?: Record<string, Schema>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly description?: string;
  readonly type?: unknown;
  readonly items?: Schema;
}

const sentence = /^\S.*\.$/s;

/** A schema's top-level alternatives, each an object with named properties. */
function formsOf(schema: JsonSchema | null): Schema[] {
  const { anyOf, ...form } = (schema ?? { anyOf: [] }) as Schema;
  return anyOf ? [...anyOf] : [form];
}

const namesOf = (schema: JsonSchema | null) =>
  formsOf(schema).flatMap(({ properties = {} }) => Object.keys(properties));

/** Every key of a JSON value, at any depth. */
function* keysOf(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    yield key;
    yield* keysOf(item);
  }
}

/** Whether a path exists in a schema; an object whose only known property is `id` can contain any path. */
function hasPath(schema: Schema, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined) return true;
  const { properties = {}, items, anyOf = [] } = schema;
  if (items) return hasPath(items, [key, ...rest]);
  const forms = anyOf.filter(({ type }) => type !== 'null');
  if (forms.length > 0) return forms.some((form) => hasPath(form, [key, ...rest]));
  if (key in properties) return hasPath(properties[key]!, rest);
  return (
    Object.keys(properties).every((name) => name === 'id') &&
    [schema.type].flat().some((type) => type === 'object' || type === 'array')
  );
}

/** Tests the manifest's consistency, without calling the vendor. */
export function testManifest(subject: Subject): void {
  const { Connector, params, guide } = subject;
  const description = Connector.describe();
  const { entities, auth } = description;
  const actions = entities.flatMap((entity) =>
    entity.actions.map((action) => ({ where: `${entity.name}.${action.name}`, entity, action })),
  );

  describe('describes itself', () => {
    test('with test parameters for each of its actions', () => {
      expect(Object.keys(params).sort()).toEqual(
        localActions(subject)
          .map(({ label }) => label)
          .sort(),
      );
    });

    test('with names that are valid in code and URLs', () => {
      expect(description.name).toMatch(/^[a-z]+(-[a-z]+)*$/);
      expect(description.definition_id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      const names = actions.flatMap(({ entity, action }) => [entity.name, action.name]);
      expect(names.filter((name) => !/^[a-z]+(_[a-z]+)*$/.test(name))).toEqual([]);
      const parameters = actions.flatMap(({ action }) => namesOf(action.params));
      expect(parameters.filter((name) => !/^[A-Za-z][\w-]*$/.test(name))).toEqual([]);
    });

    test('with full-sentence descriptions of itself, its entities, actions, parameters and credentials', () => {
      const texts: Array<[string, string | undefined]> = [
        [description.name, description.description],
        ...auth.flatMap(
          ({ mode, description: text, fields }): Array<[string, string]> => [
            [mode, text],
            ...fields.map((field): [string, string] => [`${mode}.${field.name}`, field.description]),
          ],
        ),
        ...entities.map(({ name, description: text }): [string, string] => [name, text]),
        ...actions.flatMap(
          ({ where, action }): Array<[string, string | undefined]> => [
            [where, action.description],
            ...formsOf(action.params).flatMap(({ properties = {} }) =>
              Object.entries(properties).map(([name, { description: text }]): [string, string | undefined] => [
                `${where} ${name}`,
                text,
              ]),
            ),
          ],
        ),
      ];
      expect(texts.filter(([, text]) => !sentence.test(text ?? ''))).toEqual([]);
    });

    test('with schemas that define their properties at the top level and contain no references', () => {
      for (const { where, action } of actions) {
        for (const schema of [action.params, action.data, action.meta ?? { properties: {} }]) {
          for (const form of formsOf(schema)) expect(form.properties, where).toBeTypeOf('object');
          expect(
            [...keysOf(schema)].filter((key) => /^(\$ref|\$defs|definitions)$/.test(key)),
            where,
          ).toEqual([]);
        }
      }
    });

    test("with the effect that each action's name implies", () => {
      const effects: Record<string, string> = { create: 'write', update: 'write', delete: 'destroy' };
      for (const name of ['list', 'get', 'download', 'context_store_search']) effects[name] = 'read';
      const wrong = actions.filter(({ action }) => (effects[action.name] ?? action.effect) !== action.effect);
      expect(wrong.map(({ where, action }) => `${where} ${action.effect}`)).toEqual([]);
    });

    test('with required parameters and fields that exist in its schemas', () => {
      const schemas = actions.flatMap(({ action }) => [action.params, action.data, action.meta]);
      const missing = schemas
        .flatMap(formsOf)
        .flatMap(({ properties = {}, required = [] }) => required.filter((name) => !(name in properties)));
      expect(missing).toEqual([]);
    });

    test('with concise fields that exist in its records', () => {
      const missing = actions.flatMap(({ where, action: { concise = [], data } }) =>
        concise.filter((path) => !hasPath((data ?? {}) as Schema, path.split('.'))).map((path) => `${where} ${path}`),
      );
      expect(missing).toEqual([]);
    });

    test('with relations between fields or parameters and records that exist', () => {
      const hasRecordField = ({ record }: (typeof entities)[number], path: string) =>
        hasPath((record ?? {}) as Schema, path.split('.'));
      const wrong = entities.flatMap((entity) =>
        entity.relations.flatMap(({ path, entity: name, field }) => {
          const target = entities.find((found) => found.name === name);
          const isParameter = entity.actions.some(({ params }) =>
            formsOf(params).some((form) => hasPath(form, path.split('.'))),
          );
          const isKnown = isParameter || hasRecordField(entity, path) || path in (entity.search?.fields ?? {});
          return isKnown && target && hasRecordField(target, field)
            ? []
            : [`${entity.name}.${path} → ${name}.${field}`];
        }),
      );
      expect(wrong).toEqual([]);
    });

    test('with scopes of all actions or of none', () => {
      const { scopes, entities: known } = Connector.manifest;
      const [all, listed] = [actions.filter(({ action }) => !action.hosted_only), Object.keys(scopes ?? {})];
      expect(all.filter(({ action }) => !action.scopes?.length).length).toBe(scopes ? 0 : all.length);
      const unknown = listed.filter((key) => {
        const [entity = '', action] = key.split('.');
        return key !== '*' && !(known[entity] && (action === undefined || known[entity].actions[action]));
      });
      expect(unknown).toEqual([]);
    });

    test('with auth modes that each include a secret', () => {
      expect(auth.filter(({ fields }) => !fields.some(({ secret }) => secret)).map(({ mode }) => mode)).toEqual([]);
    });

    test('with pagination for every list whose meta points to a next page', () => {
      const unpaginated = actions.filter(
        ({ action }) => !action.paginated && namesOf(action.meta).some((name) => /cursor|next|token|more/i.test(name)),
      );
      expect(unpaginated.map(({ where }) => where)).toEqual(subject.unpaginated ?? []);
    });

    test('with a hosted search for each searchable entity that returns exactly its search fields', () => {
      expect(actions.filter(({ action }) => action.hosted_only).map(({ where }) => where)).toEqual(
        entities.filter(({ search }) => search).map(({ name }) => `${name}.context_store_search`),
      );
      for (const { entity, action } of actions.filter((found) => found.action.hosted_only)) {
        const [hit] = formsOf(action.data);
        expect(Object.keys(hit!.properties!).sort(), entity.name).toEqual(Object.keys(entity.search!.fields).sort());
      }
    });

    test('with searchable fields that include every field in a hit', () => {
      for (const { name, search } of entities) {
        for (const [field, { entity_fields }] of Object.entries(search?.semantic ?? {})) {
          for (const expectedField of [field, ...entity_fields])
            expect(Object.keys(search!.fields), name).toContain(expectedField);
        }
      }
    });

    test('identically as a class and as an instance', () => {
      expect(new Connector().describe()).toEqual(description);
    });

    test('with the names, parameters, results and effects in the reviewed snapshot', async () => {
      await expect(outlineOf(description)).toMatchFileSnapshot('describe.txt');
    });
  });

  test('exposes its entities as properties, alongside its methods', () => {
    const connector = new Connector() as unknown as Record<string, Record<string, unknown>>;
    for (const method of ['execute', 'paginate', 'describe']) expect(connector[method]).toBeTypeOf('function');
    for (const { name, actions } of entities) {
      expect(Object.keys(connector[name]!), name).toEqual(actions.map((action) => action.name));
    }
  });

  test.each(Object.entries(Connector.manifest.settings ?? {}))(
    'accepts only true or false for %s and describes the setting',
    (name, text) => {
      expect(text).toMatch(sentence);
      for (const value of [true, false, undefined]) expect(() => new Connector({ [name]: value })).not.toThrow();
      for (const value of ['true', 1, null]) expect(() => new Connector({ [name]: value })).toThrow(ConnectorError);
    },
  );

  if (guide) {
    test('has a guide that mentions every entity', async () => {
      const text = await readFile(guide, 'utf8');
      expect(entities.map(({ name }) => name).filter((name) => !text.includes(name))).toEqual([]);
    });
  }

  test.each(actions.map((found): [string, (typeof actions)[number]] => [found.where, found]))(
    'has an example for %s that produces a request',
    async (_, { entity, action }) => {
      const reached: unknown[] = [];
      const refuse = async (url: unknown) => {
        reached.push(url);
        throw Object.assign(new TypeError('fetch failed'), { code: 'ECONNREFUSED' });
      };
      const credentials = subject.credentials(subject.sandbox());
      const connector = new Connector({ credentials, fetch: refuse, retries: 0 });
      const error = await connector
        .execute(entity.name, action.name, action.example)
        .catch((thrown: unknown) => thrown);
      expect((error as ConnectorError).code).toBe(action.hosted_only ? 'hosted_only' : 'network');
      expect(ConnectorError.is(error)).toBe(true);
      expect(reached).toHaveLength(action.hosted_only ? 0 : 1);
    },
  );
}
