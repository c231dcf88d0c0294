import type { Expected } from 'agent-connectors/replication';
import type { Collection, StoredRecord } from '../../data/records/index.js';
import { StorageFullError } from './faults.js';
import type { Reading, ReadingDependencies } from './types.js';

/**
 * Reads records by id and stores their current state.
 *
 * Each record has a mark while it is read and stored. A concurrent write replaces the mark, and a run that stores a later
 * state removes it: what was read here may then be outdated, and is read again.
 */
export async function refreshRecords(reading: Reading, entity: string, ids: readonly string[]): Promise<void> {
  const { dependencies, replication, row } = reading;
  const { state, store, onStored } = dependencies;
  const collection = reading.collection(entity);
  const idOf = (record: StoredRecord) => store.idOf(collection.type, entity, record);
  const lookup = replication.entities[entity]?.lookup;
  for (let stale = ids; lookup && stale.length > 0; ) {
    // If nothing has been read yet, the first run will read everything.
    const replica = await state.replicas.get(row.id, entity);
    const before = await state.replicas.written(row.id, entity, stale);
    if (!replica) return state.replicas.noteRead(row.id, entity, before, 'stored');
    const unmarked = stale.filter((id) => !before.has(id));
    if (unmarked.length > 0) {
      await state.replicas.markWritten(row.id, entity, unmarked);
      continue;
    }
    const changed = async () => {
      const now = await state.replicas.written(row.id, entity, stale);
      return stale.filter((id) => now.get(id) !== before.get(id));
    };
    const { records = [], failed = [] } = await lookup.read(reading.source(entity, replica.state), stale);
    const outdated = new Set(await changed());
    const current = records.filter((record) => !outdated.has(idOf(record)));
    const found = new Set(records.map(idOf));
    if (dependencies.recordsPerOrganization > 0) await requireRoom(reading, collection, current);
    const { inserted } = await store.write(collection, current, reading.texts(entity));
    const removed = await store.remove(
      collection,
      stale.filter((id) => !found.has(id) && !outdated.has(id)),
    );
    if (failed.length > 0 || replica.unread.length > 0) {
      await state.replicas.updateUnread(row.id, entity, { failed, resolved: stale.filter((id) => !outdated.has(id)) });
    }
    if (inserted !== removed) await state.replicas.addToCount(row.id, entity, inserted - removed);
    onStored?.();
    await state.replicas.noteRead(row.id, entity, before, 'stored');
    stale = await changed();
  }
}

/** Throws if the records exceed the organization's quota; updates of stored records are always allowed. */
export async function requireRoom(
  { row, dependencies }: Reading,
  collection: Collection,
  records: readonly StoredRecord[],
): Promise<void> {
  const { recordsPerOrganization: limit, state, store } = dependencies;
  if (records.length === 0) return;
  const stored = await state.replicas.countRecords(row.organizationId);
  if (stored + records.length <= limit) return;
  // Look up records only when near the limit.
  const added = new Set(records.map((record) => store.idOf(collection.type, collection.entity, record)));
  for (const { id } of await store.get(collection, [...added])) added.delete(id);
  if (added.size > 0 && stored + added.size > limit) throw new StorageFullError(limit);
}

/** Number of records looked up or deleted per batch. */
export const batchSize = 1000;

/** Ids of records whose fields have, or whose arrays contain, one of the given values. */
export async function* idsWith(
  { definitions, store }: ReadingDependencies,
  collection: Collection,
  key: readonly string[],
  expected: Readonly<Record<string, Expected>>,
): AsyncGenerator<string> {
  const { entities } = definitions.of(collection.type).description;
  const types = entities.find(({ name }) => name === collection.entity)?.search?.fields ?? {};
  const conditions = Object.entries(expected).map(([field, value]) =>
    'startsWith' in value
      ? { like: { [field]: `${value.startsWith.replace(/[\\%_]/g, '\\$&')}%` } }
      : { [types[field] === 'array' ? 'any' : 'in']: { [field]: value } },
  );
  if (Object.values(expected).some((value) => 'length' in value && value.length === 0)) return;
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const params = { query: { filter: { and: conditions } }, fields: key, limit: batchSize };
    const { data, meta } = await store.search({
      ...collection,
      params: { ...params, ...(cursor !== undefined && { cursor }) },
    });
    for (const record of data) yield store.idOf(collection.type, collection.entity, record);
    cursor = meta.cursor;
  }
}
