import type { IncomingHttpHeaders } from 'node:http';

/** A request to a sandbox provider. Its body is parsed if it is JSON, and undefined otherwise. */
export type ProviderRequest = {
  method: string;
  /** The path below the provider's base URL. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: unknown;
};

/** A response, perhaps after a while, or one of the ways in which a server fails to send a usable one. */
export type ProviderResponse =
  | { status: number; body: unknown; headers?: Record<string, string>; afterMs?: number }
  | { misbehaves: 'hang' | 'drop' | 'cut' | 'text' | 'array' | 'flood' | 'redirect' };

/** Implements the documented API of one provider. */
export type SandboxProvider = (request: ProviderRequest) => ProviderResponse;

const misbehaviours: Record<string, ProviderResponse> = Object.fromEntries(
  (['hang', 'drop', 'cut', 'text', 'array', 'flood', 'redirect'] as const).map((misbehaves) => [
    misbehaves,
    { misbehaves },
  ]),
);

/**
 * The failure that a request asks for with `sandbox-fails-<name>` anywhere in its body or path; undefined if it does not ask
 * for one.
 */
export function findRequestedFailure(
  { body, path }: Pick<ProviderRequest, 'body' | 'path'>,
  failures: Readonly<Record<string, ProviderResponse>>,
): ProviderResponse | undefined {
  const name = /sandbox-fails-([a-z0-9-]+)/.exec(`${JSON.stringify(body ?? null)} ${path}`)?.[1];
  if (name === undefined) return undefined;
  const known = { ...misbehaviours, ...failures };
  return known[name] ?? { status: 500, body: { error: `The sandbox has no failure ${name}.` } };
}
