import { type GasBudget, gasBudgetExceeded } from '@/lib/payments/gas-budget';
import type { Outcome } from '@/lib/payments/outcome';
import { isPayerProven } from '@/lib/payments/payment';
import { FairLimit } from '@/lib/platform/concurrency/fair-limit';
import { KeyedLimits } from '@/lib/platform/concurrency/keyed-limits';
import { describeError } from '@/lib/platform/log';
import type { ChainPlatform } from '@/lib/platform/platform';
import type { AccountCode } from './account-code';
import type { EvmChain } from './evm-chain';
import type { PaymentSimulator } from './payment-simulator';
import { refuseUnsent, type UnsentOutbox } from './refuse-unsent';
import type { EvmCharge } from './settlement-transaction';

/**
 * The most pending transactions of one payer, of one code, and of all payers with code. What is pending may all fail, so those who
 * have not paid before, or have failed lately, get fewer.
 */
const atOnceMax = { ofPayer: 2, ofCode: 16, ofNewcomers: 16, ofAll: 64 } as const;

/** Stands for the code of a contract wallet that no node has returned, perhaps because a node lags behind. */
const unknownCode: AccountCode = { id: '0x' };

/**
 * The queue for payers with code. Each payment has its own transaction, and is simulated again exactly as that
 * transaction will be sent. Few are pending at a time, so that their cost is known before many more follow. Other
 * payers do not wait for them.
 */
export class PayersWithCode {
  readonly #app: ChainPlatform;
  readonly #chain: EvmChain;
  readonly #simulator: PaymentSimulator;
  readonly #outbox: UnsentOutbox;
  readonly #budget: GasBudget;
  readonly #ofPayer = new KeyedLimits(atOnceMax.ofPayer);
  readonly #ofCode = new KeyedLimits(atOnceMax.ofCode);
  readonly #ofNewcomers = new FairLimit({ size: atOnceMax.ofNewcomers });
  readonly #ofAll = new FairLimit({ size: atOnceMax.ofAll });

  constructor(
    app: ChainPlatform,
    chain: EvmChain,
    simulator: PaymentSimulator,
    outbox: UnsentOutbox,
    budget: GasBudget,
  ) {
    this.#app = app;
    this.#chain = chain;
    this.#simulator = simulator;
    this.#outbox = outbox;
    this.#budget = budget;
  }

  /**
   * @param sending how the charge is sent alone, which charges are pending, and who sends
   * @returns the outcome, recorded when it is a refusal; never rejects
   */
  charge(
    charge: EvmCharge,
    sending: {
      readonly ahead: () => readonly EvmCharge[];
      readonly from: () => `0x${string}` | null;
      readonly send: () => Promise<Outcome>;
    },
  ): Promise<Outcome> {
    const { payer } = charge.payment;
    const attempt = async () => {
      const reason = await this.#refusal(charge, sending.ahead(), sending.from());
      if (reason === null) return sending.send();
      return refuseUnsent(this.#app, this.#chain, this.#outbox, charge, reason);
    };
    const code = codeOf(charge);
    const attemptSerially = async () => {
      const { isBlameless } = await this.#budget.allowanceOf(payer, code);
      return this.#ofCode.run(code?.id ?? unknownCode.id, () =>
        isBlameless ? this.#ofAll.run(attempt) : this.#ofNewcomers.run(() => this.#ofAll.run(attempt)),
      );
    };
    return this.#ofPayer.run(payer, attemptSerially).catch((error: unknown) => {
      // Nothing was sent. Recovery tries again.
      this.#app.log.warn(
        { network: charge.payment.network, paidCallId: charge.paidCallId, error: describeError(error) },
        'a payment of an account with code could not be sent',
      );
      return { kind: 'unknown', transactionHash: null };
    });
  }

  /** @returns the refusal reason; null when the charge may be sent. Throws when the chain or the ledger cannot be reached */
  async #refusal(
    charge: EvmCharge,
    ahead: readonly EvmCharge[],
    from: `0x${string}` | null,
  ): Promise<string | null> {
    const { payment } = charge;
    const { over } = await this.#budget.allowanceOf(payment.payer, codeOf(charge));
    if (over) return gasBudgetExceeded;
    const before = ahead.filter((other) => other.payment.payer === payment.payer);
    const verification = await this.#simulator.verifyAlone(
      payment,
      from,
      before.map((other) => other.payment),
    );
    return verification.ok ? null : verification.reason;
  }
}

/** Null for a key without code, whose charge is sent alone because it calls another contract. */
function codeOf({ code = null, payment }: EvmCharge): AccountCode | null {
  return code ?? (isPayerProven(payment) ? null : unknownCode);
}
