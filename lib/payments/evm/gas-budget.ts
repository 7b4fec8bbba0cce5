import type { SettlementJournal } from '@/lib/payments/journal';
import type { NetworkName } from '@/lib/payments/networks';
import type { Platform } from '@/lib/platform/platform';
import type { AccountCode } from './account-code';
import { transferGas } from './gas';

/**
 * Gas per hour and network that may be spent in vain for one payer, and for all payers with the same code: about four failed
 * transactions for one payer with code, and about twenty for one code.
 */
const gasBudget = { ofPayer: 1_200_000n, ofCode: 6_000_000n, windowMs: 3_600_000 } as const;

/** How long a payer is refused. */
interface OverBudget {
  readonly retryAfterSeconds: number;
}

/**
 * Limits the gas that payers cost us in vain. Every settlement is simulated before it is sent, but a payer's code may
 * behave differently in the block. Then the gas is spent and nothing is paid. The ledger keeps the record
 * (lib/ledger/gas-in-vain.ts), so it survives restarts. It is read only for payers that have code or failed recently,
 * so others need no extra round trip.
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

  /** @returns null when the payer may be charged; throws when the ledger cannot be read */
  async refusal(payer: string, code: AccountCode | null): Promise<OverBudget | null> {
    if (code === null && !this.#failedLately.has(payer)) return null;
    const now = this.#app.clock.now();
    const since = new Date(now - gasBudget.windowMs);
    const spent = await this.#journal.gasInVain(this.#network, payer, code?.id ?? null, since);
    // A payer who has paid before and cost nothing in vain is not blamed for others with the same code.
    const isBlameless = spent.byPayer.gas === 0n && spent.hasPaid;
    const over = [
      isSpent(spent.byPayer.gas, gasBudget.ofPayer) ? spent.byPayer : null,
      !isBlameless && isSpent(spent.byCode.gas, gasBudget.ofCode) ? spent.byCode : null,
    ].find((one) => one !== null);
    if (!over) return null;
    const freeAt = (over.oldest ?? new Date(now)).getTime() + gasBudget.windowMs;
    return { retryAfterSeconds: Math.max(1, Math.ceil((freeAt - now) / 1000)) };
  }

  /** Notes that this process has recorded gas in vain for a payer. */
  note(payer: string): void {
    this.#failedLately.add(payer);
    this.#bookedSinceRefresh.add(payer);
  }

  /** Loads the payers that other processes have recorded, and forgets those whose records are older than the window. */
  async refresh(): Promise<void> {
    const since = new Date(this.#app.clock.now() - gasBudget.windowMs);
    this.#bookedSinceRefresh = new Set();
    const payers = await this.#journal.payersOfGasInVain(this.#network, since);
    this.#failedLately = new Set([...payers, ...this.#bookedSinceRefresh]);
  }
}

/** Whether the remaining budget is less than another failure may cost. */
function isSpent(gas: bigint, budget: bigint): boolean {
  return gas + transferGas.withCode > budget;
}
