/**
 * Reads a URL, or returns null for what is none. Node 20's `URL.canParse` cannot be used: after some thousand calls it is compiled
 * to a version that takes no `ü` or `é`.
 */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
