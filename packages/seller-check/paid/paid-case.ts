import type { SellerCase } from '../case';
import { notApplicable } from './findings';
import type { PaidSeller } from './seller';

/** What a seller must have for a case to say anything about it. */
type Need = 'x402' | 'mpp' | 'facilitator' | 'process' | 'identifier' | OptionalPart;

type OptionalPart = 'otherBody' | 'otherPath' | 'invalidBody' | 'failingBody';

/** A case that pays. */
export interface PaidCase extends SellerCase<PaidSeller> {
  readonly needs?: readonly Need[];
  /** Something that the seller depends on fails during the case, so it gets time to recover afterwards. */
  readonly breaks?: boolean;
}

const optionOf: Readonly<Record<OptionalPart, string>> = {
  otherBody: '--other-body',
  otherPath: '--other-path',
  invalidBody: '--invalid-body',
  failingBody: '--failing-body',
};

/** Why a case says nothing about a seller; null if it does. */
export function missingFor({ needs = [] }: PaidCase, seller: PaidSeller) {
  for (const need of needs) {
    const reason = missing(need, seller);
    if (reason !== null) return notApplicable(reason);
  }
  return null;
}

function missing(need: Need, { x402, mpp, facilitator, process, target }: PaidSeller): string | null {
  switch (need) {
    case 'x402':
      return x402 ? null : 'The seller does not offer x402 with USDC on the local chain.';
    case 'mpp':
      return mpp ? null : 'The seller does not offer MPP with method evm and USDC on the local chain.';
    case 'facilitator':
      return facilitator.calls > 0 ? null : 'The seller has not used the facilitator.';
    case 'process':
      return process ? null : 'The seller was not started by this command, so it is not restarted.';
    case 'identifier':
      return x402?.extensions['payment-identifier'] === undefined
        ? 'The seller does not advertise the extension payment-identifier.'
        : null;
    default:
      return target[need] === undefined ? `It needs the option ${optionOf[need]}.` : null;
  }
}
