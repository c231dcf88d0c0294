/** What was done, as the audit log keeps it; parameters only as a digest. */
export interface AuditEntry {
  readonly organization_id: string;
  /** Place in the log of its organisation, from 1 on without a gap. */
  readonly seq: number;
  /** ISO 8601. */
  readonly at: string;
  /** `execute`, a sign-in, or a change of what the service holds, such as `connector.created`. */
  readonly event: string;
  readonly workspace_id: string | null;
  readonly connector_id: string | null;
  readonly connector_type: string | null;
  /** The client that asked; null for what the service did by itself. */
  readonly client_id: string | null;
  /** The way in: `http`, `mcp`, `console`, `setup` or `oauth`. */
  readonly via: string;
  readonly entity: string | null;
  readonly action: string | null;
  readonly effect: string | null;
  /** A digest of the parameters with a key of the service: equal ones are seen to be equal, and nothing more is told. */
  readonly params_digest: string | null;
  /** Why, in the caller's own words. */
  readonly intent: string | null;
  /** `begun`, `success`, or the code of an error. */
  readonly outcome: string;
  /** Of an outcome: the entry that said what was begun. */
  readonly begun_as: number | null;
  readonly duration_ms: number | null;
  readonly request_id: string | null;
  /** Where the request came from; null where that is not known, and for what the service did by itself. */
  readonly address: string | null;
  /** What it is about besides the connector: the id of a plan, of a client or of an OAuth grant; null for nothing else. */
  readonly subject: string | null;
  /** Digest of the entry before this one, and of this one with it. */
  readonly previous: string;
  readonly digest: string;
}

/** An entry as it is handed in. */
export type NewAuditEntry = Omit<AuditEntry, 'seq' | 'at' | 'previous' | 'digest'>;

/** Which entries to read, the newest first. */
export interface AuditFilter {
  readonly organizationId: string;
  readonly workspaceId?: string | undefined;
  readonly connectorId?: string | undefined;
  /** Only what worked, or only what was begun and did not. */
  readonly outcome?: 'success' | 'failure' | undefined;
  /** ISO 8601: only entries from then on. */
  readonly from?: string | undefined;
  /** ISO 8601: only entries before then. */
  readonly to?: string | undefined;
  /** Only entries before this place. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/** What a check of the log found. */
export interface AuditVerdict {
  readonly organization_id: string;
  /** So many were checked. */
  readonly entries: number;
  /** The oldest that was checked: those before it were removed because of their age. */
  readonly first: number | null;
  /** The first whose digest only the service can compute; a release before made those before it, of which the last is known. */
  readonly keyed_from: number | null;
  /** The newest entry: who keeps it elsewhere can tell later that nothing before it was changed or cut off. */
  readonly head: { readonly seq: number; readonly digest: string } | null;
  /** The first entry that is not as it was written, or is missing. */
  readonly broken: { readonly seq: number; readonly reason: string } | null;
}

/** A log of what was done, which nobody can change unnoticed: each entry's digest covers the one before. */
export interface AuditLog {
  /** On disk when this comes back; throws where the disk refuses. */
  record(entry: NewAuditEntry): Promise<AuditEntry>;
  /** On disk soon; what it is about has been done already. */
  recordSoon(entry: NewAuditEntry): void;
  /** Writes at once what waits. */
  flush(): Promise<void>;
  list(filter: AuditFilter): Promise<AuditEntry[]>;
  /** Reads all of an organisation's log; `head` is one that an earlier check gave. */
  verify(organizationId: string, head?: AuditVerdict['head']): Promise<AuditVerdict>;
  /** Reads the log from its beginning on. */
  entries(filter: Pick<AuditFilter, 'organizationId' | 'from' | 'to'>): AsyncIterable<AuditEntry>;
  /** Removes entries that are older than a moment (ISO 8601), and counts them; a log that does not verify is left as it is. */
  prune(before: string): Promise<number>;
  /** Opens the file that entries are appended to anew, after it was renamed. */
  reopen(): Promise<void>;
  /** The same digest for the same parameters, in whatever order their names come. */
  digestOf(params: unknown): string;
  close(): Promise<void>;
}
