import * as z from 'zod';
import type { Action, ParamsOf } from '../action/action.js';
import type { RecordShape } from '../action/result.js';
import { type Entity, recordOf } from './manifest.js';

/** The Zod schema of a value that may be missing. */
type SchemaOf<T> = undefined extends T ? z.ZodOptional<z.ZodType<Exclude<T, undefined>>> : z.ZodType<T>;

/** The Zod schema of an object with these fields. */
type ObjectSchema<T> = z.ZodObject<{ [K in keyof T]-?: SchemaOf<T[K]> }>;

/** Actions that a vendor runs: all but searches. */
type VendorActions<A> = Omit<A, 'context_store_search'>;

type ItemOf<Data> = Data extends ReadonlyArray<infer Item> ? Item : Data;
type DataOf<A> = A extends Action<any, infer Data> ? ItemOf<Data> : never;

/** The type of an entity's records. */
type RecordOf<A> = A extends { readonly list: infer List }
  ? DataOf<List>
  : A extends { readonly get: infer Get }
    ? DataOf<Get>
    : A extends { readonly create: infer Create }
      ? DataOf<Create>
      : never;

/** The Zod schemas of an entity. */
export interface EntitySchemas<E extends Entity> {
  /** A record, as actions return it; undefined if they return none. */
  readonly record: [RecordOf<E['actions']>] extends [never] ? undefined : ObjectSchema<RecordOf<E['actions']>>;
  /** Parameters of each action, by its name. Those of a search have a type only: `QueryParams`. */
  readonly params: {
    readonly [A in keyof VendorActions<E['actions']>]: E['actions'][A & string] extends Action
      ? ObjectSchema<ParamsOf<E['actions'][A & string]>>
      : never;
  };
}

/**
 * The schemas with which an entity's actions check their parameters and describe their records, typed as what they are
 * assigned to: comparing these types would cost the compiler more than all others.
 */
export function schemasOf<Schemas>(entity: Entity): Schemas {
  const record: RecordShape | undefined = recordOf(entity);
  const actions = Object.entries(entity.actions).filter(([, { hostedOnly }]) => !hostedOnly);
  const params = Object.fromEntries(actions.map(([name, action]) => [name, divisible(action.params)]));
  return { record: record?.schema, params } as Schemas;
}

/**
 * A schema whose parts can be taken: zod refuses that if a check concerns several fields, so parts come from the schema
 * without such checks.
 */
function divisible(schema: z.core.$ZodType): z.core.$ZodType {
  if (!(schema instanceof z.ZodObject) || !schema.def.checks?.length) return schema;
  const parts = schema.clone({ ...schema.def, checks: [] }, { parent: true });
  const methods = Object.fromEntries(
    (['pick', 'omit', 'partial', 'required', 'extend', 'merge'] as const).map((name) => [
      name,
      parts[name].bind(parts),
    ]),
  );
  return Object.assign(schema.clone(schema.def, { parent: true }), methods);
}
