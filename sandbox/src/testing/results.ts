import type { JsonSchema, MismatchEvent } from 'agent-connectors';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { asTableRows, localActions, prepareTrial, type Subject } from './subject.js';

/** Violations of a JSON Schema, validated strictly. */
const schemaIssues = (schema: JsonSchema, value: unknown) =>
  z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema).safeParse(value).error?.issues ?? [];

const schemasOf = ({ Connector }: Subject, entity: string, action: string) =>
  Connector.describe()
    .entities.find(({ name }) => name === entity)!
    .actions.find(({ name }) => name === action)!;

/** Tests each action's result against its description. */
export function testResults(subject: Subject): void {
  const { settings = {} } = subject.Connector.manifest;
  const choices = [[''], ...Object.keys(settings).map((name) => [` with ${name}`, name])] as Array<[string, string?]>;

  describe.each(choices)('returns what it describes%s', (_title, setting) => {
    test.each(asTableRows(localActions(subject)))('from %s', async (_, localAction) => {
      const mismatches: MismatchEvent[] = [];
      const { run } = await prepareTrial(subject, localAction, {
        hooks: { onResponseMismatch: (event) => mismatches.push(event) },
        ...(setting !== undefined && { [setting]: true }),
      });
      const { data, meta, ...more } = await run();
      const described = schemasOf(subject, localAction.entity, localAction.action);
      const records = localAction.binary ? [] : [data].flat();
      expect([data].flat().length).toBeGreaterThan(0);
      if (localAction.binary) expect(data).not.toBe('');
      for (const record of records) {
        expect(Object.keys(record).sort()).toEqual(Object.keys(described.data!.properties as object).sort());
        expect(schemaIssues(described.data!, record)).toEqual([]);
      }
      expect(described.meta ? schemaIssues(described.meta, meta) : meta).toEqual(described.meta ? [] : {});
      expect(mismatches).toEqual([]);
      expect(more).toEqual({});
    });

    test.each(asTableRows(localActions(subject).filter(({ reads, binary }) => reads && !binary)))(
      'from %s with raw, including additional vendor fields',
      async (_, localAction) => {
        const { run } = await prepareTrial(subject, localAction);
        const { data } = await run();
        expect((await run({ raw: true })).data).toMatchObject(data);
      },
    );
  });
}
