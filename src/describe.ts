import * as z from 'zod';
import { type Effect, type Entity, effectOf, type Manifest, recordOf } from './manifest.js';
import type { FieldTypes, Search } from './search.js';

/** A JSON Schema 2020-12, without references. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** One way to authorise. */
export interface AuthDescription {
  readonly mode: string;
  readonly description: string;
  readonly fields: ReadonlyArray<{
    readonly name: string;
    readonly required: boolean;
    readonly secret: boolean;
    readonly description: string;
  }>;
}

/** One action of an entity. Schemas of lists are those of one element. */
export interface ActionDescription<A extends string = string> {
  readonly name: A;
  readonly description: string;
  readonly effect: Effect;
  readonly hosted_only: boolean;
  readonly paginated: boolean;
  readonly binary: boolean;
  readonly params: JsonSchema;
  readonly data: JsonSchema | null;
  readonly meta: JsonSchema | null;
  readonly example: unknown;
}

/** What the context store keeps of an entity. */
export interface SearchDescription {
  readonly fields: Readonly<Record<string, keyof FieldTypes>>;
  readonly semantic: Readonly<
    Record<
      string,
      {
        readonly max_context_size: number;
        readonly entity_fields: readonly string[];
        readonly enrichments: readonly string[];
        readonly attribution: readonly string[];
      }
    >
  >;
}

/** One entity of a connector. */
export interface EntityDescription<E extends string = string, A extends string = string> {
  readonly name: E;
  readonly description: string;
  readonly record: JsonSchema | null;
  readonly search: SearchDescription | null;
  readonly actions: ReadonlyArray<ActionDescription<A>>;
}

/** A connector as plain JSON: the one source of all that documents it. */
export interface ConnectorDescription<Name extends string = string, E extends EntityDescription = EntityDescription> {
  readonly name: Name;
  readonly title: string;
  readonly description: string;
  readonly version: string;
  readonly definition_id: string;
  readonly auth: readonly AuthDescription[];
  /** Options of the connector's own: booleans, false when left out. */
  readonly settings: ReadonlyArray<{ readonly name: string; readonly description: string }>;
  readonly entities: readonly E[];
}

/** The description of a connector whose manifest the compiler knows. */
export type DescriptionOf<M extends Manifest> = ConnectorDescription<
  M['name'],
  {
    [E in keyof M['entities'] & string]: EntityDescription<E, keyof M['entities'][E]['actions'] & string>;
  }[keyof M['entities'] & string]
>;

/** Turns a schema into JSON, without the parts that only its own document needs. */
function jsonSchema(schema: z.core.$ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema, ...json } = z.toJSONSchema(schema, { io, reused: 'inline', unrepresentable: 'any' });
  // The methods that zod hangs on its output are no part of the JSON.
  return JSON.parse(JSON.stringify(json)) as JsonSchema;
}

/** Descriptions as text: making one takes long, and what is given out must be the caller's own. */
const described = new WeakMap<Manifest, string>();

/** Describes a connector from its manifest. */
export function describe<M extends Manifest>(manifest: M): DescriptionOf<M> {
  let text = described.get(manifest);
  if (text === undefined) {
    text = JSON.stringify(descriptionOf(manifest));
    described.set(manifest, text);
  }
  return JSON.parse(text);
}

function descriptionOf(manifest: Manifest): ConnectorDescription {
  const { name, title, description, version, definitionId, auth, settings = {}, entities } = manifest;
  return {
    name,
    title,
    description,
    version,
    definition_id: definitionId,
    auth: Object.entries(auth).map(([mode, scheme]) => ({
      mode,
      description: scheme.description,
      fields: fieldsOf(scheme.fields),
    })),
    settings: Object.entries(settings).map(([setting, text]) => ({ name: setting, description: text })),
    entities: Object.entries(entities).map(([entity, spec]) => describeEntity(entity, spec)),
  };
}

function fieldsOf(fields: z.core.$ZodObject): AuthDescription['fields'] {
  const { properties = {}, required = [] } = jsonSchema(fields, 'input') as {
    properties?: Record<string, { description?: string; secret?: boolean }>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, field]) => ({
    name,
    required: required.includes(name),
    secret: field.secret ?? false,
    description: field.description ?? '',
  }));
}

function describeEntity(name: string, spec: Entity): EntityDescription {
  const record = recordOf(spec);
  return {
    name,
    description: spec.description,
    record: record ? jsonSchema(record.schema, 'output') : null,
    search: spec.search ? describeSearch(spec.search) : null,
    actions: Object.entries(spec.actions).map(([action, definition]) => {
      const schemas = definition.schemas?.() as { params: JsonSchema; data: JsonSchema; meta: JsonSchema } | undefined;
      const { params, returns, next, hostedOnly = false, description, example } = definition;
      return {
        name: action,
        description,
        effect: effectOf(action, definition),
        hosted_only: hostedOnly,
        paginated: next !== undefined,
        binary: returns.binary ?? false,
        params: schemas?.params ?? jsonSchema(params, 'input'),
        data: schemas?.data ?? (returns.data ? jsonSchema(returns.data, 'output') : null),
        meta: schemas?.meta ?? (returns.meta ? jsonSchema(returns.meta, 'output') : null),
        example,
      };
    }),
  };
}

/** Characters of context that a hit holds at most. */
const contextSize = 2048;

function describeSearch({ fields, semantic = {} }: Search): SearchDescription {
  return {
    fields: Object.fromEntries(
      Object.entries(fields).flatMap(([type, names]) => (names ?? []).map((name) => [name, type as keyof FieldTypes])),
    ),
    semantic: Object.fromEntries(
      Object.entries(semantic).map(([name, { entity_fields, enrichments = [], attribution = [] }]) => [
        name,
        { max_context_size: contextSize, entity_fields, enrichments, attribution },
      ]),
    ),
  };
}
