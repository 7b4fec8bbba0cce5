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
export function isPublicName(name: string): boolean {
  if (name.length > 253) return false;
  const labels = name.split('.');
  if (labels.length < 2 || labels.some((label) => !/^[a-z0-9_-]{1,63}$/.test(label))) return false;
  const domain = labels.at(-1) ?? '';
  // RFC 3696, 2: a top-level domain is alphabetic; one in another script is written in Punycode.
  return /^([a-z]{2,}|xn--[a-z0-9-]+)$/.test(domain) && !privateDomains.has(domain);
}
