import { isIP } from 'node:net';
import { isPublicName } from './names';
import { parseUrl } from './parse-url';
import { isPublicAddress } from './ranges';

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
