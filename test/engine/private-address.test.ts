import { BlockList } from 'node:net';
import { isPrivateAddress } from 'agent-connectors/node';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { caseCount } from '../cases.js';

const v4 = [
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
];
const v6 = [
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
];

/** Node's own block list, with the same networks. */
const oracle = new BlockList();
for (const network of [...v4, ...v6]) {
  const [address, prefix] = network.split('/') as [string, string];
  oracle.addSubnet(address, Number(prefix), address.includes(':') ? 'ipv6' : 'ipv4');
}

test('agrees with the Node.js block list on IPv4', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      expect(isPrivateAddress(address)).toBe(oracle.check(address, 'ipv4'));
    }),
    { numRuns: caseCount(5_000) },
  );
});

test('agrees with the Node.js block list on IPv6 without embedded IPv4 addresses', () => {
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
      fc.pre(!/^(2002|64:ff9b|::ffff)|:5efe:/i.test(new URL(`http://[${text}]`).hostname.slice(1)));
      expect(isPrivateAddress(text)).toBe(oracle.check(text, 'ipv6'));
    }),
    { numRuns: caseCount(5_000) },
  );
});

test.each([
  ['Azure’s host agent', '168.63.129.16', '168.63.129.15'],
  ['the metadata service of most clouds', '169.254.169.254', '169.253.169.254'],
  ['the metadata service of Alibaba Cloud', '100.100.100.200', '100.63.100.200'],
  ['the metadata service of Oracle Cloud', '192.0.0.192', '192.0.1.192'],
  ['6to4 relays', '192.88.99.1', '192.88.98.1'],
  ['the metadata service of AWS over IPv6', 'fd00:ec2::254', '2600:1f00::254'],
  ['IPv6 documentation addresses', '3fff:fff::1', '3fff:1000::1'],
])('%s is not public: %s', (_, address, beside) => {
  expect([isPrivateAddress(address), isPrivateAddress(beside)]).toEqual([true, false]);
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
    ['::8.8.8.8', true],
    ['::ffff:168.63.129.16', true],
    ['::ffff:a83f:8110', true],
    ['64:ff9b::168.63.129.16', true],
    ['64:ff9b:1::808:808', true],
    ['2002:a83f:8110::1', true],
    ['::ffff:0:169.254.169.254', true],
    ['::ffff:0:8.8.8.8', false],
    ['2606:4700::5efe:10.0.0.1', true],
    ['2606:4700::200:5efe:169.254.169.254', true],
    ['2606:4700::200:5efe:8.8.8.8', false],
    ['2001:0:808:808::f7f7:f7f7', true],
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
])('rejects text that is not an address: %s', (text) => {
  expect(isPrivateAddress(text)).toBe(true);
});
