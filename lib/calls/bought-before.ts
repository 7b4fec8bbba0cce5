import type { SignedInWallet } from '@/lib/payments/sign-in/sign-in-signature';
import { answerRetry } from './answer-retry';
import type { BuyDeps } from './call-deps';
import type { PaidCall } from './paid-call';
import { orUnknown, type Purchase, type PurchaseResult } from './purchase';

/** A request that a wallet has signed in for instead of paying. */
export interface SignedInRequest extends Omit<Purchase, 'signed' | 'input'> {
  readonly requestHash: Buffer;
  /** The caller's own; null when the request has none. */
  readonly idempotencyKey: string | null;
}

/**
 * The call that a wallet has paid for, or may be paying for, with exactly this request; null when it has to pay.
 * @throws ApiError ledger_unavailable (503)
 */
export function findBoughtBy(
  { calls }: Pick<BuyDeps, 'calls'>,
  request: SignedInRequest,
  { address, onlyOn }: SignedInWallet,
): Promise<PaidCall | null> {
  const { requestHash, idempotencyKey } = request;
  const operation = request.service.operation.id;
  return orUnknown(
    request,
    calls.findBought({ payer: address, onlyOn, operation, requestHash, idempotencyKey }),
  );
}

/**
 * Answers a wallet with a call that `findBoughtBy` has found, as it answers a retry: with the stored response, or with the result
 * of a run that it waits for or finishes. Nothing is charged: the sign-in proves who asks, and the payment is that of the call.
 * @throws ApiError which says what happened to the money
 */
export async function answerBought(
  deps: BuyDeps,
  request: SignedInRequest,
  call: PaidCall,
): Promise<PurchaseResult | null> {
  const { requestHash, idempotencyKey } = request;
  const { payment, input } = call;
  const signed = { requestHash, idempotencyKey, claimToken: null, payment, refusal: null };
  return answerRetry(deps, { ...request, input, signed }, { call, isProven: true });
}
