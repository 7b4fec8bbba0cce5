import { db } from '@/lib/db/client';
import { newId } from '@/lib/ids';
import type { MinedTransaction, PreparedTransaction, SettlementJournal } from '@/lib/payments/payment';

/** Keeps the ledger in step with the senders: nothing leaves unrecorded, nothing lands unrecorded. */
export const settlementJournal: SettlementJournal = {
  /** The signed transaction and the payments it carries, before it is broadcast; one round trip for the group. */
  async prepared(transaction: PreparedTransaction): Promise<void> {
    const ids = JSON.stringify(transaction.charges.map(({ paidCallId }) => paidCallId));
    await db().$executeRaw`
      WITH transaction AS (
        INSERT INTO settlement_transaction (id, network, signer, nonce, hash, raw, payments, state, created_at)
        VALUES (${newId('st')}, ${transaction.network}, ${transaction.signer}, ${transaction.nonce}, ${transaction.hash},
          ${transaction.raw}, ${transaction.charges.length}, 'prepared', ${new Date()})
        ON CONFLICT (network, hash) DO UPDATE SET state = settlement_transaction.state
        RETURNING id
      )
      UPDATE paid_call SET settlement_id = transaction.id, transaction_hash = ${transaction.hash}
      FROM transaction
      WHERE paid_call.id IN (SELECT jsonb_array_elements_text(${ids}::jsonb))
        AND paid_call.state IN ('settling', 'unknown')`;
  },

  /** What the transaction did to each payment it carried, its cost, and the postings; one round trip for the group. */
  async mined(transaction: MinedTransaction): Promise<void> {
    const now = new Date();
    const gasUnit = transaction.network === 'solana-mainnet' ? 'lamport' : 'wei';
    const outcomes = JSON.stringify(
      transaction.outcomes.map(({ charge, outcome }) => ({
        id: charge.paidCallId,
        state: outcome.kind,
        hash: outcome.kind === 'refused' ? null : outcome.transactionHash,
        reason: outcome.kind === 'refused' ? outcome.reason : null,
      })),
    );
    await db().$executeRaw`
      WITH transaction AS (
        UPDATE settlement_transaction SET state = 'confirmed', confirmed_at = ${now},
          block_number = ${transaction.blockNumber}, gas_used = ${transaction.gasUsed}
        WHERE network = ${transaction.network} AND hash = ${transaction.hash} AND state <> 'confirmed'
        RETURNING id, signer
      ), gas AS (
        INSERT INTO posting (settlement_id, kind, debit_account, credit_account, amount_atomic, unit, at)
        SELECT id, 'gas', 'expense:gas:' || ${transaction.network}, 'chain:' || ${transaction.network} || ':gas:' || signer,
          ${transaction.feeAtomic.toString()}::numeric, ${gasUnit}, ${now}
        FROM transaction WHERE ${transaction.feeAtomic > 0n}
      ), outcome AS (
        SELECT * FROM jsonb_to_recordset(${outcomes}::jsonb)
          AS outcome(id text, state paid_call_state, hash text, reason text)
      ), before AS (
        SELECT paid_call.id, paid_call.state AS from_state, outcome.state AS to_state, outcome.hash, outcome.reason
        FROM paid_call JOIN outcome ON paid_call.id = outcome.id
        WHERE paid_call.state IN ('settling', 'unknown') AND paid_call.state <> outcome.state
      ), moved AS (
        UPDATE paid_call SET state = before.to_state, moved_at = ${now},
          transaction_hash = COALESCE(before.hash, paid_call.transaction_hash), refusal_reason = before.reason,
          input = CASE WHEN before.to_state = 'refused' THEN NULL ELSE paid_call.input END,
          idempotency_key_hash = CASE WHEN before.to_state = 'refused' THEN NULL ELSE paid_call.idempotency_key_hash END
        FROM before WHERE paid_call.id = before.id AND paid_call.state = before.from_state
        RETURNING paid_call.id, before.from_state, before.to_state, before.reason, network, payer, amount_atomic
      ), moves AS (
        INSERT INTO paid_call_move (paid_call_id, from_state, to_state, at, note)
        SELECT id, from_state, to_state, ${now}, reason FROM moved
      )
      INSERT INTO posting (paid_call_id, kind, debit_account, credit_account, amount_atomic, unit, at)
      SELECT id, 'settled', 'chain:' || network || ':treasury', 'prepaid:' || payer, amount_atomic, 'usdc', ${now}
      FROM moved WHERE to_state = 'settled'`;
  },
};
