import { z } from 'zod';

const lengthMax = 2048;

/** An address that a provider, or our own reader, is asked to open for a caller. */
export const publicUrl = z
  .string()
  .min(1)
  .max(lengthMax)
  .refine(isPublicUrl, {
    message: 'must be an http or https address of a public host, without user name or password',
  })
  .meta({ format: 'uri' });

/**
 * Whether an address can be somebody's public page, by how it is written. Whoever connects still has to look at where
 * the name leads; this only keeps the obvious from being paid for. The rule of who connects (lib/reader/egress/address.ts)
 * stands on a library, and the catalog on none: so this one is coarser, and a test holds it to refuse nothing that the
 * other would take.
 */
function isPublicUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  // The parser has brought every spelling of an IPv4 address (0x7f.1, 2130706433) into four decimal numbers.
  const { protocol, username, password, hostname } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') return false;
  return username === '' && password === '' && isPublicHost(hostname.replace(/\.$/, ''));
}

function isPublicHost(host: string): boolean {
  if (host.startsWith('[')) return isPublicIpv6(host.slice(1, -1));
  const octets = /^(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(host);
  if (octets) return isPublicIpv4(Number(octets[1]), Number(octets[2]), Number(octets[3]));
  // RFC 6761 and 6762, RFC 8375, and what networks use at home: names that mean something else to each who asks.
  return (
    host.includes('.') && !/\.(localhost|local|internal|intranet|lan|home\.arpa|test|invalid)$/.test(host)
  );
}

/** IANA's registry of special-purpose addresses. */
function isPublicIpv4(a: number, b: number, c: number): boolean {
  if (a === 0 || a === 10 || a === 127 || a >= 224) return false;
  if (a === 100) return b < 64 || b > 127;
  if (a === 169) return b !== 254;
  if (a === 172) return b < 16 || b > 31;
  if (a === 192) return b !== 168 && !(b === 0 && (c === 0 || c === 2)) && !(b === 88 && c === 99);
  if (a === 198) return b !== 18 && b !== 19 && !(b === 51 && c === 100);
  return !(a === 203 && b === 0 && c === 113);
}

/** Global unicast (2000::/3) without what carries an IPv4 address (6to4, Teredo) or is for documents. */
function isPublicIpv6(address: string): boolean {
  return /^[23][0-9a-f]{3}:/.test(address) && !/^(2002:|2001:(:|0?:|db8:)|3fff:)/.test(address);
}
