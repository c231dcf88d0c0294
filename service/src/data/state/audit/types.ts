/** An audit log entry. Parameters are stored only as a digest. */
export interface AuditEntry {
  readonly organization_id: string;
  /** Sequence number in the organization's log, starting at 1, without gaps. */
  readonly seq: number;
  /** ISO 8601. */
  readonly at: string;
  /** `execute`, a sign-in, or a change such as `connector.created`. */
  readonly event: string;
  readonly workspace_id: string | null;
  readonly connector_id: string | null;
  readonly connector_type: string | null;
  /** The calling client; null for the service itself. */
  readonly client_id: string | null;
  /** The interface: `http`, `mcp`, `console`, `setup` or `oauth`. */
  readonly via: string;
  readonly entity: string | null;
  readonly action: string | null;
  readonly effect: string | null;
  /** Keyed digest of the parameters: reveals only whether two are equal. */
  readonly params_digest: string | null;
  /** The caller's stated reason. */
  readonly intent: string | null;
  /** `begun`, `success`, or an error code. */
  readonly outcome: string;
  /** For an outcome: the entry that recorded the start. */
  readonly begun_as: number | null;
  readonly duration_ms: number | null;
  readonly request_id: string | null;
  /** Remote address of the request; null if unknown or for the service itself. */
  readonly address: string | null;
  /** Subject other than the connector: the id of a plan, a client or an OAuth grant; otherwise null. */
  readonly subject: string | null;
  /** Digest of the previous entry, and this entry's digest, which covers it. */
  readonly previous: string;
  readonly digest: string;
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
export interface AuditVerdict {
  readonly organization_id: string;
  /** Number of verified entries. */
  readonly entries: number;
  /** The oldest verified entry; earlier ones were deleted because of their age. */
  readonly first: number | null;
  /** The newest entry: store it elsewhere to prove later that no earlier entry was changed or removed. */
  readonly head: { readonly seq: number; readonly digest: string } | null;
  /** The first altered or missing entry. */
  readonly broken: { readonly seq: number; readonly reason: string } | null;
}

/** A tamper-evident log: each entry's digest covers the previous one. */
export interface AuditLog {
  /** Durable once resolved; throws if the write fails. */
  record(entry: NewAuditEntry): Promise<AuditEntry>;
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
  /** Digest of parameters, independent of key order. */
  digestOf(params: unknown): string;
  close(): Promise<void>;
}
