import ipaddr from 'ipaddr.js';

/** How many groups of an IPv6 address identify a household or server, which may choose the rest itself. */
const ipv6PrefixParts = 4;

/**
 * The key under which a client address is counted: an IPv4 address in any notation, or the /64 network of an IPv6
 * address. Anything else is its own key.
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
