import type { Settings } from '../action/action.js';
import type { TokenRefresh, TokenStore } from '../auth/scheme.js';
import { ConnectorError } from '../errors/connector-error.js';
import { nearest } from '../errors/nearest.js';
import type { Budget } from '../http/fault.js';
import type { SharedLimits } from '../http/limiter.js';
import type { EndpointOptions, HttpRequest } from '../http/request.js';
import type { Credentials, Manifest } from '../manifest/manifest.js';
import { isIdempotencyKey } from './batch.js';
import type { ExecuteOptions } from './execute-options.js';
import type { Operation, Transport } from './transport.js';

/** A request attempt, without its query, headers or body. */
export interface RequestEvent {
  /** Type of the connector. */
  readonly connector: string;
  /** Entity of the call. */
  readonly entity: string;
  /** Action of the call. */
  readonly action: string;
  /** HTTP method. */
  readonly method: string;
  /** URL without its query. */
  readonly url: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
}

/** A response, before it is evaluated. */
export interface ResponseEvent extends RequestEvent {
  /** HTTP status. */
  readonly status: number;
  /** Milliseconds until the headers arrived. */
  readonly durationMs: number;
  /** Remaining quotas reported by the vendor, if any. */
  readonly budgets?: readonly Budget[] | undefined;
}

/** A failed attempt that will be retried. */
export interface RetryEvent extends RequestEvent {
  /**
   * Minimum delay before the next attempt in milliseconds; if there is no `Retry-After`, the delay may be up to twice
   * as long.
   */
  readonly delayMs: number;
  /** Why the attempt failed. */
  readonly error: ConnectorError;
}

/** A result that does not match its schema. It is still returned. */
export interface MismatchEvent {
  /** Type of the connector. */
  readonly connector: string;
  /** Entity of the call. */
  readonly entity: string;
  /** Action of the call. */
  readonly action: string;
  /** Differences from the schema. */
  readonly mismatches: ReadonlyArray<{
    /** Path in the record. */
    readonly path: string;
    /** What was expected. */
    readonly message: string;
  }>;
}

/**
 * Callbacks that observe a connector. Errors thrown by them are ignored, except by `onTokenRefresh` and `onReceive`.
 */
export interface Hooks {
  /** Called before each request. */
  readonly onRequest?: ((event: RequestEvent) => void) | undefined;
  /**
   * Called with the number of bytes before they are read into memory, in one or several parts per response; downloads
   * are streamed and not included. Reading waits for it, and fails with the error that it throws.
   */
  readonly onReceive?: ((bytes: number) => void | Promise<void>) | undefined;
  /** Called for each response. */
  readonly onResponse?: ((event: ResponseEvent) => void) | undefined;
  /** Called before a retry. */
  readonly onRetry?: ((event: RetryEvent) => void) | undefined;
  /** Awaited before the new token is used: store both tokens here. The only hook that receives secrets. */
  readonly onTokenRefresh?: ((tokens: TokenRefresh) => unknown) | undefined;
  /** Called for records that do not match their schemas; they are still returned. */
  readonly onResponseMismatch?: ((event: MismatchEvent) => void) | undefined;
}

/** Connector options: the common ones and the connector's own. */
export type ConnectorOptions<M extends Manifest = Manifest> = CommonOptions<M> & OwnOptions<M>;

/** Options specific to one connector. */
export type OwnOptions<M extends Manifest> = M extends { readonly settings: infer S extends object }
  ? { readonly [K in keyof S]?: boolean | undefined }
  : unknown;

/** The service, the caller, and the connector. Missing values are read from the environment. */
export interface HostedOptions {
  /** Base URL of the service, such as `https://connectors.example.com`; by default AGENT_CONNECTORS_BASE_URL. */
  readonly baseUrl?: string | undefined;
  /** A token obtained elsewhere, instead of a client id and secret. */
  readonly token?: string | undefined;
  /** Defaults to AGENT_CONNECTORS_CLIENT_ID. */
  readonly clientId?: string | undefined;
  /** Defaults to AGENT_CONNECTORS_CLIENT_SECRET. */
  readonly clientSecret?: string | undefined;
  /** For clients with several organizations; by default AGENT_CONNECTORS_ORGANIZATION_ID. */
  readonly organizationId?: string | undefined;
  /**
   * Email address of a user: calls can read only what this user can read at the vendor, and cannot write. Set by the
   * program, never by a model; requires a client id and secret.
   */
  readonly asUser?: string | undefined;
  /** Email addresses of this user's groups, including nested ones; other groups grant no access. */
  readonly asGroups?: readonly string[] | undefined;
  /** The connector; alternatively `workspace` and `name`. */
  readonly connectorId?: string | undefined;
  /** Workspace of the connector; by default AGENT_CONNECTORS_WORKSPACE, then `default`. */
  readonly workspace?: string | undefined;
  /** Name of the connector in its workspace; if omitted, the workspace must contain exactly one of this type. */
  readonly name?: string | undefined;
}

/** Options common to all connectors. */
export interface CommonOptions<M extends Manifest = Manifest> {
  /** The fields of exactly one of the connector's auth modes. */
  readonly credentials?: Credentials<M> | undefined;
  /** A service that searches its replica for this connector; without `credentials`, it runs everything. */
  readonly hosted?: HostedOptions | undefined;
  /** Token store for several processes that use the same credentials. `hooks.onTokenRefresh` is called as well. */
  readonly tokens?: TokenStore | undefined;
  /** Runs every operation instead of the built-in transport. Its errors reach the caller unchanged, without redaction. */
  readonly transport?: Transport | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Base URLs that replace the vendor’s: one for all, or one per purpose. */
  readonly endpoints?: EndpointOptions | undefined;
  /** Rejects all writes. */
  readonly readOnly?: boolean | undefined;
  /** Allowed actions, as `entity.action` with `*` as a wildcard (default: all). */
  readonly allow?: readonly AllowPattern<M>[] | undefined;
  /** Callbacks. */
  readonly hooks?: Hooks | undefined;
  /**
   * Timeout for a call in milliseconds, including waits and retries, up to a download's first byte (default 120,000).
   */
  readonly timeoutMs?: number | undefined;
  /** Timeout for each attempt in milliseconds (default 60,000). */
  readonly attemptTimeoutMs?: number | undefined;
  /**
   * Number of times a read is retried after a transient failure (default 2). Unless this is 0, rate-limited calls wait
   * within their timeout.
   */
  readonly retries?: number | undefined;
  /** Prefix for the library's user agent. */
  readonly userAgent?: string | undefined;
  /**
   * Lets other connectors with the same credentials go first when calls are throttled. If the vendor reports a rate
   * limit, the call throws instead of waiting.
   */
  readonly background?: boolean | undefined;
  /** Shares the vendor's limits with other processes that use the same credentials. */
  readonly sharedLimits?: SharedLimits | undefined;
}

/** `entity.action`, where either may be `*`. */
export type AllowPattern<M extends Manifest> = {
  [E in keyof M['entities'] & string]: `${E | '*'}.${(keyof M['entities'][E]['actions'] & string) | '*'}`;
}[keyof M['entities'] & string];

const kinds = {
  credentials: 'object',
  hosted: 'object',
  tokens: 'object',
  transport: 'function',
  fetch: 'function',
  endpoints: 'endpoints',
  readOnly: 'boolean',
  allow: 'strings',
  hooks: 'object',
  timeoutMs: 'ms',
  attemptTimeoutMs: 'ms',
  retries: 'count',
  userAgent: 'text',
  background: 'boolean',
  sharedLimits: 'object',
} as const;

const hostedKinds = {
  baseUrl: 'text',
  token: 'text',
  clientId: 'text',
  clientSecret: 'text',
  asUser: 'text',
  asGroups: 'strings',
  organizationId: 'text',
  connectorId: 'text',
  workspace: 'text',
  name: 'words',
} as const;

const executeKinds = {
  signal: 'signal',
  timeoutMs: 'ms',
  raw: 'boolean',
  intent: 'intent',
  plan: 'object',
  idempotencyKey: 'key',
  once: 'object',
  beforeAttempt: 'function',
  onUploadBegun: 'function',
  selectFields: 'strings',
  excludeFields: 'strings',
  maxStringLength: 'count',
  view: 'view',
} as const;

const hookKinds = {
  onRequest: 'function',
  onReceive: 'function',
  onResponse: 'function',
  onRetry: 'function',
  onTokenRefresh: 'function',
  onResponseMismatch: 'function',
} as const;

const endpointKinds = { api: 'text', auth: 'text', upload: 'text', admin: 'text' } as const;

const strings = (value: unknown) => Array.isArray(value) && value.every((item) => typeof item === 'string');
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

const checks: Readonly<Record<string, readonly [(value: any) => boolean, string]>> = {
  object: [isObject, 'an object'],
  function: [(value) => typeof value === 'function', 'a function'],
  endpoints: [(value) => typeof value === 'string' || isObject(value), 'a URL, or { api?, auth?, upload? }'],
  boolean: [(value) => typeof value === 'boolean', 'true or false'],
  strings: [strings, 'an array of strings'],
  // Timers are limited to 31 bits.
  ms: [
    (value) => Number.isFinite(value) && value > 0 && value < 2 ** 31,
    'a number of milliseconds greater than 0 and less than 2^31',
  ],
  count: [(value) => Number.isSafeInteger(value) && value >= 0, 'a whole number, 0 or greater'],
  view: [(value) => value === 'concise' || value === 'full', "'concise' or 'full'"],
  text: [(value) => typeof value === 'string' && /^[\x20-\x7e]+$/.test(value), 'printable ASCII text'],
  intent: [(value) => typeof value === 'string' && value.length <= 512, 'a string of up to 512 characters'],
  key: [isIdempotencyKey, '1 to 128 printable ASCII characters'],
  words: [(value) => typeof value === 'string' && value.trim() !== '', 'text'],
  signal: [(value) => isObject(value) && typeof value.addEventListener === 'function', 'an AbortSignal'],
};

/** Rejects an option with a wrong name or type. */
export const checkOptions = (
  options: object,
  known: Readonly<Record<string, string>>,
  what: string,
  nested: Readonly<Record<string, object>> = {},
): void => {
  if (!isObject(options)) throw new ConnectorError('invalid_params', `${what} must be an object.`);
  for (const [name, value] of Object.entries(options)) {
    const kind = Object.hasOwn(known, name) ? known[name] : undefined;
    if (kind === undefined) {
      const parent = Object.keys(nested).find((key) => Object.hasOwn(nested[key]!, name));
      const close = parent === undefined ? nearest(name, Object.keys(known)) : `${parent}.${name}`;
      const didYouMean = close ? ` Did you mean '${close}'?` : '';
      throw new ConnectorError(
        'invalid_params',
        `${what} have no '${name}'.${didYouMean} Valid: ${Object.keys(known).join(', ')}.`,
      );
    }
    const [fits, description] = checks[kind]!;
    if (value !== undefined && !fits(value)) {
      throw new ConnectorError('invalid_params', `${what}: ${name} must be ${description}.`);
    }
  }
};

/** Rejects a misspelled or ill-typed option: a silently ignored `readonly` would be worse than none. */
export function checkConnectorOptions(options: ConnectorOptions<any>, { settings = {} }: Manifest): void {
  const own = Object.fromEntries(Object.keys(settings).map((name) => [name, 'boolean']));
  checkOptions(options, { ...kinds, ...own }, 'Connector options', { hooks: hookKinds, hosted: hostedKinds });
  const { hooks, endpoints, hosted } = options;
  if (hosted) checkOptions(hosted, hostedKinds, 'Options for hosted');
  if (hooks) checkOptions(hooks, hookKinds, 'Hooks');
  if (isObject(endpoints)) checkOptions(endpoints as object, endpointKinds, 'Endpoints');
}

/** Rejects a misspelled or ill-typed option of a single call. */
export const checkExecuteOptions = (options: object): void =>
  checkOptions(options, executeKinds, 'Options for execute');

/** The caller's values of connector-specific settings. */
export const settingsOf = ({ settings = {} }: Manifest, options: object): Settings =>
  Object.fromEntries(Object.keys(settings).map((name) => [name, (options as Settings)[name] ?? false]));

/** Calls a hook, if any; its failure must not fail the call. */
export function callHook<E>(hook: ((event: E) => void) | undefined, event: () => E): void {
  if (!hook) return;
  try {
    const done: unknown = hook(event());
    if (done instanceof Promise) done.catch(() => {});
  } catch {}
}

/** Event for an attempt, without the query, which may contain data that must not be logged. */
export const requestEvent = (
  { manifest, entity, action }: Operation,
  { method }: Pick<HttpRequest, 'method'>,
  url: string,
  attempt: number,
): RequestEvent => ({ connector: manifest.name, entity, action, method, url: url.split('?')[0]!, attempt });

/** Whether a result is returned unchanged. */
export const isWhole = ({ view, selectFields, excludeFields, maxStringLength }: ExecuteOptions): boolean =>
  view !== 'concise' && (selectFields ?? excludeFields ?? maxStringLength) === undefined;
