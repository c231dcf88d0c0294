import type { Collection } from '../../data/records/index.js';
import type { Person } from '../../data/state/rows.js';
import type { Permit, RecordReader } from './gate.js';

/**
 * The user a search was limited to and the number of hidden records. That number does not depend on the search, so it
 * reveals nothing about them.
 */
export async function boundMeta(
  { email }: Person,
  permit: Permit,
  records: RecordReader,
  { connectorId, type, entity }: Collection,
): Promise<{ readonly as_user: BoundMeta }> {
  const left_out = await records.countHidden(permit, { connectorId, type, entity });
  return { as_user: { email, left_out } };
}

/** Metadata of a search on behalf of a user. */
export interface BoundMeta {
  readonly email: string;
  /** Records that the user cannot see or whose access is unknown; null if counting takes too long. */
  readonly left_out: number | null;
}

/** Sums up the hidden records of all searched targets. */
export function boundMetaOf(targets: ReadonlyArray<{ readonly as_user?: BoundMeta | undefined }>): {
  readonly as_user?: BoundMeta;
} {
  const all = targets.flatMap(({ as_user }) => as_user ?? []);
  if (all.length === 0) return {};
  const counts = all.map(({ left_out }) => left_out);
  const left_out = counts.includes(null) ? null : counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  return { as_user: { email: all[0]!.email, left_out } };
}
