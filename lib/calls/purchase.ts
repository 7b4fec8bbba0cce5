import { ApiError, retryAfterSeconds } from '@/lib/catalog/errors/api-error';
import type { OnRail, Operation, RailName } from '@/lib/catalog/operation';
import type { Rail } from '@/lib/payments/rail';
import type { Deadline } from '@/lib/platform/concurrency/deadline';
import type { Requester } from '@/lib/platform/threads';
import type { CallResult } from './call-result';
import type { CallService } from './call-service';
import type { PaidCall } from './paid-call';
import type { SignedRequest } from './replay';

/** A request that pays for a call: its credential is recognized, and its input parsed. */
export interface Purchase {
  readonly service: CallService;
  readonly rail: Pick<Rail, 'name' | 'codes'>;
  readonly input: unknown;
  readonly signed: SignedRequest;
  /** The digest of the request, for the receipt. */
  readonly requestDigest: () => Buffer;
  readonly requester: Requester;
  /** The client's network, which takes turns with others. */
  readonly client: string;
  /** When the request has to be answered, whether or not nodes and remote servers respond. */
  readonly deadline: Deadline;
  /** Throws an ApiError (503) while the operation cannot be bought. */
  readonly refuseIfUnavailable: () => void;
}

/** How a purchase ends, unless an ApiError says it. */
export type PurchaseResult =
  | {
      readonly kind: 'called';
      readonly call: PaidCall;
      readonly result: CallResult;
      /** Whether an earlier request made the call. */
      readonly isReplay: boolean;
    }
  /** The payment is not valid, and nothing was charged: the client may sign another. */
  | { readonly kind: 'rejected'; readonly reason: string };

/** Where a payment may have been charged, an unexpected failure must not read as "nothing was charged". */
export async function orUnknown<T>(
  purchase: Pick<Purchase, 'rail' | 'service'>,
  work: Promise<T>,
  paidCallId?: string,
): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (paidCallId === undefined) throw new ApiError('ledger_unavailable', { retryAfterSeconds, cause });
    throw new ApiError(codesFor(purchase.rail, purchase.service.operation).unknown, {
      paidCallId,
      retryAfterSeconds,
      cause,
    });
  }
}

/** A rail's codes, unless the operation has its own. */
export function codesFor(rail: Pick<Rail, 'name' | 'codes'>, { codes = {} }: Pick<Operation, 'codes'>) {
  const unknown = onRail(codes.settlementUnknown, rail.name) ?? rail.codes.unknown;
  return {
    unknown,
    // A rail that uses one code for both keeps doing so.
    inProgress: rail.codes.inProgress === rail.codes.unknown ? unknown : rail.codes.inProgress,
    deliveryPending: onRail(codes.deliveryPending, rail.name) ?? ('delivery_pending' as const),
  };
}

function onRail<T extends string>(code: OnRail<T> | undefined, rail: RailName): T | undefined {
  return typeof code === 'object' ? code[rail] : code;
}
