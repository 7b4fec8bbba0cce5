import { clientNetwork } from '@/lib/platform/addresses/client-network';
import { expect, test } from '../support/without-browser';

test('an IPv6 address counts as its /64 network, in any notation', () => {
  const written = [
    '2001:db8::1',
    '2001:db8:0:0::2',
    '2001:0DB8:0000:0000:ffff:ffff:ffff:ffff',
    '2001:db8::1%eth0',
  ];
  expect(new Set(written.map(clientNetwork))).toEqual(new Set(['2001:db8:0:0']));
});

test('neighboring /64 networks count apart', () => {
  expect(clientNetwork('2001:db8:0:1::1')).not.toBe(clientNetwork('2001:db8:0:2::1'));
});

test('an IPv4 address counts as itself, mapped into IPv6 or not', () => {
  expect(clientNetwork('::ffff:192.0.2.7')).toBe('192.0.2.7');
  expect(clientNetwork('192.0.2.7')).not.toBe(clientNetwork('192.0.2.8'));
});

test('other text counts as it is, up to a maximum length', () => {
  expect(clientNetwork('unknown')).toBe('unknown');
  expect(clientNetwork('x'.repeat(1_000))).toHaveLength(64);
});
