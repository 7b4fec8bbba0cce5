import type { Payment } from '@/lib/payments/payment';
import type { Fault } from '../coverage';
import type { Dice } from '../dice';

/** The price of everything, in atomic USDC. */
export const price = 10_000n;

/** Somebody with money, who pays in one way. */
export interface Payer {
  /** As the log names it. */
  readonly name: string;
  /** Whether each request carries a payment of its own, so that only a key tells a retry. */
  readonly paysByRequest?: true;
  /** @param text distinguishes the payment from all others of the history */
  sign(text: string, dice: Dice): Payment;
  /** What it may do with its payment or its money without us. */
  readonly soloActs: readonly SoloAct[];
  /** Gets money after all, and submits a payment that we have refused. Left out where only we can submit it. */
  insist?(payment: Payment): void;
}

/** Something that a payer does without us, or that happens to it. */
export interface SoloAct {
  readonly fault: Fault;
  run(payment: Payment): void;
}
