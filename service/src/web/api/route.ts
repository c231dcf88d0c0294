import type { ResponseOf } from 'agent-connectors/wire';
import type * as z from 'zod';
import type { Metrics, Telemetry } from '../../common/telemetry.js';
import type { Resource } from '../../data/state/oauth-types.js';
import type { Client, Person, Scope, TokenScope } from '../../data/state/rows.js';
import type { State } from '../../data/state/types.js';
import type { Tokens } from '../../domain/accounts/tokens.js';
import type { CallerToken } from '../../domain/audit/record-audit.js';
import type { AccessWatch } from '../../domain/calls/access-watch.js';
import type { Definitions } from '../../domain/connectors/definitions.js';
import type { Gate } from '../../domain/connectors/gate.js';
import type { AddressPolicy, Instances, VendorUsage } from '../../domain/connectors/instances.js';
import type { Readiness } from '../../domain/connectors/readiness.js';
import type { RecordReader } from '../../domain/connectors/record-reader.js';
import type { Searches } from '../../domain/connectors/search.js';
import type { Admission, RequestAdmission } from '../../domain/limits/admission.js';
import type { MemoryBudget } from '../../domain/limits/memory.js';
import type { StorageLimits } from '../../domain/limits/storage.js';
import type { ReplicationEngine } from '../../domain/replication/engine.js';
import type { WriteThrough } from '../../domain/replication/write-through.js';
import type { Attempts } from './attempts.js';

/** The authenticated caller. */
export interface Caller {
  readonly client: Client;
  readonly kind: 'app' | 'scoped';
  /** The OAuth grant of the token. */
  readonly grantId?: string | undefined;
  readonly token?: CallerToken | undefined;
  readonly scopes: readonly TokenScope[];
  /** The user whose access determines which records can be read; null for no limit. */
  readonly asUser: Person | null;
  /** Undefined if the client has several organizations and did not specify one. */
  readonly scope: Scope | undefined;
}

/** Authenticates a request by its headers; a grant's token is valid for one resource only. */
export type Authenticate = (headers: Headers, resource?: Resource) => Promise<Caller>;

/** Dependencies of every route. */
export interface Services {
  readonly state: State;
  readonly definitions: Definitions;
  readonly tokens: Tokens;
  readonly authenticate: Authenticate;
  readonly instances: Instances;
  readonly quotas: VendorUsage;
  readonly searches: Searches;
  readonly writeThrough: WriteThrough;
  readonly readiness: Readiness;
  readonly records: RecordReader;
  readonly gate: Gate;
  readonly accessWatch: AccessWatch;
  readonly engine: ReplicationEngine;
  readonly addressPolicy: AddressPolicy;
  readonly metrics: Metrics;
  readonly telemetry: Telemetry;
  readonly attempts: Attempts;
  readonly memory: MemoryBudget;
  readonly storage: StorageLimits;
  readonly admission: Admission;
  /** Wakes the dispatcher, and checks endpoint URLs. */
  readonly webhooks: { readonly wake: () => void; checkUrl(url: URL): Promise<void> };
  /** Counts the nodes of a cluster that store records; undefined without a cluster. */
  readonly nodes: () => Promise<{ readonly available: number; readonly total: number } | undefined>;
  /** Whether the service is stopping and no longer accepts requests. */
  readonly isStopping: () => boolean;
  /** Whether requests to `/metrics` from this machine are allowed without a token. */
  readonly localMetrics: boolean;
  readonly maxBodyBytes: number;
  readonly now: () => number;
  /** Reports a failure that the caller does not see. */
  readonly report: (error: unknown, requestId: string) => void;
}

/** A validated request. */
export interface Call<Body = unknown, Query = unknown> {
  readonly request: Request;
  readonly requestId: string;
  readonly params: Readonly<Record<string, string>>;
  readonly body: Body;
  readonly query: Query;
  /** The caller; set only on routes that need a token. */
  readonly caller: Caller;
  /** The scope; set only on routes that need an organization. */
  readonly scope: Scope;
  /** Remote address, if known. */
  readonly address: string | undefined;
  readonly admission: Pick<RequestAdmission, 'countAttempt' | 'countCalls' | 'countWrongSecret'>;
  readonly services: Services;
}

/**
 * Required access: none, any client, a client in one organization, or one whose token is not limited to a workspace.
 */
export type RequiredAccess = 'anyone' | 'client' | 'organization' | 'account';

/** A route: everything the app, validation and API reference need. */
export interface Route<Body = any, Query = any> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With parameters in braces. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly access: RequiredAccess;
  /** The required scope: a fixed one, the one for the action's effect (checked by the gate), or none. */
  readonly tokenScope: TokenScope | 'effect' | null;
  /**
   * Whether it can be called on behalf of a user, because it returns either no records or only those the user is
   * allowed to see.
   */
  readonly forPersons?: boolean | undefined;
  /** False if only the gate records what it does, or nothing is recorded; by default, all but GET routes make changes. */
  readonly isChange?: false | undefined;
  /** Whether requests without a token count against the limit of their address. */
  readonly isLimited?: boolean | undefined;
  readonly body?: z.core.$ZodType<Body> | undefined;
  /** Whether the body may be omitted (treated as an empty object). */
  readonly optionalBody?: boolean | undefined;
  /** A form accepted instead of JSON, and how to convert it to the JSON body. */
  readonly form?:
    | { readonly schema: z.core.$ZodType; read(request: Request, reserve: (bytes: number) => void): Promise<unknown> }
    | undefined;
  readonly query?: z.core.$ZodType<Query> | undefined;
  /** Schema of a successful JSON response. */
  readonly response?: z.core.$ZodType | undefined;
  /** Additional media types for a successful response. */
  readonly media?: readonly string[] | undefined;
  /** Additional request headers and their descriptions. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Error statuses specific to this route, in addition to those common to all routes. */
  readonly errors?: readonly number[] | undefined;
  /** Returns the body, as a value or as its JSON, or a complete response. */
  readonly handle: (call: Call<Body, Query>) => unknown;
}

/** A route whose handler gets what its schemas accept, and returns what its response schema documents. */
export const route = <
  B extends z.core.$ZodType,
  Q extends z.core.$ZodType,
  R extends z.core.$ZodType,
  const Answer extends ResponseOf<R>,
>(
  spec: Omit<Route, 'body' | 'query' | 'response' | 'handle'> & {
    readonly body?: B;
    readonly query?: Q;
    readonly response?: R;
    readonly handle: (
      call: Call<z.output<B>, z.output<Q>>,
    ) => Answer | Uint8Array[] | Response | Promise<Answer | Uint8Array[] | Response>;
  },
): Route => spec;
