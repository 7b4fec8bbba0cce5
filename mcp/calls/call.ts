import type { ApiRequest } from '../api';

/** A request on the account of this machine, before it has a token and a key. */
export interface Call {
  /** The operation of the catalog. */
  readonly operation: string;
  readonly method: ApiRequest['method'];
  readonly path: string;
  readonly body?: unknown;
  /** USDC, decimal. */
  readonly price: string;
  /** The codes of the operation itself: it gives them only after it has looked whether the key bought an answer before. */
  readonly refusals: readonly string[];
}

/** `/v1/account/uploads/{id}/renew` with its segments filled in, none of which can add another. */
export function fillPath(template: string, params: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}
