/**
 * Whether a URL can be decoded and its path has no NUL. No identifier contains one, and PostgreSQL rejects queries for
 * it.
 * @param url with or without its origin
 */
export function isReadableUrl(url: string): boolean {
  try {
    decodeURIComponent(url);
  } catch {
    return false;
  }
  return !(url.split('?', 1)[0] ?? '').includes('%00');
}
