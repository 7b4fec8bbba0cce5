/** No page or call takes more than a few. The framework's time for them grows with the square of their number. */
const parametersMax = 100;

/**
 * Whether a URL can be decoded, its path has no NUL, and its query not too many parameters. No identifier contains a NUL, and
 * PostgreSQL rejects queries for it.
 * @param url with or without its origin
 */
export function isReadableUrl(url: string): boolean {
  try {
    decodeURIComponent(url);
  } catch {
    return false;
  }
  const [path = '', ...query] = url.split('?');
  const parameters = query.join('?').split('&', parametersMax + 1);
  return !path.includes('%00') && parameters.length <= parametersMax;
}
