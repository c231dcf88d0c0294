import type { JsonSchema } from '../manifest/describe.js';

/** The part of a JSON Schema needed to explain it. */
export interface Schema {
  readonly type?: string | readonly string[] | undefined;
  readonly description?: string | undefined;
  readonly enum?: readonly unknown[] | undefined;
  readonly const?: unknown;
  readonly default?: unknown;
  readonly deprecated?: boolean | undefined;
  /** Extensions of which one can replace this required property. */
  readonly requiredUnless?: readonly string[] | undefined;
  readonly format?: string | undefined;
  readonly contentEncoding?: string | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly items?: Schema | undefined;
  readonly anyOf?: readonly Schema[] | undefined;
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly additionalProperties?: unknown;
}

/** The top-level forms of a schema. */
export const formsOf = (schema: JsonSchema | null): readonly Schema[] => {
  const whole = (schema ?? {}) as Schema;
  return whole.anyOf ?? [whole];
};

/** The form that these parameters match. */
export function matchingForm(schema: JsonSchema, given: Readonly<Record<string, unknown>>): Schema {
  const forms = formsOf(schema);
  return forms.find(({ required = [] }) => required.some((name) => Object.hasOwn(given, name))) ?? forms[0] ?? {};
}

/** A schema without its null alternative, and whether it had one. */
export function withoutNull(schema: Schema): { readonly schema: Schema; readonly nullable: boolean } {
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((type) => type !== 'null');
    const nullable = types.length < schema.type.length;
    return { schema: { ...schema, type: types.length === 1 ? types[0] : types.join(' or ') }, nullable };
  }
  const others = schema.anyOf?.filter(({ type }) => type !== 'null') ?? [];
  if (!schema.anyOf || others.length === schema.anyOf.length) return { schema, nullable: false };
  const { anyOf: _, ...rest } = schema;
  const [only] = others;
  return { schema: others.length === 1 ? { ...rest, ...only } : { ...rest, anyOf: others }, nullable: true };
}

/** Whether this is an object of conditions, whose fields and operators are summarized. */
export const isFilter = ({ properties }: Schema): boolean => properties?.and !== undefined && 'or' in properties;

/** Whether this is a search's filter, which has operators before fields and is explained next to the table. */
export const isSearchFilter = (schema: Schema): boolean => isFilter(schema) && schema.properties?.eq !== undefined;

/** The largest safe integer: not a meaningful limit. */
const unboundedLimit = Number.MAX_SAFE_INTEGER;

function span(low: number | undefined, high: number | undefined, unit = ''): string {
  const min = low === undefined || low === -unboundedLimit ? undefined : low;
  const max = high === undefined || high === unboundedLimit ? undefined : high;
  if (min === undefined && max === undefined) return '';
  if (max === undefined) return ` ≥${min}${unit}`;
  if (min === undefined) return ` ≤${max}${unit}`;
  return min === max ? ` ${min}${unit}` : ` ${min}–${max}${unit}`;
}

/** A schema's type and limits, in a few characters. */
export function typeText(given: Schema): string {
  const { schema, nullable } = withoutNull(given);
  return nullable ? `${plainType(schema)} or null` : plainType(schema);
}

function plainType(schema: Schema): string {
  if (isSearchFilter(schema)) return 'filter';
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' / ');
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeText))].join(' or ');
  switch (schema.type) {
    case 'string':
      return textType(schema);
    case 'integer':
    case 'number':
      return String(schema.type) + span(schema.minimum, schema.maximum);
    case 'array': {
      const minItems = schema.minItems === 0 ? undefined : schema.minItems;
      return `array of ${typeText(schema.items ?? {})}${span(minItems, schema.maxItems, ' items')}`;
    }
    default:
      return schema.type === undefined ? 'any' : String(schema.type);
  }
}

function textType({ contentEncoding, format, minLength, maxLength }: Schema): string {
  if (contentEncoding) return contentEncoding;
  if (format === 'date' || format === 'date-time') return format;
  // Most strings must not be empty, so this minimum is not mentioned.
  return `string${span(minLength === 1 ? undefined : minLength, maxLength, ' characters')}`;
}
