import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { ConnectorError } from 'agent-connectors';
import { isPrivateAddress } from 'agent-connectors/node';
// Imported by file path because Bun replaces the bare name with its own undici, which ignores the custom lookup.
import { Agent, type Dispatcher, EnvHttpProxyAgent, fetch as plainFetch } from 'undici/index.js';
import { leanFetch, leanRequest } from './lean-fetch.js';

/** A resolved address. */
export interface ResolvedAddress {
  /** Address as text. */
  readonly address: string;
  /** 4 or 6. */
  readonly family: number;
}

/** Resolves a host name to all its addresses. */
export type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>;

/** Rules for where vendor requests may be sent. */
export interface EgressOptions {
  /** Origins that the operator allows even if they resolve to a private address. */
  readonly origins: readonly string[];
  /** Hosts that the operator allows even if they resolve to a private address. */
  readonly hosts: readonly string[];
  /** Defaults to the system's resolver. */
  readonly resolve?: Resolve | undefined;
  /** URL of the operator's proxy for `fetchPublic`. */
  readonly proxy?: string | undefined;
  /** Hosts that are contacted without the proxy, separated by commas. */
  readonly noProxy?: string | undefined;
}

/** Outbound requests with address checks. */
export interface Egress {
  readonly fetch: typeof globalThis.fetch;
  /** The same at less cost, for connectors: a response must be read to its end or cancelled. */
  readonly vendorFetch: typeof globalThis.fetch;
  /** Fetches a public document, which contains no credentials or customer data, through the operator's proxy, if any. */
  readonly fetchPublic: typeof globalThis.fetch;
  /** Rejects a URL that is not https or currently resolves to a private address, unless the operator allows it. */
  check(url: URL): Promise<void>;
  close(): Promise<void>;
}

const systemResolve: Resolve = (hostname) => systemLookup(hostname, { all: true });

/**
 * A fetch that never connects to private addresses, regardless of what a name resolves to, and ignores proxy
 * variables.
 *
 * It connects to the very address that was checked, so DNS rebinding has no effect.
 */
export function openEgress({ origins, hosts, resolve = systemResolve, proxy, noProxy = '' }: EgressOptions): Egress {
  const trusted = new Set(origins.map((origin) => new URL(origin).origin));
  const trustedHosts = new Set(hosts.map((host) => host.toLowerCase()));
  const guarded = new Agent({ connect: { lookup: guardedLookup(resolve) } });
  const unguarded = new Agent({ connect: { lookup: lookupWith(resolve) } });
  const proxied =
    proxy === undefined
      ? guarded
      : // Empty settings keep it from reading the environment.
        new EnvHttpProxyAgent({
          httpProxy: '',
          httpsProxy: proxy,
          noProxy,
          connect: { lookup: guardedLookup(resolve) },
        });
  const isNamed = (url: URL) => trusted.has(url.origin) || trustedHosts.has(url.hostname) || trustedHosts.has(url.host);

  const guard =
    (send: (input: unknown, url: URL, init: RequestInit, dispatcher: Agent) => Promise<unknown>) =>
    async (input: unknown, init: RequestInit = {}) => {
      const url = new URL(input instanceof Request ? input.url : String(input));
      const isTrusted = isNamed(url);
      if (!isTrusted) rejectPrivateLiteral(url.hostname);
      try {
        return await send(input, url, init, isTrusted ? unguarded : guarded);
      } catch (error) {
        throw findConnectorError(error) ?? error;
      }
    };
  const sendPlain = (_: unknown, url: URL, init: RequestInit, dispatcher: Dispatcher) =>
    plainFetch(url, { ...init, dispatcher } as object);
  const fetch = guard(sendPlain);
  const vendorFetch = guard((input, url, init, dispatcher) => {
    const lean = leanRequest(input, init);
    return lean ? leanFetch(url, lean, dispatcher) : sendPlain(input, url, init, dispatcher);
  });
  const fetchPublic = guard(async (input, url, init, dispatcher) => {
    if (proxied === guarded || dispatcher === unguarded) return sendPlain(input, url, init, dispatcher);
    // The proxy resolves the name itself, so a name that is only known there is left to the proxy's rules.
    await rejectPrivateName(url.hostname, resolve);
    return sendPlain(input, url, init, proxied);
  });
  return {
    fetch: fetch as typeof globalThis.fetch,
    vendorFetch: vendorFetch as typeof globalThis.fetch,
    fetchPublic: fetchPublic as typeof globalThis.fetch,
    async check(url) {
      if (isNamed(url)) return;
      if (url.protocol !== 'https:') {
        throw new ConnectorError('denied_by_policy', 'The URL must start with https://.', { hint: allowHint(url) });
      }
      rejectPrivateLiteral(url.hostname);
      if (isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0) return;
      const addresses = await rejectPrivateName(url.hostname, resolve);
      if (addresses.length === 0)
        throw new ConnectorError('denied_by_policy', `${url.hostname} does not resolve to an address.`);
    },
    close: async () => {
      await Promise.all([...new Set([guarded, unguarded, proxied])].map((agent) => agent.destroy()));
    },
  };
}

/** IP literals are never looked up, so they are checked here. */
function rejectPrivateLiteral(hostname: string): void {
  const literal = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  if (isIP(literal) !== 0 && isPrivateAddress(literal)) throw addressDenied(hostname);
}

/** Rejects a name that resolves to a private address; returns its addresses, or none if it cannot be resolved. */
async function rejectPrivateName(hostname: string, resolve: Resolve): Promise<readonly ResolvedAddress[]> {
  const addresses = await resolve(hostname).catch(() => []);
  if (addresses.some(({ address }) => isPrivateAddress(address))) throw addressDenied(hostname);
  return addresses;
}

const addressDenied = (hostname: string) =>
  new ConnectorError('denied_by_policy', `${hostname} resolves to a private or local address, which is blocked.`, {
    hint: allowHint({ hostname }),
  });

const allowHint = ({ hostname }: Pick<URL, 'hostname'>) =>
  `Use a public https address, or start the service with --allow-host ${hostname}.`;

const guardedLookup = (resolve: Resolve): LookupFunction =>
  lookupWith(async (hostname) => {
    const addresses = await resolve(hostname);
    if (addresses.some(({ address }) => isPrivateAddress(address))) throw addressDenied(hostname);
    return addresses;
  });

const lookupWith =
  (resolve: Resolve): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (!first) {
          callback(Object.assign(new Error(`${hostname} does not resolve to an address`), { code: 'ENOTFOUND' }), []);
        } else if (options.all) {
          callback(null, [...addresses]);
        } else {
          callback(null, first.address, first.family);
        }
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };

/** fetch wraps lookup errors; connectors should see the original error. */
function findConnectorError(error: unknown): ConnectorError | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if (ConnectorError.is(at)) return at;
    const [inner] = at instanceof AggregateError ? at.errors : [];
    if (ConnectorError.is(inner)) return inner;
  }
  return undefined;
}
