import type { VersionedTransaction } from '@solana/web3.js';
import { GasBudget, gasBudgetExceeded } from '@/lib/payments/gas-budget';
import type { GasInVain, GasRecord } from '@/lib/payments/journal';
import type { NetworkName } from '@/lib/payments/network-offers';
import type { Charge, Verification } from '@/lib/payments/outcome';
import { isPayerProven, type Payment } from '@/lib/payments/payment';
import { FairLimit } from '@/lib/platform/concurrency/fair-limit';
import { KeyedLimits } from '@/lib/platform/concurrency/keyed-limits';
import type { ChainPlatform } from '@/lib/platform/platform';
import { smartWalletCaps, walletProgramsOf } from './smart-wallet';
import { parseTransaction } from './solana-transaction';

/** Lamports that the most expensive transaction of a smart wallet costs. */
const ofFailure =
  5_000n * 2n + (BigInt(smartWalletCaps.computeUnits) * BigInt(smartWalletCaps.microLamports)) / 1_000_000n;

/**
 * Lamports an hour that smart wallets may cost in vain. All wallets of a maker share a program, so a program's limit is higher
 * than that of an EVM wallet's code: otherwise a few failed payments would block every new user of the maker's wallets.
 */
const limits = {
  ofPayer: 4n * ofFailure,
  ofCode: 40n * ofFailure,
  ofClient: 12n * ofFailure,
  ofAll: 80n * ofFailure,
  ofFailure,
} as const;

/** The most payments under way: of one wallet, and of all of them. What is under way may all fail. */
const atOnceMax = { ofPayer: 2, ofAll: 16 } as const;

/**
 * Limits what smart wallets can cost us. Each payment is simulated before it is sent, but a wallet's program may act differently
 * in the block. Then the fee is spent, and nothing is paid.
 */
export class SmartWalletLimits {
  readonly #budget: GasBudget;
  readonly #ofPayer = new KeyedLimits(atOnceMax.ofPayer);
  readonly #ofAll = new FairLimit({ size: atOnceMax.ofAll });

  constructor(
    app: ChainPlatform,
    network: NetworkName,
    record: Pick<GasRecord, 'gasInVain' | 'payersOfGasInVain'>,
  ) {
    this.#budget = new GasBudget(app, network, limits, record);
  }

  /** Runs the settlement of a wallet's charge when its turn has come. */
  run<T>({ payment }: Charge, work: () => Promise<T>): Promise<T> {
    return this.#ofPayer.run(payment.payer, () => this.#ofAll.run(work));
  }

  /** Whether a wallet that could pay may. Throws when the ledger cannot be read. */
  async within(verified: Verification, payment: Payment, client?: string): Promise<Verification> {
    const transaction =
      payment.signed.family === 'solana' ? parseTransaction(payment.signed.transaction) : null;
    if (!verified.ok || !transaction) return verified;
    if (client !== undefined) this.#budget.noteClient(payment.payer, client);
    const { over } = await this.#budget.allowanceOf(payment.payer, { id: codeOf(transaction) });
    return over ? { ok: false, reason: gasBudgetExceeded, height: verified.height, ...over } : verified;
  }

  /** What a transaction that moved no money counts against the smart wallet whose payment it was; nothing for a key. */
  inVain(charges: readonly Charge[], transaction: VersionedTransaction, feeAtomic: bigint): GasInVain[] {
    return charges
      .filter(({ payment }) => !isPayerProven(payment))
      .map(({ paidCallId, payment: { payer } }) => {
        this.#budget.note(payer);
        return { paidCallId, payer, gas: feeAtomic, code: codeOf(transaction) };
      });
  }

  /** Loads the wallets that other processes have recorded. */
  refresh(): Promise<void> {
    return this.#budget.refresh();
  }
}

/** The program that decides whether a wallet pays; several in a fixed order. */
function codeOf(transaction: VersionedTransaction): string {
  return walletProgramsOf(transaction).sort().join(' ');
}
