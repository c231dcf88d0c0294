/** The part of a parameter schema used for a form. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** The control for a schema; `json` if none fits. */
export type ControlKind = 'text' | 'number' | 'boolean' | 'enum' | 'list' | 'object' | 'json';

/** The non-null part of a nullable schema. */
export function unwrapNullable(schema: JsonSchema): JsonSchema {
  const some = schema.anyOf?.filter(({ type }) => type !== 'null');
  if (some?.length === 1) return { ...some[0], ...(schema.description && { description: schema.description }) };
  if (some && some.length > 1 && new Set(some.map(({ type }) => type)).size === 1 && some[0]?.type !== 'object') {
    const { description } = schema;
    return { ...(some[0]?.type && { type: some[0].type }), ...(description && { description }) };
  }
  if (Array.isArray(schema.type)) {
    const [only, ...more] = schema.type.filter((type) => type !== 'null');
    if (only !== undefined && more.length === 0) return { ...schema, type: only };
  }
  return schema;
}

/** Chooses the control. */
export function controlKind(schema: JsonSchema): ControlKind {
  const { type, items, properties } = schema;
  if (schema.enum) return 'enum';
  if (type === 'string') return 'text';
  if (type === 'number' || type === 'integer') return 'number';
  if (type === 'boolean') return 'boolean';
  if (type === 'array' && items && unwrapNullable(items).type === 'string') return 'list';
  if (type === 'object' && properties && Object.keys(properties).length > 0) return 'object';
  return 'json';
}

/** The value of a number input: a number, or invalid text, which the service will reject. */
export function parseNumber(text: string): number | string | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const value = Number(trimmed);
  // An integer too large for a double is an id and stays a string.
  return Number.isNaN(value) || (/^-?\d+$/.test(trimmed) && !Number.isSafeInteger(value)) ? trimmed : value;
}

/** The object with one value set, or undefined if no values are left. */
export function withValue(
  object: Readonly<Record<string, unknown>> | undefined,
  name: string,
  value: unknown,
): Record<string, unknown> | undefined {
  const { [name]: _, ...rest } = object ?? {};
  const next = value === undefined ? rest : { ...rest, [name]: value };
  return Object.keys(next).length > 0 ? next : undefined;
}
