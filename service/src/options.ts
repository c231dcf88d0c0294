import type { EndpointOptions } from 'agent-connectors';
import * as z from 'zod';
import type { Logger } from './common/log.js';
import { objectsFrom } from './data/objects/options.js';
import type { ObjectStore } from './data/objects/types.js';
import { embeddersFrom } from './data/search/embedding/options.js';
import type { Embedder } from './data/search/embedding/types.js';
import { type Reranker, rerankerFrom } from './data/search/rerank.js';
import type { StateLocation } from './data/state/location.js';
import { type ConnectorClasses, connectorTypes } from './domain/connectors/definitions.js';
import { type TrustedProxies, trustedProxiesOf } from './domain/limits/addresses.js';
import { type Limits, limitsOf } from './domain/limits/options.js';
import { type OidcOptions, oidcFrom } from './web/console/oidc.js';
import { type OAuthClients, oauthClientsFrom } from './web/setup/oauth-clients.js';
import { publicUrlOf } from './web/setup/public-address.js';

/** Options for a service. */
export interface ServiceOptions {
  /** State folder; `:memory:` for state that is lost when the process ends. (`data`; with `dev` and no database, `:memory:`) */
  readonly dataFolder?: string | undefined;
  /** Address to listen on. (`127.0.0.1`) */
  readonly host?: string | undefined;
  /** Port to listen on; 0 chooses a free one. (4020) */
  readonly port?: number | undefined;
  /** For evaluation: in memory, with a temporary key, unless a data folder or database is given. */
  readonly dev?: boolean | undefined;
  /** Key that encrypts credentials: 32 bytes in base64 or hex. */
  readonly key?: string | undefined;
  /** Previous keys, needed until `rotate-key` has re-encrypted everything with the newest. */
  readonly previousKeys?: readonly string[] | undefined;
  /** A command that prints the key, or the newest key followed by previous ones. */
  readonly keyCommand?: string | undefined;
  /** Creates a key file in the data folder if it has none. */
  readonly createKey?: boolean | undefined;
  /** A Postgres database for the state and the replicated records instead of the data folder, as `postgres://…`. */
  readonly databaseUrl?: string | undefined;
  /**
   * Embedders for semantic search: the active one first, then previous ones; `[]` for lexical search only. (the built-in
   * table)
   */
  readonly embedders?: readonly Embedder[] | undefined;
  /** Reorders the hits of semantic searches. (none) */
  readonly reranker?: Reranker | undefined;
  /** Whether content that authors of files have hidden, such as rows and slides, is searchable; it is marked. (no) */
  readonly indexHidden?: boolean | undefined;
  /** Object store for long texts of replicated records, instead of the database. (none) */
  readonly objects?: ObjectStore | undefined;
  /** Whether this process runs syncs, which several processes can share. (yes) */
  readonly replicate?: boolean | undefined;
  /** The operator's own addresses for a connector type, instead of the vendor's. */
  readonly endpoints?: Readonly<Record<string, EndpointOptions>> | undefined;
  /** Additional hosts allowed in a connector's `base_url`. */
  readonly allowHosts?: readonly string[] | undefined;
  /** Connector types in addition to the built-in ones: classes, or a registry of them by name. */
  readonly connectors?: ConnectorClasses | undefined;
  /** Replaces the service's own `fetch`, including its guard against private addresses. */
  readonly fetch?: typeof fetch | undefined;
  /** Number of days after which audit entries are deleted; 0 for never. (400) */
  readonly auditRetentionDays?: number | undefined;
  /** A file that receives every audit entry of this process as a JSON line. */
  readonly auditFile?: string | undefined;
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined;
  /** Logger of the service; none by default. */
  readonly logger?: Logger | undefined;
  /** Maximum size of a request body in bytes. (8 MiB) */
  readonly maxBodyBytes?: number | undefined;
  /**
   * Whether apps can identify themselves with a client id metadata document, which the service fetches; otherwise they
   * register. (yes)
   */
  readonly clientMetadataDocuments?: boolean | undefined;
  /** Proxy for fetching client id metadata documents, as a URL; vendors are always contacted directly. (none) */
  readonly httpsProxy?: string | undefined;
  /** Hosts that are contacted without the proxy, separated by commas. (none) */
  readonly noProxy?: string | undefined;
  /** Whether MCP clients are allowed to change data. (no) */
  readonly mcpAllowWrites?: boolean | undefined;
  /** Hosts whose pages can call the MCP server. (those of this machine) */
  readonly mcpAllowOrigins?: readonly string[] | undefined;
  /** The URL at which users reach the service, such as `https://connectors.example.com`. (the listen address) */
  readonly publicUrl?: string | undefined;
  /** Whether requests to vendors carry the trace context, if OpenTelemetry is set up. (no) */
  readonly traceVendors?: boolean | undefined;
  /** Host names of the service, in addition to the one in its public URL and those of this machine; `*` for any. */
  readonly hostNames?: readonly string[] | undefined;
  /** Proxies whose `X-Forwarded-For` is trusted: their networks, or their number. (none) */
  readonly trustedProxies?: TrustedProxies | undefined;
  /**
   * Whether requests from this machine need no token for `/metrics`; a local proxy that sends no forwarding headers
   * looks the same. (`dev`)
   */
  readonly localMetrics?: boolean | undefined;
  /** Limits for callers. */
  readonly limits?: Partial<Limits> | undefined;
  /** An OpenID Connect provider through which people sign in to the console. (none: with a client id and secret only) */
  readonly oidc?: OidcOptions | undefined;
  /** The operator's own OAuth applications, by connector type. */
  readonly oauthClients?: OAuthClients | undefined;
}

/** Default options. */
export const defaults = {
  host: '127.0.0.1',
  port: 4020,
  dataFolder: 'data',
  maxBodyBytes: 8 * 1024 * 1024,
  auditRetentionDays: 400,
} as const;

/** Where the state and the records are stored; in-memory mode keeps both in memory, unless a database is given. */
export function stateLocation({ dataFolder, dev, databaseUrl }: ServiceOptions): StateLocation {
  const folder = dataFolder ?? (dev && databaseUrl === undefined ? ':memory:' : defaults.dataFolder);
  return { folder, databaseUrl: folder === ':memory:' ? undefined : databaseUrl };
}

const address = z.url({ protocol: /^https?$/ });
const endpoints = z.record(
  z.string(),
  z.union([
    address,
    z.strictObject({ api: z.optional(address), auth: z.optional(address), upload: z.optional(address) }),
  ]),
);

/** Reads options from the environment; errors name the variable, never its value. */
export function optionsFrom(
  environment: Readonly<Record<string, string | undefined>>,
  connectors?: ConnectorClasses,
): ServiceOptions {
  // An empty variable, as in `PORT= npm start`, is treated as unset.
  const read = (name: string) => environment[name]?.trim() || undefined;
  const list = (name: string) =>
    read(name)
      ?.split(',')
      .map((item) => item.trim())
      .filter(Boolean);
  const port = read('PORT');
  const endpointText = read('AGENT_CONNECTORS_ENDPOINTS');
  const publicUrl = read('AGENT_CONNECTORS_PUBLIC_URL');
  const httpsProxy = read('HTTPS_PROXY') ?? read('https_proxy');
  const proxies = read('AGENT_CONNECTORS_TRUSTED_PROXIES');
  const limits = read('AGENT_CONNECTORS_LIMITS');
  const retention = read('AGENT_CONNECTORS_AUDIT_RETENTION');
  return {
    dataFolder: read('AGENT_CONNECTORS_DATA'),
    host: read('HOST'),
    port: port === undefined ? undefined : portOf(port, 'PORT'),
    key: read('AGENT_CONNECTORS_KEY'),
    previousKeys: list('AGENT_CONNECTORS_KEY_PREVIOUS'),
    keyCommand: read('AGENT_CONNECTORS_KEY_COMMAND'),
    databaseUrl: read('DATABASE_URL'),
    auditRetentionDays: retention === undefined ? undefined : daysOf(retention, 'AGENT_CONNECTORS_AUDIT_RETENTION'),
    auditFile: read('AGENT_CONNECTORS_AUDIT_LOG'),
    embedders: embeddersFrom(environment),
    reranker: rerankerFrom(environment),
    objects: objectsFrom(environment),
    indexHidden: switchOf(read('AGENT_CONNECTORS_INDEX_HIDDEN'), 'AGENT_CONNECTORS_INDEX_HIDDEN'),
    replicate: switchOf(read('AGENT_CONNECTORS_REPLICATION'), 'AGENT_CONNECTORS_REPLICATION'),
    endpoints: endpointText === undefined ? undefined : endpointsOf(endpointText),
    allowHosts: list('AGENT_CONNECTORS_ALLOW_HOSTS')?.map((host) => hostOf(host)),
    clientMetadataDocuments: switchOf(
      read('AGENT_CONNECTORS_CLIENT_METADATA_DOCUMENTS'),
      'AGENT_CONNECTORS_CLIENT_METADATA_DOCUMENTS',
    ),
    httpsProxy: httpsProxy === undefined ? undefined : proxyOf(httpsProxy),
    noProxy: read('NO_PROXY') ?? read('no_proxy'),
    mcpAllowWrites: switchOf(read('AGENT_CONNECTORS_MCP_ALLOW_WRITES'), 'AGENT_CONNECTORS_MCP_ALLOW_WRITES'),
    mcpAllowOrigins: list('AGENT_CONNECTORS_MCP_ALLOW_ORIGINS')?.map((host) => originOf(host)),
    publicUrl: publicUrl === undefined ? undefined : publicUrlOf(publicUrl, 'AGENT_CONNECTORS_PUBLIC_URL'),
    traceVendors: switchOf(read('AGENT_CONNECTORS_TRACE_VENDORS'), 'AGENT_CONNECTORS_TRACE_VENDORS'),
    hostNames: list('AGENT_CONNECTORS_HOST_NAMES')?.map((host) => nameOf(host)),
    trustedProxies: proxies === undefined ? undefined : trustedProxiesOf(proxies, 'AGENT_CONNECTORS_TRUSTED_PROXIES'),
    localMetrics: switchOf(read('AGENT_CONNECTORS_LOCAL_METRICS'), 'AGENT_CONNECTORS_LOCAL_METRICS'),
    limits: limits === undefined ? undefined : limitsOf(limits, 'AGENT_CONNECTORS_LIMITS'),
    connectors,
    oidc: oidcFrom(read('AGENT_CONNECTORS_OIDC'), read('AGENT_CONNECTORS_OIDC_SECRET')),
    oauthClients: oauthClientsFrom(environment, Object.keys(connectorTypes(connectors))),
  };
}

/** Parses a port; errors name the source. */
export function portOf(text: string, source: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new RangeError(`${source} must be a whole number from 0 to 65535.`);
  return port;
}

/** Parses a number of days, or 0 for no limit; errors name the source. */
export function daysOf(text: string, source: string): number {
  const days = Number(text);
  if (!/^\d{1,6}$/.test(text)) throw new RangeError(`${source} must be a whole number of days, or 0 for no limit.`);
  return days;
}

function endpointsOf(text: string): Readonly<Record<string, EndpointOptions>> {
  const form = 'AGENT_CONNECTORS_ENDPOINTS must be JSON such as {"linear": "http://127.0.0.1:4010/linear"}';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(`${form}; it is not JSON.`);
  }
  const parsed = endpoints.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(
    `${form}; its content${issue?.path.length ? ` at ${issue.path.join('.')}` : ''} does not match this form.`,
  );
}

/** The URL of a proxy; without a scheme, as in `proxy:3128`, it is an HTTP proxy. The URL may contain a password. */
function proxyOf(text: string): string {
  const url = text.includes('://') ? text : `http://${text}`;
  if (!/^(https?|socks5?):/.test(url) || !URL.canParse(url)) {
    throw new Error('HTTPS_PROXY must be the URL of a proxy, such as http://proxy.example.com:3128.');
  }
  return url;
}

function switchOf(text: string | undefined, source: string): boolean | undefined {
  if (text === undefined) return undefined;
  if (text !== '1' && text !== '0') throw new Error(`${source} must be 1 or 0.`);
  return text === '1';
}

const isName = (host: string): boolean => /^([a-z\d]([a-z\d.-]*[a-z\d])?|\[[a-f\d:]+\])$/i.test(host);

function nameOf(host: string): string {
  if (host === '*' || isName(host)) return host.toLowerCase();
  throw new Error(
    'AGENT_CONNECTORS_HOST_NAMES must be comma-separated host names, such as connectors.internal, without a scheme or port.',
  );
}

function originOf(host: string): string {
  if (isName(host)) return host.toLowerCase();
  throw new Error(
    'AGENT_CONNECTORS_MCP_ALLOW_ORIGINS must be comma-separated host names, such as app.example.com, without a scheme or port.',
  );
}

function hostOf(host: string): string {
  if (/^[a-z\d]([a-z\d.-]*[a-z\d])?(:\d+)?$/i.test(host)) return host.toLowerCase();
  throw new Error('AGENT_CONNECTORS_ALLOW_HOSTS must be comma-separated host names, such as gong.example.com.');
}
