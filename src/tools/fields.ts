import type { JsonSchema } from '../manifest/describe.js';
import { formsOf, type Schema, withoutNull } from './schema.js';

const typeNames: Readonly<Record<string, string>> = { string: 'text' };

/** A field's name, with nested names down to `depth`. */
function nameOf(key: string, property: Schema, depth: number): string {
  const { schema } = withoutNull(property);
  const isArray = schema.type === 'array';
  const inner = isArray ? withoutNull(schema.items ?? {}).schema : schema;
  const name = isArray ? `${key}[]` : key;
  const inside = Object.entries(inner.properties ?? {});
  if (inside.length === 0 || depth === 0) return name;
  return `${name} {${inside.map(([key, within]) => nameOf(key, within, depth - 1)).join(', ')}}`;
}

/** A record's fields by type, including nested ones down to `depth`; only their names if `typed` is false. */
export function fieldList({ properties = {} }: Schema, depth: number, typed: boolean): string {
  const entries = Object.entries(properties);
  if (!typed) return entries.map(([key, property]) => nameOf(key, property, 0)).join(', ');
  const groups = new Map<string, string[]>();
  for (const [key, property] of entries) {
    const type = String(withoutNull(property).schema.type ?? 'any');
    const group = groups.get(type) ?? [];
    group.push(nameOf(key, property, depth));
    groups.set(type, group);
  }
  return [...groups].map(([type, names]) => `- ${typeNames[type] ?? type}: ${names.join(', ')}`).join('\n');
}

/** Fields of an action's meta. */
export const metaList = (meta: JsonSchema | null, explained: boolean): string =>
  formsOf(meta)
    .flatMap(({ properties = {} }) =>
      Object.entries(properties).map(([key, { description }]) =>
        explained && description ? `${key} (${description.replace(/\.$/, '')})` : key,
      ),
    )
    .join(', ');
