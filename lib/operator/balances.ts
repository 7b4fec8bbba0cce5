import type { Payments } from '@/lib/payments/app-payments';
import type { Offer } from '@/lib/payments/network-offers';
import type { OwnBalances } from '@/lib/payments/settlers';
import { inTime } from '@/lib/platform/concurrency/in-time';
import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';

interface BalancesDeps extends Pick<Platform, 'clock'> {
  readonly payments: Payments;
}

/** What our own addresses hold on a network, according to its node. */
export interface NetworkBalances {
  readonly offer: Pick<Offer, 'network' | 'payTo'>;
  /** Null when no node has answered. */
  readonly balances: OwnBalances | null;
  /** Why the balances are not known; null when they are. */
  readonly problem: string | null;
}

const answerMs = 5_000;

/** Reads what our own addresses hold on every network. Takes five seconds at most, and never rejects. */
export function readBalances(app: BalancesDeps): Promise<NetworkBalances[]> {
  return Promise.all(
    app.payments.networks.all().map(async (offer) => {
      try {
        const balances = await inTime(app.clock, offer.settler.balances(), answerMs, null);
        return { offer, balances, problem: balances === null ? 'no node answered in time' : null };
      } catch (error) {
        return { offer, balances: null, problem: describeError(error).message };
      }
    }),
  );
}
