import { retryDelayMs } from '@/lib/calls/retry-policy';
import { openStates } from '@/lib/ledger/states';
import type { FinalityRecord, SettlementJournal } from '@/lib/payments/journal';
import type { Charge, Outcome, Payment, Settler } from '@/lib/payments/payment';
import type { ChainPlatform } from '@/lib/platform/platform';
import { chargeOf } from './stores/memory-charges';
import { isAbandoned, isRefusalToClose } from './stores/memory-due-work';
import type { MemoryProcess } from './stores/memory-process';
import type { PaidCallRow } from './stores/memory-rows';

/** What a buyer is told about a payment. */
export type Told = 'rejected' | 'refused' | 'settled' | 'unknown';

const network = 'base';

/** What a process does with paid calls, as far as it concerns their payment: the call itself delivers nothing. */
export class EngineCalls {
  readonly #app: ChainPlatform;
  readonly #process: MemoryProcess;
  readonly #settler: Settler;
  readonly #journal: SettlementJournal;
  readonly #finality: FinalityRecord;
  readonly #working = new Set<string>();
  #idleBefore: ReadonlySet<string> = new Set();

  constructor(
    app: ChainPlatform,
    process: MemoryProcess,
    settler: Settler,
    journal: SettlementJournal,
    finality: FinalityRecord,
  ) {
    this.#app = app;
    this.#process = process;
    this.#settler = settler;
    this.#journal = journal;
    this.#finality = finality;
  }

  /** Verifies a payment, claims its call and charges it. */
  async buy(id: string, payment: Payment): Promise<Told> {
    const verification = await this.#settler.verify(payment, 'client');
    if (!verification.ok) return 'rejected';
    const { height } = verification;
    await this.#process.query(({ paidCall }) =>
      paidCall.insert(claimed(id, payment, height, this.#process.id, this.#app.clock.date())),
    );
    return this.#run(id, async () => {
      const charge = { paidCallId: id, payment };
      return this.#conclude(id, await this.#settler.settle(charge), 0, true);
    });
  }

  async recover(): Promise<void> {
    const now = this.#app.clock.date();
    const due = await this.#process.query((tables) => {
      const { paidCall } = tables;
      const abandoned = paidCall.where(
        (row) => isUnfinished(row) && isAbandoned(this.#process, tables, row, now),
      );
      return abandoned.map((row) =>
        paidCall.update(row, { workedBy: this.#process.id, attempts: row.attempts + 1 }),
      );
    });
    for (const row of due) void this.#run(row.id, () => this.#chargeAgain(row)).catch(() => undefined);
  }

  /** Releases the calls that this process holds and does not work on, when two checks in a row find them so. */
  async releaseIdle(holdsCalls: boolean): Promise<void> {
    if (!holdsCalls) return;
    const held = await this.#process.query(({ paidCall }) =>
      paidCall.where((row) => isUnfinished(row) && row.workedBy === this.#process.id).map(({ id }) => id),
    );
    const idle = new Set(held.filter((id) => !this.#working.has(id)));
    const forgotten = [...idle].filter((id) => this.#idleBefore.has(id));
    this.#idleBefore = idle;
    const attemptAt = this.#app.clock.date();
    for (const id of forgotten) await this.#release(id, { attemptAt });
  }

  /** As `checkSettlements` (lib/jobs). */
  async reviewSettlements(): Promise<void> {
    const now = this.#app.clock.date();
    const transactions = (await this.#finality.notFinal([network])).get(network) ?? [];
    const statuses = await this.#settler.checkFinality(transactions);
    const final: string[] = [];
    for (const { hash, block } of transactions) {
      const status = statuses.get(hash);
      const hasFailed = status?.kind === 'failed';
      const hasVanished =
        status?.kind === 'vanished' || (hasFailed && (await this.#finality.hasPaidCalls(network, hash)));
      if (status?.kind === 'final' || (hasFailed && !hasVanished)) final.push(hash);
      const isIncluded = status?.kind === 'included' || status?.kind === 'final';
      if (isIncluded && status.block.number !== block?.number)
        await this.#finality.recordBlock(network, hash, status.block);
      if (hasVanished) await this.#finality.recordVanished(network, hash, now);
    }
    if (final.length > 0) await this.#finality.recordFinal(network, final, now);
  }

  /** As `closeRefusals` (lib/jobs). */
  async closeRefusals(): Promise<void> {
    const now = this.#app.clock.date();
    const refused = await this.#process.query(({ paidCall }) =>
      paidCall.where((row) => isRefusalToClose(row, now)),
    );
    for (const row of refused) {
      const outcome = await this.#settler.resolveOutcome(chargeOf(row).payment, traceOf(row));
      if (outcome.kind === 'settled') await this.#journal.outbox.recordOutcome(chargeOf(row), outcome);
      if (outcome.kind !== 'refused') continue;
      await this.#process.query(({ paidCall }) => paidCall.update(row, { refusalFinalAt: now }));
    }
  }

  async #run<T>(id: string, work: () => Promise<T>): Promise<T> {
    this.#working.add(id);
    try {
      return await work();
    } finally {
      this.#working.delete(id);
    }
  }

  /** As `settleAgain` (lib/calls). */
  async #chargeAgain(row: PaidCallRow): Promise<Told> {
    const charge = chargeOf(row);
    const outcome = await this.#settleAgain(row, charge);
    return this.#conclude(row.id, outcome, row.attempts + 1, false);
  }

  async #settleAgain(row: PaidCallRow, charge: Charge): Promise<Outcome> {
    const found = await this.#settler.resolveOutcome(charge.payment, traceOf(row));
    if (found.kind !== 'unknown') return found;
    const verification = await this.#settler.verify(charge.payment).catch(() => null);
    if (!verification?.ok || (await this.#settler.isFollowed?.(charge))) return found;
    const now = this.#app.clock.date();
    const isResubmitted = await this.#process.query(({ paidCall }) => {
      const current = paidCall.get(row.id);
      if (current?.state === 'unknown') paidCall.update(current, { state: 'settling', movedAt: now });
      return current?.state === row.state;
    });
    if (!isResubmitted) return found;
    const outcome = await this.#settler.settle(charge);
    if (outcome.kind !== 'settled' || !outcome.recorded) return outcome;
    const { recorded, ...settled } = outcome;
    return recorded.then(
      () => settled,
      () => found,
    );
  }

  async #conclude(id: string, outcome: Outcome, attempts: number, isFresh: boolean): Promise<Told> {
    const isRecorded = outcome.kind === 'settled' && (outcome.isInLedger || isFresh);
    const charge = await this.#process.query(({ paidCall }) => {
      const row = paidCall.get(id);
      return row ? chargeOf(row) : null;
    });
    if (!isRecorded && charge) await this.#journal.outbox.recordOutcome(charge, outcome);
    if (outcome.kind === 'refused') return 'refused';
    const isLost =
      outcome.kind === 'settled' &&
      (await (outcome.recorded ?? Promise.resolve()).then(
        () => false,
        () => true,
      ));
    if (outcome.kind === 'settled' && !isLost) return 'settled';
    const delayMs = retryDelayMs(this.#app.timings, attempts, 'charge');
    await this.#release(id, { attemptAt: new Date(this.#app.clock.now() + delayMs) }).catch(() => undefined);
    return 'unknown';
  }

  #release(id: string, changes: Partial<PaidCallRow>): Promise<void> {
    return this.#process.query(({ paidCall }) => {
      const row = paidCall.get(id);
      if (row?.workedBy === this.#process.id) paidCall.update(row, { ...changes, workedBy: null });
    });
  }
}

/** Its payment may still be made or not. A settled call is done here. */
function isUnfinished({ state }: PaidCallRow): boolean {
  return state !== 'settled' && openStates.includes(state);
}

function traceOf({ id, payment, transactionHash }: PaidCallRow) {
  return { id, sinceHeight: payment?.sinceHeight ?? 0n, transactionHash };
}

function claimed(id: string, payment: Payment, height: bigint, workedBy: string, now: Date): PaidCallRow {
  const { network, asset, payer, authorization, amountAtomic, payTo, validBefore, signed } = payment;
  return {
    ...{ id, operation: 'uploads.create', rail: 'x402' as const, state: 'settling' as const },
    ...{ network, asset, payer, authorization, amountAtomic, payTo, validBefore },
    ...{ payment: { signed, sinceHeight: height }, requestHash: Buffer.from(id), requestDigest: null },
    ...{ idempotencyKeyHash: null, claimTokenHash: null, input: null, prepared: null },
    ...{ transactionHash: null, settlementId: null, refusalReason: null, answerStatus: null, answer: null },
    ...{ answerExpiresAt: null, workedBy, attemptAt: now, queuedForSignerAt: null, channelId: null },
    ...{ reorganizations: 0, creditedAccount: null, refusalFinalAt: null, attempts: 0 },
    ...{ createdAt: now, movedAt: now, moveNote: null },
  };
}
