import { BlockList, isIP } from 'node:net';

const refused = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  refused.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of [
  // Unspecified, loopback, and the old form that holds an IPv4 address.
  ['::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['fc00::', 7],
  ['fe80::', 9],
  ['ff00::', 8],
] as const) {
  refused.addSubnet(network, prefix, 'ipv6');
}

/** Whether an IP address is none that a vendor on the public internet has. */
export function isPrivateAddress(address: string): boolean {
  const [bare = ''] = address.split('%');
  const family = isIP(bare);
  if (family === 0) return true;
  if (family === 4) return refused.check(bare, 'ipv4');
  const hidden = embeddedV4(bare);
  return refused.check(bare, 'ipv6') || (hidden !== undefined && refused.check(hidden, 'ipv4'));
}

/** The IPv4 address that an IPv6 one leads to: mapped, NAT64, or 6to4. */
function embeddedV4(address: string): string | undefined {
  const groups = groupsOf(address);
  const head = groups.slice(0, 6).join(',');
  if (head === '0,0,0,0,0,65535' || head === '100,65435,0,0,0,0') return dotted(groups[6]!, groups[7]!);
  return groups[0] === 0x2002 ? dotted(groups[1]!, groups[2]!) : undefined;
}

/** The eight numbers of an IPv6 address. */
function groupsOf(address: string): number[] {
  // The parser of URLs writes the dotted end and every shortening in one way.
  const [left = '', right] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const numbers = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)));
  if (right === undefined) return numbers(left);
  const [first, last] = [numbers(left), numbers(right)];
  return [...first, ...new Array<number>(8 - first.length - last.length).fill(0), ...last];
}

const dotted = (high: number, low: number): string => [high >> 8, high & 255, low >> 8, low & 255].join('.');
