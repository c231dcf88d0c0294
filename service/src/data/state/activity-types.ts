import type { Scope } from './rows.js';

/** Calls in an hour, `YYYY-MM-DDTHH` in UTC, whose duration falls into a bucket of the histogram. */
export interface CallHoursTable {
  organization_id: string;
  connector_id: string;
  hour: string;
  /** The bucket's least duration. */
  duration_ms: number;
  calls: number;
  errors: number;
}

/** What syncs that ended in an hour did. Rows without an entity count the syncs, the others the records. */
export interface SyncHoursTable {
  organization_id: string;
  connector_id: string;
  entity: string;
  hour: string;
  syncs: number;
  failed_syncs: number;
  read: number;
  /** Records inserted, updated or removed. */
  changed: number;
  failed: number;
  /** Records in the replica after the last of these syncs. */
  records: number;
}

/** A row of calls. */
export type CallHour = Omit<CallHoursTable, 'organization_id'>;
/** A row of syncs. */
export type SyncHour = Omit<SyncHoursTable, 'organization_id'>;

/** Calls and synced records by hour, for the last 90 days. */
export interface Activity {
  /** Since when everything has been counted; milliseconds since 1970. */
  since(): Promise<number>;
  /** Calls through the visible connectors, including those of a moment ago. */
  calls(scope: Scope, filter: ActivityFilter): Promise<readonly CallHour[]>;
  /** Syncs of the visible connectors, oldest first. */
  syncs(scope: Scope, filter: ActivityFilter): Promise<readonly SyncHour[]>;
  /** Counts what the audit log contains and deletes old hours; call it before the log is pruned. */
  sweep(): Promise<void>;
}

/** Which hours to read. */
export interface ActivityFilter {
  readonly connectorId?: string | undefined;
  /** The first hour, as `hourOf` returns it. */
  readonly from: string;
}
