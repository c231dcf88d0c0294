import { BlockList } from 'node:net';
import { isPrivateAddress } from 'agent-connectors/node';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { caseCount } from '../cases.js';

const v4 = ['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'].concat(
  ['192.0.0.0/24', '192.0.2.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ['224.0.0.0/3'],
);
const v6 = ['::/96', '64:ff9b:1::/48', '100::/64', '2001::/23', '2001:db8::/32', 'fc00::/7', 'fe80::/9', 'ff00::/8'];

/** Node's own matcher, with the same networks. */
const oracle = new BlockList();
for (const network of [...v4, ...v6]) {
  const [address, prefix] = network.split('/') as [string, string];
  oracle.addSubnet(address, Number(prefix), address.includes(':') ? 'ipv6' : 'ipv4');
}

test('agrees with the matcher of Node about IPv4', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      expect(isPrivateAddress(address)).toBe(oracle.check(address, 'ipv4'));
    }),
    { numRuns: caseCount(5_000) },
  );
});

test('agrees with it about IPv6 that contains no IPv4 address', () => {
  const groups = fc.oneof(
    fc.constantFrom('0', '64', '100', '2001', 'db8', 'fc00', 'fe80', 'fec0', 'ff02'),
    fc.integer({ min: 0, max: 0xffff }).map((group) => group.toString(16)),
  );
  const address = fc.oneof(
    fc.ipV6(),
    fc.array(groups, { minLength: 8, maxLength: 8 }).map((all) => all.join(':')),
  );
  fc.assert(
    fc.property(address, (text) => {
      fc.pre(!/^(2002|64:ff9b|::ffff)/i.test(new URL(`http://[${text}]`).hostname.slice(1)));
      expect(isPrivateAddress(text)).toBe(oracle.check(text, 'ipv6'));
    }),
    { numRuns: caseCount(5_000) },
  );
});

describe('an IPv4 address inside an IPv6 one', () => {
  test.each([
    ['::ffff:10.0.0.1', true],
    ['::ffff:8.8.8.8', false],
    ['64:ff9b::a9fe:a9fe', true],
    ['64:ff9b::808:808', false],
    ['2002:7f00:1::', true],
    ['2002:808:808::1', false],
    ['::127.0.0.1', true],
    ['fe80::1%eth0', true],
  ])('%s is private: %s', (address, isPrivate) => {
    expect(isPrivateAddress(address)).toBe(isPrivate);
  });
});

test.each([
  '',
  'localhost',
  '1.2.3',
  '256.1.1.1',
  '0x7f.1',
  ':::',
  '1::2::3',
  '[::1]',
  '012.1.1.1',
  '2606:4700::1111\n',
  '127.0.0.1]@[2606:4700::1',
])('a text that is not an address is refused: %s', (text) => {
  expect(isPrivateAddress(text)).toBe(true);
});
