import * as z from 'zod';

/** The TypeScript type of a JSON Schema's values. */
function typeOf({ anyOf, enum: values, type, items }) {
  if (anyOf) return anyOf.map(typeOf).join(' | ');
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (type === 'array') return `ReadonlyArray<${typeOf(items)}>`;
  return type === 'integer' ? 'number' : type;
}

/** The type of the fields of a connector's `replication_config`, with their descriptions. */
export async function replicationType({ manifest }) {
  const { replication } = await manifest.replication();
  const { properties = {}, required = [] } = replication.config
    ? z.toJSONSchema(replication.config, { io: 'input' })
    : {};
  const entities = Object.keys(replication.entities).map((name) => `'${name}'`);
  const fields = Object.entries(properties).map(([name, schema]) => {
    const type = required.includes(name) ? `: ${typeOf(schema)}` : `?: ${typeOf(schema)} | undefined`;
    return `/** ${schema.description} */ readonly ${name}${type};`;
  });
  const all = '/** Entities to replicate; all by default. */ readonly entities?';
  return `{ ${fields.join(' ')} ${all}: ReadonlyArray<${entities.join(' | ')}> | undefined; }`;
}
