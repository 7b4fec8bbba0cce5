import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { parseUrl } from './parse-url';

/** The target of a connection: an address or a name in canonical form, and a port. */
export interface Target {
  /** Lower case, without brackets or a final dot. Addresses as the WHATWG URL standard writes them. */
  readonly host: string;
  readonly port: number;
}

/** Rules about targets that need no look-up. */
export interface TargetRules {
  isPortAllowed(port: number): boolean;
  isAddressAllowed(address: string, port: number): boolean;
  /** Whether a name may be looked up. */
  isNameAllowed(name: string): boolean;
}

/** Why a target is refused. */
export type TargetRefusal = 'port' | 'not_public';

/** The rules for targets that callers name: a public host, at port 80 or 443. */
export const publicTargets: TargetRules = {
  isPortAllowed: (port) => port === 80 || port === 443,
  isAddressAllowed: isPublicAddress,
  isNameAllowed: isPublicName,
};

/** Checks a target without a look-up. @returns null when it may be connected to */
export function refusalOf({ host, port }: Target, rules: TargetRules): TargetRefusal | null {
  if (!rules.isPortAllowed(port)) return 'port';
  const isAllowed = isIP(host) === 0 ? rules.isNameAllowed(host) : rules.isAddressAllowed(host, port);
  return isAllowed ? null : 'not_public';
}

/**
 * Characters that do not belong in a host and port, or that parsers treat differently: delimiters, escapes, spaces,
 * control characters and invisible ones (soft hyphens, zero-width characters, variation selectors).
 */
const stray = /[/\\?#@%\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

/**
 * Reads `host:port` as a browser does, so that every notation of an address (decimal, octal, hexadecimal, short,
 * full-width digits) is checked as that address.
 * @returns null for anything but a host with an optional port
 */
export function readTarget(authority: string, defaultPort = 80): Target | null {
  if (stray.test(authority)) return null;
  // Uses the scheme whose default port is the other one, so that every written port is kept.
  const address = `${defaultPort === 80 ? 'http' : 'https'}://${authority}/`;
  const url = parseUrl(address);
  return url && targetOf(url);
}

/** The target of an http or https URL. */
export function targetOf({ protocol, hostname, port }: URL): Target {
  const usual = protocol === 'https:' ? 443 : 80;
  return { host: canonicalHost(hostname), port: port === '' ? usual : Number(port) };
}

function canonicalHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

/**
 * Top-level domains outside the public DNS: IANA's special-use domain names (RFC 6761, RFC 6762, RFC 7686, RFC 9476),
 * `arpa`, `internal`, and those that RFC 6762 (appendix G), ICANN's list of name collisions and home routers use for
 * private networks.
 */
const privateDomains = new Set([
  ...['alt', 'arpa', 'example', 'internal', 'invalid', 'local', 'localhost', 'onion', 'test'],
  ...['corp', 'domain', 'home', 'intranet', 'lan', 'localdomain', 'mail', 'private', 'workgroup'],
]);

/** Endings of files that are no top-level domains: a URL that begins with a file has lost its host. */
const fileEndings = new Set([
  ...['asp', 'aspx', 'css', 'csv', 'doc', 'docx', 'gif', 'htm', 'html', 'jpeg', 'jpg', 'js', 'json', 'jsp'],
  ...['mp3', 'mp4', 'pdf', 'php', 'png', 'ppt', 'pptx', 'svg', 'txt', 'webp', 'xls', 'xlsx', 'xml'],
]);

/**
 * Whether a public name server can know a host name: at least two labels of letters, digits, hyphens and underscores,
 * below a public top-level domain.
 * @param name in ASCII, lower case, without a final dot
 */
function isPublicName(name: string): boolean {
  if (name.length > 253) return false;
  const labels = name.split('.');
  if (labels.length < 2 || labels.some((label) => !/^[a-z0-9_-]{1,63}$/.test(label))) return false;
  const domain = labels.at(-1) ?? '';
  // RFC 3696, 2: a top-level domain is alphabetic. In another script it is written in Punycode.
  return (
    /^([a-z]{2,}|xn--[a-z0-9-]+)$/.test(domain) && !privateDomains.has(domain) && !fileEndings.has(domain)
  );
}

/**
 * IPv4 blocks without public pages: IANA's special-purpose addresses (RFC 6890), multicast (RFC 5771), and one metadata
 * address in an ordinary block.
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
  // Azure's metadata address for virtual machines.
  '168.63.129.16/32',
].map((range) => ipaddr.IPv4.parseCIDR(range));

/**
 * The block for global use (RFC 4291, IANA's IPv6 registry). Outside of it are loopback, mapped and compatible IPv4,
 * NAT64, discard-only, segment routing, unique local, link-local, site-local and multicast addresses.
 */
const global6 = ipaddr.IPv6.parseCIDR('2000::/3');
/** Exceptions within it: IETF protocol assignments (Teredo, ORCHID, benchmarks), documentation, 6to4 and AS112. */
const special6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'].map((range) =>
  ipaddr.IPv6.parseCIDR(range),
);

/**
 * Whether an address is globally reachable unicast. IPv6 addresses that contain an IPv4 address (mapped, compatible,
 * NAT64, 6to4, Teredo, ISATAP) are refused.
 * @param address as `isIP` accepts it: dotted decimal, or IPv6 without brackets. Anything else is refused.
 */
function isPublicAddress(address: string): boolean {
  // A zone is an interface of this machine.
  if (isIP(address) === 0 || address.includes('%')) return false;
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv4) return !special4.some((range) => parsed.match(range));
  if (!parsed.match(global6) || special6.some((range) => parsed.match(range))) return false;
  return !isIsatap(parsed);
}

/** RFC 5214: the interface identifier begins with 0000:5efe or 0200:5efe, followed by an IPv4 address. */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return (parts[4] === 0 || parts[4] === 0x0200) && parts[5] === 0x5efe;
}
