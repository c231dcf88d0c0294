import * as z from 'zod';
import type { Effect } from '../action/action.js';
import type { RecordLayout } from '../action/result.js';
import type { FieldTypes } from '../search/language/fields.js';
import { maxContextSize } from '../search/language/limits.js';
import type { Search } from '../search/types.js';
import { conciseOf, type Entity, effectOf, type Manifest, recordOf } from './manifest.js';

/** A JSON Schema (draft 2020-12) without references. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** An auth mode. */
export interface AuthDescription {
  /** Name of the mode, such as `api_key`. */
  readonly mode: string;
  /** One-sentence description. */
  readonly description: string;
  /** Fields of the credentials. */
  readonly fields: ReadonlyArray<{
    /** Name of the field. */
    readonly name: string;
    /** Whether it is required. */
    readonly required: boolean;
    /** Whether it is secret. */
    readonly secret: boolean;
    /** What the field contains, and where to find it. */
    readonly description: string;
  }>;
}

/** An action of an entity. For a list, the schemas describe one element. */
export interface ActionDescription<A extends string = string> {
  /** Name of the action. */
  readonly name: A;
  /** One-sentence description. */
  readonly description: string;
  /** Its effect on the vendor's data. */
  readonly effect: Effect;
  /** Whether it needs a service. */
  readonly hosted_only: boolean;
  /** Whether its list is paginated. */
  readonly paginated: boolean;
  /** Whether its `data` is a byte stream. */
  readonly binary: boolean;
  /** JSON Schema of the parameters. */
  readonly params: JsonSchema;
  /** JSON Schema of `data`; for a list, of one record. */
  readonly data: JsonSchema | null;
  /** JSON Schema of `meta`. */
  readonly meta: JsonSchema | null;
  /** Dotted paths of the main fields of `data`; undefined for all fields. */
  readonly concise?: readonly string[] | undefined;
  /** How its records are shown as text; undefined for plain fields. */
  readonly layout?: RecordLayout | undefined;
  /**
   * OAuth scopes at the vendor, Google's without `https://www.googleapis.com/auth/`: alternatives, each a list of scopes
   * that are all required. Undefined if the vendor has none, or if a service runs the action.
   */
  readonly scopes?: ReadonlyArray<readonly string[]> | undefined;
  /** Parameters of an example call that works. */
  readonly example: unknown;
}

/** A record field or parameter that identifies a record. */
export interface RelationDescription {
  /** Dotted path of the field or parameter; paths pass through arrays. */
  readonly path: string;
  /** Entity of the identified record. */
  readonly entity: string;
  /** Field of that record with the same value. */
  readonly field: string;
}

/** An entity's content in the context store. */
export interface SearchDescription {
  /** Searchable fields and their types. */
  readonly fields: Readonly<Record<string, keyof FieldTypes>>;
  /** Semantic fields. */
  readonly semantic: Readonly<
    Record<
      string,
      {
        /** Maximum characters of context around a hit. */
        readonly max_context_size: number;
        /** Record fields included in a hit. */
        readonly entity_fields: readonly string[];
        /** Names added to a hit's metadata. */
        readonly enrichments: readonly string[];
        /** Fields in a hit's metadata that attribute the passage. */
        readonly attribution: readonly string[];
      }
    >
  >;
}

/** One entity of a connector. */
export interface EntityDescription<E extends string = string, A extends string = string> {
  /** Name of the entity. */
  readonly name: E;
  /** One-sentence description. */
  readonly description: string;
  /** JSON Schema of a record. */
  readonly record: JsonSchema | null;
  /** What can be searched. */
  readonly search: SearchDescription | null;
  /** Its record fields and parameters that identify records of this or other entities. */
  readonly relations: readonly RelationDescription[];
  /** Its actions. */
  readonly actions: ReadonlyArray<ActionDescription<A>>;
}

/** A connector as plain JSON, the single source of its documentation. */
export interface ConnectorDescription<Name extends string = string, E extends EntityDescription = EntityDescription> {
  /** Connector type, such as `google-drive`. */
  readonly name: Name;
  /** Display name, such as Google Drive. */
  readonly title: string;
  /** One-sentence description. */
  readonly description: string;
  /** Version of the connector. */
  readonly version: string;
  /** Permanent id of the type. */
  readonly definition_id: string;
  /** Auth modes. */
  readonly auth: readonly AuthDescription[];
  /** Connector-specific boolean options, false by default. */
  readonly settings: ReadonlyArray<{
    /** Name of the setting. */
    readonly name: string;
    /** What the setting does. */
    readonly description: string;
  }>;
  /** Its entities. */
  readonly entities: readonly E[];
}

/** The description of a connector whose manifest is known at compile time. */
export type DescriptionOf<M extends Manifest> = ConnectorDescription<
  M['name'],
  {
    [E in keyof M['entities'] & string]: EntityDescription<E, keyof M['entities'][E]['actions'] & string>;
  }[keyof M['entities'] & string]
>;

/**
 * Converts a schema to JSON, without document-level keywords. A property with `requiredUnless`, which names the extensions
 * that replace it, is listed as required.
 */
function jsonSchema(schema: z.core.$ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema, ...json } = z.toJSONSchema(schema, { io, reused: 'inline', unrepresentable: 'any' });
  // Removes the methods that zod attaches to its output.
  const plain = JSON.parse(JSON.stringify(json));
  const { properties = {}, required = [] } = plain;
  const replaceable = Object.keys(properties).filter((name) => properties[name].requiredUnless);
  return replaceable.length === 0 ? plain : { ...plain, required: [...replaceable, ...required] };
}

/** Descriptions cached as text, since building one is slow and each caller gets its own copy. */
const descriptionCache = new WeakMap<Manifest, string>();

/** Describes a connector from its manifest. */
export function describe<M extends Manifest>(manifest: M): DescriptionOf<M> {
  let text = descriptionCache.get(manifest);
  if (text === undefined) {
    text = JSON.stringify(descriptionOf(manifest));
    descriptionCache.set(manifest, text);
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
    entities: Object.entries(entities).map(([entity, spec]) => describeEntity(entity, spec, manifest)),
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

function describeEntity(name: string, spec: Entity, { relations, scopes }: Manifest): EntityDescription {
  const record = recordOf(spec);
  return {
    name,
    description: spec.description,
    record: record ? jsonSchema(record.schema, 'output') : null,
    search: spec.search ? describeSearch(spec.search) : null,
    relations: Object.entries(relations?.[name] ?? {}).map(([path, target]) => {
      const [entity = '', ...field] = target.split('.');
      return { path, entity, field: field.join('.') || 'id' };
    }),
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
        concise: conciseOf(spec, definition),
        layout: (returns.record ?? (hostedOnly ? record : undefined))?.view.layout,
        scopes: hostedOnly
          ? undefined
          : (scopes?.[`${name}.${action}`] ?? scopes?.[name] ?? scopes?.['*'])?.map((each) => [each].flat()),
        example,
      };
    }),
  };
}

function describeSearch({ fields, semantic = {} }: Search): SearchDescription {
  return {
    fields: Object.fromEntries(
      Object.entries(fields).flatMap(([type, names]) => (names ?? []).map((name) => [name, type as keyof FieldTypes])),
    ),
    semantic: Object.fromEntries(
      Object.entries(semantic).map(([name, { entity_fields, enrichments = [], attribution = [] }]) => [
        name,
        { max_context_size: maxContextSize, entity_fields, enrichments, attribution },
      ]),
    ),
  };
}
