import type { Operation } from '@/lib/catalog/operation';
import { toAtomic, toPrice } from '@/lib/payments/money';
import { onAccount } from '@/lib/payments/payment';
import type { Credential, PrepaidRail, Shortfall } from '@/lib/payments/rail';
import { randomToken } from '@/lib/platform/ids';
import type { AccountBook } from './settler';

/** How long a call may take from its token to its debit; nothing waits for it, the ledger wants a moment. */
const windowMs = 300_000;

/** Who sent a request, as far as accounts go. */
export type Holder =
  | { readonly accountId: string }
  | { readonly code: 'account_token_required' | 'account_token_wrong' };

/** Who may spend an account, and where it is topped up. */
export interface AccountHolders {
  /** The account whose bearer token a request carries; or why there is none. */
  recognize(headers: Headers): Promise<Holder>;
  depositUrl(accountId: string): string;
}

/** Prepaid accounts: the credential is the account's bearer token, and the account pays. */
export class AccountRail implements PrepaidRail {
  readonly name = 'account';
  readonly codes = { unknown: 'settlement_unknown', inProgress: 'payment_in_progress' } as const;
  readonly #book: AccountBook;
  readonly #holders: AccountHolders;

  constructor(book: AccountBook, holders: AccountHolders) {
    this.#book = book;
    this.#holders = holders;
  }

  async read(operation: Operation, headers: Headers, now: Date): Promise<Credential> {
    const holder = await this.#holders.recognize(headers);
    if ('code' in holder) return { kind: 'unauthorized', code: holder.code };
    return {
      kind: 'recognized',
      credential: {
        payment: {
          network: onAccount,
          asset: 'usdc',
          payer: holder.accountId,
          // A payment of its own for every request: which ones repeat each other is for their Idempotency-Key to say.
          authorization: randomToken(),
          amountAtomic: toAtomic(operation.price),
          payTo: 'revenue',
          validBefore: new Date(now.getTime() + windowMs),
          signed: { family: 'account' },
        },
        idempotencyKey: null,
        claimToken: null,
        bodyDigest: null,
        refusal: null,
      },
    };
  }

  async shortfall(operation: Operation, payer: string): Promise<Shortfall> {
    return {
      accountId: payer,
      balance: toPrice(await this.#book.balanceOf(payer)),
      price: operation.price,
      depositUrl: this.#holders.depositUrl(payer),
    };
  }

  /** Nothing was settled that the account's own transactions do not tell. */
  receipt(): Record<string, string> {
    return {};
  }
}
