import type { AuditEntryResponse, AuditVerdictResponse, ResponseOf } from 'agent-connectors/wire';
import type { WrittenRecords } from '../replication-types.js';

/** An audit log entry. Parameters are stored only as a digest. */
export interface AuditEntry extends ResponseOf<typeof AuditEntryResponse> {
  readonly organization_id: string;
}

/** A new entry. */
export type NewAuditEntry = Omit<AuditEntry, 'seq' | 'at' | 'previous' | 'digest'>;

/** Which entries to read, newest first. */
export interface AuditFilter {
  readonly organizationId: string;
  readonly workspaceId?: string | undefined;
  readonly connectorId?: string | undefined;
  /** Only successful calls, or only calls that started and then failed. */
  readonly outcome?: 'success' | 'failure' | undefined;
  /** ISO 8601, inclusive. */
  readonly from?: string | undefined;
  /** ISO 8601, exclusive. */
  readonly to?: string | undefined;
  /** Only entries before this sequence number. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/** Result of a verification. */
export interface AuditVerdict extends ResponseOf<typeof AuditVerdictResponse> {
  readonly organization_id: string;
}

/** What is stored along with an entry: the entry that opens the call, and the records that the call has written. */
export interface RecordedWithEntry {
  readonly opening?: NewAuditEntry | undefined;
  readonly written?: readonly WrittenRecords[] | undefined;
}

/** A tamper-evident log: each entry's digest covers the previous one. */
export interface AuditLog {
  /** Durable once resolved, along with what else is given; throws if the write fails. */
  record(entry: NewAuditEntry, more?: RecordedWithEntry): Promise<AuditEntry>;
  /** Written shortly afterwards; for actions that have already happened. */
  recordSoon(entry: NewAuditEntry): void;
  /** Writes pending entries now. */
  flush(): Promise<void>;
  list(filter: AuditFilter): Promise<AuditEntry[]>;
  /** Verifies an organization's whole log; `head` comes from an earlier verification. */
  verify(organizationId: string, head?: AuditVerdict['head']): Promise<AuditVerdict>;
  /** Reads the log from its beginning. */
  entries(filter: Pick<AuditFilter, 'organizationId' | 'from' | 'to'>): AsyncIterable<AuditEntry>;
  /**
   * Deletes entries older than `before` (ISO 8601) and returns how many; a log that fails verification is not pruned.
   */
  prune(before: string): Promise<number>;
  /** Reopens the log file after rotation. */
  reopen(): Promise<void>;
  /** Digest of the service's own values, independent of key order. */
  digestOf(params: unknown): string;
  /** The same for a caller's parameters; yields to other requests if they are long. */
  digestOfInput(params: unknown): Promise<string>;
  close(): Promise<void>;
}
