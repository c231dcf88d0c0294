import { BlockList, isIP } from 'node:net';

/** Trusted proxies, given as networks or as a count. */
export type TrustedProxies = readonly string[] | number;

/** Finds a request's client address; `forwarded` is its `X-Forwarded-For` header. */
export type FindAddress = (socket: string | undefined, forwarded: string | null) => string | undefined;

/** Trusts only these proxies; if there are none, the socket address is used. */
export function addressFinder(trusted: TrustedProxies = []): FindAddress {
  const isTrusted = proxyMatcher(trusted);
  return (socket, forwarded) => {
    if (socket === undefined) return undefined;
    const hops = [normalizeAddress(socket), ...(forwarded ?? '').split(',').reverse().map(normalizeAddress)];
    let at = 0;
    // Entries not added by a trusted proxy can be forged.
    while (at + 1 < hops.length && isTrusted(hops[at]!, at) && isIP(hops[at + 1]!) !== 0) at++;
    return hops[at];
  };
}

/** Whether an address belongs to a trusted proxy, which represents many clients. */
export function isProxy(trusted: TrustedProxies = []): (socket: string) => boolean {
  const isTrusted = proxyMatcher(trusted);
  return (socket) => isTrusted(normalizeAddress(socket), 0);
}

const proxyMatcher = (trusted: TrustedProxies): ((address: string, hop: number) => boolean) =>
  typeof trusted === 'number' ? (_, hop) => hop < trusted : networkMatcher(trusted);

/** The unit for per-address limits. For IPv6, this is the /64 prefix, because a host can use any address within it. */
export function networkOf(address: string): string {
  const known = normalizeAddress(address);
  if (isIP(known) !== 6) return known;
  const [head = '', tail] = known.replace(/%.*$/, '').split('::');
  const groups = head.split(':').filter(Boolean);
  const after = tail === undefined ? [] : tail.split(':').filter(Boolean);
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - after.length) }, () => '0');
  const first = [...groups, ...zeros, ...after].slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${first.join(':')}::/64`;
}

/** Parses networks such as `10.0.0.0/8`, or a proxy count; errors mention the source. */
export function trustedProxiesOf(text: string, source: string): TrustedProxies {
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const networks = text
    .split(',')
    .map((network) => network.trim())
    .filter(Boolean);
  networkMatcher(networks, source);
  return networks;
}

function networkMatcher(networks: readonly string[], source = 'trustedProxies'): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', length] = network.split('/');
    const family = isIP(address);
    const bits = Number(length ?? (family === 4 ? 32 : 128));
    if (family === 0 || !/^\d{1,3}$/.test(length ?? '0') || bits > (family === 4 ? 32 : 128)) {
      throw new Error(`${source} must be comma-separated networks such as 10.0.0.0/8, or a number of proxies.`);
    }
    list.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6');
  }
  return (address) => {
    const family = isIP(address);
    return family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4');
  };
}

/** An address without its port and brackets; IPv4-mapped IPv6 addresses become IPv4. */
function normalizeAddress(text: string): string {
  const bare = text.trim().replace(/^\[(.*)\](:\d+)?$/, '$1');
  const withoutPort = bare.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
  return withoutPort.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
}
