import { reversibleStates } from '@/lib/ledger/states';
import type { ConfirmedSettlement, FinalityRecord } from '@/lib/payments/journal';
import type { SettledTransaction } from '@/lib/payments/outcome';
import type { MemoryProcess } from './memory-process';
import type { PaidCallRow, SettlementTransactionRow } from './memory-rows';
import { moveOfCall, moveOfSettlement } from './memory-transitions';

const isNotFinal = ({ state, finalAt }: SettlementTransactionRow) =>
  state === 'confirmed' && finalAt === null;

/** The twin of the ledger's record of settlements that may still vanish. It returns all of them, the ledger the newest and oldest. */
export function memoryFinality(process: MemoryProcess): FinalityRecord {
  const { timings } = process;
  return {
    notFinal: (networks) =>
      process.query(({ settlementTransaction }) => {
        const found = new Map<string, ConfirmedSettlement[]>();
        for (const network of networks) {
          const rows = settlementTransaction.where((row) => row.network === network && isNotFinal(row));
          if (rows.length > 0) found.set(network, rows.map(toConfirmed));
        }
        return found;
      }),
    async recordFinal(network, hashes, now) {
      await process.query(({ settlementTransaction }) => {
        const final = settlementTransaction.where(
          (row) => row.network === network && isNotFinal(row) && hashes.includes(row.hash),
        );
        for (const row of final) settlementTransaction.update(row, { finalAt: now, raw: null });
      });
    },
    async recordBlock(network, checked, block) {
      await process.query(({ settlementTransaction }) => {
        const row = settlementTransaction.first(
          (row) => row.network === network && isAsChecked(row, checked),
        );
        if (row && isNotFinal(row))
          settlementTransaction.update(row, { blockNumber: block.number, blockHash: block.hash });
      });
    },
    hasPaidCalls: (network, hash) =>
      process.query(({ settlementTransaction, paidCall }) => {
        const row = settlementTransaction.first((row) => row.network === network && row.hash === hash);
        return paidCall.first((call) => isPaidBy(call, row)) !== undefined;
      }),
    recordVanished(network, checked, now) {
      const attemptAt = new Date(now.getTime() + timings.finality.readoptionMs);
      return process.query(({ settlementTransaction, paidCall, channel }) => {
        const row = settlementTransaction.first(
          (row) => row.network === network && isAsChecked(row, checked),
        );
        const changes =
          row &&
          (moveOfSettlement('reorganized', row, { at: now }) ??
            moveOfSettlement('vanished', row, { at: now }));
        if (!changes) return 0;
        settlementTransaction.update(row, changes);
        const calls = paidCall.where((call) => isPaidBy(call, row));
        const given = { at: now, moveNote: 'reorganized', attemptAt };
        for (const call of calls) paidCall.update(call, moveOfCall('undone', call, given) ?? {});
        // What was read of their channels came from a block that is gone.
        const channelIds = paidCall
          .where(({ settlementId }) => settlementId === row.id)
          .map(({ channelId }) => channelId);
        for (const outdated of channel.where(({ id }) => channelIds.includes(id)))
          channel.update(outdated, { readAt: new Date(0) });
        return calls.length;
      });
    },
  };
}

function isAsChecked(row: SettlementTransactionRow, { hash, block }: SettledTransaction): boolean {
  const isSameBlock = row.blockNumber === (block?.number ?? null) && row.blockHash === (block?.hash ?? null);
  return row.hash === hash && isSameBlock;
}

function isPaidBy({ settlementId, state }: PaidCallRow, row: SettlementTransactionRow | undefined): boolean {
  return row !== undefined && settlementId === row.id && reversibleStates.includes(state);
}

function toConfirmed(row: SettlementTransactionRow): ConfirmedSettlement {
  const { hash, blockNumber: number, blockHash, confirmedAt, reorganizedAt, createdAt } = row;
  return {
    hash,
    block: number === null ? null : { number, hash: blockHash },
    confirmedAt: confirmedAt ?? reorganizedAt ?? createdAt,
  };
}
