import type { Sent } from 'agent-connectors';
import type { Backlog } from '../../common/gauges.js';
import type { AuditLog } from './audit/types.js';
import type { ConnectClients } from './connect-clients.js';
import type { ConsoleSessions } from './console-sessions.js';
import type { Grants, OAuthApps } from './oauth-types.js';
import type { Plans } from './plan-types.js';
import type { Policies } from './policy-types.js';
import type { RateLimits } from './rate-limits.js';
import type { Jobs, Replicas } from './replication-types.js';
import type { Client, ConnectorRow, Organization, PageOf, Person, Scope, TokenScope, Workspace } from './rows.js';
import type { Setups } from './setup-types.js';
import type { Webhooks } from './webhooks/types.js';

/** What a connector is made with. */
export interface NewConnector {
  /** Workspace that it belongs to. */
  readonly workspaceId: string;
  /** Name, unique in the workspace. */
  readonly name: string;
  /** Name of the connector’s type. */
  readonly type: string;
  /** What is replicated, and how often. */
  readonly replicationConfig: Readonly<Record<string, unknown>> | null;
  /** Settings of the type’s own. */
  readonly settings: Readonly<Record<string, boolean>>;
  /** Credentials; sealed before they are stored. */
  readonly credentials: Readonly<Record<string, string>> | null;
  /** The vendor’s id of the account, where it is known. */
  readonly account?: string | null | undefined;
}

/** What of a connector can be changed; what is left out stays. */
export interface ConnectorChanges {
  readonly name?: string | undefined;
  readonly replicationConfig?: Readonly<Record<string, unknown>> | null | undefined;
  readonly settings?: Readonly<Record<string, boolean>> | undefined;
  readonly credentials?: Readonly<Record<string, string>> | undefined;
  /** The account of new credentials; not known when left out. */
  readonly account?: string | null | undefined;
}

/** Which connectors to list. */
export interface ConnectorFilter extends PageOf {
  readonly workspaceName?: string | undefined;
  readonly type?: string | undefined;
}

/** How much one organization may have; any number where it is left out. */
export interface Quotas {
  readonly workspacesPerOrganization?: number | undefined;
  readonly connectorsPerOrganization?: number | undefined;
  readonly setupsPerClient?: number | undefined;
  /** Registered apps that no person has let in. */
  readonly oauthApps?: number | undefined;
  /** Of these, those registered from one address. */
  readonly oauthAppsOfAddress?: number | undefined;
}

export interface Organizations {
  create(name: string): Promise<Organization>;
  /** Every one there is: for whoever runs the service, never for a tenant. */
  all(): Promise<Organization[]>;
  /** Those of these ids that exist, in their order. */
  list(ids: readonly string[]): Promise<Organization[]>;
}

export interface Workspaces {
  /** A name that is taken is a `StateConflict`, one workspace too many a `QuotaReached`. */
  create(organizationId: string, name: string): Promise<Workspace>;
  /** A page of them, the oldest first. */
  list(
    scope: Scope,
    page: PageOf & { readonly nameContains?: string | undefined },
  ): Promise<{ readonly rows: Workspace[]; readonly next: string | null }>;
  find(scope: Scope, name: string): Promise<Workspace | undefined>;
  /** Its connectors and their credentials go with it. */
  delete(scope: Scope, name: string): Promise<boolean>;
}

export interface Clients {
  /** The secret is given here and never again: only its hash is stored. A client without scopes has all. */
  create(
    name: string,
    organizationIds: readonly string[],
    scopes?: readonly TokenScope[],
    /** The person that all its tokens are bound to. */
    asUser?: Person | null,
  ): Promise<{ readonly client: Client; readonly secret: string }>;
  /** The client, when the secret is its own; takes as long for a wrong secret as for an unknown client. */
  verify(id: string, secret: string): Promise<Client | undefined>;
  get(id: string): Promise<Client | undefined>;
  list(): Promise<Client[]>;
  /** Sets what its tokens may do, those too that it has; false where there is no such client. */
  setScopes(id: string, scopes: readonly TokenScope[]): Promise<boolean>;
  /** Replaces the secret; the one before is good for so many milliseconds more, and without any its sessions end. */
  rollSecret(
    id: string,
    overlapMs: number,
  ): Promise<{ readonly secret: string; readonly previousUntil: number | null } | undefined>;
  delete(id: string): Promise<boolean>;
}

export interface Connectors {
  /** Row and credentials in one transaction. A name that the workspace has already is a `StateConflict`, one connector too many a `QuotaReached`. */
  create(scope: Scope, connector: NewConnector): Promise<ConnectorRow>;
  list(scope: Scope, filter: ConnectorFilter): Promise<{ readonly rows: ConnectorRow[]; readonly next: string | null }>;
  get(scope: Scope, id: string): Promise<ConnectorRow | undefined>;
  update(scope: Scope, id: string, changes: ConnectorChanges): Promise<ConnectorRow | undefined>;
  /** Removes the row, the credentials, the ledger's rows, jobs and what is known of replicas. */
  delete(scope: Scope, id: string): Promise<boolean>;
  /** Those of these ids that there are connectors of, whoever's: for the service itself, never for a tenant. */
  existing(ids: readonly string[]): Promise<ReadonlySet<string>>;
}

/** Credentials of connectors: sealed in the database, open only on their way to a connector. */
export interface Credentials {
  load(connectorId: string): Promise<Readonly<Record<string, string>> | undefined>;
  /** Replaces these fields and keeps the others; done when it is on disk. */
  save(connectorId: string, fields: Readonly<Record<string, string>>): Promise<void>;
  /**
   * Runs `work` while no other process that uses the same data does so for this connector.
   *
   * A holder that died is waited for no longer than its lease.
   */
  alone<T>(connectorId: string, work: () => Promise<T>): Promise<T>;
}

/** One write that a client named with an `Idempotency-Key`. */
export interface LedgerKey {
  readonly clientId: string;
  readonly connectorId: string;
  readonly entity: string;
  readonly action: string;
  readonly key: string;
}

/** What the ledger knows of a key when a request comes with it. */
export type LedgerEntry =
  /** It is this caller's to carry out; `sent` is there where the vendor may have been sent it before. */
  | { readonly state: 'begun'; readonly sent?: Sent | undefined }
  /** The same request is being carried out. */
  | { readonly state: 'in_flight' }
  /** Another body came with this key before. */
  | { readonly state: 'other_body' }
  /** It has been answered: with this status and body. */
  | { readonly state: 'done'; readonly status: number; readonly body: string };

export interface Ledger {
  begin(key: LedgerKey, bodyHash: string): Promise<LedgerEntry>;
  /** Keeps what is about to be sent; throws where the write is another process's by now, and must not be sent. */
  sending(key: LedgerKey, sent: Sent): Promise<void>;
  finish(key: LedgerKey, status: number, body: string): Promise<void>;
  /** Nobody carries it out any more, and its outcome is not known: whoever comes with the key may find out. */
  release(key: LedgerKey): Promise<void>;
  /** Nothing was done, so that the key can be used again. */
  forget(key: LedgerKey): Promise<void>;
  /** Takes out what is older than 24 hours. */
  sweep(): Promise<void>;
}

/** All that the service keeps, apart from the replica of vendors' data. */
export interface State {
  /** Organizations. */
  readonly organizations: Organizations;
  /** Workspaces. */
  readonly workspaces: Workspaces;
  /** Clients and their secrets’ digests. */
  readonly clients: Clients;
  /** Connectors without their credentials. */
  readonly connectors: Connectors;
  /** Sealed credentials. */
  readonly credentials: Credentials;
  /** Writes by `Idempotency-Key`. */
  readonly ledger: Ledger;
  /** How far each replica is. */
  readonly replicas: Replicas;
  /** Jobs of replication. */
  readonly jobs: Jobs;
  /** Sessions of the console. */
  readonly consoleSessions: ConsoleSessions;
  /** Apps that ask for OAuth grants. */
  readonly oauthApps: OAuthApps;
  /** What people have let apps do. */
  readonly grants: Grants;
  /** Setups in a browser. */
  readonly setups: Setups;
  /** What was done. */
  readonly audit: AuditLog;
  /** What may be done. */
  readonly policies: Policies;
  /** Writes that were prepared. */
  readonly plans: Plans;
  /** Return origins and signing keys of clients. */
  readonly connectClients: ConnectClients;
  /** Endpoints, and the outbox of what is sent to them. */
  readonly webhooks: Webhooks;
  /** Rate limits that processes share; absent in SQLite, where each process counts by itself. */
  readonly rateLimits: RateLimits | undefined;
  /** All that `work` changes or, where it throws, nothing of it; nothing else with the same name is done meanwhile. */
  atomically<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Reads the master keys again where they came from; throws where they do not open what is there, and keeps those of before. */
  reloadKeys(): Promise<void>;
  /** Counts jobs and webhook deliveries that wait, of all organizations; connectors of other types than these have no jobs. */
  backlog(types: readonly string[]): Promise<Omit<Backlog, 'passages'>>;
  /** Whether the database answers; throws what it says otherwise. */
  ping(): Promise<void>;
  /** Closes the database. */
  close(): Promise<void>;
}
