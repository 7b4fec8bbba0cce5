import type { Hex } from 'viem';
import { GasBudget, gasBudgetExceeded } from '@/lib/payments/gas-budget';
import type { SettlementJournal, SignerLeases } from '@/lib/payments/journal';
import type { EvmNetwork, Offer } from '@/lib/payments/network-offers';
import type {
  Charge,
  FinalityStatus,
  Outcome,
  SettledTransaction,
  Trace,
  Verification,
} from '@/lib/payments/outcome';
import type { Payment } from '@/lib/payments/payment';
import type { RpcNodes } from '@/lib/payments/rpc/network-rpcs';
import type {
  ChargeFollowing,
  Maintained,
  NetworkCharging,
  NetworkProblem,
  OwnBalances,
  SettlementLoad,
  SettlementWork,
  Submitter,
  WalletAnswer,
  WalletVerification,
} from '@/lib/payments/settlers';
import { describeError } from '@/lib/platform/log';
import type { ChainPlatform } from '@/lib/platform/platform';
import { checkEvmNetwork } from './check-evm-network';
import { evmBalances, evmUsdcOf } from './evm-balances';
import { EvmChain } from './evm-chain';
import { EvmFinality } from './evm-finality';
import { gasLimitsOfCode } from './evm-gas';
import { EvmSender } from './evm-sender';
import { PaymentSimulator } from './payment-simulator';
import { resolveEvmOutcome } from './resolve-outcome';
import { EvmSigner, evmPayment, toEvmCharge } from './settlement-transaction';
import { tokenProblems } from './token-problems';

/** Settles on an EVM network with our own keys, or those of another instance. */
export class EvmSettler implements NetworkCharging, ChargeFollowing, WalletVerification, Maintained {
  readonly kind = 'evm';
  readonly #app: ChainPlatform;
  readonly #chain: EvmChain;
  readonly #simulator: PaymentSimulator;
  readonly #signers: readonly EvmSigner[];
  readonly #sender: EvmSender;
  readonly #budget: GasBudget;
  readonly #finality: EvmFinality;
  readonly #leases: SignerLeases;

  /** @param keys this process may lease any of them; without keys, other instances settle for it */
  constructor(
    app: ChainPlatform,
    offer: Offer<EvmNetwork>,
    nodes: RpcNodes,
    keys: readonly Hex[],
    journal: SettlementJournal,
  ) {
    this.#app = app;
    this.#signers = keys.map((key) => new EvmSigner(key));
    this.#chain = new EvmChain(this.#app, offer, nodes);
    this.#simulator = new PaymentSimulator(this.#chain, this.#signers[0]?.address ?? null);
    this.#budget = new GasBudget(this.#app, offer.network.name, gasLimitsOfCode, journal.gas);
    this.#finality = new EvmFinality(this.#app, this.#chain);
    this.#sender = new EvmSender(
      this.#app,
      this.#chain,
      this.#simulator,
      this.#signers,
      journal,
      this.#budget,
    );
    this.#leases = journal.leases;
  }

  async verify(payment: Payment, client?: string): Promise<Verification> {
    const verification = await this.#simulator.verify(evmPayment(payment), client);
    if (!verification.ok) return verification;
    if (verification.code && client !== undefined) this.#budget.noteClient(payment.payer, client);
    const { over } = await this.#budget.allowanceOf(payment.payer, verification.code);
    const { height } = verification;
    return over ? { ok: false, reason: gasBudgetExceeded, height, ...over } : verification;
  }

  askWallet(payment: Payment, client: string): Promise<WalletAnswer> {
    return this.#simulator.askWallet(evmPayment(payment), client);
  }

  settle(charge: Charge): Promise<Outcome> {
    return this.#sender.charge(toEvmCharge(charge));
  }

  isFollowed(charge: Charge): Promise<boolean> {
    return this.#sender.isFollowed(toEvmCharge(charge));
  }

  resolveOutcome(payment: Payment, trace: Trace): Promise<Outcome> {
    return resolveEvmOutcome(this.#app, this.#chain, evmPayment(payment), trace);
  }

  checkFinality(transactions: readonly SettledTransaction[]): Promise<ReadonlyMap<string, FinalityStatus>> {
    return this.#finality.check(transactions);
  }

  /** Settles charges that other processes have queued, if this one has the key. */
  settleQueued(): Promise<void> {
    return this.#sender.settleQueued();
  }

  /** Sends transactions of the operator's own. */
  get submitter(): Submitter {
    return this.#sender;
  }

  maintain(work: SettlementWork): Promise<void> {
    return this.#sender.maintain(work);
  }

  commonProblems(): Promise<NetworkProblem[]> {
    return tokenProblems(this.#chain);
  }

  async check(): Promise<NetworkProblem[]> {
    await this.#refreshBudget();
    const signers = this.#signers.map(({ address }) => address);
    const [problems] = await Promise.all([
      checkEvmNetwork(this.#app, this.#chain, signers),
      signers.length > 0 ? this.#chain.probe() : null,
    ]);
    if (this.#signers.length === 0 && !(await this.#leases.hasSigner(this.#chain.offer.network.name))) {
      problems.push({
        message: 'there is no settlement key here, and no other instance that has one',
        advice: 'Set SETTLEMENT_KEYS_EVM, or the address of a facilitator.',
      });
    }
    return problems;
  }

  balances(): Promise<OwnBalances> {
    return evmBalances(
      this.#chain,
      this.#signers.map(({ address }) => address),
    );
  }

  usdcOf(owner: string): Promise<bigint> {
    return evmUsdcOf(this.#chain, owner);
  }

  get load(): SettlementLoad {
    return this.#sender.load;
  }

  /** Loads the gas record before the network is offered, so that a restart does not reset budgets. */
  async #refreshBudget(): Promise<void> {
    const network = this.#chain.offer.network.name;
    await this.#budget.refresh().catch((error: unknown) => {
      this.#app.log.warn(
        { network, error: describeError(error) },
        'the record of wasted gas could not be read',
      );
    });
  }
}
