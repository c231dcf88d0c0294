import type { EndpointOptions } from '../call/options.js';
import type { Manifest } from '../manifest/manifest.js';
import { type HttpRequest, queryString } from './request.js';
import { endpoint, guardUrl, isLoopbackEndpoint } from './url.js';

/** Where one connector's requests go. */
export interface ResolvedEndpoints {
  readonly api: string;
  readonly auth: string;
  readonly upload: string;
  readonly admin: string;
  /** True where the caller chose the API's address, so that nothing else may change it. */
  readonly pinned: boolean;
  /** Origins that may be sent the credentials. */
  readonly own: ReadonlySet<string>;
  readonly loopback: boolean;
}

/** The vendor's addresses, or the ones that the caller gave in their place. */
export function endpointsOf({ endpoints: own }: Manifest, given: EndpointOptions | undefined): ResolvedEndpoints {
  const chosen = typeof given === 'string' ? { api: given, auth: given, upload: given, admin: given } : (given ?? {});
  const api = endpoint('api', chosen.api ?? own.api);
  const auth = endpoint('auth', chosen.auth ?? own.auth ?? api);
  const upload = endpoint('upload', chosen.upload ?? own.upload ?? api);
  const admin = endpoint('admin', chosen.admin ?? own.admin ?? api);
  return {
    api,
    auth,
    upload,
    admin,
    pinned: chosen.api !== undefined,
    own: new Set([api, upload, admin].map((address) => new URL(address).origin)),
    loopback: isLoopbackEndpoint(api),
  };
}

/** The same with the API's address that the credentials have brought, if any; the caller's own choice comes first. */
export function endpointsFor(settled: ResolvedEndpoints, customer: string | undefined): ResolvedEndpoints {
  if (customer === undefined || settled.pinned || customer === settled.api) return settled;
  const own = new Set([customer, settled.upload, settled.admin].map((address) => new URL(address).origin));
  return { ...settled, api: customer, own, loopback: isLoopbackEndpoint(customer) };
}

/** The whole address of a request, and whether it may carry the credentials. */
export function addressOf(
  { url, query, to }: HttpRequest,
  endpoints: ResolvedEndpoints,
): { url: string; own: boolean } {
  const search = query ? queryString(query) : '';
  const { own, loopback } = endpoints;
  if (url.startsWith('/')) return { url: endpoints[to ?? 'api'] + url + search, own: true };
  const address = guardUrl(url + search, loopback);
  return { url: address.href, own: own.has(address.origin) };
}
