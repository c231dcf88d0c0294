/** An IP address as a number with its bit length. */
interface Address {
  readonly value: bigint;
  readonly bits: 32 | 128;
}

/** Networks that no vendor uses: IANA's special-purpose registries (RFC 6890), multicast, and Azure's host agent. */
const networks = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  // Unspecified, loopback and the deprecated IPv4-compatible form; Teredo in 2001::/23; documentation; local;
  // multicast.
  '::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/9',
  'ff00::/8',
].map((network) => {
  const [address, prefix] = network.split('/') as [string, string];
  return { ...(parseAddress(address) as Address), prefix: Number(prefix) };
});

/** Whether an IP address is not on the public internet; also true for text that is not an address. */
export function isPrivateAddress(address: string): boolean {
  const parsed = parseAddress(address.split('%')[0]!);
  if (!parsed) return true;
  const embedded = embeddedV4(parsed);
  return isSpecial(parsed) || (embedded !== undefined && isSpecial(embedded));
}

const isSpecial = ({ value, bits }: Address): boolean =>
  networks.some((network) => {
    const rest = BigInt(bits - network.prefix);
    return network.bits === bits && value >> rest === network.value >> rest;
  });

/**
 * The IPv4 address embedded in an IPv6 one: mapped (::ffff:0:0/96), translated (::ffff:0:0:0/96), NAT64 (64:ff9b::/96),
 * ISATAP or 6to4 (2002::/16).
 */
function embeddedV4({ value, bits }: Address): Address | undefined {
  if (bits === 32) return undefined;
  const head = value >> 32n;
  // An ISATAP interface id is 0:5efe, or 200:5efe for a global address, before the IPv4 address.
  const isIsatap = (head & 0xfdffffffn) === 0x5efen;
  const isLast = isIsatap || head === 0xffffn || head === 0xffff0000n || head === 0x64ff9bn << 64n;
  if (!isLast && value >> 112n !== 0x2002n) return undefined;
  return { value: (isLast ? value : value >> 80n) & 0xffffffffn, bits: 32 };
}

function parseAddress(text: string): Address | undefined {
  if (!/^[\da-f:.]+$/i.test(text)) return undefined;
  const parts = text.split('.');
  // Some parsers read a leading zero as octal.
  if (parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256)) {
    return { value: parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n), bits: 32 };
  }
  // The URL parser normalizes dotted IPv4 suffixes and all abbreviations.
  const url = `http://[${text}]`;
  if (!URL.canParse(url)) return undefined;
  const [left = '', right] = new URL(url).hostname.slice(1, -1).split('::');
  const groups = (side: string) => (side === '' ? [] : side.split(':'));
  const [first, last] = [groups(left), groups(right ?? '')];
  const zeros = new Array<string>(8 - first.length - last.length).fill('0');
  const all = [...first, ...zeros, ...last];
  return { value: BigInt(`0x${all.map((group) => group.padStart(4, '0')).join('')}`), bits: 128 };
}
