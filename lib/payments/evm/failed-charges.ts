import type { Block, GasInVain, Outcome, SettlementJournal } from '@/lib/payments/payment';
import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';
import { insufficientBalance, transactionFailed } from './calls';
import type { EvmChain, EvmVerification } from './chain';
import type { GasBudget } from './gas-budget';
import { transferGas } from './gas-limits';
import { isUnusedEvm, resolveEvmOutcome } from './resolve-outcome';
import type { EvmCharge } from './settlement-transaction';

/** A payment that is good whenever it is simulated and fails in so many blocks is given up. */
const failuresMax = 3;
/** Blocks before the failure that are searched for a transaction of somebody else. */
const searchedBlocks = 1_000n;

/** The transaction that did not carry out some of its charges. */
interface FailedIn {
  readonly hash: string;
  readonly block: Block;
  readonly inVain: readonly GasInVain[];
}

/**
 * Charges whose transaction is in a block and did not carry them out. Each is looked at by itself: somebody else may have
 * submitted it first; it may have become worthless, which is a refusal; or it is still good and was failed by others in its
 * transaction, by a delegation that its payer set meanwhile, or by chance. Then it is sent again at once.
 */
export class FailedCharges {
  readonly #app: Platform;
  readonly #chain: EvmChain;
  readonly #journal: SettlementJournal;
  readonly #budget: GasBudget;
  readonly #sendAgain: (charge: EvmCharge) => Promise<Outcome>;

  /** @param sendAgain charges once more, in a transaction with no other charge; writes down what becomes of it */
  constructor(
    app: Platform,
    chain: EvmChain,
    journal: SettlementJournal,
    budget: GasBudget,
    sendAgain: (charge: EvmCharge) => Promise<Outcome>,
  ) {
    this.#app = app;
    this.#chain = chain;
    this.#journal = journal;
    this.#budget = budget;
    this.#sendAgain = sendAgain;
  }

  /** @returns for each charge what becomes of it, written down by then; never rejects */
  resolve(charges: readonly EvmCharge[], failedIn: FailedIn): Promise<Outcome>[] {
    for (const { payer } of failedIn.inVain) this.#budget.booked(payer);
    return charges.map((charge) =>
      this.#resolveOne(charge, failedIn).catch((error: unknown) => {
        this.#app.log.error(
          { network: charge.payment.network, paidCallId: charge.paidCallId, error: describeError(error) },
          'a payment that failed in a block was not looked after',
        );
        return { kind: 'unknown', transactionHash: failedIn.hash };
      }),
    );
  }

  async #resolveOne(charge: EvmCharge, failedIn: FailedIn): Promise<Outcome> {
    const { payment } = charge;
    const verification = await this.#chain.verify(payment).catch(() => null);
    if (verification) await this.#blame(charge, verification, failedIn);
    // The token looks at windows and blocked accounts first, and says of what was used in time that it has expired.
    const isUnused = verification !== null && (await isUnusedEvm(this.#chain, payment));
    if (isUnused && verification.ok) return this.#tryAgain(charge, verification);
    const outcome: Outcome =
      isUnused && !verification.ok
        ? { kind: 'refused', reason: verification.reason }
        : await this.#findOut(charge, failedIn.block);
    await this.#journal.foundOut(charge, outcome);
    return outcome;
  }

  /** A payer with code had a transaction of its own, found good a moment before: its code is not to be relied on. */
  async #tryAgain(charge: EvmCharge, { code }: EvmVerification): Promise<Outcome> {
    const failures = (charge.failures ?? 0) + 1;
    const failedAlone = Boolean(charge.code) && code !== null;
    if (failedAlone || failures >= failuresMax) {
      const refused: Outcome = { kind: 'refused', reason: transactionFailed };
      await this.#journal.foundOut(charge, refused);
      return refused;
    }
    return this.#sendAgain({ ...charge, code, failures });
  }

  #findOut({ payment }: EvmCharge, { number }: Block): Promise<Outcome> {
    const sinceHeight = number > searchedBlocks ? number - searchedBlocks : 0n;
    return resolveEvmOutcome(this.#app, this.#chain, payment, { sinceHeight, transactionHash: null });
  }

  /** A balance that went away is the payer's doing alone. */
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
    if (!code || (!verification.ok && verification.reason === insufficientBalance)) return;
    const { paidCallId, payment } = charge;
    const gas = share?.gas ?? transferGas.withCode;
    await this.#journal.blamed(this.#chain.offer.network.name, failedIn.hash, {
      paidCallId,
      payer: payment.payer,
      gas,
      code: code.id,
    });
    this.#budget.booked(payment.payer);
  }
}
