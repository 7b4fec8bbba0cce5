import { paidStates } from '@/lib/ledger/states';
import type { GasRecord, SpentInVain } from '@/lib/payments/journal';
import type { Tables } from './memory-database';
import { upsertGas } from './memory-outcomes';
import type { MemoryProcess } from './memory-process';
import type { GasInVainRow } from './memory-rows';

/** The most failures of one payer, and of all payers with code, that are counted. */
const countedMax = { ofPayer: 500, ofAll: 2_000 } as const;

/** The twin of the ledger's record of gas. */
export function memoryGasRecord(process: MemoryProcess): GasRecord {
  return {
    async recordBlame(network, hash, { paidCallId, payer, gas, code = null }) {
      const at = process.clock.date();
      await process.query(({ settlementTransaction, gasInVain }) => {
        const settlement = settlementTransaction.first((row) => row.network === network && row.hash === hash);
        if (!settlement) return;
        const row = { settlementId: settlement.id, paidCallId, network, payer, code, gas, at };
        upsertGas(gasInVain, row, { code });
      });
    },
    gasInVain: (network, payer, code, { ofPayerSince, ofOthersSince, sameClient }) =>
      process.query((tables) => {
        const counted = tables.gasInVain
          .where((row) => row.network === network && isCounted(tables, row))
          .toSorted((one, other) => other.at.getTime() - one.at.getTime());
        const ofPayer = counted
          .filter((row) => row.payer === payer && row.at > ofPayerSince)
          .slice(0, countedMax.ofPayer);
        const ofAll = counted
          .filter((row) => row.code !== null && row.at > ofOthersSince)
          .slice(0, countedMax.ofAll);
        return {
          ofPayer: ofPayer.map(({ at, gas }) => ({ at, gas })),
          byCode: sumOf(ofAll.filter((row) => row.code === code)),
          byClient: sumOf(ofAll.filter((row) => sameClient.includes(row.payer))),
          byAll: sumOf(ofAll),
          hasPaid:
            tables.paidCall.first(
              (call) => call.network === network && call.payer === payer && paidStates.includes(call.state),
            ) !== undefined,
        };
      }),
    payersOfGasInVain: (network, since) =>
      process.query(({ gasInVain }) => {
        const rows = gasInVain.where((row) => row.network === network && row.at > since);
        return [...new Set(rows.map(({ payer }) => payer))];
      }),
  };
}

/** The gas of a payment that a third party submitted before us does not count: its payer has paid. */
function isCounted({ paidCall, settlementTransaction }: Tables, { paidCallId }: GasInVainRow): boolean {
  const settlementId = paidCall.get(paidCallId)?.settlementId ?? null;
  return settlementId === null || settlementTransaction.get(settlementId)?.signer !== null;
}

function sumOf(rows: readonly GasInVainRow[]): SpentInVain {
  const times = rows.map(({ at }) => at.getTime());
  return {
    gas: rows.reduce((sum, { gas }) => sum + gas, 0n),
    oldest: times.length === 0 ? null : new Date(Math.min(...times)),
  };
}
