import type { GasFailure, GasRecord, SpentInVain } from '@/lib/payments/journal';
import type { NetworkName } from '@/lib/payments/network-offers';
import { dayMs, hourMs } from '@/lib/platform/durations';
import type { ChainPlatform } from '@/lib/platform/platform';

/** The refusal reason for a payer, or a code, that has cost too much gas in vain (docs/operating.md). */
export const gasBudgetExceeded = 'gas_budget_exceeded';

/**
 * What may be spent in vain per hour on a network, in gas; on Solana in lamports. The code of a wallet costs its owner little to
 * change, so only the last two limit somebody with many wallets.
 */
export interface GasLimits {
  /** For one payer. */
  readonly ofPayer: bigint;
  /** For all payers with the same code. */
  readonly ofCode: bigint;
  /** For all payers with code from one client network. */
  readonly ofClient: bigint;
  /** For all payers with code. */
  readonly ofAll: bigint;
  /** What another failure may cost. */
  readonly ofFailure: bigint;
}

/** The code of a paying account: what decides on the chain whether it pays. */
export interface PayerCode {
  readonly id: string;
}

const windowMs = hourMs;

/** A payer waits an hour the first time that it has used up its budget, and twice as long each further time in a week. */
const waits = { firstMs: hourMs, maxMs: dayMs, rememberedMs: 7 * dayMs } as const;

/** The most payers whose client is remembered. */
const clientsMax = 10_000;

/** How long a payer is refused. */
interface OverBudget {
  readonly retryAfterSeconds: number;
}

/** Whether a payer may be charged. */
interface ChargeAllowance {
  /** Null when it may. */
  readonly over: OverBudget | null;
  /** Whether it has paid before and cost nothing in vain lately, so that it is not held responsible for others. */
  readonly isBlameless: boolean;
}

/**
 * Limits the gas that payers cost us in vain. Every settlement is simulated before it is sent, but a payer's code may
 * behave differently in the block. Then the gas is spent and nothing is paid. The ledger keeps the record
 * (lib/ledger/gas-in-vain.ts), so it survives restarts. It is read only for payers that have code or failed recently,
 * so others need no extra round trip.
 */
export class GasBudget {
  readonly #app: ChainPlatform;
  readonly #network: NetworkName;
  readonly #limits: GasLimits;
  readonly #record: Pick<GasRecord, 'gasInVain' | 'payersOfGasInVain'>;
  #failedLately = new Set<string>();
  #bookedSinceRefresh = new Set<string>();
  /** The client network that a payer with code last paid from. Kept in memory only, because it is personal data. */
  readonly #clients = new Map<string, string>();

  constructor(
    app: ChainPlatform,
    network: NetworkName,
    limits: GasLimits,
    record: Pick<GasRecord, 'gasInVain' | 'payersOfGasInVain'>,
  ) {
    this.#app = app;
    this.#network = network;
    this.#limits = limits;
    this.#record = record;
  }

  /** Remembers where a payer with code pays from. */
  noteClient(payer: string, client: string): void {
    this.#clients.delete(payer);
    this.#clients.set(payer, client);
    const [oldest] = this.#clients.keys();
    if (this.#clients.size > clientsMax && oldest !== undefined) this.#clients.delete(oldest);
  }

  /** Throws when the ledger cannot be read. */
  async allowanceOf(payer: string, code: PayerCode | null): Promise<ChargeAllowance> {
    if (code === null && !this.#failedLately.has(payer)) return { over: null, isBlameless: true };
    const now = this.#app.clock.now();
    const spent = await this.#record.gasInVain(this.#network, payer, code?.id ?? null, {
      ofPayerSince: new Date(now - waits.rememberedMs),
      ofOthersSince: new Date(now - windowMs),
      sameClient: this.#failedFromClientOf(payer),
    });
    const isBlameless = spent.hasPaid && spent.ofPayer.every(({ at }) => at.getTime() <= now - windowMs);
    const { ofCode, ofClient, ofAll, ofFailure } = this.#limits;
    const ofOthers = [
      untilBelow(spent.byCode, ofCode - ofFailure),
      untilBelow(spent.byClient, ofClient - ofFailure),
      untilBelow(spent.byAll, ofAll - ofFailure),
    ];
    // Payers without code are limited by their balance, and do not answer for others.
    const mayBeBlamed = code !== null && !isBlameless;
    const freeAt = Math.max(freeAgainAt(spent.ofPayer, this.#limits), ...(mayBeBlamed ? ofOthers : []));
    if (freeAt <= now) return { over: null, isBlameless };
    return { over: { retryAfterSeconds: Math.max(1, Math.ceil((freeAt - now) / 1000)) }, isBlameless };
  }

  /** Notes that this process has recorded gas in vain for a payer. */
  note(payer: string): void {
    this.#failedLately.add(payer);
    this.#bookedSinceRefresh.add(payer);
  }

  /** Loads the payers that other processes have recorded, and forgets those whose records are older than the longest wait. */
  async refresh(): Promise<void> {
    const since = new Date(this.#app.clock.now() - waits.maxMs);
    this.#bookedSinceRefresh = new Set();
    const payers = await this.#record.payersOfGasInVain(this.#network, since);
    this.#failedLately = new Set([...payers, ...this.#bookedSinceRefresh]);
  }

  /** The payers that failed lately and paid from the same client network. */
  #failedFromClientOf(payer: string): string[] {
    const client = this.#clients.get(payer);
    if (client === undefined) return [];
    return [...this.#failedLately].filter((other) => this.#clients.get(other) === client);
  }
}

/** When the oldest gas beyond a budget stops counting; 0 when the budget is not used up. */
function untilBelow({ gas, oldest }: SpentInVain, budget: bigint): number {
  return gas > budget && oldest ? oldest.getTime() + windowMs : 0;
}

/**
 * When a payer may be charged again after its failures; in the past when it may be charged now. Each time that it uses up its
 * budget within an hour, the wait is twice as long.
 * @param failures in any order
 * @returns milliseconds since 1970; 0 when the budget was never used up
 */
export function freeAgainAt(
  failures: readonly GasFailure[],
  { ofPayer, ofFailure }: Pick<GasLimits, 'ofPayer' | 'ofFailure'>,
): number {
  const ordered = [...failures].sort((one, other) => one.at.getTime() - other.at.getTime());
  let freeAt = 0;
  let waitMs: number = waits.firstMs;
  let within: GasFailure[] = [];
  for (const failure of ordered) {
    const at = failure.at.getTime();
    within = [...within.filter((other) => other.at.getTime() > at - windowMs), failure];
    const gas = within.reduce((sum, one) => sum + one.gas, 0n);
    if (gas + ofFailure <= ofPayer) continue;
    freeAt = at + waitMs;
    waitMs = Math.min(waitMs * 2, waits.maxMs);
    within = [];
  }
  return freeAt;
}
