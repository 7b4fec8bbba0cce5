import { answerBought, findBoughtBy, type SignedInRequest } from '@/lib/calls/bought-before';
import type { BuyDeps } from '@/lib/calls/call-deps';
import type { Operation } from '@/lib/catalog/operation';
import type { AnyRail, ChallengeRequest } from '@/lib/payments/rail';
import { digestOfRequest } from '@/lib/payments/receipts/receipt';
import { boughtTerms, signInKey } from '@/lib/payments/sign-in/sign-in-message';
import { resourceUrl } from '@/lib/payments/x402/x402-challenge';
import { clientNetwork } from '@/lib/platform/addresses/client-network';
import { ownerKey } from '@/lib/platform/owners';
import type { Requester, WithThreads } from '@/lib/platform/threads';
import { sourceOf } from '@/lib/platform/upstream/availability';
import { acceptInput } from './accept-input';
import type { ApiRequest, ApiResponse, PathParams } from './api-message';
import { readIdempotencyKey } from './idempotency-key';
import { respondPurchase } from './respond-result';
import { explanations, judgeSignIn, type SignInDeps } from './sign-in';

/** What answering a wallet that has signed in uses. */
export interface BoughtBeforeDeps extends SignInDeps, WithThreads {
  readonly buying: BuyDeps;
}

/** A request without a payment at a path of x402. */
export interface UnpaidRequest
  extends Pick<SignedInRequest, 'service' | 'rail' | 'deadline' | 'refuseIfUnavailable'> {
  readonly rail: AnyRail;
  readonly operation: Operation;
  readonly challengeRequest: ChallengeRequest;
  readonly request: ApiRequest;
  readonly requestId: string;
  readonly params: PathParams;
  readonly address: string;
}

const payInstead = 'To buy the call, send a payment instead.';

/**
 * Answers a wallet that signs in with what it has already paid for by the identical request (docs/decisions/replay.md). The
 * fields that the catalog marks secret need the key of that call, as in every replay.
 * @returns a response, or why there is none, for the 402: the wallet has to pay
 * @throws ApiError for invalid input (400), what happened to the call that was paid for, and those of `judgeSignIn`
 */
export async function answerSignedIn(
  app: BoughtBeforeDeps,
  { operation, challengeRequest, request, requestId, params, address, ...purchase }: UnpaidRequest,
): Promise<ApiResponse | { readonly hint: string }> {
  const { service, rail } = purchase;
  const uri = resourceUrl(app.settings.PUBLIC_URL, operation, challengeRequest.path);
  const header = request.headers.get(signInKey) ?? '';
  const verdict = await judgeSignIn(app, request, header, boughtTerms(uri));
  if (!('wallet' in verdict)) return { hint: `${explanations[verdict.refusal]} ${payInstead}` };

  const { wallet } = verdict;
  const owner = ownerKey(wallet.address, wallet.onlyOn);
  const requester: Requester = { address, owner, priority: 'free' };
  const body = await challengeRequest.body();
  const { requestHash } = await acceptInput(app, operation, service.check, body, params, requester);
  const signedIn: SignedInRequest = {
    ...purchase,
    requestHash,
    idempotencyKey: readIdempotencyKey(request.headers, null),
    requestDigest: () => digestOfRequest(operation.method, challengeRequest.path, body),
    requester,
    client: clientNetwork(address),
  };
  const call = await findBoughtBy(app.buying, signedIn, wallet);
  if (!call) return { hint: `This wallet has not paid for this request. ${payInstead}` };
  if (!(await verdict.spend())) return { hint: `${explanations.invalid_siwx_nonce_used} ${payInstead}` };

  const result = await answerBought(app.buying, signedIn, call);
  if (!result) return { hint: `The payment of this wallet was refused. ${payInstead}` };
  const { payment } = call;
  const { idempotencyKey } = signedIn;
  const credential = { payment, idempotencyKey, claimToken: null, bodyDigest: null, refusal: null };
  const source = sourceOf(app, operation);
  const answered = { rail, operation, source, challengeRequest, credential, requestId, signed: signedIn };
  return respondPurchase(answered, result);
}
