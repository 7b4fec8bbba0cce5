import { LeaseLost, type Outbox, type PreparedTransaction } from '@/lib/payments/journal';
import { byCreation, isOpen, isSubmitted, mayBeInBlock, toOpen } from './memory-charges';
import type { Tables } from './memory-database';
import { drop, emptySettlement, mine, recordOutcome, refuseUnlessSent } from './memory-outcomes';
import type { MemoryProcess } from './memory-process';
import type { SettlementTransactionRow } from './memory-rows';

/** The twin of the ledger's outbox. */
export function memoryOutbox(process: MemoryProcess): Outbox {
  const { clock } = process;
  return {
    async recordPrepared(transaction) {
      const now = clock.date();
      const written = await process.query((tables) => prepare(process, tables, transaction, now));
      if (written === 'claims lost')
        throw new Error('a charge is refused, or the database has lost its claim');
      if (written === 'lease lost') throw new LeaseLost(transaction.signer);
    },
    async recordMined(transaction) {
      const now = clock.date();
      await process.query((tables) => mine(tables, transaction, now), true);
    },
    async recordDropped(network, hashes) {
      const now = clock.date();
      await process.query((tables) => drop(tables, network, hashes, now));
    },
    async recordOutcome({ paidCallId }, outcome) {
      const now = clock.date();
      await process.query((tables) => recordOutcome(process, tables, paidCallId, outcome, now));
    },
    async refuseUnlessSent({ paidCallId }, reason) {
      const now = clock.date();
      return process.query((tables) => refuseUnlessSent(tables, paidCallId, reason, now));
    },
    isUnderWay: ({ paidCallId }) =>
      process.query((tables) => {
        const carrier = carrierOf(tables, paidCallId);
        return carrier !== undefined && isOpen(carrier);
      }),
    isFollowed({ paidCallId }) {
      const since = clock.now() - process.timings.evm.replaceAlwaysMs;
      return process.query((tables) => isFollowed(process, tables, paidCallId, since));
    },
    async withNonce(network, signer, nonce) {
      const rows = await process.query(({ settlementTransaction }) =>
        settlementTransaction.where(
          (row) =>
            row.network === network &&
            row.signer === signer &&
            row.nonce === nonce &&
            (isOpen(row) || mayBeInBlock(row)),
        ),
      );
      if (rows.every(({ state }) => state === 'replaced')) return [];
      return toOpen(process, network, signer, byCreation(rows));
    },
  };
}

type Prepared = 'written' | 'claims lost' | 'lease lost';

function prepare(
  process: MemoryProcess,
  { paidCall, settlementSigner, settlementTransaction }: Tables,
  { network, signer, nonce, hash, raw, charges }: PreparedTransaction,
  createdAt: Date,
): Prepared {
  const ids = new Set(charges.map(({ paidCallId }) => paidCallId));
  const calls = paidCall.where(
    ({ id, state, settlementId }) =>
      ids.has(id) &&
      (state !== 'refused' || settlementTransaction.where((row) => row.id === settlementId).some(isOpen)),
  );
  if (calls.length !== charges.length) return 'claims lost';
  if (nonce !== null) {
    const lease = settlementSigner.first((row) => row.network === network && row.signer === signer);
    if (lease?.holder !== process.id) return 'lease lost';
    const next = nonce + 1n;
    const nextNonce = lease.nextNonce !== null && lease.nextNonce > next ? lease.nextNonce : next;
    settlementSigner.update(lease, { nextNonce });
  }
  const known = settlementTransaction.first((row) => row.network === network && row.hash === hash);
  const { id } =
    known ??
    settlementTransaction.insert({
      ...emptySettlement,
      id: process.database.newId('st'),
      network,
      signer,
      nonce,
      hash,
      raw,
      payments: charges.length,
      state: 'prepared',
      createdAt,
    });
  for (const call of calls.filter(isSubmitted))
    paidCall.update(call, { settlementId: id, transactionHash: hash });
  return 'written';
}

function carrierOf({ paidCall, settlementTransaction }: Tables, paidCallId: string) {
  const settlementId = paidCall.get(paidCallId)?.settlementId ?? null;
  return settlementId === null ? undefined : settlementTransaction.get(settlementId);
}

function isFollowed(process: MemoryProcess, tables: Tables, paidCallId: string, sinceMs: number): boolean {
  const carrier = carrierOf(tables, paidCallId);
  if (!carrier || !isOpen(carrier)) return false;
  const { settlementSigner, instance, settlementTransaction } = tables;
  const lease = settlementSigner.first(
    ({ network, signer }) => network === carrier.network && signer === carrier.signer,
  );
  const holder = instance.get(lease?.holder ?? '');
  if (!holder || !process.isAlive(holder)) return false;
  const variants = settlementTransaction.where(
    (row) =>
      row.network === carrier.network &&
      row.signer === carrier.signer &&
      row.nonce !== null &&
      row.nonce === carrier.nonce &&
      isOpen(row),
  );
  const sentAt = ({ createdAt, reorganizedAt }: SettlementTransactionRow) =>
    Math.max(createdAt.getTime(), reorganizedAt?.getTime() ?? 0);
  return variants.every((variant) => sentAt(variant) > sinceMs);
}
