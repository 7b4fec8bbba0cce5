import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

/** Public by their range, private by their use: Azure answers every virtual machine there with its configuration. */
const metadata = new Set(['168.63.129.16']);

/** 2000::/3 is all that is assigned for global use (RFC 4291, IANA's registry of IPv6 address space). */
const global6 = ipaddr.IPv6.parseCIDR('2000::/3');
/** IETF protocol assignments (Teredo, ORCHID, benchmarks), documentation and 6to4: of what lies within 2000::/3. */
const special6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'].map((range) =>
  ipaddr.IPv6.parseCIDR(range),
);

/**
 * Whether an address may be connected to for a stranger: globally reachable unicast, and no disguise of another one.
 * An IPv6 address that carries an IPv4 address (mapped, compatible, NAT64, 6to4, Teredo, ISATAP) is refused whatever it carries.
 * @param address as `isIP` takes it: dotted decimal, or IPv6 without brackets; anything else is refused
 */
export function isPublicAddress(address: string): boolean {
  // A zone names an interface of this machine.
  if (isIP(address) === 0 || address.includes('%')) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  if (parsed instanceof ipaddr.IPv4) return !metadata.has(parsed.toString());
  if (!parsed.match(global6) || special6.some((range) => parsed.match(range))) return false;
  return !isIsatap(parsed);
}

/** RFC 5214: the interface part says 0000:5efe or 0200:5efe, then comes an IPv4 address. */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return (parts[4] === 0 || parts[4] === 0x0200) && parts[5] === 0x5efe;
}

/** Whether an address is one of this machine's own, public or not: what listens here may trust who comes from here. */
export function isOwnAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const wanted = ipaddr.parse(address).toNormalizedString();
  return Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .some((own) => ipaddr.parse(own.address).toNormalizedString() === wanted);
}
