import type { IncomingMessage } from 'node:http';

/** Node takes the first of several and ignores the others, while a proxy before it may have read another one. */
const onceOnly: readonly string[] = ['host', 'authorization'];

/**
 * Whether a request has a header twice that it may have once. A second `Host` is refused by RFC 9112, section 3.2, a second
 * `Authorization` by MPP.
 */
export function repeatsHeader({ rawHeaders }: IncomingMessage): boolean {
  return onceOnly.some((name) => {
    let count = 0;
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const other = rawHeaders[index];
      // Most names differ in length, which costs less to compare.
      if (other?.length === name.length && other.toLowerCase() === name) count += 1;
    }
    return count > 1;
  });
}
