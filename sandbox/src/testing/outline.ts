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

/** Text that fits in one line or is broken: between the items of a group, or between words. */
type Layout = string | readonly Layout[] | Group | Words;

interface Group {
  readonly open: string;
  readonly items: readonly Layout[];
  readonly close: string;
}

interface Words {
  readonly words: readonly string[];
  readonly separator: string;
}

/** Lines are broken where they would be longer, so that a change shows as a change of short lines. */
const width = 120;

const isList = (layout: Layout): layout is readonly Layout[] => Array.isArray(layout);

/** A layout in one line. */
function inline(layout: Layout): string {
  if (typeof layout === 'string') return layout;
  if (isList(layout)) return layout.map(inline).join('');
  if ('words' in layout) return layout.words.join(layout.separator);
  return `${layout.open}${layout.items.map(inline).join(', ')}${layout.close}`;
}

/** A layout in as many lines as it needs below this indent, after the text that the first line already has. */
function broken(layout: Layout, indent: string, before: string): string {
  const whole = inline(layout);
  if (typeof layout === 'string' || before.length + whole.length <= width) return whole;
  if (isList(layout)) {
    return layout.reduce<string>((all, part) => all + broken(part, indent, lastLine(before + all)), '');
  }
  const inner = `${indent}  `;
  if ('words' in layout) {
    return layout.words.reduce((all, word) => {
      const separated = `${all}${layout.separator}${word}`;
      const fits = lastLine(before + separated).length <= width;
      return fits ? separated : `${all}${layout.separator.trimEnd()}\n${inner}${word}`;
    });
  }
  // A line for each parameter and each field of a record; what is nested in them, such as operators of a filter, is packed.
  const isPacked = indent.length > 2 && !layout.items.some(hasGroup);
  const lines = isPacked
    ? [broken({ words: layout.items.map(inline), separator: ', ' }, indent, inner)]
    : layout.items.map((item) => broken(item, inner, inner));
  return `${layout.open.trimEnd()}${lines.map((text) => `\n${inner}${text}`).join('')}\n${indent}${layout.close.trimStart()}`;
}

const hasGroup = (layout: Layout): boolean =>
  typeof layout !== 'string' && (isList(layout) ? layout.some(hasGroup) : 'items' in layout);

const lastLine = (text: string): string => text.slice(text.lastIndexOf('\n') + 1);

/** A line of the outline, broken if it is too long. */
const line = (indent: string, ...parts: Layout[]): string => indent + broken(parts, indent, indent);

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
function propertiesOf({ properties = {}, required = [], additionalProperties = true }: Schema): Layout[] {
  const named = Object.entries(properties).map(([name, schema]) => [
    `${schema.extension ? '+' : ''}${name}${required.includes(name) ? '' : '?'}: `,
    typeOf(schema),
  ]);
  if (additionalProperties === false) return named;
  if (additionalProperties === true || inline(typeOf(additionalProperties)) === 'any') return [...named, '…'];
  return [...named, ['…: ', typeOf(additionalProperties)]];
}

/** A schema as a type; `T?` is nullable. Descriptions are omitted. */
function typeOf(schema: Schema): Layout {
  const { description: _, extension: __, anyOf, type, ...rest } = schema;
  if (anyOf) {
    const forms = anyOf.filter((form) => form.type !== 'null').map(typeOf);
    const nullable = forms.length < anyOf.length ? '?' : '';
    return [...(forms.length > 1 ? ['(', ...separated(forms, ' | '), ')'] : forms), nullable, constraintsOf(rest)];
  }
  if (Array.isArray(type)) {
    const forms = type.filter((name) => name !== 'null').map((name) => typeOf({ ...rest, type: name }));
    return [...separated(forms, ' | '), type.includes('null') ? '?' : ''];
  }
  if (rest.enum) {
    const { enum: values, ...constraints } = rest;
    return [{ words: values!.map((value) => JSON.stringify(value)), separator: '|' }, constraintsOf(constraints)];
  }
  if (type === 'object') {
    const { properties, required, additionalProperties, ...constraints } = rest;
    const items = propertiesOf({ properties, required, additionalProperties } as Schema);
    return [items.length > 0 ? { open: '{ ', items, close: ' }' } : '{}', constraintsOf(constraints)];
  }
  if (type === 'array') {
    const { items = {}, ...constraints } = rest;
    return ['[', typeOf(items), ']', constraintsOf(constraints)];
  }
  return `${(type as string | undefined) ?? 'any'}${constraintsOf(rest)}`;
}

const separated = (layouts: readonly Layout[], separator: string): Layout[] =>
  layouts.flatMap((layout, index) => (index > 0 ? [separator, layout] : [layout]));

/** A search's parameter names, by alternative; the searchable fields determine the rest. */
const searchParams = ({ anyOf, ...form }: Schema) =>
  (anyOf ?? [form]).map(({ properties = {} }) => Object.keys(properties).join(', ')).join(' | ');

function outlineOfAction(action: ActionDescription, record: JsonSchema | null): string {
  const { name, effect, params, data, meta, hosted_only, paginated, binary } = action;
  const marks = [effect, ...(hosted_only ? ['hosted only'] : []), ...(paginated ? ['paginated'] : [])].join(', ');
  const schema = params as Schema;
  if (hosted_only) return line('  ', `${name}(${searchParams(schema)}) – ${marks}`);
  const items = schema.anyOf ? [typeOf(schema)] : propertiesOf(schema);
  const isRecord = JSON.stringify(data) === JSON.stringify(record);
  const returned = binary ? 'bytes' : isRecord ? 'record' : typeOf((data ?? {}) as Schema);
  const parameters: Layout = items.length > 0 ? { open: '(', items, close: ')' } : '()';
  return line('  ', name, parameters, ': ', returned, meta ? [', meta ', typeOf(meta as Schema)] : '', ` – ${marks}`);
}

/** Names after a label. */
const listLine = (label: string, words: readonly string[]) => line('  ', `${label}: `, { words, separator: ' ' });

/** A JSON value, with an object's properties as a group. */
const jsonLayout = (value: unknown): Layout =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? {
        open: '{ ',
        items: Object.entries(value).map(([name, inner]) => [`${name}: `, jsonLayout(inner)]),
        close: ' }',
      }
    : { words: JSON.stringify(value).split(/(?<=,)/), separator: '' };

function outlineOfEntity({ name, record, search, relations, actions }: EntityDescription): string[] {
  const fields = Object.entries(search?.fields ?? {});
  const fieldsOf = (type: string) => fields.flatMap(([field, fieldType]) => (fieldType === type ? [field] : []));
  return [
    '',
    name,
    ...(record ? [line('  ', 'record ', typeOf(record as Schema))] : []),
    ...actions.map((action) => outlineOfAction(action, record)),
    ...actions.flatMap(({ name, concise }) => (concise ? [listLine(`${name} concise`, concise)] : [])),
    ...actions.flatMap(({ name, scopes }) =>
      scopes ? [listLine(`${name} scopes`, [scopes.map((all) => all.join(' + ')).join(' | ')])] : [],
    ),
    ...relations.map(({ path, entity, field }) => line('  ', `relation ${path}: `, `${entity}.${field}`)),
    ...[...new Set(fields.map(([, type]) => type))].map((type) => listLine(`searchable ${type}`, fieldsOf(type))),
    ...Object.entries(search?.semantic ?? {}).map(([field, semantic]) =>
      line('  ', `semantic ${field}: `, jsonLayout(semantic)),
    ),
  ];
}

/** A connector's public contract in short lines: names, parameters, results and effects of every action. */
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
