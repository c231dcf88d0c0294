import type * as z from 'zod';
import type { Metrics, Telemetry } from '../../common/telemetry.js';
import type { Scope, TokenScope } from '../../data/state/rows.js';
import type { State } from '../../data/state/types.js';
import type { Tokens } from '../../domain/accounts/tokens.js';
import type { AddressPolicy } from '../../domain/connectors/credentials.js';
import type { Definitions } from '../../domain/connectors/definitions.js';
import type { Gate, RecordReader } from '../../domain/connectors/gate.js';
import type { Instances, Quotas } from '../../domain/connectors/instances.js';
import type { Readiness } from '../../domain/connectors/readiness.js';
import type { Searches } from '../../domain/connectors/search.js';
import type { Admission, RequestAdmission } from '../../domain/limits/admission.js';
import type { Engine } from '../../domain/replication/engine.js';
import type { WriteThrough } from '../../domain/replication/write-through.js';
import type { Attempts } from './attempts.js';
import type { Authenticate, Caller } from './authenticate.js';

/** What every route works with. */
export interface Services {
  readonly state: State;
  readonly definitions: Definitions;
  readonly tokens: Tokens;
  readonly authenticate: Authenticate;
  readonly instances: Instances;
  readonly quotas: Quotas;
  readonly searches: Searches;
  readonly writeThrough: WriteThrough;
  readonly readiness: Readiness;
  readonly records: RecordReader;
  readonly gate: Gate;
  readonly engine: Engine;
  readonly policy: AddressPolicy;
  readonly metrics: Metrics;
  readonly telemetry: Telemetry;
  readonly attempts: Attempts;
  readonly admission: Admission;
  /** Sends what the outbox has, and tells whether an endpoint may be sent to. */
  readonly webhooks: { readonly wake: () => void; checkUrl(url: URL): Promise<void> };
  /** Whether the service is being stopped, and takes no more requests. */
  readonly isStopping: () => boolean;
  /** Whether metrics are shown to this machine without a token. */
  readonly localMetrics: boolean;
  readonly maxBodyBytes: number;
  readonly now: () => number;
  /** Reports a failure that the caller is told nothing of. */
  readonly report: (error: unknown, requestId: string) => void;
}

/** What one request brings. */
export interface Call<Body = unknown, Query = unknown> {
  readonly request: Request;
  readonly requestId: string;
  readonly params: Readonly<Record<string, string>>;
  readonly body: Body;
  readonly query: Query;
  /** Who asks; of routes that need a token only. */
  readonly caller: Caller;
  /** For whom; of routes that need an organisation only. */
  readonly scope: Scope;
  /** Where the request came from, as far as that is known. */
  readonly address: string | undefined;
  readonly admission: Pick<RequestAdmission, 'countAttempt' | 'countWrongSecret'>;
  readonly services: Services;
}

/** Who may ask: anyone, any client, a client for one organisation, or one whose token is not for one workspace alone. */
export type Access = 'anyone' | 'client' | 'organization' | 'account';

/** One route: all that the app, the checks and the reference need to know of it. */
export interface Route<Body = any, Query = any> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With parameters in braces. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly access: Access;
  /** The scope that the token needs: one, that of the action's effect (checked by the gate), or none. */
  readonly tokenScope: TokenScope | 'effect' | null;
  /** Whether it may be used on behalf of a person: it tells nothing of records, or only what the person may see. */
  readonly forPersons?: boolean | undefined;
  readonly body?: z.core.$ZodType<Body> | undefined;
  /** Whether the body may be left out, which is as good as an empty object. */
  readonly optionalBody?: boolean | undefined;
  /** A form that is taken in place of JSON, and how it is read into such a body. */
  readonly form?:
    | { readonly schema: z.core.$ZodType; read(request: Request, reserve: (bytes: number) => void): Promise<unknown> }
    | undefined;
  readonly query?: z.core.$ZodType<Query> | undefined;
  /** JSON of a good answer. */
  readonly response?: z.core.$ZodType | undefined;
  /** Other media of a good answer. */
  readonly media?: readonly string[] | undefined;
  /** Headers that it reads beside the usual ones, with what each is for. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Statuses of its own errors, beside those of every route. */
  readonly errors?: readonly number[] | undefined;
  /** Gives what becomes the JSON body, or a whole response. */
  readonly handle: (call: Call<Body, Query>) => unknown;
}

/** Declares a route. */
export const route = <B extends z.core.$ZodType, Q extends z.core.$ZodType>(
  spec: Omit<Route, 'body' | 'query' | 'handle'> & {
    readonly body?: B;
    readonly query?: Q;
    readonly handle: (call: Call<z.output<B>, z.output<Q>>) => unknown;
  },
): Route => spec;
