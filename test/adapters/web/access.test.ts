import { BlockList, isIPv4 } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  clientAddress,
  networkOf,
  parseAddress,
  parseRanges,
} from '../../../adapters/web/access.ts';
import { anyCharacter } from '../../fakes/any-character.ts';

const trusting = (ranges: string): BlockList => parseRanges(ranges)!;

const PROXIES = trusting('10.0.0.0/8, 127.0.0.1 fd00::/8');

describe('an address', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    [' 203.0.113.7:4711 ', '203.0.113.7'],
    ['2001:DB8:0:0::0001', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['[::FFFF:203.0.113.7]:80', '203.0.113.7'],
  ])('%s is %s', (written, address) => {
    expect(parseAddress(written)).toBe(address);
  });

  test.each(['', 'unknown', '_hidden', '1.2.3', '1.2.3.4.5', '256.1.1.1', '01.2.3.4', ':::', '[]'])(
    '%j is none',
    (written) => {
      expect(parseAddress(written)).toBeUndefined();
    },
  );
});

describe('trusted ranges', () => {
  test.each(['10.0.0.0/8', '127.0.0.1, ::1', '2001:db8::/32 10.1.2.3', '::ffff:10.0.0.0/104', ''])(
    '%j are read',
    (ranges) => {
      expect(parseRanges(ranges)).toBeInstanceOf(BlockList);
    },
  );

  test.each(['10.0.0.0/33', '::/129', 'proxy.example.com', '10.0.0.0/', '10.0.0.1:80', '/8', '*'])(
    '%j are refused',
    (ranges) => {
      expect(parseRanges(ranges)).toBeUndefined();
    },
  );

  test('hold for an address in whatever form it comes', () => {
    for (const written of ['10.1.2.3', '::ffff:10.1.2.3'])
      for (const ranges of ['10.0.0.0/8', '::ffff:10.0.0.0/104'])
        expect(clientAddress(trusting(ranges), written, '203.0.113.7')).toBe('203.0.113.7');
  });
});

describe('a client', () => {
  test.each([
    ['without a proxy, is the other end', '203.0.113.7', undefined, '203.0.113.7'],
    ['is not what it says itself', '203.0.113.7', '198.51.100.1', '203.0.113.7'],
    ['behind a proxy, is what that says', '10.0.0.1', '203.0.113.7', '203.0.113.7'],
    ['is not what stands before that', '10.0.0.1', '198.51.100.1, 203.0.113.7', '203.0.113.7'],
    ['is found behind two proxies', '10.0.0.1', '203.0.113.7, 10.0.0.2', '203.0.113.7'],
    ['is the last proxy before garbage', '10.0.0.1', '203.0.113.7, unknown, 10.0.0.2', '10.0.0.2'],
    ['may be among the proxies', '10.0.0.1', '10.0.0.3', '10.0.0.3'],
    ['may have an IPv6 address', 'fd00::1', '2001:db8::7', '2001:db8::7'],
    ['may come by IPv4 over an IPv6 socket', '::ffff:127.0.0.1', '203.0.113.7', '203.0.113.7'],
  ])('%s', (_, remote, forwarded, client) => {
    expect(clientAddress(PROXIES, remote, forwarded)).toBe(client);
  });
});

const ipv4 = fc.ipV4();
const outside = fc.oneof(ipv4, fc.ipV6()).filter((address) => {
  const plain = parseAddress(address) ?? '';
  return plain !== '' && !PROXIES.check(plain, isIPv4(plain) ? 'ipv4' : 'ipv6');
});
const proxy = fc.oneof(
  fc.nat(255).map((part) => `10.1.2.${part}`),
  fc.nat(255).map((part) => `::ffff:10.1.2.${part}`),
  fc.nat(65_535).map((part) => `fd00::${part.toString(16)}`),
);
const anything = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.array(fc.oneof(ipv4, fc.ipV6(), fc.string(), proxy)).map((hops) => hops.join(',')),
);

describe('whatever a header says', () => {
  test('nobody outside of the proxies chooses their own address', () => {
    fc.assert(
      fc.property(outside, anything, (remote, header) => {
        expect(clientAddress(PROXIES, remote, header)).toBe(parseAddress(remote));
      }),
    );
  });

  test('what a client puts before the proxies’ words changes nothing', () => {
    fc.assert(
      fc.property(anything, outside, fc.array(proxy), proxy, (spoofed, client, hops, remote) => {
        const header = [spoofed, client, ...hops].join(', ');
        expect(clientAddress(PROXIES, remote, header)).toBe(parseAddress(client));
      }),
    );
  });

  test('the client is an address, in one form', () => {
    fc.assert(
      fc.property(proxy, anything, (remote, header) => {
        const client = clientAddress(PROXIES, remote, header);
        expect(parseAddress(client)).toBe(client);
      }),
    );
  });

  test('ranges are read or refused', () => {
    fc.assert(
      fc.property(fc.oneof(anything, fc.string()), (ranges) => {
        expect([undefined, BlockList]).toContain(parseRanges(ranges)?.constructor);
      }),
    );
  });
});

test('a client with a network of IPv6 addresses is counted as one', () => {
  expect(networkOf('203.0.113.7')).toBe('203.0.113.7');
  const groups = fc.array(fc.nat(65_535), { minLength: 4, maxLength: 4 });
  const written = (parts: number[]) => parts.map((part) => part.toString(16)).join(':');
  fc.assert(
    fc.property(groups, groups, groups, groups, (network, host, other, elsewhere) => {
      fc.pre(network[0] !== 0 && written(network) !== written(elsewhere));
      const of = (prefix: number[], suffix: number[]) =>
        networkOf(parseAddress(written([...prefix, ...suffix]))!);
      expect(of(network, host)).toBe(of(network, other));
      expect(of(network, host)).not.toBe(of(elsewhere, host));
    }),
  );
});
