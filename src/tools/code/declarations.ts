import type { ActionDescription, EntityDescription, JsonSchema } from '../../manifest/describe.js';
import { formsOf, isSearchFilter, type Schema, withoutNull } from '../schema.js';
import { firstThatFits } from '../tokens.js';
import type { Member } from '../toolset.js';

/** Maximum size of an entity's declarations in bytes: about 1,000 tokens. */
const entityBytes = 4_000;

/** Levels of nested objects to write out; deeper ones become `object`. */
interface Detail {
  readonly params: number;
  readonly record: number;
}

const details: readonly Detail[] = [
  { params: 4, record: 4 },
  { params: 3, record: 3 },
  { params: 2, record: 3 },
  { params: 2, record: 2 },
  { params: 1, record: 2 },
  { params: 1, record: 1 },
];

/** Types shared by all connectors' declarations. */
const sharedTypes = [
  '// Record fields can be null. next: values to add to params for the next page.',
  'type Options = { select_fields?: string[]; exclude_fields?: string[]; intent?: string }',
  'type One<P, R> = (params?: P, options?: Options) => Promise<{ data: R }>',
  'type List<P, R, M extends string = never> = ((params?: P, options?: Options) => Promise<{ data: R[]; meta: Record<M, any>; next: object | null }>) & { all(params?: P, options?: Options): AsyncIterable<R> }',
  'type Content<P> = One<P, { content: string; encoding: "utf-8" | "base64"; next_range_header: string }>',
  'type Filter = object',
].join('\n');

/**
 * A documentation section with type declarations: `code` lists the entities, `code.<entity>` declares one. Undefined
 * for other sections.
 */
export async function codeSection(member: Member, name: string, section: string): Promise<string | undefined> {
  const match = /^\W*code(?:[\s./:,]+(.*))?\W*$/s.exec(section);
  if (!match) return undefined;
  const wanted: readonly string[] = match[1]?.match(/\w+/g) ?? [];
  const { key, allowed } = member;
  const found = allowed.entities.filter((entity) => wanted.includes(entity.name));
  const missing = wanted.filter((entity) => !found.some((known) => known.name === entity));
  const valid = `Entities of ${key}: ${allowed.entities.map((entity) => entity.name).join(', ')}.`;
  const unknown = missing.length > 0 ? [`// There is no ${missing.join(', ')}. ${valid}`] : [];
  if (found.length === 0) {
    return [...unknown, `Types for run_code: section code.<entity>, or several: code.<entity>,<entity>. ${valid}`].join(
      '\n',
    );
  }
  const searchable = await member.searchable();
  const texts = found.map((entity) => {
    const actions = entity.actions.filter(({ hosted_only }) => searchable || !hosted_only);
    return firstThatFits(
      entityBytes,
      details.map((detail) => () => entityText(name, { ...entity, actions }, detail)),
    );
  });
  return [sharedTypes, ...texts, ...unknown].join('\n');
}

const capitalize = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);
const pascalCase = (name: string) => name.split('_').map(capitalize).join('');

/** Declares an entity's actions; a record type that several of them return is declared once. */
function entityText(connector: string, { name, actions }: EntityDescription, detail: Detail): string {
  const records = new Map<string, string>();
  const recordOf = (schema: JsonSchema) => {
    const text = formsOf(schema)
      .map((form) => typeOf(form, detail.record))
      .join(' | ');
    if (text.length < 40) return text;
    const known = records.get(text) ?? `${pascalCase(name)}Record${records.size > 0 ? records.size + 1 : ''}`;
    records.set(text, known);
    return known;
  };
  // Only lists have notes on what they omit.
  const lines = actions.flatMap((action) => [
    `  // ${action.description}`,
    `  ${action.name}: ${actionType(action, detail, recordOf)}`,
  ]);
  const types = [...records].map(([text, record]) => `type ${record} = ${text}`);
  // A namespace, so that several entities of a connector can be declared one after another.
  return [...types, `declare namespace ${connector} { const ${name}: {`, ...lines, '} }'].join('\n');
}

function actionType(action: ActionDescription, detail: Detail, recordOf: (schema: JsonSchema) => string): string {
  const params = formsOf(action.params)
    .map((form) => typeOf(form, detail.params))
    .join(' | ');
  if (action.binary) return `Content<${params}>`;
  const record = action.data === null ? 'null' : recordOf(action.data);
  if (!action.meta) return `One<${params}, ${record}>`;
  const meta = formsOf(action.meta).flatMap(({ properties = {} }) => Object.keys(properties));
  return `List<${[params, record, ...(meta.length > 0 ? [meta.map((key) => `'${key}'`).join(' | ')] : [])].join(', ')}>`;
}

const keyText = (key: string) => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key));

/** A schema as a TypeScript type, without null, since any field can be null. */
function typeOf(given: Schema, depth: number): string {
  const { schema } = withoutNull(given);
  if (isSearchFilter(schema)) return 'Filter';
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf) return [...new Set(schema.anyOf.map((form) => typeOf(form, depth)))].join(' | ');
  if (schema.type === 'integer' || schema.type === 'number') return 'number';
  if (schema.type === 'array') {
    const item = typeOf(schema.items ?? {}, depth);
    return item.includes(' | ') ? `(${item})[]` : `${item}[]`;
  }
  if (schema.type !== 'object') return schema.type === 'string' || schema.type === 'boolean' ? schema.type : 'any';
  const { properties, required = [] } = schema;
  if (!properties || depth === 0) return 'object';
  const current = Object.entries(properties).filter(([, { deprecated }]) => !deprecated);
  const fields = current.map(([key, property]) => {
    const isOptional =
      !required.includes(key) || property.default !== undefined || property.requiredUnless !== undefined;
    return `${keyText(key)}${isOptional ? '?' : ''}: ${typeOf(property, depth - 1)}`;
  });
  return fields.length > 0 ? `{ ${fields.join('; ')} }` : '{}';
}
