import type { ConnectorDescription, JsonSchema } from 'agent-connectors';
import { describe, expect, test } from 'vitest';

/** One entity: names separated by spaces; `?` after an optional parameter, `!` after a field that is never null. */
export interface EntityContract {
  /** Fields of the record; empty if the entity has none. */
  record?: string;
  /** Fields of the record beyond the contract, marked as extensions. */
  recordExtensions?: string;
  /** Meta fields of the list. */
  meta?: string;
  /** Meta fields beyond the contract, marked as extensions. */
  metaExtensions?: string;
  /** For `create` and `update` results that wrap the record: its key and fields. */
  saved?: Record<string, string>;
  actions: Record<string, string>;
  /** Parameters beyond the contract, marked as extensions. */
  extensions?: Record<string, string>;
  /** Fields by type. */
  searchable?: Record<string, string>;
  semantic?: Record<string, { hit: string; enriched?: string; attributed?: string }>;
}

type Schema = JsonSchema & {
  properties?: Record<string, Schema>;
  required?: string[];
  anyOf?: Schema[];
  type?: unknown;
  extension?: boolean;
};

const words = (text = '') => text.split(' ').filter(Boolean);
const keys = (schema: unknown) => Object.keys((schema as Schema | null)?.properties ?? {}).sort();
/** The contract's names in a schema, and those marked as extensions. */
const fieldNames = (schema: unknown) => {
  const found = Object.entries((schema as Schema | null)?.properties ?? {});
  const where = (marked: boolean) => found.filter(([, { extension = false }]) => extension === marked);
  return {
    own: where(false)
      .map(([name]) => name)
      .sort(),
    beyond: where(true)
      .map(([name]) => name)
      .sort(),
  };
};
const plain = (names: string[]) => names.map((name) => name.replace(/[!?]$/, '')).sort();
const shape = (own?: string, beyond?: string) => ({ own: plain(words(own)), beyond: plain(words(beyond)) });

/** Compares a connector's description with the contract's names, which are repeated in the tests for that purpose. */
export function testContract(description: ConnectorDescription<any>, contract: Record<string, EntityContract>): void {
  const entity = (name: string) => description.entities.find((found) => found.name === name)!;

  test("the connector has exactly the contract's entities", () => {
    expect(description.entities.map(({ name }) => name).sort()).toEqual(Object.keys(contract).sort());
  });

  describe.each(Object.entries(contract))('%s', (name, expected) => {
    test("has the contract's actions, and a search if it is searchable", () => {
      const search = expected.searchable ? ['context_store_search'] : [];
      expect(entity(name).actions.map((found) => found.name)).toEqual([...Object.keys(expected.actions), ...search]);
    });

    test("has the contract's record, field for field, nullable unless required", () => {
      const record = entity(name).record as Schema | null;
      expect(fieldNames(record)).toEqual(shape(expected.record, expected.recordExtensions));
      const never = words(`${expected.record ?? ''} ${expected.recordExtensions ?? ''}`).flatMap((word) =>
        word.endsWith('!') ? [word.slice(0, -1)] : [],
      );
      for (const [field, schema] of Object.entries(record?.properties ?? {})) {
        const types = [schema, ...(schema.anyOf ?? [])].flatMap(({ type }) => type);
        expect(types.includes('null'), field).toBe(field !== 'id' && !never.includes(field));
      }
    });

    test.each(Object.entries(expected.actions))("%s accepts the contract's parameters", (action, params) => {
      const schema = entity(name).actions.find((found) => found.name === action)!.params as Schema;
      const found = Object.entries(schema.properties ?? {});
      const shown = (list: typeof found) =>
        list.map(([key]) => ((schema.required ?? []).includes(key) ? key : `${key}?`)).sort();
      expect(shown(found.filter(([, { extension }]) => !extension))).toEqual(words(params).sort());
      expect(shown(found.filter(([, { extension }]) => extension))).toEqual(
        words(expected.extensions?.[action]).sort(),
      );
    });

    test('returns what the contract promises', () => {
      for (const { name: action, effect, data, meta, binary, hosted_only } of entity(name).actions) {
        if (hosted_only) continue;
        if (action === 'list') expect(fieldNames(meta)).toEqual(shape(expected.meta, expected.metaExtensions));
        else if (!binary) expect(meta).toBeNull();
        if (binary) expect(data).toBeNull();
        else if (effect === 'destroy') expect(keys(data)).toEqual(['success']);
        else if (effect === 'write' && expected.saved) {
          const [[key, fields]] = Object.entries(expected.saved) as [[string, string]];
          expect(keys(data)).toEqual(['success', key].sort());
          expect(keys((data as Schema).properties![key])).toEqual(plain(words(fields)));
        } else if (expected.record) expect(fieldNames(data)).toEqual(shape(expected.record, expected.recordExtensions));
      }
    });

    test("is searchable by the contract's fields", () => {
      const { search } = entity(name);
      if (!expected.searchable) {
        expect(search).toBeNull();
        return;
      }
      const byType: Record<string, string[]> = {};
      for (const [field, type] of Object.entries(search!.fields)) byType[type] = [...(byType[type] ?? []), field];
      expect(byType).toEqual(
        Object.fromEntries(Object.entries(expected.searchable).map(([type, text]) => [type, words(text)])),
      );
      expect(search!.semantic).toEqual(
        Object.fromEntries(
          Object.entries(expected.semantic ?? {}).map(([field, { hit, enriched, attributed }]) => [
            field,
            {
              max_context_size: 2048,
              entity_fields: words(hit),
              enrichments: words(enriched),
              attribution: words(attributed),
            },
          ]),
        ),
      );
    });

    test('requires query or semantic, and leaves the search to a service', () => {
      const search = entity(name).actions.find((found) => found.name === 'context_store_search');
      if (!search) return;
      expect(search).toMatchObject({ hosted_only: true, effect: 'read', paginated: true, binary: false });
      const branches = (search.params as Schema).anyOf ?? [search.params as Schema];
      const byQuery = ['cursor', 'fields', 'limit', 'query'];
      const byMeaning = ['fields', 'limit', 'semantic'];
      expect(branches.map(keys)).toEqual(expected.semantic ? [byQuery, byMeaning] : [byQuery]);
    });
  });
}
