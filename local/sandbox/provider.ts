import type { IncomingHttpHeaders } from 'node:http';

/** One request to a sandbox provider, its body parsed when it was JSON. */
export type Asked = {
  method: string;
  /** Below the provider's base URL. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: unknown;
};

/** An answer, or one of the ways in which a server gives none that can be used. */
export type Reply =
  | { status: number; body: unknown; headers?: Record<string, string> }
  | { misbehaves: 'hang' | 'drop' | 'cut' | 'text' | 'array' | 'flood' | 'redirect' };

/** Speaks one third party's documented API. */
export type SandboxProvider = (asked: Asked) => Reply;

const misbehaviours: Record<string, Reply> = Object.fromEntries(
  (['hang', 'drop', 'cut', 'text', 'array', 'flood', 'redirect'] as const).map((misbehaves) => [
    misbehaves,
    { misbehaves },
  ]),
);

/**
 * The failure that a request asks for with the words `sandbox-fails-<name>` anywhere in its body or path; undefined when
 * it asks for none.
 */
export function askedFailure(
  { body, path }: Asked,
  failures: Readonly<Record<string, Reply>>,
): Reply | undefined {
  const name = /sandbox-fails-([a-z0-9-]+)/.exec(`${JSON.stringify(body ?? null)} ${path}`)?.[1];
  if (name === undefined) return undefined;
  const known = { ...misbehaviours, ...failures };
  // In a host name something follows: sandbox-fails-dns.example.com.
  return known[name] ?? { status: 500, body: { error: `the sandbox knows no failure ${name}` } };
}
