import type { Sent } from 'agent-connectors';
import type { Backlog } from '../../common/gauges.js';
import type { Cached } from './access-cache.js';
import type { AccessTokens } from './access-tokens.js';
import type { Activity } from './activity-types.js';
import type { AuditLog, NewAuditEntry, RecordedWithEntry } from './audit/types.js';
import type { Backoffs } from './backoffs.js';
import type { ConnectClients } from './connect-clients.js';
import type { ConsoleSessions } from './console-sessions.js';
import type { Grant, Grants, OAuthApps } from './oauth-types.js';
import type { Plans } from './plan-types.js';
import type { Policies, Policy } from './policy-types.js';
import type { RateLimits } from './rate-limits.js';
import type { Jobs, Replicas } from './replication-types.js';
import type { Client, ConnectorRow, Organization, PageOf, Person, Scope, TokenScope, Workspace } from './rows.js';
import type { Setups } from './setup-types.js';
import type { VendorLimits } from './vendor-limits.js';
import type { Webhooks } from './webhooks/types.js';

/** Values for a new connector. */
export interface NewConnector {
  /** The workspace to create it in. */
  readonly workspaceId: string;
  /** Name, unique in the workspace. */
  readonly name: string;
  /** Connector type. */
  readonly type: string;
  /** What to replicate, and how often. */
  readonly replicationConfig: Readonly<Record<string, unknown>> | null;
  /** Connector-specific settings. */
  readonly settings: Readonly<Record<string, boolean>>;
  /** Credentials, encrypted before they are stored. */
  readonly credentials: Readonly<Record<string, string>> | null;
  /** The vendor's id for the account, if known. */
  readonly account?: string | null | undefined;
}

/** Changes to a connector; undefined fields are unchanged. */
export interface ConnectorChanges {
  readonly name?: string | undefined;
  readonly replicationConfig?: Readonly<Record<string, unknown>> | null | undefined;
  readonly settings?: Readonly<Record<string, boolean>> | undefined;
  readonly credentials?: Readonly<Record<string, string>> | undefined;
  /** The account that the new credentials belong to; unknown if undefined. */
  readonly account?: string | null | undefined;
}

/** Which connectors to list. */
export interface ConnectorFilter extends PageOf {
  readonly workspaceName?: string | undefined;
  readonly type?: string | undefined;
}

/** Quotas per organization; unlimited if undefined. */
export interface Quotas {
  readonly workspacesPerOrganization?: number | undefined;
  readonly connectorsPerOrganization?: number | undefined;
  readonly setupsPerClient?: number | undefined;
  /** Maximum registered apps without a grant. */
  readonly oauthApps?: number | undefined;
  /** Maximum registered apps without a grant per registering address. */
  readonly oauthAppsOfAddress?: number | undefined;
}

export interface Organizations {
  create(name: string): Promise<Organization>;
  /** All organizations: for the operator, never for a tenant. */
  all(): Promise<Organization[]>;
  /** Existing organizations with these ids, in the same order. */
  list(ids: readonly string[]): Promise<Organization[]>;
}

export interface Workspaces {
  /** Throws `StateConflict` if the name is taken, and `QuotaReached` if the quota is reached. */
  create(organizationId: string, name: string): Promise<Workspace>;
  /** A page of workspaces, oldest first. */
  list(
    scope: Scope,
    page: PageOf & { readonly nameContains?: string | undefined },
  ): Promise<{ readonly rows: Workspace[]; readonly next: string | null }>;
  find(scope: Scope, name: string): Promise<Workspace | undefined>;
  /** Also deletes its connectors and their credentials. */
  delete(scope: Scope, name: string): Promise<boolean>;
}

export interface Clients {
  /**
   * The secret is returned only here, since only its hash is stored. If no scopes are given, the client has all of
   * them.
   */
  create(
    name: string,
    organizationIds: readonly string[],
    scopes?: readonly TokenScope[],
    /** The user that all its tokens are bound to. */
    asUser?: Person | null,
  ): Promise<{ readonly client: Client; readonly secret: string }>;
  /** The client, if the secret is correct; takes the same time for an incorrect secret as for an unknown client. */
  verify(id: string, secret: string): Promise<Client | undefined>;
  get(id: string): Promise<Client | undefined>;
  list(): Promise<Client[]>;
  /** Sets the scopes of its tokens, including existing ones; false if the client does not exist. */
  setScopes(id: string, scopes: readonly TokenScope[]): Promise<boolean>;
  /** Binds its tokens and grants, including existing ones, to a user; false if the client does not exist. */
  setUser(id: string, asUser: Person): Promise<boolean>;
  /**
   * Replaces the secret; the previous one stays valid for `overlapMs`. If `endsTokens`, by default without an overlap,
   * the client's tokens, sessions and grants end.
   */
  rollSecret(
    id: string,
    overlapMs: number,
    endsTokens?: boolean,
  ): Promise<{ readonly secret: string; readonly previousUntil: number | null } | undefined>;
  delete(id: string): Promise<boolean>;
}

export interface Connectors {
  /**
   * Stores the row and its credentials in one transaction. Throws `StateConflict` if the name is taken, and
   * `QuotaReached` if the quota is reached.
   */
  create(scope: Scope, connector: NewConnector): Promise<ConnectorRow>;
  list(scope: Scope, filter: ConnectorFilter): Promise<{ readonly rows: ConnectorRow[]; readonly next: string | null }>;
  /** All connectors of a workspace that the scope includes, oldest first. */
  all(scope: Scope, workspaceName: string): Promise<ConnectorRow[]>;
  get(scope: Scope, id: string): Promise<ConnectorRow | undefined>;
  update(scope: Scope, id: string, changes: ConnectorChanges): Promise<ConnectorRow | undefined>;
  /** Deletes the row with its credentials, ledger entries, jobs and replicas. */
  delete(scope: Scope, id: string): Promise<boolean>;
  /** Which of these ids exist, in any organization: for the service itself, never for a tenant. */
  existing(ids: readonly string[]): Promise<ReadonlySet<string>>;
}

/** Connector credentials: encrypted in the database, decrypted only for use by a connector. */
export interface Credentials {
  load(connectorId: string): Promise<Readonly<Record<string, string>> | undefined>;
  /**
   * Replaces these fields and keeps the others; durable once resolved.
   *
   * With `expects`, nothing is changed unless it accepts the stored fields (undefined if the connector has none or was
   * deleted). Returns whether the fields were stored.
   */
  save(
    connectorId: string,
    fields: Readonly<Record<string, string>>,
    expects?: (stored: Readonly<Record<string, string>> | undefined) => boolean,
  ): Promise<boolean>;
  /**
   * Runs `work` exclusively for this connector across all processes.
   *
   * A dead holder blocks others only until its lease expires. A holder that loses its lease is not stopped, so what it
   * stores must not depend on it; see `expects`.
   */
  alone<T>(connectorId: string, work: () => Promise<T>): Promise<T>;
}

/** A write that a client identified with an `Idempotency-Key`. */
export interface LedgerKey {
  readonly clientId: string;
  readonly connectorId: string;
  readonly entity: string;
  readonly action: string;
  readonly key: string;
}

/** A write that a request executes. */
export interface StartedWrite extends LedgerKey {
  /** Random id of the request: another request with the same key, even in the same process, has another. */
  readonly attempt: string;
}

/** State of a key when a request arrives with it. */
export type LedgerEntry =
  /**
   * The caller executes it; `isResumed` if an earlier request began it, `sent` if that request may have sent it to the
   * vendor.
   */
  | {
      readonly state: 'begun';
      readonly write: StartedWrite;
      readonly isResumed: boolean;
      readonly sent?: Sent | undefined;
    }
  /** The same request is in progress. */
  | { readonly state: 'in_flight' }
  /** The key was used with a different body. */
  | { readonly state: 'other_body' }
  /** Completed with this status and body. */
  | { readonly state: 'done'; readonly status: number; readonly body: string };

/** What a call stores along with its response. */
export interface CallRecord extends RecordedWithEntry {
  /** The audit entry for the outcome. */
  readonly entry?: NewAuditEntry | undefined;
}

export interface Ledger {
  /** Looks a key up. The write that begins is stored by `hold` or `sending`; until then, only this process knows it. */
  begin(key: LedgerKey, bodyHash: string): Promise<LedgerEntry>;
  /**
   * Stores what is about to be sent, and the audit entry that opens the call, whose number it returns. Throws
   * `StateConflict` if another request executes the write, in which case it must not be sent.
   */
  sending(write: StartedWrite, sent: Sent, opening?: NewAuditEntry): Promise<number | undefined>;
  /**
   * Call right before each request is sent; throws `StateConflict` if another request may have taken the write over.
   * Queries the database only if other processes may have considered this one dead in the meantime.
   */
  confirm(write: StartedWrite): Promise<void>;
  /**
   * Stores the write and keeps others from taking it over until the current transaction ends; throws `StateConflict`
   * if one already has.
   */
  hold(write: StartedWrite): Promise<void>;
  /**
   * Stores the response, along with what else is given; like `release` and `forget`, does not change the ledger if
   * another request has taken the write over.
   */
  finish(write: StartedWrite, status: number, body: string, more?: CallRecord): Promise<void>;
  /** The write is no longer being executed and its outcome is unknown; a later request with the key can resolve it. */
  release(write: StartedWrite): Promise<void>;
  /** Nothing was done, so the key can be reused; returns false if another request has taken the write over. */
  forget(write: StartedWrite): Promise<boolean>;
  /** Deletes entries older than 24 hours. */
  sweep(): Promise<void>;
}

/**
 * The rows that decide what a caller may do, cached: another process's change takes effect within half a second, this
 * process's own at once.
 */
export interface AccessRows {
  /** A number that changes with each change of these rows; throws without contact to the database. */
  revision(): Promise<number>;
  client(id: string): Cached<Client>;
  /** A grant that has been redeemed and has neither been revoked nor expired. Records its use. */
  grant(organizationId: string, id: string): Cached<Grant>;
  connector(scope: Scope, id: string): Cached<ConnectorRow>;
  /** A workspace with its connectors; without a name, the scope's only or oldest one. */
  workspace(scope: Scope, name: string | undefined): Promise<WorkspaceListing | undefined>;
  /** All policies that a call through a connector must satisfy; undefined if the connector does not exist. */
  policies(row: Pick<ConnectorRow, 'id' | 'organizationId' | 'workspaceId'>): Cached<readonly Policy[]>;
}

/** A workspace with what its callers may use. */
export interface WorkspaceListing {
  readonly workspace: Workspace;
  /** The connectors that the scope includes, oldest first. */
  readonly connectors: readonly ConnectorRow[];
  /** Its policies as JSON, to notice changes. */
  readonly policies: string;
}

/** A sealed entry with tenant data: a write stored for replay, or a plan. */
export interface SealedEntry {
  readonly kind: 'write' | 'plan';
  readonly id: string;
  readonly organizationId: string;
  readonly connectorId: string;
  /** What was sent or planned, and the response, if any. */
  readonly content: unknown;
  /** False for a write in progress, whose entry is needed to find out whether it was executed. */
  readonly isErasable: boolean;
}

/** Sealed entries of an organization. */
export interface SealedEntries {
  all(organizationId: string): AsyncIterable<SealedEntry>;
  /** Deletes a plan, or what a write sent and received; a repeated write is still not executed again. */
  erase(entry: SealedEntry): Promise<void>;
}

/** Everything the service stores except the replica of vendor data. */
export interface State {
  /** The rows that decide what a caller may do, cached. */
  readonly access: AccessRows;
  /** The tenants. */
  readonly organizations: Organizations;
  /** Groups of connectors within an organization. */
  readonly workspaces: Workspaces;
  /** Clients and digests of their secrets. */
  readonly clients: Clients;
  /** Tokens that have been issued. */
  readonly accessTokens: AccessTokens;
  /** Connectors without their credentials. */
  readonly connectors: Connectors;
  /** Encrypted credentials. */
  readonly credentials: Credentials;
  /** Writes by `Idempotency-Key`. */
  readonly ledger: Ledger;
  /** Replication state per entity. */
  readonly replicas: Replicas;
  /** Replication jobs. */
  readonly jobs: Jobs;
  /** Pauses for failing vendors and credentials. */
  readonly backoffs: Backoffs;
  /** Sessions of the console. */
  readonly consoleSessions: ConsoleSessions;
  /** OAuth apps. */
  readonly oauthApps: OAuthApps;
  /** OAuth grants. */
  readonly grants: Grants;
  /** Browser setups. */
  readonly setups: Setups;
  /** The audit log. */
  readonly audit: AuditLog;
  /** Calls and syncs by hour. */
  readonly activity: Activity;
  /** Policies. */
  readonly policies: Policies;
  /** Prepared writes. */
  readonly plans: Plans;
  /** Stored writes and plans, for an operator who exports or erases their contents. */
  readonly sealedEntries: SealedEntries;
  /** Clients' return origins and signing keys. */
  readonly connectClients: ConnectClients;
  /** Webhook endpoints and their outbox. */
  readonly webhooks: Webhooks;
  /** Rate limits shared by processes; undefined in SQLite, where each process has its own. */
  readonly rateLimits: RateLimits | undefined;
  /** Vendor limits shared by processes; undefined in SQLite, where each process counts its own requests. */
  readonly vendorLimits: VendorLimits | undefined;
  /** Runs `work` in a transaction, which is rolled back if it throws; excludes other work with the same name. */
  atomically<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Claims periodic work; false if a process has claimed it in the last `ms` milliseconds. */
  claim(work: string, ms: number): Promise<boolean>;
  /** Reloads the master keys from their source; if they do not decrypt the data, throws and keeps the current ones. */
  reloadKeys(): Promise<void>;
  /** Counts pending jobs and webhook deliveries across all organizations; connectors of other types have no jobs. */
  backlog(types: readonly string[]): Promise<Omit<Backlog, 'passages'>>;
  /** Resolves if the database responds; otherwise throws its error. */
  ping(): Promise<void>;
  /** Closes the database. */
  close(): Promise<void>;
}
