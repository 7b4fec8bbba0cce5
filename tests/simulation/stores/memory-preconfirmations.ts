import { operations } from '@/lib/catalog';
import { paidStates, reversibleStates } from '@/lib/ledger/states';
import type { PreconfirmationRecord, PreconfirmedTransaction } from '@/lib/payments/journal';
import { isOpen, isSubmitted } from './memory-charges';
import type { Tables } from './memory-database';
import type { MemoryProcess } from './memory-process';
import type { PaidCallRow } from './memory-rows';
import { moveOfCall, moveOfSettlement } from './memory-transitions';

/** The balance of a prepaid account can be spent elsewhere at once, so deposits wait for their block. */
const waitsForBlock = new Set<string>(
  operations.filter(({ creditsAccount }) => creditsAccount !== undefined).map(({ id }) => id),
);

/** The twin of the ledger's record of pre-confirmations. Statements do not overlap here, so none is raced by another. */
export function memoryPreconfirmations(process: MemoryProcess): PreconfirmationRecord {
  const { clock, timings } = process;
  return {
    async recordPreconfirmed(transaction) {
      const now = clock.date();
      const settled = await process.query((tables) => settlePreconfirmed(tables, transaction, now), true);
      return { settled, isRaced: false };
    },
    recordPreconfirmationLost(network, hash) {
      const now = clock.date();
      const attemptAt = new Date(now.getTime() + timings.finality.readoptionMs);
      return process.query((tables) => {
        const { settlementTransaction, paidCall } = tables;
        const promised = settlementTransaction.first((row) => row.network === network && row.hash === hash);
        const changes = promised && moveOfSettlement('promiseBroken', promised, { at: now });
        if (!changes) return 0;
        settlementTransaction.update(promised, changes);
        const calls = paidCall.where(
          ({ settlementId, state }) => settlementId === promised.id && reversibleStates.includes(state),
        );
        losePreconfirmed(tables, { network, hash, calls, now, attemptAt });
        return calls.length;
      });
    },
  };
}

function settlePreconfirmed(
  tables: Tables,
  { network, hash, paidCallIds, openMax }: PreconfirmedTransaction,
  now: Date,
): string[] {
  const { settlementTransaction, paidCall, preconfirmationSwitch } = tables;
  const promised = settlementTransaction.first((row) => row.network === network && row.hash === hash);
  if (!promised || !isOpen(promised)) return [];
  const state = preconfirmationSwitch.get(network);
  if (state && state.stoppedAt !== null) return [];
  // One that was replaced waits for its block: which of the two will be there is open.
  const isReplaced = settlementTransaction.first(
    (other) =>
      other.network === network &&
      other.signer === promised.signer &&
      promised.nonce !== null &&
      other.nonce === promised.nonce &&
      other.id !== promised.id,
  );
  if (isReplaced) return [];
  const answered = paidCall.where((call) => isAnsweredEarly(tables, network, call));
  const candidates = paidCall
    .where(
      (call) =>
        call.settlementId === promised.id &&
        paidCallIds.includes(call.id) &&
        isSubmitted(call) &&
        call.amountAtomic <= openMax.ofPayer &&
        !waitsForBlock.has(call.operation),
    )
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
  // All candidates up to a call count, even those that are not affordable themselves.
  const affordable = candidates.filter((call, index) => {
    const counted = [...answered, ...candidates.slice(0, index + 1)];
    const ofPayer = counted.filter(({ payer }) => payer === call.payer);
    return sum(counted) <= openMax.onNetwork && sum(ofPayer) <= openMax.ofPayer;
  });
  if (affordable.length === 0) return [];
  if (!state) preconfirmationSwitch.insert({ ...running, network });
  const preconfirmedAt = promised.preconfirmedAt ?? now;
  const changes = moveOfSettlement('promised', promised, { at: now, preconfirmedAt });
  settlementTransaction.update(promised, changes ?? {});
  for (const call of affordable) {
    const changes = moveOfCall('settled', call, { at: now, moveNote: null });
    paidCall.update(call, { ...changes, transactionHash: hash });
  }
  return affordable.map(({ id }) => id);
}

const running = { stoppedAt: null, lostTransaction: null, lostPayments: 0, lostAtomic: 0n } as const;

function isAnsweredEarly({ settlementTransaction }: Tables, network: string, call: PaidCallRow): boolean {
  const settlement = call.settlementId === null ? undefined : settlementTransaction.get(call.settlementId);
  const isPreconfirmed = settlement?.network === network && settlement.state === 'preconfirmed';
  return isPreconfirmed && paidStates.includes(call.state);
}

const sum = (calls: readonly PaidCallRow[]) => calls.reduce((total, call) => total + call.amountAtomic, 0n);

interface Loss {
  readonly network: string;
  readonly hash: string;
  readonly calls: readonly PaidCallRow[];
  readonly now: Date;
  readonly attemptAt: Date;
}

/** Calls that were answered on a pre-confirmation have lost their payment, and no others are answered so until an operator says. */
export function losePreconfirmed(tables: Tables, { network, hash, calls, now, attemptAt }: Loss): void {
  const { paidCall, preconfirmationSwitch } = tables;
  for (const call of calls) {
    const given = { at: now, moveNote: 'preconfirmation_lost', attemptAt };
    paidCall.update(call, moveOfCall('undone', call, given) ?? {});
  }
  if (calls.length === 0) return;
  const known = preconfirmationSwitch.get(network) ?? preconfirmationSwitch.insert({ ...running, network });
  preconfirmationSwitch.update(known, {
    stoppedAt: known.stoppedAt !== null && known.stoppedAt < now ? known.stoppedAt : now,
    lostTransaction: known.lostTransaction ?? hash,
    lostPayments: known.lostPayments + calls.length,
    lostAtomic: known.lostAtomic + sum(calls),
  });
}
