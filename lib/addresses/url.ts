import { parseUrl } from './parse-url';
import { publicTargets, readTarget, refusalOf, type Target, type TargetRefusal } from './target';

/** Why a text is not read as the address of a page. `malformed`: no http or https address that every parser reads alike. */
type Unread = 'malformed' | 'credentials';

/** Why an address is not one of a public page. */
export type UrlRefusal = Unread | TargetRefusal;

/** Reads where the address of a page leads, without judging it. */
export function readUrl(text: string): Target | Unread {
  const [, scheme = '', authority = ''] = /^(https?):\/\/([^/?#]*)/i.exec(text) ?? [];
  // The URL standard drops tabs and line ends anywhere; other parsers do not.
  if (scheme === '' || /\p{Cc}/u.test(text) || !parseUrl(text)) return 'malformed';
  if (authority.includes('@')) return 'credentials';
  return readTarget(authority, scheme.toLowerCase() === 'https' ? 443 : 80) ?? 'malformed';
}

/**
 * Judges the address of a page by how it is written; nothing is looked up. The egress proxy applies the same rule to everything
 * that a page loads, and to the addresses that a name leads to.
 * @returns null for an address that may be read
 */
export function refusalOfUrl(text: string): UrlRefusal | null {
  const target = readUrl(text);
  return typeof target === 'string' ? target : refusalOf(target, publicTargets);
}
