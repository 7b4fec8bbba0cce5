import type { z } from 'zod';
import { wallet } from '@/lib/catalog';
import { ApiError } from '@/lib/catalog/errors/api-error';
import {
  findRefundRequest,
  findRequestedCall,
  type RefundRequest,
  recordRefundRequest,
} from '@/lib/ledger/refund-requests';
import { refundTerms } from '@/lib/payments/sign-in/sign-in-message';
import type { SignedInWallet } from '@/lib/payments/sign-in/sign-in-signature';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Platform } from '@/lib/platform/platform';
import type { ApiRequest, ApiResponse, PathParams } from './api-message';
import { runTool } from './free-handler';
import { type SignInDeps, signIn } from './sign-in';

const { requestRefund } = wallet;

type Answer = z.output<typeof requestRefund.output>;
type Reason = Answer['reason'];

interface RefundRequestDeps extends SignInDeps, WithDatabase, Pick<Platform, 'keys'> {}

/**
 * `POST /v1/paid-calls/{id}/refund-request`: puts the request of the wallet that paid on the operator's worklist, once per call,
 * and says what has become of it. The body is read before anybody signs.
 * @throws ApiError invalid_input (400), paid_call_not_found (404) also for a call of another wallet, refund_not_possible (409),
 *   and those of `signIn`
 */
export async function answerRefundRequest(
  app: RefundRequestDeps,
  request: ApiRequest,
  params: PathParams,
): Promise<{ readonly body: Answer } | ApiResponse> {
  const { id, reason, message } = await runTool(requestRefund, request, params, (input) => input);
  const signedIn = await signIn(app, request, requestRefund, refundTerms);
  if ('challenge' in signedIn) return signedIn.challenge;
  const call = await findRequestedCall(app, id);
  if (!call || !isOf(call, signedIn.wallet)) throw new ApiError('paid_call_not_found');
  const earlier = await findRefundRequest(app, id);
  if (earlier) return { body: toAnswer(earlier) };
  if (!call.isRefundable) throw new ApiError('refund_not_possible');
  await recordRefundRequest(app, {
    paidCallId: id,
    reason,
    message: message === undefined ? null : app.keys.encrypt(message),
    requestedAt: app.clock.date(),
  });
  // If two came at once, it is the other one.
  const recorded = await findRefundRequest(app, id);
  if (!recorded) throw new Error('a request for a refund is gone');
  return { body: toAnswer(recorded) };
}

/** A contract wallet has paid only what was paid on its own network. */
function isOf(
  call: { readonly payer: string; readonly network: string },
  { address, onlyOn }: SignedInWallet,
) {
  return call.payer === address && (onlyOn === null || call.network === onlyOn);
}

function toAnswer({ paidCallId, reason, requestedAt, declinedAt, answer, state }: RefundRequest): Answer {
  return {
    paidCallId,
    state,
    // Written by us, from the same list.
    reason: reason as Reason,
    requestedAt: requestedAt.toISOString(),
    answer,
    declinedAt: declinedAt?.toISOString() ?? null,
  };
}
