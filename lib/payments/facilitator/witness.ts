import { EvmChain } from '@/lib/payments/evm/chain';
import { checkEvmNetwork } from '@/lib/payments/evm/check';
import { checkEvmFinality } from '@/lib/payments/evm/check-finality';
import { resolveEvmOutcome } from '@/lib/payments/evm/resolve-outcome';
import { evmPayment } from '@/lib/payments/evm/settlement-transaction';
import { isEvmOffer, isSolanaOffer, type Offer } from '@/lib/payments/networks';
import type { Payment, Settler, Verification } from '@/lib/payments/payment';
import { SolanaLookup } from '@/lib/payments/solana/lookup';
import type { Platform } from '@/lib/platform/platform';

/** Our own view of a chain on which a facilitator settles for us. */
export interface Witness extends Pick<Settler, 'resolveOutcome' | 'checkFinality' | 'check'> {
  /** Chain head. A transaction that is submitted later is in a later block. */
  height(): Promise<bigint>;
  /** Whether the payment would go through now, as far as can be checked without the facilitator's key. */
  verify(payment: Payment): Promise<Verification>;
}

/** @returns the view through the RPCs of an offer */
export function witnessOf(app: Platform, offer: Offer): Witness {
  if (isEvmOffer(offer)) {
    const chain = new EvmChain(app, offer);
    return {
      height: async () => (await chain.head()).number,
      verify: (payment) => chain.verify(evmPayment(payment)),
      resolveOutcome: (payment, trace) => resolveEvmOutcome(app, chain, evmPayment(payment), trace),
      checkFinality: (transactions) => checkEvmFinality(app, chain, transactions),
      check: () => checkEvmNetwork(app, chain, []),
    };
  }
  if (!isSolanaOffer(offer)) throw new Error(`cannot read ${offer.network.name}`);
  const lookup = new SolanaLookup(app, offer);
  return {
    height: () => lookup.height(),
    // Only the facilitator can simulate it, with its fee payer's signature.
    verify: async () => ({ ok: true, height: await lookup.height() }),
    resolveOutcome: (payment, trace) => lookup.findOut(payment, trace),
    checkFinality: (transactions) => lookup.review(transactions),
    check: () => lookup.check(),
  };
}
