import {
  balanceTooLow,
  type Charge,
  type Outcome,
  type Payment,
  type Settler,
  type Verification,
} from '@/lib/payments/payment';

/** What the accounts hold, and the one way in which money leaves them. The ledger implements it. */
export interface AccountBook {
  /** Atomic USDC; 0 for an account that was never paid into. */
  balanceOf(accountId: string): Promise<bigint>;
  /**
   * Charges the claimed call that has this payment, or refuses it for good when the account holds too little: one
   * statement decides. Asked again, by whomever, it tells what was decided.
   */
  debit(payment: Payment): Promise<Outcome>;
}

/**
 * Charges prepaid accounts. There is no chain: the claim and the debit are rows of one database, so an outcome is never
 * in doubt for longer than the database is away.
 */
export class AccountSettler implements Settler {
  readonly feePayer = null;
  readonly recordsOutcome = true;
  readonly #book: AccountBook;

  constructor(book: AccountBook) {
    this.#book = book;
  }

  /** Turns away early what would be refused; the debit decides. */
  async verify({ payer, amountAtomic }: Payment): Promise<Verification> {
    const isEnough = (await this.#book.balanceOf(payer)) >= amountAtomic;
    return isEnough ? { ok: true, height: 0n } : { ok: false, reason: balanceTooLow, height: 0n };
  }

  async settle({ payment }: Charge): Promise<Outcome> {
    try {
      return await this.#book.debit(payment);
    } catch {
      // The statement may have been executed all the same; recovery asks again.
      return { kind: 'unknown', transactionHash: null };
    }
  }

  /** What was interrupted before its debit is debited now: the same statement finds out and finishes. */
  resolveOutcome(payment: Payment): Promise<Outcome> {
    return this.settle({ paidCallId: '', payment });
  }

  async checkFinality(): ReturnType<Settler['checkFinality']> {
    return new Map();
  }

  async maintain(): Promise<void> {}

  async check(): Promise<string[]> {
    return [];
  }
}
