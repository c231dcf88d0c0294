import { customerHost } from './credentials.js';
import { mediaOrigin } from './media.js';

/** Which of Gong's addresses a request went to. */
export type Place = 'general' | 'customer' | 'foreign' | 'authorization' | 'media';

const customerName = customerHost.split('.')[0]!;

/** Tells the place by the address: by its host, or below another server by the beginning of the path. */
export function placeOf(base: string, path: string): { place: Place; path: string } {
  const { hostname } = new URL(base);
  if (hostname === 'api.gong.io') return { place: 'general', path };
  if (hostname === customerHost) return { place: 'customer', path };
  if (hostname === 'app.gong.io') return { place: 'authorization', path };
  if (base === mediaOrigin) return { place: 'media', path };
  if (hostname.endsWith('.api.gong.io')) return { place: 'foreign', path };
  if (path.startsWith('/oauth2/')) return { place: 'authorization', path };
  if (path.startsWith('/media/')) return { place: 'media', path };
  const own = `/${customerName}/`;
  return path.startsWith(own) ? { place: 'customer', path: path.slice(own.length - 1) } : { place: 'general', path };
}

/** The address that the token endpoint names as the company's own. */
export function customerAddressFor(base: string): string {
  return new URL(base).hostname.endsWith('gong.io') ? `https://${customerHost}` : base;
}
