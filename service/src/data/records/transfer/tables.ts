import type { StoredEntity, StoredRecord } from '../entity.js';
import { instantAt, instantKey } from '../schema.js';
import type { Store } from '../types.js';

/** Digits of a key before its fraction. */
const secondDigits = 12;

/** A moment in UTC with six digits of the fraction; null if the value is not a date. */
function momentOf(value: unknown): string | null {
  const key = instantKey(value);
  if (key === undefined) return null;
  const second = new Date(instantAt(key.slice(0, secondDigits))).toISOString().slice(0, 19);
  return `${second}.${key.slice(secondDigits).padEnd(6, '0').slice(0, 6)}Z`;
}

/** A field's value as JSON, in the form that all values of the field have. */
function jsonOf({ fields, dateTimes }: StoredEntity, field: string, value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (dateTimes.includes(field)) return JSON.stringify(momentOf(value));
  // Integers beyond 2^53 are stored as strings of digits, which would give the column a second type.
  if (fields[field] === 'integer') return /^-?[0-9]+$/.test(String(value)) ? String(BigInt(String(value))) : 'null';
  if (fields[field] === 'string') return JSON.stringify(typeof value === 'string' ? value : JSON.stringify(value));
  return JSON.stringify(value);
}

const lineOf = (entity: StoredEntity, connectorId: string, record: StoredRecord): string => {
  const own = Object.keys(entity.fields).map(
    (field) => `${JSON.stringify(field)}:${jsonOf(entity, field, record[field])}`,
  );
  return `{${[`"connector_id":${JSON.stringify(connectorId)}`, ...own].join(',')}}`;
};

/**
 * Exports all records as tables: JSON lines by the table's name, one for each record, with the same columns in each line
 * of a table and one type of value in each column.
 */
export async function* exportTables(store: Store): AsyncGenerator<{ readonly table: string; readonly line: string }> {
  for (const connectorId of await store.connectors()) {
    for (const entity of store.entities) {
      const table = `${entity.type}.${entity.entity}`;
      for await (const { record } of store.records({ connectorId, type: entity.type, entity: entity.entity }))
        yield { table, line: lineOf(entity, connectorId, record) };
    }
  }
}
