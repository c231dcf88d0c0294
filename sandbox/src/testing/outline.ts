import type { ActionDescription, ConnectorDescription, EntityDescription, JsonSchema } from 'agent-connectors';

/** The parts of a JSON Schema that the outline abbreviates. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Record<string, Schema>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly extension?: boolean;
  readonly [keyword: string]: unknown;
}

const bounds = [
  ['minimum', 'maximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
] as const;

/** Bounds as `1..250`, a format by name, and every other keyword with its value, so that no change goes unnoticed. */
function constraintsOf({ format, pattern, ...rest }: Record<string, unknown>): string {
  const parts: string[] = [];
  // The format implies the pattern.
  if (format) parts.push(`${format}`);
  else if (pattern) parts.push(`/${pattern}/`);
  for (const [lowest, highest] of bounds) {
    // The default integer bounds are not a constraint.
    const [from, to] = [rest[lowest], rest[highest]].map((bound) =>
      Number.isSafeInteger(bound) && Math.abs(bound as number) === Number.MAX_SAFE_INTEGER ? '' : (bound ?? ''),
    );
    if (from !== '' || to !== '') parts.push(`${from}..${to}`);
    delete rest[lowest];
    delete rest[highest];
  }
  for (const [name, value] of Object.entries(rest)) parts.push(`${name}=${JSON.stringify(value)}`);
  return parts.map((part) => ` ${part}`).join('');
}

/** `name: type` for each property, `name?` if optional, `+name` for an extension, and `…` if others are allowed. */
function propertiesOf({ properties = {}, required = [], additionalProperties = true }: Schema): string {
  const named = Object.entries(properties).map(
    ([name, schema]) => `${schema.extension ? '+' : ''}${name}${required.includes(name) ? '' : '?'}: ${typeOf(schema)}`,
  );
  if (additionalProperties === false) return named.join(', ');
  const others = additionalProperties === true ? '' : typeOf(additionalProperties);
  return [...named, others === 'any' || !others ? '…' : `…: ${others}`].join(', ');
}

/** A schema as a type; `T?` is nullable. Descriptions are omitted. */
function typeOf(schema: Schema): string {
  const { description: _, extension: __, anyOf, type, ...rest } = schema;
  if (anyOf) {
    const forms = anyOf.filter((form) => form.type !== 'null');
    const text = forms.map(typeOf).join(' | ');
    return `${forms.length > 1 ? `(${text})` : text}${forms.length < anyOf.length ? '?' : ''}${constraintsOf(rest)}`;
  }
  if (Array.isArray(type)) {
    const nullable = type.includes('null') ? '?' : '';
    const own = type.filter((name) => name !== 'null');
    return own.map((name) => typeOf({ ...rest, type: name })).join(' | ') + nullable;
  }
  if (rest.enum) {
    const { enum: values, ...constraints } = rest;
    return values!.map((value) => JSON.stringify(value)).join('|') + constraintsOf(constraints);
  }
  if (type === 'object') {
    const { properties, required, additionalProperties, ...constraints } = rest;
    const own = propertiesOf({ properties, required, additionalProperties } as Schema);
    return `{ ${own} }`.replace('{  }', '{}') + constraintsOf(constraints);
  }
  if (type === 'array') {
    const { items = {}, ...constraints } = rest;
    return `[${typeOf(items)}]${constraintsOf(constraints)}`;
  }
  return `${(type as string | undefined) ?? 'any'}${constraintsOf(rest)}`;
}

/** A search's parameter names, by alternative; the searchable fields determine the rest. */
const searchParams = ({ anyOf, ...form }: Schema) =>
  (anyOf ?? [form]).map(({ properties = {} }) => Object.keys(properties).join(', ')).join(' | ');

function outlineOfAction(action: ActionDescription, record: JsonSchema | null): string {
  const { name, effect, params, data, meta, hosted_only, paginated, binary } = action;
  const marks = [effect, ...(hosted_only ? ['hosted only'] : []), ...(paginated ? ['paginated'] : [])].join(', ');
  const schema = params as Schema;
  if (hosted_only) return `  ${name}(${searchParams(schema)}) – ${marks}`;
  const taken = schema.anyOf ? typeOf(schema) : propertiesOf(schema);
  const ofRecord = JSON.stringify(data) === JSON.stringify(record);
  const returned = binary ? 'bytes' : ofRecord ? 'record' : typeOf((data ?? {}) as Schema);
  return `  ${name}(${taken}): ${returned}${meta ? `, meta ${typeOf(meta as Schema)}` : ''} – ${marks}`;
}

function outlineOfEntity({ name, record, search, actions }: EntityDescription): string[] {
  const fields = Object.entries(search?.fields ?? {});
  const ofType = (type: string) => fields.filter(([, found]) => found === type).map(([field]) => field);
  return [
    '',
    name,
    ...(record ? [`  record ${typeOf(record as Schema)}`] : []),
    ...actions.map((action) => outlineOfAction(action, record)),
    ...actions.flatMap(({ name, concise }) => (concise ? `  ${name} concise: ${concise.join(' ')}` : [])),
    ...[...new Set(fields.map(([, type]) => type))].map((type) => `  searchable ${type}: ${ofType(type).join(' ')}`),
    ...Object.entries(search?.semantic ?? {}).map(
      ([field, semantic]) => `  semantic ${field}: ${JSON.stringify(semantic)}`,
    ),
  ];
}

/** A connector's public contract, one line per action: names, parameters, results and effects. */
export function outlineOf({ name, title, definition_id, auth, settings, entities }: ConnectorDescription): string {
  const lines = [
    `${name}, ${title}, ${definition_id}`,
    ...auth.map(
      ({ mode, fields }) =>
        `auth ${mode}: ${fields.map((field) => `${field.name}${field.required ? '' : '?'}${field.secret ? ' (secret)' : ''}`).join(', ')}`,
    ),
    ...settings.map((setting) => `setting ${setting.name}`),
    ...entities.flatMap(outlineOfEntity),
  ];
  return `${lines.join('\n')}\n`;
}
