import { connectors } from 'agent-connectors';
import { expect, test } from 'vitest';
import * as z from 'zod';

interface Schemas {
  readonly record: z.ZodObject | undefined;
  readonly params: Readonly<Record<string, z.ZodObject>>;
}

const json = (schema: z.ZodType, io: 'input' | 'output') => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, reused: 'inline', unrepresentable: 'any' });
  return JSON.parse(JSON.stringify(rest));
};

test.each(Object.entries(connectors))('%s: schemas are those of its description', async (name, load) => {
  const { entities } = (await load()).describe();
  const schemas: Readonly<Record<string, Schemas>> = await import(`../../connectors/${name}/schemas.ts`);
  expect(Object.keys(schemas).sort()).toEqual(entities.map((entity) => entity.name).sort());
  for (const { name: entity, record, actions } of entities) {
    const { record: schema, params } = schemas[entity]!;
    expect(schema instanceof z.ZodObject ? json(schema, 'output') : null, entity).toEqual(record);
    const calls = actions.filter(({ hosted_only }) => !hosted_only);
    expect(Object.keys(params).sort()).toEqual(calls.map((action) => action.name).sort());
    for (const { name: action, params: described, example } of calls) {
      const schema = params[action]!;
      expect(schema).toBeInstanceOf(z.ZodObject);
      const { required = [], ...rest } = json(schema, 'input');
      const { required: all = [], ...expected } = described as { required?: string[] };
      expect(rest, `${entity}.${action}`).toEqual(expected);
      expect(all).toEqual(expect.arrayContaining(required));
      expect(schema.safeParse(example).error).toBeUndefined();
      expect(schema.safeParse({ ...(example as object), unexpected: 1 }).success).toBe(false);
    }
  }
});
