import type { Issue } from '@/lib/catalog/errors/api-error';
import { idempotencyKey } from '@/lib/catalog/idempotency-key';
import type { Operation, RailName } from '@/lib/catalog/operation';
import { keyArgument } from '@/lib/discovery/remote-tools';
import { mppMeta, toCredentialHeader } from '@/lib/payments/mpp/mpp-over-mcp';
import { toPaymentHeader, x402Meta } from '@/lib/payments/x402/x402-over-mcp';
import { isJsonObject } from '@/lib/platform/json';
import type { McpContext } from './context';
import { invalidField, rpcCodes } from './rpc-error';

/** The key of `_meta` that programs put an idempotency key in. */
const keyMeta = 'tuppence/idempotency-key';

/** How a call of a paid tool is paid: the rail, and the headers that say so on its path. */
export interface ToolPayment {
  readonly rail: RailName;
  readonly headers: Readonly<Record<string, string>>;
}

type Meta = Readonly<Record<string, unknown>>;

/** Whether a call carries a payment of its own, however malformed. */
function bringsPayment(meta: Meta): boolean {
  return meta[x402Meta.payment] !== undefined || meta[mppMeta.credential] !== undefined;
}

/**
 * Reads the payment of a call. The account pays if nothing else does.
 * @returns null when the call is not paid
 * @throws RpcError when the payment is malformed, on a rail that the tool does not have, or one of two
 */
export function readPayment({ paths }: Operation, meta: Meta, token: string | null): ToolPayment | null {
  const x402 = meta[x402Meta.payment];
  const mpp = meta[mppMeta.credential];
  const at = (key: string) => `params._meta["${key}"]`;
  if (x402 !== undefined && mpp !== undefined) {
    throw invalidField(
      rpcCodes.invalidParams,
      at(mppMeta.credential),
      `must not be sent with ${x402Meta.payment}`,
    );
  }
  if (bringsPayment(meta) && token !== null) {
    const rule = 'must not be sent with a payment in params._meta: send one of the two';
    throw invalidField(rpcCodes.invalidParams, 'Authorization', rule);
  }
  if (x402 !== undefined) {
    if (!isJsonObject(x402))
      throw invalidField(rpcCodes.invalidParams, at(x402Meta.payment), 'must be an object');
    return { rail: 'x402', headers: toPaymentHeader(x402) };
  }
  if (mpp !== undefined) {
    const header = isJsonObject(mpp) ? toCredentialHeader(mpp) : null;
    if (!header)
      throw invalidField(rpcCodes.invalidParams, at(mppMeta.credential), 'must be an MPP credential');
    if (!paths.mpp)
      throw invalidField(rpcCodes.invalidParams, at(mppMeta.credential), 'cannot pay for this tool');
    return { rail: 'mpp', headers: header };
  }
  if (token === null || !paths.account) return null;
  return { rail: 'account', headers: { authorization: `Bearer ${token}` } };
}

/** An idempotency key, or what is wrong with it. A key that was not sent is null. */
type ReadKey =
  | { readonly key: string | null; readonly issue?: undefined }
  | { readonly key?: undefined; readonly issue: Issue };

/**
 * The caller's idempotency key: an argument, because assistants send nothing else, a key of `_meta`, or the HTTP header. It is
 * wrong when it is malformed, two differ, or an account pays without one.
 */
export function readKey(
  { request }: McpContext,
  meta: Meta,
  argument: unknown,
  rail: RailName | null,
): ReadKey {
  const header = request.headers.get('idempotency-key');
  const [key, ...others] = [argument, meta[keyMeta], header].filter(
    (one) => one !== undefined && one !== null && one !== '',
  );
  const refuse = (rule: string): ReadKey => ({ issue: { path: keyArgument, rule } });
  if (key === undefined && rail === 'account') {
    return refuse(
      'is required when an account pays: one key for each thing you buy, the same on every retry',
    );
  }
  if (key === undefined) return { key: null };
  const { success, data } = idempotencyKey.safeParse(key);
  if (!success) return refuse('must be 1 to 255 visible ASCII characters');
  if (others.some((other) => other !== data)) {
    return refuse(`must equal ${keyMeta} in _meta and the header Idempotency-Key, if they are sent`);
  }
  return { key: data };
}
