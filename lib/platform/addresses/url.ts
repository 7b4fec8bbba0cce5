import { parseUrl } from './parse-url';
import { publicTargets, readTarget, refusalOf, type Target, type TargetRefusal } from './target';

/** Why a text is not the URL of a page. `malformed`: not an http or https URL that every parser reads the same way. */
type Unread = 'malformed' | 'credentials';

/** Why a URL is not that of a public page. */
export type UrlRefusal = Unread | TargetRefusal;

/** Reads the target of a URL, without checking it. */
export function readUrl(text: string): Target | Unread {
  const [, scheme = '', authority = ''] = /^(https?):\/\/([^/?#]*)/i.exec(text) ?? [];
  // The URL standard drops tabs and line breaks. Other parsers do not.
  if (scheme === '' || /\p{Cc}/u.test(text) || !parseUrl(text)) return 'malformed';
  if (authority.includes('@')) return 'credentials';
  return readTarget(authority, scheme.toLowerCase() === 'https' ? 443 : 80) ?? 'malformed';
}

/**
 * Checks the URL of a page without a look-up. The egress proxy applies the same rules to everything that a page loads,
 * and to the resolved addresses.
 * @returns null for a URL that may be read
 */
export function refusalOfUrl(text: string): UrlRefusal | null {
  const target = readUrl(text);
  return typeof target === 'string' ? target : refusalOf(target, publicTargets);
}
