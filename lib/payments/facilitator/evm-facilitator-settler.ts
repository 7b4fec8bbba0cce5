import { checkEvmNetwork } from '@/lib/payments/evm/check-evm-network';
import { evmBalances, evmUsdcOf } from '@/lib/payments/evm/evm-balances';
import { EvmChain } from '@/lib/payments/evm/evm-chain';
import { EvmFinality } from '@/lib/payments/evm/evm-finality';
import { PaymentSimulator } from '@/lib/payments/evm/payment-simulator';
import { resolveEvmOutcome } from '@/lib/payments/evm/resolve-outcome';
import { evmPayment } from '@/lib/payments/evm/settlement-transaction';
import { tokenProblems } from '@/lib/payments/evm/token-problems';
import type { EvmNetwork, Offer } from '@/lib/payments/network-offers';
import type { Payment } from '@/lib/payments/payment';
import type { RpcNodes } from '@/lib/payments/rpc/network-rpcs';
import type { NetworkProblem, RemoteEvmSettler, WalletAnswer } from '@/lib/payments/settlers';
import type { Platform } from '@/lib/platform/platform';
import { FacilitatorSettler, type Witness } from './facilitator-settler';
import type { RemoteFacilitator } from './remote-facilitator';

/** Settles through a facilitator on an EVM network. */
export class EvmFacilitatorSettler extends FacilitatorSettler<EvmNetwork> implements RemoteEvmSettler {
  readonly kind = 'evm_remote';
  readonly #chain: EvmChain;
  readonly #simulator: PaymentSimulator;

  constructor(app: Platform, offer: Offer<EvmNetwork>, nodes: RpcNodes, remote: RemoteFacilitator) {
    const chain = new EvmChain(app, offer, nodes);
    const simulator = new PaymentSimulator(chain);
    super(app, offer, remote, witnessOf(app, chain, simulator));
    this.#chain = chain;
    this.#simulator = simulator;
  }

  askWallet(payment: Payment, client: string): Promise<WalletAnswer> {
    return this.#simulator.askWallet(evmPayment(payment), client);
  }

  protected extra(): Record<string, unknown> {
    return { ...this.offer.network.usdcDomain };
  }

  protected async sinceHeight(): Promise<bigint> {
    return (await this.#chain.head()).number;
  }

  protected accept(): readonly NetworkProblem[] {
    return [];
  }
}

function witnessOf(app: Platform, chain: EvmChain, simulator: PaymentSimulator): Witness {
  const finality = new EvmFinality(app, chain);
  return {
    verify: (payment, client) => simulator.verify(evmPayment(payment), client),
    resolveOutcome: (payment, trace) => resolveEvmOutcome(app, chain, evmPayment(payment), trace),
    checkFinality: (transactions) => finality.check(transactions),
    check: () => checkEvmNetwork(app, chain, []),
    commonProblems: () => tokenProblems(chain),
    balances: () => evmBalances(chain, []),
    usdcOf: (owner) => evmUsdcOf(chain, owner),
  };
}
