import type { ApiRequest } from '../api';

/** A paid request, before it has a payer and a key. */
export interface Call {
  /** The ID of the operation in the catalog. */
  readonly operation: string;
  readonly method: ApiRequest['method'];
  readonly path: string;
  readonly body?: unknown;
  /** USDC, decimal. */
  readonly price: string;
  /** The operation's own error codes. The service returns them only after it has looked up the key. */
  readonly refusals: readonly string[];
  /** The caller's own key, for callers that keep it themselves. Default: a random one. */
  readonly idempotencyKey?: string;
}

/** Fills in the parameters of a path such as `/v1/account/uploads/{id}/renew`. Values cannot add path segments. */
export function fillPath(template: string, params: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}
