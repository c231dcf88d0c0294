import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { check, operators } from './check.js';
import { cases, casesOfSeed, invalidCases, recordsOf, sampleEntities, validCases } from './generate.js';
import { matches } from './matches.js';
import { search } from './search.js';
import type { Filter } from './types.js';

const runs = { seed: 20240301, numRuns: 150 };

describe.each(sampleEntities.map((entity) => [entity.key.join(' and '), entity] as const))(
  'cases for records with the key %s',
  (_, entity) => {
    test('are the same for the same seed and differ for a different seed', () => {
      const first = JSON.stringify(casesOfSeed(entity, 7, 20));
      expect(JSON.stringify(casesOfSeed(entity, 7, 20))).toBe(first);
      expect(JSON.stringify(casesOfSeed(entity, 8, 20))).not.toBe(first);
    });

    test('that must be accepted are valid and can be represented as JSON', () => {
      fc.assert(
        fc.property(validCases(entity), ({ records, params }) => {
          expect(check(entity, params)).toEqual([]);
          expect(JSON.parse(JSON.stringify({ records, params }))).toEqual({ records, params });
        }),
        runs,
      );
    });

    test('that must be rejected are invalid', () => {
      fc.assert(
        fc.property(invalidCases(entity), ({ params }) => {
          expect(check(entity, params)).not.toEqual([]);
        }),
        runs,
      );
    });

    test('are mostly ones that must be accepted', () => {
      const valid = fc.sample(cases(entity), runs).filter((one) => one.valid).length;
      expect(valid).toBeGreaterThan(runs.numRuns * 0.8);
      expect(valid).toBeLessThan(runs.numRuns);
    });

    test('have records with unique ids', () => {
      fc.assert(
        fc.property(recordsOf(entity), (records) => {
          const ids = search(records, entity, { query: {} }).ids.map((id) => JSON.stringify(id));
          expect(new Set(ids).size).toBe(records.length);
        }),
        runs,
      );
    });

    test('often find some but not all records', () => {
      const cases = fc.sample(validCases(entity), { ...runs, numRuns: 300 });
      const telling = cases.filter(({ records, params }) => {
        const hits = search(records, entity, params).ids.length;
        return hits > 0 && hits < records.length;
      });
      expect(telling.length).toBeGreaterThan(75);
    });

    test('use every operator, with hits for each', () => {
      const hit = new Set<string>();
      const visit = (filter: Filter, found: boolean): void => {
        for (const [operator, operand] of Object.entries(filter)) {
          if (found) hit.add(operator);
          if (operator === 'not') visit(operand as Filter, false);
          if (operator === 'and') for (const part of operand as Filter[]) visit(part, found);
        }
      };
      for (const { records, params } of fc.sample(validCases(entity), { ...runs, numRuns: 500 })) {
        const { filter } = params.query;
        if (filter !== undefined) visit(filter, search(records, entity, params).ids.length > 0);
      }
      const all = [...operators.keys(), 'and', 'not', 'or'].sort();
      expect([...hit].sort()).toEqual(all);
    });

    test('match exactly the other records when negated', () => {
      fc.assert(
        fc.property(validCases(entity), ({ records, params }) => {
          const { filter } = params.query;
          if (filter === undefined) return;
          for (const record of records) {
            expect(matches(entity, record, { not: filter })).toBe(!matches(entity, record, filter));
          }
        }),
        runs,
      );
    });

    test('have every hit once, in an order that does not depend on the order of the records', () => {
      fc.assert(
        fc.property(validCases(entity), ({ records, params }) => {
          const found = search(records, entity, params);
          expect(search([...records].reverse(), entity, params)).toEqual(found);
          expect(new Set(found.ids.map((id) => JSON.stringify(id))).size).toBe(found.ids.length);
        }),
        runs,
      );
    });
  },
);
