import type { Collection, StoredRecord } from '../../data/records/index.js';
import { StorageFullError } from './faults.js';
import type { Job } from './types.js';

/** Throws where records would be more than the organization may have; those that are stored already may change. */
export async function requireRoom(
  { claim, dependencies }: Job,
  collection: Collection,
  records: readonly StoredRecord[],
): Promise<void> {
  const { recordsPerOrganization: limit, state, store } = dependencies;
  if (limit === 0 || records.length === 0) return;
  const stored = await state.replicas.countRecords(claim.row.organizationId);
  if (stored + records.length <= limit) return;
  // Looked up only near the limit.
  const added = new Set(records.map((record) => store.idOf(collection.type, collection.entity, record)));
  for (const { id } of await store.get(collection, [...added])) added.delete(id);
  if (added.size > 0 && stored + added.size > limit) throw new StorageFullError(limit);
}
