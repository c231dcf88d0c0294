import type { PublicAddress } from '../setup/public-address.js';

/** Where clients reach the service. */
export interface BaseAddress {
  /** The address for whoever sent these headers, without a slash at its end. */
  of(headers: Headers): string;
  /** Why nobody can sign in with OAuth at that address; undefined where one can. */
  faultOf(headers: Headers): string | undefined;
}

const loopbackHost = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;

/** Whether an address can be used for OAuth: the token endpoint of any other is refused by clients. */
const isSecure = (url: string): boolean => url.startsWith('https:') || loopbackHost.test(new URL(url).host);

/** Says at start what keeps OAuth clients from signing in. */
export const publicUrlWarning = (publicUrl: string | undefined): string | undefined =>
  publicUrl === undefined || isSecure(publicUrl) ? undefined : insecure(publicUrl);

const insecure = (url: string) =>
  `MCP clients cannot sign in at ${url}: OAuth needs https. Put a proxy with TLS in front, and set --public-url to its address.`;

/**
 * The public URL that the operator has set. Without one it is where the service listens, by whichever name of this
 * machine the request came, so that `localhost` works as well as 127.0.0.1.
 */
export function baseAddress(publicUrl: string | undefined, address: PublicAddress): BaseAddress {
  const hostOf = (headers: Headers) => headers.get('host') ?? '';
  return {
    of(headers) {
      const host = hostOf(headers);
      return publicUrl === undefined && loopbackHost.test(host) ? `http://${host.toLowerCase()}` : address.url;
    },
    faultOf(headers) {
      if (publicUrl !== undefined) return publicUrlWarning(publicUrl);
      const host = hostOf(headers);
      if (host === '' || loopbackHost.test(host)) return undefined;
      return 'MCP clients cannot sign in at this address: the service was not told its public address. Set --public-url to the address that clients use.';
    },
  };
}
