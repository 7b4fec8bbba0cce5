import { balanceTooLow, type Charge, type Outcome, type Verification } from '@/lib/payments/outcome';
import type { Payment } from '@/lib/payments/payment';
import type { Charging } from '@/lib/payments/settlers';

/** Account balances and the only way to debit them. The ledger implements it. */
export interface AccountBook {
  /** Atomic USDC; 0 for an account without deposits. */
  balanceOf(accountId: string): Promise<bigint>;
  /**
   * Charges the claimed call of this payment, or refuses it for good when the balance is too low, in one statement.
   * Safe to repeat: it then returns the earlier decision.
   */
  debit(payment: Payment): Promise<Outcome>;
}

/**
 * Charges prepaid accounts. Claim and debit are rows of one database, so an outcome is unknown only while the database
 * is down.
 */
export class AccountSettler implements Charging {
  readonly kind = 'account';
  readonly #book: AccountBook;

  constructor(book: AccountBook) {
    this.#book = book;
  }

  /** Rejects early; the debit decides. */
  async verify({ payer, amountAtomic }: Payment): Promise<Verification> {
    const isEnough = (await this.#book.balanceOf(payer)) >= amountAtomic;
    return isEnough ? { ok: true, height: 0n } : { ok: false, reason: balanceTooLow, height: 0n };
  }

  async settle({ payment }: Charge): Promise<Outcome> {
    try {
      return await this.#book.debit(payment);
    } catch {
      // The statement may have been executed. Recovery repeats it.
      return { kind: 'unknown', transactionHash: null };
    }
  }

  /** Repeats the debit: an interrupted call is charged now. */
  resolveOutcome(payment: Payment): Promise<Outcome> {
    return this.settle({ paidCallId: '', payment });
  }
}
