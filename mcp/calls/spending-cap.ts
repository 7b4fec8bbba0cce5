import type { OpenCall, State } from '../account/state';
import type { Adapter } from '../adapter';
import { decimalOf } from './usdc';

/** Why a call must not be paid for. */
export interface AboveCap {
  readonly code: 'spending_cap_reached';
  readonly message: string;
}

/**
 * Whether a price exceeds what may still be spent today.
 * @param state without the call itself
 * @param consequence what this means for the call, as a sentence
 */
export function findAboveCap(
  { settings: { spendingCap }, now }: Pick<Adapter, 'settings' | 'now'>,
  state: Pick<State, 'openCalls' | 'spent'>,
  price: bigint,
  consequence: string,
): AboveCap | undefined {
  const day = dayOf(now());
  // Open calls may have been charged, so they count as spent.
  const open = Object.values(state.openCalls)
    .filter((entry) => !isCounted(entry) && entry.sentAt.startsWith(day))
    .reduce((sum, entry) => sum + BigInt(entry.price), 0n);
  const spent = spentOn(state, day) + open;
  if (price === 0n || spent + price <= spendingCap) return undefined;
  return {
    code: 'spending_cap_reached',
    message: `This call costs ${decimalOf(price)} USDC, and ${decimalOf(spent)} of the ${decimalOf(spendingCap)} USDC spending cap for today (UTC) are already spent. A payment that a wallet signed counts as spent, even if the service refused it. ${consequence} A person can raise TUPPENCE_SPENDING_CAP.`,
  };
}

/** A wallet's payment is counted when it is signed, and not again when its call ends. */
export const isCounted = ({ payment }: OpenCall): boolean => payment !== undefined;

/** Today's spending after a price is added. */
export function addSpent(state: Pick<State, 'spent'>, price: bigint, at: Date): State['spent'] {
  const day = dayOf(at);
  return { day, amount: (spentOn(state, day) + price).toString() };
}

export const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

const spentOn = ({ spent }: Pick<State, 'spent'>, day: string): bigint =>
  spent?.day === day ? BigInt(spent.amount) : 0n;
