import type { Operation } from '@/lib/catalog/operation';
import { toAtomic, toPrice } from '@/lib/payments/money';
import { onAccount } from '@/lib/payments/payment';
import type { Credential, PaidFor, PrepaidRail, RecognizedCredential, Shortfall } from '@/lib/payments/rail';
import { orderedToken } from '@/lib/platform/ids';
import type { AccountBook } from './account-settler';

/** How long a call may take from reading its token to its debit. */
const windowMs = 300_000;

/** The account that sent a request, or why there is none. */
export type Holder =
  | { readonly accountId: string }
  | { readonly code: 'account_token_required' | 'account_token_wrong' };

/** Finds the account of a token, and its deposit page. */
export interface AccountHolders {
  /** Reads the bearer token of a request. */
  recognize(headers: Pick<Headers, 'get'>): Promise<Holder>;
  depositUrl(accountId: string): string;
}

/** Prepaid accounts: the credential is the account's bearer token. */
export class AccountRail implements PrepaidRail {
  readonly name = 'account';
  readonly codes = { unknown: 'settlement_unknown', inProgress: 'payment_in_progress' } as const;
  readonly #book: AccountBook;
  readonly #holders: AccountHolders;

  constructor(book: AccountBook, holders: AccountHolders) {
    this.#book = book;
    this.#holders = holders;
  }

  async read(operation: Operation, headers: Pick<Headers, 'get'>, now: Date): Promise<Credential> {
    const holder = await this.#holders.recognize(headers);
    if ('code' in holder) return { kind: 'unauthorized', code: holder.code };
    return {
      kind: 'recognized',
      credential: {
        payment: {
          network: onAccount,
          asset: 'usdc',
          payer: holder.accountId,
          // Every request is a new payment. Only the Idempotency-Key identifies retries.
          authorization: orderedToken(now),
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

  receipt(_: RecognizedCredential, { signed }: PaidFor): Record<string, string> {
    return signed === null ? {} : { 'Paid-Call-Receipt': signed };
  }
}
