import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * IPv4 blocks where no page of the public internet is: IANA's registry of special-purpose addresses (RFC 6890), multicast
 * (RFC 5771), and one metadata address within an ordinary block.
 */
const special4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Azure answers every virtual machine there with its configuration.
  '168.63.129.16/32',
].map((range) => ipaddr.IPv4.parseCIDR(range));

/**
 * All that is assigned for global use (RFC 4291, IANA's registry of IPv6 address space). Outside of it are loopback, mapped and
 * compatible IPv4, NAT64, discard-only, segment routing, unique local, link-local, site-local and multicast addresses.
 */
const global6 = ipaddr.IPv6.parseCIDR('2000::/3');
/** Within it: IETF protocol assignments (Teredo, ORCHID, benchmarks), documentation, 6to4 and AS112. */
const special6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'].map((range) =>
  ipaddr.IPv6.parseCIDR(range),
);

/**
 * Whether an address is globally reachable unicast, and no disguise of another one: an IPv6 address that carries an IPv4 address
 * (mapped, compatible, NAT64, 6to4, Teredo, ISATAP) is refused whatever it carries.
 * @param address as `isIP` takes it: dotted decimal, or IPv6 without brackets; anything else is refused
 */
export function isPublicAddress(address: string): boolean {
  // A zone names an interface of this machine.
  if (isIP(address) === 0 || address.includes('%')) return false;
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv4) return !special4.some((range) => parsed.match(range));
  if (!parsed.match(global6) || special6.some((range) => parsed.match(range))) return false;
  return !isIsatap(parsed);
}

/** RFC 5214: the interface part begins with 0000:5efe or 0200:5efe, then comes an IPv4 address. */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return (parts[4] === 0 || parts[4] === 0x0200) && parts[5] === 0x5efe;
}
