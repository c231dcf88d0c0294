import { createHmac } from 'node:crypto';
import {
  type AnyConnector,
  type Budget,
  ConnectorError,
  type EndpointOptions,
  type Limits,
  type Manifest,
  type ResponseEvent,
  type SharedLimits,
  type TokenRefresh,
  type TokenStore,
} from 'agent-connectors';
import type { Metrics, Telemetry } from '../../common/telemetry.js';
import type { ConnectorRow } from '../../data/state/rows.js';
import type { Credentials } from '../../data/state/types.js';
import type { KeyRing } from '../../data/vault/keys.js';
import { fieldError, HttpError } from '../http-error.js';
import { currentHolding } from '../limits/memory.js';
import type { AnyConnectorOptions, Definition, Definitions } from './definitions.js';
import { checkPermit, type Permit } from './gate.js';

/** Options for live connectors. */
export interface InstanceOptions {
  readonly definitions: Definitions;
  readonly credentials: Credentials;
  readonly policy: AddressPolicy;
  readonly fetch: typeof globalThis.fetch;
  readonly now: () => number;
  readonly keys: KeyRing;
  /** Limits per credential, shared between processes; undefined if each process counts its own requests. */
  readonly limitsOf: ((credential: string) => SharedLimits) | undefined;
  readonly quotas: VendorUsage;
  readonly metrics: Metrics;
  readonly telemetry: Telemetry;
}

/** A connector as a call uses it: the call's permit is checked before each request. */
export type PermittedConnector = Pick<AnyConnector, 'execute' | 'check' | 'plan'>;

/** Live connectors, one per version of a row. */
export interface Instances {
  get(permit: Permit, row: ConnectorRow): Promise<PermittedConnector>;
  /** Revokes a connector's tokens at the vendor; see the connector's `revoke`. */
  revoke(row: ConnectorRow): Promise<boolean>;
  /** Connector options for a row; instances created with them share tokens and limits with the live one. */
  optionsOf(row: ConnectorRow): Promise<AnyConnectorOptions>;
  /** An opaque name for a connector's credential, the same in all processes. */
  credentialKeyOf(row: ConnectorRow): Promise<string>;
  /** Evicts a connector whose credentials have changed or that was deleted. */
  drop(id: string): void;
}

/** Cache size; when it is exceeded, the least recently used instance is evicted. */
const maxInstances = 500;

interface CachedInstance {
  readonly version: string;
  readonly connector: Promise<AnyConnector>;
}

/** Caches live connectors, so that requests share tokens, limits and connections. */
export function openInstances(options: InstanceOptions): Instances {
  const { definitions, credentials, policy, fetch, now, keys, limitsOf, quotas, metrics, telemetry } = options;
  const cache = new Map<string, CachedInstance>();

  const addToCache = (row: ConnectorRow, connector: Promise<AnyConnector>) => {
    cache.delete(row.id);
    cache.set(row.id, { version: row.updatedAt, connector });
    if (cache.size > maxInstances) cache.delete(cache.keys().next().value!);
    return connector;
  };
  const make = async (row: ConnectorRow): Promise<AnyConnector> => {
    const definition = definitions.of(row.type);
    return definition.make(await optionsWith(row, definition), row.settings);
  };
  const optionsWith = async (row: ConnectorRow, definition: Definition): Promise<AnyConnectorOptions> => {
    const stored = await credentials.load(row.id);
    const telemetryHooks = telemetry.vendorHooks(row.type);
    return {
      ...optionsFor(definition, stored, policy, now()),
      fetch,
      tokens: tokenStore(credentials, row.id, stored),
      ...(limitsOf && { sharedLimits: limitsOf(credentialKey(keys, row, stored)) }),
      hooks: {
        ...telemetryHooks,
        onRequest(event) {
          quotas.recordRequest(row.id);
          telemetryHooks.onRequest?.(event);
        },
        onReceive: (bytes) => currentHolding()?.receive(bytes),
        onResponse(event) {
          metrics.vendorReply(row.type, event.status);
          quotas.recordReply(row.id, event);
          telemetryHooks.onResponse?.(event);
        },
      },
    };
  };
  const live = (row: ConnectorRow): Promise<AnyConnector> => {
    const cached = cache.get(row.id);
    if (cached?.version === row.updatedAt) return addToCache(row, cached.connector);
    // Stored while being created, so that concurrent callers share it.
    const making = make(row);
    making.catch(() => {
      if (cache.get(row.id)?.connector === making) cache.delete(row.id);
    });
    return addToCache(row, making);
  };
  return {
    credentialKeyOf: async (row) => credentialKey(keys, row, await credentials.load(row.id)),
    optionsOf: async (row) => optionsWith(row, definitions.of(row.type)),
    async get(permit, row) {
      checkPermit(permit, row.id);
      const { beforeAttempt } = permit;
      const connector = await live(row);
      return {
        execute: (entity, action, params, options) =>
          connector.execute(entity, action, params, { ...options, beforeAttempt }),
        check: async (...call) => connector.check?.(...call),
        plan: (entity, action, params, options) =>
          connector.plan!(entity, action, params, { ...options, beforeAttempt }),
      };
    },
    revoke: async (row) => (await (await live(row)).revoke?.()) ?? false,
    drop: (id) => void cache.delete(id),
  };
}

/**
 * A refresh token belongs to one connector and may change on each use, so the connector id identifies the credential.
 */
function credentialKey(keys: KeyRing, { id, type }: ConnectorRow, stored: CredentialFields = {}): string {
  const identity = stored.refresh_token === undefined ? Object.entries(stored).sort() : id;
  return createHmac('sha256', keys.newest.derive('vendor limits'))
    .update(JSON.stringify([type, identity]))
    .digest('base64url');
}

/** One connector's rotating tokens, shared with every process that uses the same data. */
function tokenStore(credentials: Credentials, id: string, stored: CredentialFields | undefined): TokenStore {
  /** The stored token that the next refresh replaces. */
  let known = stored?.refresh_token;
  return {
    isManaged: true,
    alone: (work) => credentials.alone(id, work),
    async load() {
      const { access_token, refresh_token, expires_at, base_url } = (await credentials.load(id)) ?? {};
      if (!access_token || !refresh_token) return undefined;
      known = refresh_token;
      return {
        access_token,
        refresh_token,
        expires_at: expires_at || null,
        ...(base_url !== undefined && { base_url }),
      };
    },
    async save({ access_token, refresh_token, expires_at, base_url }: TokenRefresh) {
      const fields = {
        access_token,
        refresh_token,
        expires_at: expires_at ?? '',
        ...(base_url !== undefined && { base_url }),
      };
      // If the credentials have been replaced in the meantime, these tokens belong to the old account, or another
      // process has stored newer ones. They are the same if only the response to an earlier attempt was lost.
      const expected = new Set([known, refresh_token]);
      await credentials.save(id, fields, (current) => expected.has(current?.refresh_token));
      known = refresh_token;
    },
  };
}

/** A limit as last reported by a vendor. */
export interface ReportedBudget extends Budget {
  /** Milliseconds since 1970. */
  readonly reportedAt: number;
}

/** A known limit and its local usage. */
export interface UsedLimit {
  readonly requests: number;
  readonly seconds: number;
  readonly sent: number;
}

/** Rate limit information for a connector. */
export interface Quota {
  readonly reported: readonly ReportedBudget[];
  readonly limits: readonly UsedLimit[];
  readonly sentLastMinute: number;
  readonly sentLastDay: number;
  /** When the vendor last rate-limited a request; null if never. */
  readonly refusedAt: number | null;
}

/** Tracks requests and reported limits since the process started. */
export interface VendorUsage {
  /** Start of tracking, in milliseconds since 1970. */
  readonly since: number;
  recordRequest(id: string): void;
  recordReply(id: string, event: Pick<ResponseEvent, 'status' | 'budgets'>): void;
  of(id: string, limits: Limits | undefined): Quota;
}

interface Usage {
  /** Times of recent requests, oldest first. */
  recent: number[];
  /** Request counts per minute. */
  readonly minutes: Map<number, number>;
  readonly reported: Map<string, ReportedBudget>;
  refusedAt: number | null;
}

const minute = 60_000;
const day = 24 * 60 * minute;
/** No vendor's window allows more requests than this. */
const maxRecentTimes = 5_000;
const maxConnectors = 5_000;

export function openQuotas(now: () => number): VendorUsage {
  const usageById = new Map<string, Usage>();
  const usageOf = (id: string): Usage => {
    const usage = usageById.get(id) ?? { recent: [], minutes: new Map(), reported: new Map(), refusedAt: null };
    usageById.delete(id);
    usageById.set(id, usage);
    if (usageById.size > maxConnectors) usageById.delete(usageById.keys().next().value!);
    return usage;
  };
  const prune = (usage: Usage) => {
    const at = now();
    const first = usage.recent.findIndex((time) => time > at - minute);
    usage.recent = first < 0 ? [] : usage.recent.slice(Math.max(first, usage.recent.length - maxRecentTimes));
    for (const slot of usage.minutes.keys()) {
      if (slot > Math.floor((at - day) / minute)) break;
      usage.minutes.delete(slot);
    }
  };

  return {
    since: now(),
    recordRequest(id) {
      const usage = usageOf(id);
      const slot = Math.floor(now() / minute);
      usage.recent.push(now());
      usage.minutes.set(slot, (usage.minutes.get(slot) ?? 0) + 1);
      if (usage.recent.length > 2 * maxRecentTimes) prune(usage);
    },
    recordReply(id, { status, budgets = [] }) {
      const usage = usageOf(id);
      for (const budget of budgets) usage.reported.set(budget.name, { ...budget, reportedAt: now() });
      const isUsedUp = budgets.some(({ remaining }) => remaining <= 0);
      if (status === 429 || (status >= 400 && isUsedUp)) usage.refusedAt = now();
    },
    of(id, { windows = [], perDay } = {}) {
      const usage = usageOf(id);
      prune(usage);
      const countWithin = (ms: number) => usage.recent.filter((time) => time > now() - ms).length;
      const sentLastDay = [...usage.minutes.values()].reduce((sum, count) => sum + count, 0);
      const used = windows.map(({ requests, perMs }) => ({
        requests,
        seconds: perMs / 1000,
        sent: countWithin(perMs),
      }));
      const daily = perDay === undefined ? [] : [{ requests: perDay, seconds: day / 1000, sent: sentLastDay }];
      return {
        reported: [...usage.reported.values()],
        limits: [...used, ...daily],
        sentLastMinute: countWithin(minute),
        sentLastDay,
        refusedAt: usage.refusedAt,
      };
    },
  };
}

/** Fields of stored credentials. */
export type CredentialFields = Readonly<Record<string, string>>;

/** Addresses that the operator allows connectors to use. */
export interface AddressPolicy {
  /** The operator's own endpoints, by type. */
  readonly endpoints: Readonly<Record<string, EndpointOptions>>;
  /** Additional hosts allowed as `base_url`. */
  readonly allowHosts: readonly string[];
}

/** Options for a connector with these credentials; the expiry time is a field that the service adds. */
export function optionsFor(
  { manifest }: Definition,
  stored: CredentialFields | undefined,
  { endpoints, allowHosts }: AddressPolicy,
  now: number,
): AnyConnectorOptions {
  const operatorEndpoints = endpoints[manifest.name];
  const given = operatorEndpoints === undefined ? {} : { endpoints: operatorEndpoints };
  if (!stored) return given;
  const { expires_at, ...current } = stored;
  const isOver = expires_at !== undefined && expires_at !== '' && Date.parse(expires_at) <= now;
  const fields = isOver ? omitField(current, 'access_token') : current;
  const url = urlOf(fields.base_url);
  const isForeign = manifest.endpoints.customers && url && !isCustomerHost(manifest, url);
  if (operatorEndpoints === undefined && isForeign && isAllowed(allowHosts, url)) {
    // The library rejects a base_url outside the vendor's domains, so an allowed one is passed as an endpoint.
    return { credentials: omitField(fields, 'base_url'), endpoints: { api: url.href.replace(/\/+$/, '') } };
  }
  return { ...given, credentials: fields };
}

const omitField = (fields: CredentialFields, name: string): CredentialFields =>
  Object.fromEntries(Object.entries(fields).filter(([field]) => field !== name));

/** Rejects incomplete or invalid credentials without sending anything; errors never quote values. */
export function checkCredentials(
  definition: Definition,
  fields: CredentialFields,
  settings: Readonly<Record<string, boolean>>,
  policy: AddressPolicy,
): void {
  try {
    if (Object.hasOwn(fields, 'base_url')) checkAddress(definition, fields.base_url, policy.allowHosts);
    // Callers must not set fields reserved for the service.
    const isForeign = Object.hasOwn(fields, 'expires_at');
    definition.make(isForeign ? { credentials: fields } : optionsFor(definition, fields, policy, 0), settings);
  } catch (error) {
    if (!ConnectorError.is(error) || error.code !== 'invalid_credentials') throw error;
    if (error.issues === undefined && /\bbase_url\b/.test(error.message)) {
      const fault = new ConnectorError(error.code, error.message, { hint: baseUrlHint(definition) });
      throw new HttpError(422, fault, { errors: [fieldError('credentials.base_url', error.message)] });
    }
    const issues = error.issues?.map(({ path, message }) => fieldError(path, message));
    throw new HttpError(422, error, { errors: issues ?? [fieldError('credentials', error.message)] });
  }
}

function checkAddress(definition: Definition, baseUrl: unknown, allowHosts: readonly string[]): void {
  const { manifest } = definition;
  const { customers = [] } = manifest.endpoints;
  if (customers.length === 0) return;
  const url = urlOf(baseUrl);
  if (url && (isCustomerHost(manifest, url) || isAllowed(allowHosts, url))) return;
  const message = `is not a URL at ${customers.join(' or ')}`;
  throw new ConnectorError('invalid_credentials', `${manifest.title}: credentials.base_url ${message}.`, {
    issues: [{ path: 'credentials.base_url', message }],
    hint: baseUrlHint(definition),
  });
}

/** Where to find the address, and how to allow another host. */
function baseUrlHint({ description: { auth } }: Definition): string {
  const field = auth.flatMap(({ fields }) => fields).find(({ name }) => name === 'base_url');
  return `${field ? `${field.description} ` : ''}To allow another host, the operator must start the service with --allow-host <host>.`;
}

const isCustomerHost = ({ endpoints: { customers = [] } }: Manifest, { hostname }: URL): boolean =>
  customers.some((domain) => hostname === domain || hostname.endsWith(`.${domain}`));

/** Whether the operator allows a host, with or without a port. */
const isAllowed = (allowHosts: readonly string[], { host, hostname }: URL): boolean =>
  allowHosts.some((allowed) => [host, hostname].includes(allowed.toLowerCase()));

const withScheme = (address: string): string => {
  const bare = address.trim();
  return /^[a-z]+:\/\//i.test(bare) ? bare : `https://${bare}`;
};

const urlOf = (address: unknown): URL | undefined =>
  typeof address === 'string' && URL.canParse(withScheme(address)) ? new URL(withScheme(address)) : undefined;
