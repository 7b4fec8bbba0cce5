import { type JournalWorld, worldTime } from './journal-world';
import type { PaidCallRow, SettlementTransactionRow } from './memory-rows';

/** Rows for the cases of the journal. */

/** The times of rows: before the processes do anything. */
const earlier = new Date(worldTime.getTime() - 60_000);

export function newCall(id: string, changes: Partial<PaidCallRow> = {}): PaidCallRow {
  return {
    id,
    operation: 'uploads.create',
    rail: 'x402',
    network: 'base',
    asset: 'USDC',
    payer: `payer of ${id}`,
    authorization: id,
    amountAtomic: 5_000n,
    payTo: 'us',
    requestHash: Buffer.from('request'),
    requestDigest: null,
    idempotencyKeyHash: Buffer.from(`key of ${id}`),
    claimTokenHash: null,
    state: 'settling',
    input: '{"input":1}',
    prepared: '{"prepared":1}',
    payment: { signed: { family: 'solana', transaction: 'signed' }, sinceHeight: 5n },
    validBefore: new Date(worldTime.getTime() + 60_000),
    transactionHash: null,
    settlementId: null,
    refusalReason: null,
    answerStatus: null,
    answer: null,
    answerExpiresAt: null,
    workedBy: 'one',
    attemptAt: earlier,
    queuedForSignerAt: null,
    channelId: null,
    reorganizations: 0,
    creditedAccount: null,
    refusalFinalAt: null,
    attempts: 3,
    createdAt: earlier,
    movedAt: earlier,
    moveNote: null,
    ...changes,
  };
}

export function newSettlement(
  hash: string,
  changes: Partial<SettlementTransactionRow> = {},
): SettlementTransactionRow {
  return {
    id: `id of ${hash}`,
    network: 'base',
    signer: 'signer',
    nonce: 7n,
    hash,
    raw: new Uint8Array([1, 2, 3]),
    payments: 1,
    state: 'prepared',
    blockNumber: null,
    blockHash: null,
    gasUsed: null,
    feeAtomic: null,
    feeInVainAtomic: null,
    feeUnit: null,
    reorganizations: 0,
    reorganizedAt: null,
    createdAt: earlier,
    preconfirmedAt: null,
    confirmedAt: null,
    finalAt: null,
    ...changes,
  };
}

/** Moves a call through states, each a statement of its own. */
export async function moveCall(
  world: JournalWorld,
  id: string,
  states: readonly PaidCallRow['state'][],
  changes: Partial<PaidCallRow> = {},
): Promise<void> {
  for (const state of states) await world.update('paidCall', id, { state, movedAt: earlier, ...changes });
}
