import ipaddr from 'ipaddr.js';

/** How much of an IPv6 address tells one household or server from another; the rest is its own to vary. */
const ipv6PrefixParts = 4;

/**
 * By what a client address is counted: an IPv4 address, written in any way, or the /64 network of an IPv6 address. What is
 * no address is counted as it is.
 */
export function clientNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return address.slice(0, 64);
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  return parsed.parts
    .slice(0, ipv6PrefixParts)
    .map((part) => part.toString(16))
    .join(':');
}
