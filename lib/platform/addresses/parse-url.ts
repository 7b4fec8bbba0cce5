/**
 * Parses a URL; returns null if it is not valid. This does not use `URL.canParse`, because Node 20 optimizes it after some
 * thousand calls to a version that rejects `ü` and `é`.
 */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
