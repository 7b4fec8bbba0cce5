import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';

/** Where a connection is wanted to: an address or a name in its one canonical spelling, and a port. */
export interface Target {
  /** Lower case, no brackets, no dot at the end; addresses as WHATWG's URL standard writes them. */
  readonly host: string;
  readonly port: number;
}

/** Names that never lead into the public internet (RFC 6761, RFC 6762, RFC 8375, RFC 9476 and ICANN's `internal`). */
const localSuffixes = ['localhost', 'local', 'internal', 'arpa', 'onion', 'invalid', 'alt'];

/**
 * Reads `host:port` of a CONNECT, or the host of an address, the way a browser does, so that every spelling of one address
 * (decimal, octal, hexadecimal, short, full-width digits) is judged as that address.
 * @returns null for what is not a host with a port and nothing else
 */
export function readTarget(authority: string): Target | null {
  if (/[/\\?#@\s]/.test(authority)) return null;
  const address = `http://${authority}/`;
  if (!URL.canParse(address)) return null;
  const { hostname, port } = new URL(address);
  return { host: canonicalHost(hostname), port: port === '' ? 80 : Number(port) };
}

/** The target of an http or https address. */
export function targetOf({ protocol, hostname, port }: URL): Target {
  const usual = protocol === 'https:' ? 443 : 80;
  return { host: canonicalHost(hostname), port: port === '' ? usual : Number(port) };
}

function canonicalHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

/** Whether a host is an address or a name that a public name server can know. */
export function canBePublic(host: string): boolean {
  if (isIP(host) !== 0) return true;
  const name = domainToASCII(host);
  const labels = name.split('.');
  if (labels.length < 2 || labels.some((label) => label === '' || label.length > 63) || name.length > 253)
    return false;
  return !localSuffixes.includes(labels.at(-1) ?? '');
}
