const example = 'must be a URL such as postgresql://user:password@localhost:5432/database';
const encode =
  'has a character in its user or password that ends a part of a URL. Write %2F for /, %23 for #, %3F for ?, %40 for @ and ' +
  '%25 for %';

/**
 * What is wrong with the address of a PostgreSQL database, as a sentence without its subject; null if nothing is. A password
 * with `/`, `#` or `?` splits the URL in another place, so that other parts of it become the host and the database.
 */
export function databaseUrlProblem(value: string): string | null {
  if (!/^postgres(ql)?:\/\//i.test(value)) return example;
  const [, authority = '', path = '', query = '', fragment = ''] =
    /^\w+:\/\/([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(value) ?? [];
  const hasUser = authority.includes('@');
  if (`${path}${fragment}`.includes('@') || (!hasUser && query.includes('@'))) return encode;
  const url = parse(value);
  if (!url) return hasUser ? encode : example;
  if (fragment !== '') return encode;
  try {
    decodeURIComponent(`${url.username}${url.password}`);
    return null;
  } catch {
    return encode;
  }
}

/** As the driver parses it: it encodes a lone %, and lets the host be absent where a parameter names a socket. */
function parse(value: string): URL | null {
  const hasLonePercent = / |%[^a-f0-9]|%[a-f0-9][^a-f0-9]/i.test(value);
  const encoded = hasLonePercent ? encodeURI(value).replaceAll(/%25(\d\d)/g, '%$1') : value;
  const withHost = URL.canParse(encoded) ? encoded : encoded.replace('@/', '@localhost/');
  return URL.canParse(withHost) ? new URL(withHost) : null;
}
