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

test.each(Object.keys(connectors))(
  '%s: parts of every schema can be taken, also where checks concern several fields',
  async (name) => {
    const schemas: Readonly<Record<string, Schemas>> = await import(`../../connectors/${name}/schemas.ts`);
    for (const [entity, { record, params }] of Object.entries(schemas)) {
      for (const schema of [...Object.values(params), ...(record ? [record] : [])]) {
        const [field] = Object.keys(schema.shape);
        if (field === undefined) continue;
        const only = { [field]: true } as Record<string, true> & Record<number, never>;
        expect(Object.keys(schema.pick(only).shape), entity).toEqual([field]);
        expect(Object.keys(schema.omit(only).shape)).toEqual(Object.keys(schema.shape).slice(1));
        expect(schema.partial().safeParse({}).success).toBe(true);
        expect(schema.extend({ [field]: z.literal('own') }).shape[field]!.safeParse('own').success).toBe(true);
      }
    }
  },
);

test('checks that concern several fields stay in whole schemas', async () => {
  const { comments } = await import('../../connectors/linear/schemas.js');
  const { list } = comments.params;
  expect(list.safeParse({ first: 1 }).error?.issues).toMatchObject([
    { path: ['issueId'], message: 'is required unless author, from or to is set' },
  ]);
  expect(list.pick({ first: true }).safeParse({ first: 1 }).success).toBe(true);
  expect(list.pick({ first: true }).safeParse({ first: 'many' }).success).toBe(false);
});
