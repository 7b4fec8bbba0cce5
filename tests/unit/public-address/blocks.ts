/**
 * Every address block without public pages: IANA's registries of special-purpose addresses (IPv4 and IPv6), multicast, and
 * the parts of IPv6 that are not assigned for global use. `first` and `last` are the ends of a block; `before` and `after`
 * are the addresses next to them if those are public.
 */
export interface Block {
  readonly first: string;
  readonly last: string;
  readonly before?: string;
  readonly after?: string;
}

export const blocks4: Readonly<Record<string, Block>> = {
  '0.0.0.0/8': { first: '0.0.0.0', last: '0.255.255.255', after: '1.0.0.0' },
  '10.0.0.0/8': { first: '10.0.0.0', last: '10.255.255.255', before: '9.255.255.255', after: '11.0.0.0' },
  '100.64.0.0/10': {
    first: '100.64.0.0',
    last: '100.127.255.255',
    before: '100.63.255.255',
    after: '100.128.0.0',
  },
  '127.0.0.0/8': {
    first: '127.0.0.0',
    last: '127.255.255.255',
    before: '126.255.255.255',
    after: '128.0.0.0',
  },
  '168.63.129.16/32': {
    first: '168.63.129.16',
    last: '168.63.129.16',
    before: '168.63.129.15',
    after: '168.63.129.17',
  },
  '169.254.0.0/16': {
    first: '169.254.0.0',
    last: '169.254.255.255',
    before: '169.253.255.255',
    after: '169.255.0.0',
  },
  '172.16.0.0/12': {
    first: '172.16.0.0',
    last: '172.31.255.255',
    before: '172.15.255.255',
    after: '172.32.0.0',
  },
  '192.0.0.0/24': { first: '192.0.0.0', last: '192.0.0.255', before: '191.255.255.255', after: '192.0.1.0' },
  '192.0.2.0/24': { first: '192.0.2.0', last: '192.0.2.255', before: '192.0.1.255', after: '192.0.3.0' },
  '192.31.196.0/24': {
    first: '192.31.196.0',
    last: '192.31.196.255',
    before: '192.31.195.255',
    after: '192.31.197.0',
  },
  '192.52.193.0/24': {
    first: '192.52.193.0',
    last: '192.52.193.255',
    before: '192.52.192.255',
    after: '192.52.194.0',
  },
  '192.88.99.0/24': {
    first: '192.88.99.0',
    last: '192.88.99.255',
    before: '192.88.98.255',
    after: '192.88.100.0',
  },
  '192.168.0.0/16': {
    first: '192.168.0.0',
    last: '192.168.255.255',
    before: '192.167.255.255',
    after: '192.169.0.0',
  },
  '192.175.48.0/24': {
    first: '192.175.48.0',
    last: '192.175.48.255',
    before: '192.175.47.255',
    after: '192.175.49.0',
  },
  '198.18.0.0/15': {
    first: '198.18.0.0',
    last: '198.19.255.255',
    before: '198.17.255.255',
    after: '198.20.0.0',
  },
  '198.51.100.0/24': {
    first: '198.51.100.0',
    last: '198.51.100.255',
    before: '198.51.99.255',
    after: '198.51.101.0',
  },
  '203.0.113.0/24': {
    first: '203.0.113.0',
    last: '203.0.113.255',
    before: '203.0.112.255',
    after: '203.0.114.0',
  },
  '224.0.0.0/4': { first: '224.0.0.0', last: '239.255.255.255', before: '223.255.255.255' },
  '240.0.0.0/4': { first: '240.0.0.0', last: '255.255.255.255' },
};

const all = 'ffff:ffff:ffff:ffff:ffff:ffff:ffff';

export const blocks6: Readonly<Record<string, Block>> = {
  'unspecified ::/128': { first: '::', last: '::' },
  'loopback ::1/128': { first: '::1', last: '::1' },
  'IPv4-compatible ::/96': { first: '::2', last: '::ffff:ffff' },
  'IPv4-mapped ::ffff:0:0/96': { first: '::ffff:0:0', last: '::ffff:ffff:ffff' },
  'IPv4-translated ::ffff:0:0:0/96': { first: '::ffff:0:0:0', last: '::ffff:0:ffff:ffff' },
  'NAT64 64:ff9b::/96': { first: '64:ff9b::', last: '64:ff9b::ffff:ffff' },
  'NAT64, local use, 64:ff9b:1::/48': {
    first: '64:ff9b:1::',
    last: '64:ff9b:1:ffff:ffff:ffff:ffff:ffff',
  },
  'discard-only 100::/64': { first: '100::', last: '100::ffff:ffff:ffff:ffff' },
  'dummy 100:0:0:1::/64': { first: '100:0:0:1::', last: '100::1:ffff:ffff:ffff:ffff' },
  'below the global block': { first: '200::', last: `1fff:${all}`, after: '2000::' },
  'IETF protocol assignments 2001::/23': {
    first: '2001::',
    last: '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff',
    before: `2000:${all}`,
    after: '2001:200::',
  },
  'Teredo 2001::/32': { first: '2001::1', last: '2001:0:ffff:ffff:ffff:ffff:ffff:ffff' },
  'port control 2001:1::1/128': { first: '2001:1::1', last: '2001:1::3' },
  'benchmarks 2001:2::/48': { first: '2001:2::', last: '2001:2:0:ffff:ffff:ffff:ffff:ffff' },
  'AMT 2001:3::/32': { first: '2001:3::', last: '2001:3:ffff:ffff:ffff:ffff:ffff:ffff' },
  'AS112 2001:4:112::/48': { first: '2001:4:112::', last: '2001:4:112:ffff:ffff:ffff:ffff:ffff' },
  'ORCHID 2001:10::/28': { first: '2001:10::', last: '2001:1f:ffff:ffff:ffff:ffff:ffff:ffff' },
  'ORCHIDv2 2001:20::/28': { first: '2001:20::', last: '2001:2f:ffff:ffff:ffff:ffff:ffff:ffff' },
  'drone identifiers 2001:30::/28': { first: '2001:30::', last: '2001:3f:ffff:ffff:ffff:ffff:ffff:ffff' },
  'documentation 2001:db8::/32': {
    first: '2001:db8::',
    last: '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
    before: '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff',
    after: '2001:db9::',
  },
  '6to4 2002::/16': { first: '2002::', last: `2002:${all}`, before: `2001:${all}`, after: '2003::' },
  'AS112 2620:4f:8000::/48': {
    first: '2620:4f:8000::',
    last: '2620:4f:8000:ffff:ffff:ffff:ffff:ffff',
    before: '2620:4f:7fff:ffff:ffff:ffff:ffff:ffff',
    after: '2620:4f:8001::',
  },
  'documentation 3fff::/20': {
    first: '3fff::',
    last: '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff',
    before: `3ffe:${all}`,
    after: '3fff:1000::',
  },
  'above the global block': { first: '4000::', last: `fbff:${all}`, before: `3fff:${all}` },
  'segment routing 5f00::/16': { first: '5f00::', last: `5f00:${all}` },
  'unique local fc00::/7': { first: 'fc00::', last: `fdff:${all}` },
  'link-local fe80::/10': { first: 'fe80::', last: `febf:${all}` },
  'site-local fec0::/10': { first: 'fec0::', last: `feff:${all}` },
  'multicast ff00::/8': { first: 'ff00::', last: `ffff:${all}` },
  'ISATAP below any prefix': {
    first: '2606:4700::5efe:0:0',
    last: '2606:4700::200:5efe:ffff:ffff',
    before: '2606:4700::5efd:ffff:ffff',
    after: '2606:4700::5eff:0:0',
  },
};
