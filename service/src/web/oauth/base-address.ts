import { isLoopback, isSecure } from '../../common/loopback.js';
import type { PublicAddress } from '../setup/public-address.js';

/** URL at which clients reach the service. */
export interface BaseAddress {
  /** The URL for a request with these headers, without a trailing slash. */
  of(headers: Headers): string;
  /** Why OAuth cannot be used at that URL; undefined if it can. */
  faultOf(headers: Headers): string | undefined;
}

/** Startup warning if OAuth clients cannot sign in: they reject any other token endpoint. */
export const publicUrlWarning = (publicUrl: string | undefined): string | undefined =>
  publicUrl === undefined || isSecure(publicUrl) ? undefined : insecure(publicUrl);

const insecure = (url: string) =>
  `MCP clients cannot sign in at ${url}: OAuth requires https. Put a TLS proxy in front of the service and set --public-url to the proxy’s address.`;

/**
 * The operator's public URL. If there is none, the listening URL with the request's host name, so that both `localhost`
 * and 127.0.0.1 work.
 */
export function baseAddress(publicUrl: string | undefined, address: PublicAddress): BaseAddress {
  const hostOf = (headers: Headers) => headers.get('host') ?? '';
  return {
    of(headers) {
      const host = hostOf(headers);
      return publicUrl === undefined && isLoopback(host) ? `http://${host.toLowerCase()}` : address.url;
    },
    faultOf(headers) {
      if (publicUrl !== undefined) return publicUrlWarning(publicUrl);
      const host = hostOf(headers);
      if (host === '' || isLoopback(host)) return undefined;
      return 'MCP clients cannot sign in at this address: the service’s public address is not set. Set --public-url to the address that clients use.';
    },
  };
}
