import { ConnectorError } from '../call/errors.js';
import { endpoint, isLoopbackEndpoint } from '../http/url.js';
import { type AuthContext, plain } from './scheme.js';

/** Field for the address of the API that the vendor gave to one customer. */
export const baseUrl = (description: string) => plain(description);

/**
 * Such an address, with `suffix` taken off where it stands behind the host.
 *
 * It must lie within the vendor's domains or on this machine: whatever it names is sent the credentials.
 */
export function customerApi(
  given: string,
  suffix: string,
  { title, customers = [] }: AuthContext,
  loopback = true,
): string {
  const bare = given.trim().replace(/\/+$/, '');
  const address = checked(title, bare.endsWith(suffix) ? bare.slice(0, bare.length - suffix.length) : bare);
  const { hostname, pathname, port } = new URL(address);
  const within = customers.some((domain) => hostname === domain || hostname.endsWith(`.${domain}`));
  if ((within && pathname === '/' && port === '') || (loopback && isLoopbackEndpoint(address))) return address;
  const fault = within ? 'has a path or a port' : `is not an address at ${customers.join(' or ')}`;
  throw new ConnectorError(
    'invalid_credentials',
    `${title}: base_url ${fault}; a proxy belongs in the endpoints option.`,
  );
}

function checked(title: string, address: string): string {
  try {
    return endpoint('base_url', /^[a-z]+:\/\//i.test(address) ? address : `https://${address}`);
  } catch (error) {
    if (!ConnectorError.is(error)) throw error;
    throw new ConnectorError('invalid_credentials', `${title}: ${error.message.replace('endpoints.', '')}`);
  }
}
