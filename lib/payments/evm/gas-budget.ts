import type { NetworkName } from '@/lib/payments/networks';
import type { SettlementJournal } from '@/lib/payments/payment';
import type { Platform } from '@/lib/platform/platform';
import type { AccountCode } from './account-code';
import { transferGas } from './gas-limits';

/**
 * Gas that may be spent in vain per hour and network: for one payer, and for all payers that run the same code. About four
 * failed transactions of a payer with code, and twenty of a code.
 */
const gasBudget = { ofPayer: 1_200_000n, ofCode: 6_000_000n, windowMs: 3_600_000 } as const;

/** For how long a payer is refused. */
interface OverBudget {
  readonly retryAfterSeconds: number;
}

/**
 * Who may cost us gas. Every settlement is simulated before it is sent, but the code of a payer may answer otherwise in the
 * block than before it; then the gas is spent and nothing is paid. What is booked decides (lib/ledger/gas-in-vain.ts), so
 * that a restart forgets nothing. The ledger is only asked about payers that have code or failed lately: others cost no
 * round trip.
 */
export class GasBudget {
  readonly #app: Platform;
  readonly #network: NetworkName;
  readonly #journal: SettlementJournal;
  #failedLately = new Set<string>();
  #bookedSinceRefresh = new Set<string>();

  constructor(app: Platform, network: NetworkName, journal: SettlementJournal) {
    this.#app = app;
    this.#network = network;
    this.#journal = journal;
  }

  /** @returns null when the payer may be charged; throws when the ledger cannot be asked */
  async refusal(payer: string, code: AccountCode | null): Promise<OverBudget | null> {
    if (code === null && !this.#failedLately.has(payer)) return null;
    const now = this.#app.clock.now();
    const since = new Date(now - gasBudget.windowMs);
    const spent = await this.#journal.gasInVain(this.#network, payer, code?.id ?? null, since);
    // Somebody who has paid before and cost nothing in vain is not blamed for others with the same code.
    const isBlameless = spent.byPayer.gas === 0n && spent.hasPaid;
    const over = [
      isSpent(spent.byPayer.gas, gasBudget.ofPayer) ? spent.byPayer : null,
      !isBlameless && isSpent(spent.byCode.gas, gasBudget.ofCode) ? spent.byCode : null,
    ].find((one) => one !== null);
    if (!over) return null;
    const freeAt = (over.oldest ?? new Date(now)).getTime() + gasBudget.windowMs;
    return { retryAfterSeconds: Math.max(1, Math.ceil((freeAt - now) / 1000)) };
  }

  /** This process has booked gas to a payer. */
  booked(payer: string): void {
    this.#failedLately.add(payer);
    this.#bookedSinceRefresh.add(payer);
  }

  /** Learns what other processes have booked, and forgets what is over. */
  async refresh(): Promise<void> {
    const since = new Date(this.#app.clock.now() - gasBudget.windowMs);
    this.#bookedSinceRefresh = new Set();
    const payers = await this.#journal.payersOfGasInVain(this.#network, since);
    this.#failedLately = new Set([...payers, ...this.#bookedSinceRefresh]);
  }
}

/** Whether what is left of a budget is less than one more failure may cost. */
function isSpent(gas: bigint, budget: bigint): boolean {
  return gas + transferGas.withCode > budget;
}
