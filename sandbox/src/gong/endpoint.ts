import { customerHost } from './credentials.js';
import { mediaOrigin } from './media.js';

/** The Gong host to which a request was sent. */
export type Endpoint = 'general' | 'customer' | 'foreign' | 'authorization' | 'media';

const customerName = customerHost.split('.')[0]!;

/** Determines the endpoint from the host or, on any other server, from the path prefix. */
export function endpointOf(base: string, path: string): { endpoint: Endpoint; path: string } {
  const { hostname } = new URL(base);
  if (hostname === 'api.gong.io') return { endpoint: 'general', path };
  if (hostname === customerHost) return { endpoint: 'customer', path };
  if (hostname === 'app.gong.io') return { endpoint: 'authorization', path };
  if (base === mediaOrigin) return { endpoint: 'media', path };
  if (hostname.endsWith('.api.gong.io')) return { endpoint: 'foreign', path };
  if (path.startsWith('/oauth2/')) return { endpoint: 'authorization', path };
  if (path.startsWith('/media/')) return { endpoint: 'media', path };
  const own = `/${customerName}/`;
  return path.startsWith(own)
    ? { endpoint: 'customer', path: path.slice(own.length - 1) }
    : { endpoint: 'general', path };
}

/** The customer URL that the token endpoint returns. */
export function customerAddressFor(base: string): string {
  return new URL(base).hostname.endsWith('gong.io') ? `https://${customerHost}` : base;
}
