import type { GasBudget } from '@/lib/payments/gas-budget';
import type { GasInVain, GasRecord, Outbox } from '@/lib/payments/journal';
import { type Block, type Outcome, payerBlocked } from '@/lib/payments/outcome';
import { describeError } from '@/lib/platform/log';
import type { ChainPlatform } from '@/lib/platform/platform';
import type { EvmChain } from './evm-chain';
import { transferGas } from './evm-gas';
import type { EvmVerification, PaymentSimulator } from './payment-simulator';
import { isUnusedEvm, resolveEvmOutcome } from './resolve-outcome';
import { type EvmCharge, isSentAlone } from './settlement-transaction';
import { insufficientBalance, tokenPaused, transactionFailed } from './usdc-token';

/** How often a payment may pass simulation and still fail in a block before it is refused. */
const failuresMax = 3;
/** How many blocks before the failure are searched for someone else's transaction. */
const searchedBlocks = 1_000n;

/** Reasons for which the payer's code is not to blame. */
const notOfCode: readonly string[] = [insufficientBalance, tokenPaused, payerBlocked];

/** The transaction in which charges failed. */
interface FailedIn {
  readonly hash: string;
  readonly block: Block;
  readonly inVain: readonly GasInVain[];
}

/**
 * Handles charges that failed in a mined transaction, one by one. Someone else may have submitted the payment first, or
 * it may have become invalid and is refused. Otherwise it is still valid, and failed because of others in its
 * transaction, a new delegation of its payer, or chance. Then it is sent again at once.
 */
export class FailedCharges {
  readonly #app: ChainPlatform;
  readonly #chain: EvmChain;
  readonly #simulator: PaymentSimulator;
  readonly #outbox: Pick<Outbox, 'recordOutcome' | 'refuseUnlessSent'>;
  readonly #gas: Pick<GasRecord, 'recordBlame'>;
  readonly #budget: GasBudget;
  readonly #sendAgain: (charge: EvmCharge) => Promise<Outcome>;

  /** @param sendAgain charges again in a transaction of its own, and records the outcome */
  constructor(
    app: ChainPlatform,
    chain: EvmChain,
    simulator: PaymentSimulator,
    journal: {
      readonly outbox: Pick<Outbox, 'recordOutcome' | 'refuseUnlessSent'>;
      readonly gas: Pick<GasRecord, 'recordBlame'>;
    },
    budget: GasBudget,
    sendAgain: (charge: EvmCharge) => Promise<Outcome>,
  ) {
    this.#app = app;
    this.#chain = chain;
    this.#simulator = simulator;
    this.#outbox = journal.outbox;
    this.#gas = journal.gas;
    this.#budget = budget;
    this.#sendAgain = sendAgain;
  }

  /** @returns the recorded outcome of each charge; never rejects */
  resolve(charges: readonly EvmCharge[], failedIn: FailedIn): Promise<Outcome>[] {
    for (const { payer } of failedIn.inVain) this.#budget.note(payer);
    return charges.map((charge) =>
      this.#resolveOne(charge, failedIn).catch((error: unknown) => {
        this.#app.log.error(
          { network: charge.payment.network, paidCallId: charge.paidCallId, error: describeError(error) },
          'the outcome of a failed charge could not be resolved',
        );
        return { kind: 'unknown', transactionHash: failedIn.hash };
      }),
    );
  }

  async #resolveOne(charge: EvmCharge, failedIn: FailedIn): Promise<Outcome> {
    const { payment } = charge;
    const verification = await this.#simulator.verify(payment).catch(() => null);
    if (verification) await this.#blame(charge, verification, failedIn);
    // The token checks validity windows and blocked accounts first, so it may call a used authorization expired.
    const isUnused = verification !== null && (await isUnusedEvm(this.#chain, payment));
    if (isUnused && verification.ok) return this.#tryAgain(charge, verification);
    if (isUnused && !verification.ok) return this.#outbox.refuseUnlessSent(charge, verification.reason);
    const outcome = await this.#lookUp(charge, failedIn.block);
    await this.#outbox.recordOutcome(charge, outcome);
    return outcome;
  }

  /**
   * A payer with code failed in its own transaction although the simulation passed, so its code cannot be relied on.
   */
  async #tryAgain(charge: EvmCharge, { code }: EvmVerification): Promise<Outcome> {
    const failures = (charge.failures ?? 0) + 1;
    const failedAlone = isSentAlone(charge) && code !== null;
    if (failedAlone || failures >= failuresMax)
      return this.#outbox.refuseUnlessSent(charge, transactionFailed);
    return this.#sendAgain({ ...charge, code, failures });
  }

  #lookUp({ payment }: EvmCharge, { number }: Block): Promise<Outcome> {
    const sinceHeight = number > searchedBlocks ? number - searchedBlocks : 0n;
    return resolveEvmOutcome(this.#app, this.#chain, payment, { sinceHeight, transactionHash: null });
  }

  /** Blames the payer's code for the gas, unless the balance was spent, or the token stopped the payment, in the meantime. */
  async #blame(charge: EvmCharge, verification: EvmVerification, failedIn: FailedIn): Promise<void> {
    const code = verification.code ?? charge.code;
    const share = failedIn.inVain.find(({ paidCallId }) => paidCallId === charge.paidCallId);
    this.#app.log.warn(
      {
        network: charge.payment.network,
        paidCallId: charge.paidCallId,
        transaction: failedIn.hash,
        gas: share?.gas,
        code: code?.id,
      },
      'gas was spent in vain',
    );
    if (!code || (!verification.ok && notOfCode.includes(verification.reason))) return;
    const { paidCallId, payment } = charge;
    const gas = share?.gas ?? transferGas.withCode;
    await this.#gas.recordBlame(this.#chain.offer.network.name, failedIn.hash, {
      paidCallId,
      payer: payment.payer,
      gas,
      code: code.id,
    });
    this.#budget.note(payment.payer);
  }
}
