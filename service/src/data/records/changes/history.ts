import { hash } from 'node:crypto';
import type { StoredRecord } from '../entity.js';
import type { Layout } from '../schema.js';

/**
 * Positions at which a record became visible and stopped being visible, alternating, by reader; those of the record
 * itself have the key `''`.
 */
type Visibility = Readonly<Record<string, readonly number[]>>;

/** The latest change of a record, which stays after the record is deleted, until the retention ends. */
export interface ChangeHead {
  readonly id: string;
  /** Position in the history of the store; unique, and in the order of commits. */
  readonly n: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Digest of the record's values, whatever the table's layout; empty if it is deleted. */
  readonly content: string;
  /** `Visibility` as JSON. */
  readonly visible: string;
}

/** Content of records stored before the service had a history. */
export const unknownContent = '?';

/** A record's values as stored, or its deletion. */
export interface RecordState {
  readonly id: string;
  readonly content: string;
  /** `''` and the record's readers; nothing if it is deleted. */
  readonly holders: readonly string[];
}

export const deletedState = (id: string): RecordState => ({ id, content: '', holders: [] });

/** A digest of the values that does not change when fields without values are added or fields are reordered. */
export function stateOf({ readers }: Layout, id: string, record: StoredRecord): RecordState {
  const values = Object.entries(record).filter(([, value]) => value !== null && value !== undefined);
  values.sort(([one], [other]) => (one < other ? -1 : 1));
  const content = hash('sha256', JSON.stringify(values), 'base64url').slice(0, 22);
  const named = readers ? record[readers.field] : [];
  const holders = Array.isArray(named) ? named.filter((name) => typeof name === 'string' && name !== '') : [];
  return { id, content, holders: ['', ...holders] };
}

/** The record's next latest change; undefined if nothing has changed. */
export function nextHead(
  before: ChangeHead | undefined,
  { id, content, holders }: RecordState,
  { n, at, forgotten }: { readonly n: number; readonly at: number; readonly forgotten: number },
): ChangeHead | undefined {
  if ((before?.content ?? '') === content) return undefined;
  const visible: Record<string, readonly number[]> = {};
  const known = Object.entries(before ? (JSON.parse(before.visible) as Visibility) : {});
  for (const [holder, all] of known) {
    const positions = since(all, forgotten);
    const isHeld = positions.length % 2 === 1;
    if (isHeld !== holders.includes(holder)) visible[holder] = [...positions, n];
    else if (positions.length > 0) visible[holder] = positions;
  }
  for (const holder of holders) visible[holder] ??= [n];
  return { id, n, at, content, visible: JSON.stringify(visible) };
}

/** Positions without what nobody can ask for any more. */
function since(positions: readonly number[], forgotten: number): readonly number[] {
  const past = positions.filter((position) => position <= forgotten);
  return past.length % 2 === 1 ? positions.slice(past.length - 1) : positions.slice(past.length);
}

/** Whether any of the holders could see the record once everything up to a position had happened. */
export function wasVisible({ visible }: ChangeHead, holders: readonly string[], position: number): boolean {
  const positions = JSON.parse(visible) as Visibility;
  return holders.some(
    (holder) =>
      Object.hasOwn(positions, holder) && positions[holder]!.filter((one) => one <= position).length % 2 === 1,
  );
}
