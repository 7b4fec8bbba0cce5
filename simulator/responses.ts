import { z } from 'zod';
import type { PurchaseResult } from '@/lib/calls/purchase';
import { errorBody } from '@/lib/catalog/errors/schema';
import type { Operation } from '@/lib/catalog/operation';
import { respondError } from '@/lib/http/respond';
import { respondPurchase } from '@/lib/http/respond-result';
import type { Payment } from '@/lib/payments/payment';
import type { ChallengingRail } from '@/lib/payments/rail';
import { platform } from '@/tests/simulation/world';

/** A response as the client reads it. */
export interface Response {
  readonly status: number;
  /** The code of an error; null when it got what it bought. */
  readonly code: string | null;
  /** What the code says about the money, and what to do next, for people. */
  readonly words: string;
  /** Whether it was stored before, for an earlier request. */
  readonly isReplay: boolean;
  /** Whether there is nothing to ask for any more. */
  readonly isLast: boolean;
}

/** The statuses and codes of x402. Its headers, which need a key of the service, are left out. */
const rail: ChallengingRail = {
  name: 'x402',
  codes: { unknown: 'settlement_unknown', inProgress: 'payment_in_progress' },
  read: () => ({ kind: 'none' }),
  receipt: () => ({}),
  challenge: async () => ({ status: 402, headers: {}, body: '' }),
};

const { code, message, retry } = errorBody.shape.error.shape;
const problem = z.object({ error: z.object({ code, message, retry }) });

/** What lib/http responds to a request that pays. */
export async function responseTo(
  operation: Operation,
  payment: Payment,
  buying: Promise<PurchaseResult>,
): Promise<Response> {
  const credential = { payment, idempotencyKey: null, claimToken: null, bodyDigest: null, refusal: null };
  const request = {
    ...{
      rail,
      operation,
      credential,
      requestId: 'req_simulated',
      source: null,
      signed: { idempotencyKey: 'key 1' },
    },
    challengeRequest: {
      path: operation.paths.x402 ?? '',
      query: new URLSearchParams(),
      body: async () => new Uint8Array(),
    },
  };
  const { status, headers, body } = await buying
    .then((purchased) => respondPurchase(request, purchased))
    .catch((error: unknown) => respondError(platform, error, request.requestId));
  if (status === 402)
    return {
      ...{ status, code: 'payment_required', isReplay: false, isLast: true },
      words: '402: nothing was charged.',
    };
  const isReplay = headers['Idempotent-Replayed'] === 'true';
  const parsed = problem.safeParse(JSON.parse(body ?? '{}'));
  if (!parsed.success) {
    const words = isReplay ? `${status}: what it bought, as it was stored.` : `${status}: what it bought.`;
    return { status, code: null, words, isReplay, isLast: true };
  }
  const { code, message, retry } = parsed.data.error;
  const isLast = retry !== 'same_request' && retry !== 'later';
  return { status, code, words: `${status} ${code}: ${message}`, isReplay, isLast };
}
