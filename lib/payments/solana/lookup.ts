import { createHash } from 'node:crypto';
import { type Connection, PublicKey } from '@solana/web3.js';
import { describeError, log } from '@/lib/log';
import type { Offer } from '@/lib/payments/networks';
import type { Outcome, Payment, SettledTransaction, Standing } from '@/lib/payments/payment';
import { connectTo, SolanaStatuses } from './statuses';

/** How many of the payer's newest transactions are looked through. */
const transactionsMax = 100;

/**
 * Finds out what became of a Solana payment that somebody else co-signs, so that its signature is not known beforehand:
 * looks for the message among the payer's own transactions.
 */
export class SolanaLookup {
  readonly #connection: Connection;
  readonly #statuses: SolanaStatuses;

  constructor(offer: Offer) {
    const [url = ''] = offer.rpcUrls;
    this.#connection = connectTo(url);
    this.#statuses = new SolanaStatuses(offer.rpcUrls);
  }

  review(transactions: readonly SettledTransaction[]): Promise<ReadonlyMap<string, Standing>> {
    return this.#statuses.review(transactions);
  }

  async findOut(payment: Payment, trace: { transactionHash: string | null }): Promise<Outcome> {
    const unknown: Outcome = { kind: 'unknown', transactionHash: trace.transactionHash };
    try {
      const candidates = trace.transactionHash
        ? [trace.transactionHash]
        : (
            await this.#connection.getSignaturesForAddress(new PublicKey(payment.payer), {
              limit: transactionsMax,
            })
          ).map(({ signature }) => signature);
      for (const signature of candidates) {
        const outcome = await this.#outcomeOf(signature, payment);
        if (outcome) return outcome;
      }
      // Two minutes after acceptance the blockhash is dead; a finalized history without the message proves it unpaid.
      const isDead = Date.now() > payment.validBefore.getTime() + 60_000;
      return isDead ? { kind: 'refused', reason: 'transaction_expired_unused' } : unknown;
    } catch (error) {
      log().warn({ error: describeError(error) }, 'a Solana payment could not be looked up');
      return unknown;
    }
  }

  async #outcomeOf(signature: string, payment: Payment): Promise<Outcome | null> {
    const found = await this.#connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
    if (!found) return null;
    const message = createHash('sha256').update(found.transaction.message.serialize()).digest('hex');
    if (message !== payment.authorization) return null;
    return found.meta?.err
      ? { kind: 'refused', reason: 'invalid_exact_svm_transaction_failed' }
      : { kind: 'settled', transactionHash: signature, block: { number: BigInt(found.slot), hash: null } };
  }
}
