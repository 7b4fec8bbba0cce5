import type { SignedRequest } from '@/lib/calls/replay';
import { ApiError } from '@/lib/catalog/errors/api-error';
import type { Input, OnRail, Operation } from '@/lib/catalog/operation';
import type {
  ChallengeRequest,
  ChallengingRail,
  PrepaidRail,
  RecognizedCredential,
} from '@/lib/payments/rail';
import type { Deadline } from '@/lib/platform/concurrency/deadline';
import type { ServicesApp } from '@/lib/services';
import type { Service } from '@/lib/services/service';

export type AnyRail = ChallengingRail | PrepaidRail;

/** The default for Retry-After. */
export const retryAfterSeconds = 2;

/** Everything about one request that the steps of a paid call share. */
export interface RequestContext<Op extends Operation> {
  readonly operation: Op;
  readonly service: Service<Op, ServicesApp>;
  readonly rail: AnyRail;
  readonly requestId: string;
  readonly challengeRequest: ChallengeRequest;
  readonly input: Input<Op>;
  readonly credential: RecognizedCredential;
  readonly signed: SignedRequest;
  /** The client's network, which takes turns with others. */
  readonly client: string;
  /** When the request has to be answered, whether or not nodes and facilitators respond. */
  readonly deadline: Deadline;
}

/** Where a payment may have been charged, an unexpected failure must not read as "nothing was charged". */
export async function orUnknown<T>(
  context: RequestContext<Operation>,
  work: Promise<T>,
  paidCallId?: string,
): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (paidCallId === undefined) throw new ApiError('ledger_unavailable', { retryAfterSeconds, cause });
    throw new ApiError(codesFor(context).unknown, { paidCallId, retryAfterSeconds, cause });
  }
}

/** The rail's codes, unless the operation has its own. */
export function codesFor({
  rail,
  operation: { codes = {} },
}: Pick<RequestContext<Operation>, 'rail' | 'operation'>) {
  const unknown = onRail(codes.settlementUnknown, rail) ?? rail.codes.unknown;
  return {
    unknown,
    // A rail that uses one code for both keeps doing so.
    inProgress: rail.codes.inProgress === rail.codes.unknown ? unknown : rail.codes.inProgress,
    deliveryPending: onRail(codes.deliveryPending, rail) ?? ('delivery_pending' as const),
  };
}

function onRail<T extends string>(code: OnRail<T> | undefined, { name }: AnyRail): T | undefined {
  return typeof code === 'object' ? code[name] : code;
}
