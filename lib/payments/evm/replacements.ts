import type { Outbox } from '@/lib/payments/journal';
import type { OngoingProblem } from '@/lib/platform/ongoing-problem';
import type { ChainPlatform } from '@/lib/platform/platform';
import type { EvmChain } from './evm-chain';
import { raisedFees } from './evm-gas';
import type { PendingTransaction } from './pending-transactions';
import { type SignedSettlement, signReplacement, toPrepared } from './settlement-transaction';

/** Replaces pending transactions whose fees are too low. */
export class Replacements {
  readonly #app: ChainPlatform;
  readonly #chain: EvmChain;
  readonly #outbox: Pick<Outbox, 'recordPrepared'>;
  readonly #expensiveGas: OngoingProblem;

  constructor(app: ChainPlatform, chain: EvmChain, outbox: Pick<Outbox, 'recordPrepared'>) {
    this.#app = app;
    this.#chain = chain;
    this.#outbox = outbox;
    this.#expensiveGas = app.problems.get(`gas on ${chain.offer.network.name}`);
  }

  /**
   * Signs and records the same nonce and calldata with higher fees, where that helps. Only the holder of the lease can
   * record it.
   * @returns whether there is a new variant to broadcast
   */
  async replace(pending: PendingTransaction, waitedMs: number): Promise<boolean> {
    if (waitedMs < this.#app.timings.evm.replaceWhenOutbidMs) return false;
    const newest = pending.variants.at(-1);
    const current = await this.#chain.fees();
    if (!newest) return false;
    const offered = newest.fees;
    const { feePerGasMax, name: network } = this.#chain.offer.network;
    const fees = raisedFees(offered, current, feePerGasMax);
    const isOutbid = current.maxFeePerGas > offered.maxFeePerGas;
    if (!fees && current.maxFeePerGas >= feePerGasMax) {
      const details = { network, nonce: pending.nonce, transaction: newest.hash, feePerGasMax };
      this.#expensiveGas.report('error', details, 'settlements wait: gas costs more than the cap');
    } else this.#expensiveGas.end({ network });
    if (!fees || (!isOutbid && waitedMs < this.#app.timings.evm.replaceAlwaysMs)) return false;
    const { signer, nonce, charges } = pending;
    const replacement = signReplacement(signer, newest, fees);
    await this.#outbox.recordPrepared(toPrepared(this.#chain, signer.address, nonce, charges, replacement));
    addVariant(pending, replacement);
    this.#app.log.warn(
      { network, nonce, transaction: replacement.hash, ...fees },
      'a stuck settlement was replaced with higher fees',
    );
    return true;
  }
}

/** Adds a transaction with the same nonce, unless it is known. The last one has the highest fees: nodes take no other. */
export function addVariant({ variants }: PendingTransaction, variant: SignedSettlement): void {
  if (variants.some(({ hash }) => hash === variant.hash)) return;
  variants.push(variant);
  variants.sort(({ fees: one }, { fees: other }) => Number(one.maxFeePerGas - other.maxFeePerGas));
}
