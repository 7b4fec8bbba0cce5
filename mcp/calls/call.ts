import type { ApiRequest } from '../api';

/** A request that the account pays for, before it has a token and a key. */
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
}

/** Fills in the parameters of a path such as `/v1/account/uploads/{id}/renew`. Values cannot add path segments. */
export function fillPath(template: string, params: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}
