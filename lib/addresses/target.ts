import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { parseUrl } from './parse-url';

/** Where a connection is wanted to: an address or a name in its one canonical spelling, and a port. */
export interface Target {
  /** Lower case, no brackets, no dot at the end; addresses as WHATWG's URL standard writes them. */
  readonly host: string;
  readonly port: number;
}

/** Which targets may be connected to, as far as the target itself tells. */
export interface TargetRules {
  isPortAllowed(port: number): boolean;
  isAddressAllowed(address: string, port: number): boolean;
  /** Whether a name may be looked up at all. */
  isNameAllowed(name: string): boolean;
}

/** Why a target may not be connected to. */
export type TargetRefusal = 'port' | 'not_public';

/** The rule for whatever a caller names: a public host, at a port of the web. */
export const publicTargets: TargetRules = {
  isPortAllowed: (port) => port === 80 || port === 443,
  isAddressAllowed: isPublicAddress,
  isNameAllowed: isPublicName,
};

/** Judges a target before anything is looked up. @returns null when it may be connected to */
export function refusalOf({ host, port }: Target, rules: TargetRules): TargetRefusal | null {
  if (!rules.isPortAllowed(port)) return 'port';
  const isAllowed = isIP(host) === 0 ? rules.isNameAllowed(host) : rules.isAddressAllowed(host, port);
  return isAllowed ? null : 'not_public';
}

/**
 * Characters that are no part of a host and port, or that one parser of addresses drops and another keeps: delimiters, escapes,
 * spaces, control characters and what nobody sees (soft hyphens, zero-width characters, variation selectors).
 */
const stray = /[/\\?#@%\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

/**
 * Reads `host:port` of a CONNECT, or of an address, the way a browser does, so that every spelling of one address (decimal,
 * octal, hexadecimal, short, full-width digits) is judged as that address.
 * @returns null for what is not a host, with or without a port, and nothing else
 */
export function readTarget(authority: string, defaultPort = 80): Target | null {
  if (stray.test(authority)) return null;
  // With a scheme whose default port is not the one that is looked for, so that every port that is written is seen.
  const address = `${defaultPort === 80 ? 'http' : 'https'}://${authority}/`;
  const url = parseUrl(address);
  return url && targetOf(url);
}

/** The target of an http or https address. */
export function targetOf({ protocol, hostname, port }: URL): Target {
  const usual = protocol === 'https:' ? 443 : 80;
  return { host: canonicalHost(hostname), port: port === '' ? usual : Number(port) };
}

function canonicalHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

/**
 * Top-level domains that are no part of the public DNS: IANA's registry of special-use domain names (RFC 6761, RFC 6762,
 * RFC 7686, RFC 9476), `arpa`, which holds no pages, `internal`, which ICANN reserved, and what RFC 6762 (appendix G), ICANN's
 * list of name collisions and home routers use for private networks. None of them can be delegated without a change of those.
 */
const privateDomains = new Set([
  ...['alt', 'arpa', 'example', 'internal', 'invalid', 'local', 'localhost', 'onion', 'test'],
  ...['corp', 'domain', 'home', 'intranet', 'lan', 'localdomain', 'mail', 'private', 'workgroup'],
]);

/**
 * Whether a public name server can know a host name: at least two labels of letters, digits, hyphens and underscores below a
 * top-level domain that is not private.
 * @param name in ASCII, lower case, without a dot at the end
 */
function isPublicName(name: string): boolean {
  if (name.length > 253) return false;
  const labels = name.split('.');
  if (labels.length < 2 || labels.some((label) => !/^[a-z0-9_-]{1,63}$/.test(label))) return false;
  const domain = labels.at(-1) ?? '';
  // RFC 3696, 2: a top-level domain is alphabetic; one in another script is written in Punycode.
  return /^([a-z]{2,}|xn--[a-z0-9-]+)$/.test(domain) && !privateDomains.has(domain);
}

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
function isPublicAddress(address: string): boolean {
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
