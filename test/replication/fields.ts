import { readFileSync } from 'node:fs';
import type { Manifest } from 'agent-connectors';
import type { StoredRecord } from 'agent-connectors/replication';

const typeChecks: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  integer: Number.isInteger,
  number: Number.isFinite,
  boolean: (value) => typeof value === 'boolean',
  object: (value) => typeof value === 'object' && !Array.isArray(value),
  array: Array.isArray,
};

interface Gap {
  readonly entity: string;
  /** A path, or several separated by commas. */
  readonly field: string;
}

/** Fields of an entity that its vendor does not send as promised. */
function gapsOf(connector: string, entity: string): string[] {
  const facts = readFileSync(new URL(`../connectors/${connector}/facts.json`, import.meta.url), 'utf8');
  const { gaps }: { readonly gaps: readonly Gap[] } = JSON.parse(facts);
  return gaps.filter((gap) => gap.entity === entity).flatMap(({ field }) => field.split(', '));
}

/**
 * Problems with the fields of these records: undeclared, of a different type, or never present without being a known
 * gap.
 */
export function fieldProblems(
  { name, entities }: Manifest,
  entity: string,
  records: readonly StoredRecord[],
): string[] {
  const declared = Object.entries(entities[entity]!.search!.fields).flatMap(([type, fields]) =>
    (fields ?? []).map((field) => [field, type] as const),
  );
  const declaredNames = new Set(declared.map(([field]) => field));
  const gaps = gapsOf(name, entity);
  return [
    ...new Set(records.flatMap((record) => Object.keys(record).filter((field) => !declaredNames.has(field)))),
    ...declared.flatMap(([field, type]) => {
      const values = records.map((record) => record[field]).filter((value) => value !== null);
      const isGood = values.length > 0 && values.every((value) => typeChecks[type]!(value));
      return isGood || gaps.includes(field) ? [] : `${field} is no ${type}`;
    }),
  ];
}
