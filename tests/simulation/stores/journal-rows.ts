import type { PaidCallRow, SettlementTransactionRow } from '@/packages/paywall/memory/memory-rows';
import { type JournalWorld, worldTime } from './journal-world';

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
    payment: { signed: { family: 'solana', transaction: 'signed', signer: 'key' }, sinceHeight: 5n },
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

/**
 * Everything in a world, comparable between databases: without ids that the database chose, in a fixed order, by what it is
 * about (a call, a transaction, a signer or a network).
 */
export async function describeWorld(world: JournalWorld): Promise<Record<string, readonly string[]>> {
  const [settlements, calls, moves, postings, signers, gas] = await Promise.all([
    world.all('settlementTransaction'),
    world.all('paidCall'),
    world.all('paidCallMove'),
    world.all('posting'),
    world.all('settlementSigner'),
    world.all('gasInVain'),
  ]);
  const known = new Map<unknown, string>([
    ...settlements.map(({ id, hash }) => [id, hash] as const),
    [world.one.id, 'one'],
    [world.other.id, 'other'],
  ]);
  const named = (value: unknown) => known.get(value) ?? value;
  const found = {
    calls,
    moves,
    postings,
    settlements,
    signers,
    gas,
  };
  const lines = Object.entries(found).flatMap(([table, rows]) =>
    rows.map((row) => {
      // The database numbers these in the order in which they were written.
      const isNumbered = table === 'moves' || table === 'postings';
      const columns = Object.entries(row).filter(([name]) => !isNumbered || name !== 'id');
      const sorted = columns.sort(([one], [another]) => (one < another ? -1 : 1));
      const values: Record<string, unknown> = Object.fromEntries(
        sorted.map(([name, value]) => [name, named(value)]),
      );
      const subject =
        values.paidCallId ?? values.id ?? values.settlementId ?? values.signer ?? values.network;
      return [String(subject), `${table}: ${JSON.stringify(values, plain)}`] as const;
    }),
  );
  const subjects = [...new Set(lines.map(([subject]) => subject))].sort();
  return Object.fromEntries(
    subjects.map((subject) => [
      subject,
      lines.flatMap(([about, line]) => (about === subject ? [line] : [])).sort(),
    ]),
  );
}

function plain(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`;
  // JSON.stringify has already called toJSON of buffers.
  return value instanceof Uint8Array ? { type: 'Buffer', data: [...value] } : value;
}
