import { z } from 'zod';
import {
  type Lease,
  LeaseLost,
  type PreparedTransaction,
  type SettlementJournal,
} from '@/lib/payments/journal';
import type { NetworkName } from '@/lib/payments/network-offers';
import type { Charge, Outcome } from '@/lib/payments/outcome';
import { batchedQuery } from '@/lib/platform/database/batched-query';
import type { WithDatabase } from '@/lib/platform/database/database';
import { Prisma } from '@/lib/platform/database/generated/client';
import { newOrderedId } from '@/lib/platform/ids';
import type { Platform } from '@/lib/platform/platform';
import { recordOutcome, refuseUnlessSent } from './call-moves';
import { isChargedNext } from './channel-calls';
import { blameForGas, gasInVain, payersOfGasInVain } from './gas-in-vain';
import { recordMined } from './mined-transactions';
import { chargesOf } from './paid-call-rows';
import {
  dropTransactions,
  isFollowed,
  isUnderWay,
  openTransactions,
  signersOfOpen,
  withNonce,
} from './settlement-transactions';
import { listed, openSettlementStates, type PaidCallState, submittedStates } from './states';

/** Records what the senders of one app do: every transaction before it leaves, and its effects once it is mined. */
export function settlementJournal(
  app: WithDatabase & Pick<Platform, 'clock' | 'timings' | 'log' | 'keys' | 'problems' | 'metrics'>,
): SettlementJournal {
  const { instance } = app;
  return {
    outbox: {
      recordPrepared: (transaction) => recordPrepared(app, transaction, instance.id),
      recordMined: (transaction) => recordMined(app, transaction),
      recordDropped: (network, hashes) => recordDropped(app, network, hashes),
      recordOutcome: (charge, outcome) => recordOutcome(app, charge.paidCallId, outcome, app.clock.date()),
      refuseUnlessSent: (charge, reason) =>
        refuseUnlessSent(app, charge.paidCallId, reason, app.clock.date()),
      isUnderWay: (charge) => isUnderWay(app, charge.paidCallId),
      isFollowed: (charge) => isFollowed(app, charge.paidCallId, app.clock.date()),
      withNonce: (network, signer, nonce) => withNonce(app, network, signer, nonce),
    },
    leases: {
      acquire: (network, signer, known) => acquireLease(app, network, signer, known, instance.id),
      release: (network, signer) => releaseLease(app, network, signer, instance.id),
      signersOfOpen: (network) => signersOfOpen(app, network),
      hasSigner: (network) => hasSigner(app, network),
      hasPeers: () => instance.hasPeers(),
    },
    gas: {
      recordBlame: (network, hash, inVain) => blameForGas(app, network, hash, inVain),
      gasInVain: (network, payer, code, by) => gasInVain(app, network, payer, code, by),
      payersOfGasInVain: (network, since) => payersOfGasInVain(app, network, since),
    },
    queue: {
      enqueue: (charge) => enqueueForSigner(app, charge.paidCallId, app.clock.date()),
      dequeue: (network) => dequeueForSigner(app, network),
      outcomes: (paidCallIds) => queuedOutcomes(app, paidCallIds),
    },
  };
}

const insertPrepared = `
  WITH carries AS (
    SELECT jsonb_array_elements_text($10::jsonb) AS id
  ), locked AS (
    -- Locked, because a process that was paused may be refusing one of them.
    SELECT id, state, settlement_id FROM paid_call WHERE id IN (SELECT id FROM carries) ORDER BY id FOR NO KEY UPDATE
  ), claims AS (
    SELECT count(*) = $8::int AS are_there FROM locked
    WHERE state <> 'refused' OR settlement_id IN (SELECT id FROM settlement_transaction
      WHERE id IN (SELECT settlement_id FROM locked) AND state IN ${listed(openSettlementStates)})
  ), lease AS (
    UPDATE settlement_signer SET next_nonce = GREATEST(next_nonce, $3::bigint + 1)
    WHERE network = $1 AND signer = $2 AND holder = $4 AND $3::bigint IS NOT NULL AND (SELECT are_there FROM claims)
    RETURNING signer
  ), transaction AS (
    INSERT INTO settlement_transaction (id, network, signer, nonce, hash, raw, payments, state, created_at)
    SELECT $5, $1, $2, $3::bigint, $6, $7::bytea, $8::int, 'prepared', $9::timestamptz
    WHERE (SELECT are_there FROM claims) AND ($3::bigint IS NULL OR EXISTS (SELECT FROM lease))
    ON CONFLICT (network, hash) DO UPDATE SET payments = settlement_transaction.payments
    RETURNING id
  ), carried AS (
    UPDATE paid_call SET settlement_id = transaction.id, transaction_hash = $6
    FROM transaction, carries
    WHERE paid_call.id = carries.id AND paid_call.state IN ${listed(submittedStates)}
  )
  SELECT EXISTS (SELECT FROM transaction) AS "isWritten", are_there AS "areClaimsThere" FROM claims`;

/**
 * Stores the signed transaction, its nonce and the payments it carries, before it is broadcast; one round trip for the group.
 * Where there is a nonce, the statement checks the lease: a process that lost the lease writes nothing. Claims may not have
 * been flushed to disk before this, so a database crash may have lost one: then nothing is written either. Nor is it when one
 * was refused, unless this replaces a transaction which carries it.
 * @throws LeaseLost, or an Error when a claim is gone or refused
 */
async function recordPrepared(
  app: WithDatabase & Pick<Platform, 'clock' | 'metrics'>,
  transaction: PreparedTransaction,
  instanceId: string,
): Promise<void> {
  const { network, signer, nonce, hash, raw, charges } = transaction;
  const { rows } = await app.statements.query<{ isWritten: boolean; areClaimsThere: boolean }>(
    insertPrepared,
    [
      network,
      signer,
      nonce?.toString() ?? null,
      instanceId,
      newOrderedId('st', app.clock.date()),
      hash,
      raw,
      charges.length,
      app.clock.date().toISOString(),
      // In the order in which others lock them.
      JSON.stringify(charges.map(({ paidCallId }) => paidCallId).sort()),
    ],
  );
  const [row] = rows;
  if (row && !row.areClaimsThere) throw new Error('a charge is refused, or the database has lost its claim');
  if (!row?.isWritten) throw new LeaseLost(signer);
  app.metrics.settlements.inc({ network, event: 'prepared' });
}

async function recordDropped(
  app: WithDatabase & Pick<Platform, 'clock' | 'metrics'>,
  network: NetworkName,
  hashes: readonly string[],
): Promise<void> {
  await dropTransactions(app, network, hashes);
  app.metrics.settlements.inc({ network, event: 'dropped' }, hashes.length);
}

/**
 * Leases a signer to an instance, or renews the lease, unless another live instance holds it. A lease lasts as long as the
 * heartbeat of its holder, so renewing it costs nothing.
 */
async function acquireLease(
  app: WithDatabase & Pick<Platform, 'log' | 'keys' | 'problems'>,
  network: NetworkName,
  signer: string,
  known: readonly string[],
  instanceId: string,
): Promise<Lease | null> {
  const [row] = await app.db.$queryRaw<{ next_nonce: bigint | null }[]>`
    WITH kept AS (
      SELECT next_nonce FROM settlement_signer
      WHERE network = ${network} AND signer = ${signer} AND holder = ${instanceId}
    ), taken AS (
      INSERT INTO settlement_signer AS lease (network, signer, holder)
      SELECT ${network}, ${signer}, ${instanceId} WHERE NOT EXISTS (SELECT FROM kept)
        -- Looked up first, because the conflict alone locks the row, for which the holder's next transaction would wait.
        AND NOT EXISTS (SELECT FROM settlement_signer other JOIN instance ON instance.id = other.holder
          WHERE other.network = ${network} AND other.signer = ${signer} AND alive_until > now())
      ON CONFLICT (network, signer) DO UPDATE SET holder = EXCLUDED.holder
      WHERE lease.holder IS NULL
        OR NOT EXISTS (SELECT FROM instance WHERE id = lease.holder AND alive_until > now())
      RETURNING next_nonce
    )
    SELECT next_nonce FROM kept UNION ALL SELECT next_nonce FROM taken`;
  if (!row) return null;
  return { nextNonce: row.next_nonce, open: await openTransactions(app, network, signer, known) };
}

/** Ends a lease, so that another instance can take the signer at once. */
async function releaseLease(
  app: WithDatabase,
  network: NetworkName,
  signer: string,
  instanceId: string,
): Promise<void> {
  await app.db.$executeRaw`
    UPDATE settlement_signer SET holder = NULL
    WHERE network = ${network} AND signer = ${signer} AND holder = ${instanceId}`;
}

/** Whether a live instance reports a settlement key for the network. */
async function hasSigner(app: WithDatabase, network: NetworkName): Promise<boolean> {
  const rows = await app.db.$queryRaw<unknown[]>`
    SELECT 1 FROM instance WHERE alive_until > now() AND ${network} = ANY(settles) LIMIT 1`;
  return rows.length > 0;
}

const enqueue = batchedQuery<{ id: string; at: Date }, never>(`
  UPDATE paid_call SET queued_for_signer_at = asked.at
  FROM json_to_recordset($1::json) AS asked(id text, at timestamptz)
  WHERE paid_call.id = asked.id AND state = 'settling'`);

/** Queues a call so that an instance with a settlement key charges it. Its own instance keeps working on the call. */
async function enqueueForSigner(app: WithDatabase, paidCallId: string, now: Date): Promise<void> {
  await enqueue(app, { id: paidCallId, at: now });
}

/**
 * Takes every charge that is queued on a network. No other instance gets the same charge. A call that was settled in the meantime,
 * by a process that took it over, is not charged again.
 */
async function dequeueForSigner(
  app: WithDatabase & Pick<Platform, 'log' | 'keys' | 'problems'>,
  network: NetworkName,
): Promise<Charge[]> {
  const rows = await app.db.$queryRaw<{ id: string; is_open: boolean }[]>`
    UPDATE paid_call SET queued_for_signer_at = NULL
    WHERE network = ${network} AND queued_for_signer_at IS NOT NULL
    RETURNING id, state IN ${Prisma.raw(listed(submittedStates))} AS is_open`;
  const open = rows.filter(({ is_open: isOpen }) => isOpen).map(({ id }) => id);
  return open.length === 0 ? [] : chargesOf(app, open);
}

const outcomeRow = z.object({
  id: z.string(),
  state: z.custom<PaidCallState>((value) => typeof value === 'string'),
  transaction_hash: z.string().nullable(),
  refusal_reason: z.string().nullable(),
  is_deposited: z.boolean().nullable(),
  block_number: z.bigint().nullable(),
  block_hash: z.string().nullable(),
});

const isChargedNextHere = Prisma.raw(isChargedNext('call'));

/** The outcomes of queued charges, without those that are still being settled. */
async function queuedOutcomes(
  app: WithDatabase,
  paidCallIds: readonly string[],
): Promise<ReadonlyMap<string, Outcome>> {
  const rows = await app.db.$queryRaw<unknown[]>`
    SELECT call.id, call.state, transaction_hash, refusal_reason, settlement.block_number, settlement.block_hash,
      -- The deposit is in a block, and the call waits to be charged.
      ${isChargedNextHere} AND settlement.state = 'confirmed' AS is_deposited
    FROM paid_call AS call LEFT JOIN settlement_transaction AS settlement ON settlement.id = settlement_id
    WHERE call.id IN (SELECT jsonb_array_elements_text(${JSON.stringify(paidCallIds)}::jsonb))
      AND (call.state <> 'settling' OR (${isChargedNextHere} AND settlement.state = 'confirmed'))`;
  return new Map(rows.map((raw) => outcomeOf(outcomeRow.parse(raw))));
}

function outcomeOf(row: z.output<typeof outcomeRow>): [id: string, outcome: Outcome] {
  const { id, state, transaction_hash: transactionHash } = row;
  if (row.is_deposited && transactionHash !== null) {
    const { block_number: number, block_hash: hash } = row;
    // A node that does not have this block yet does not know about the deposit.
    const block = number !== null && hash !== null ? { number, hash } : null;
    return [id, { kind: 'settled', transactionHash, block, isInLedger: true }];
  }
  if (state === 'refused') return [id, { kind: 'refused', reason: row.refusal_reason ?? 'payment_refused' }];
  if (state === 'unknown' || transactionHash === null) return [id, { kind: 'unknown', transactionHash }];
  return [id, { kind: 'settled', transactionHash, block: null, isInLedger: true }];
}
