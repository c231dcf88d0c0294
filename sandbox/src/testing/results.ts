import type { JsonSchema, MismatchEvent } from 'agent-connectors';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { byName, localActions, type Subject, trial } from './subject.js';

/** What a value breaks of a JSON Schema, read strictly. */
const faults = (schema: JsonSchema, value: unknown) =>
  z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema).safeParse(value).error?.issues ?? [];

const schemasOf = ({ Connector }: Subject, entity: string, action: string) =>
  Connector.describe()
    .entities.find(({ name }) => name === entity)!
    .actions.find(({ name }) => name === action)!;

/** Each action once, against what its description says that it returns. */
export function testResults(subject: Subject): void {
  const { settings = {} } = subject.Connector.manifest;
  const choices = [[''], ...Object.keys(settings).map((name) => [` with ${name}`, name])] as Array<[string, string?]>;

  describe.each(choices)('returns what it describes%s', (_title, setting) => {
    test.each(byName(localActions(subject)))('from %s', async (_, tried) => {
      const mismatches: MismatchEvent[] = [];
      const { run } = await trial(subject, tried, {
        hooks: { onResponseMismatch: (event) => mismatches.push(event) },
        ...(setting !== undefined && { [setting]: true }),
      });
      const { data, meta, ...more } = await run();
      const described = schemasOf(subject, tried.entity, tried.action);
      const records = tried.binary ? [] : [data].flat();
      expect([data].flat().length).toBeGreaterThan(0);
      if (tried.binary) expect(data).not.toBe('');
      for (const record of records) {
        expect(Object.keys(record).sort()).toEqual(Object.keys(described.data!.properties as object).sort());
        expect(faults(described.data!, record)).toEqual([]);
      }
      expect(described.meta ? faults(described.meta, meta) : meta).toEqual(described.meta ? [] : {});
      expect(mismatches).toEqual([]);
      expect(more).toEqual({});
    });

    test.each(byName(localActions(subject).filter(({ reads, binary }) => reads && !binary)))(
      'from %s with raw too, and whatever else the vendor sent beside it',
      async (_, tried) => {
        const { run } = await trial(subject, tried);
        const { data } = await run();
        expect((await run({ raw: true })).data).toMatchObject(data);
      },
    );
  });
}
