const anUpload = "(SELECT id FROM paid_call WHERE operation = 'uploads.create' AND payer = :payer)";
const aRenewal = "(SELECT id FROM paid_call WHERE operation = 'uploads.renew' AND payer = :payer)";

const aDeposit = "(SELECT paid_call_id FROM posting WHERE credit_account = 'account:' || :payer)";

/** An account's deposit as it is after a reorganization that removed its settlement. */
const takenAway = `INSERT INTO posting (paid_call_id, kind, debit_account, credit_account, amount_atomic, unit, at)
  SELECT paid_call_id, 'delivered_reversed', 'receivable:reorganized-deposits', debit_account, amount_atomic, unit, at
  FROM posting WHERE kind = 'delivered' AND paid_call_id = ${aDeposit};`;

/** A refund of a delivered upload that is only in the books, not on the chain. */
const refunded = `INSERT INTO refund (id, paid_call_id, round, method, state, network, asset, recipient, amount_atomic, reason,
    transaction_hash, transfer_index, block_number, check_at, requested_at, moved_at)
  SELECT 'rf of ' || id, id, 0, 'transfer', 'confirmed', network, asset, payer, amount_atomic, 'other', '0x' || id, 0, 1, now(),
    now(), now() FROM paid_call WHERE id = ${anUpload};
  INSERT INTO refund_move (refund_id, to_state, at) SELECT id, state, moved_at FROM refund WHERE paid_call_id = ${anUpload};
  INSERT INTO paid_call_move (paid_call_id, from_state, to_state, at) VALUES (${anUpload}, 'delivered', 'refunded', now());
  INSERT INTO posting (paid_call_id, kind, debit_account, credit_account, amount_atomic, unit, at)
  SELECT id, 'refunded', revenue_account(operation), treasury_account(network), amount_atomic, 'usdc', now()
  FROM paid_call WHERE id = ${anUpload};
  UPDATE paid_call SET state = 'refunded', moved_at = now() WHERE id = ${anUpload};`;
const itsRefund = `(SELECT id FROM refund WHERE paid_call_id = ${anUpload})`;

interface Fault {
  readonly fault: string;
  readonly sql: string;
  readonly promise: string;
  /** Whether the fault is planted for an account, which is then the payer, instead of a wallet. */
  readonly ofAccount?: true;
}

/** Ways to corrupt the books, each with the promise that the audit then finds broken. */
export const faults: readonly Fault[] = [
  {
    fault: 'a delivered call without postings',
    sql: `DELETE FROM posting WHERE paid_call_id = ${anUpload}`,
    promise: 'a delivered call has a settled posting',
  },
  {
    fault: 'a delivered call whose revenue was not posted',
    sql: `DELETE FROM posting WHERE kind = 'delivered' AND paid_call_id = ${anUpload}`,
    promise: 'a delivered call has a delivered posting',
  },
  {
    fault: 'a delivered call that was also posted as kept',
    sql: `INSERT INTO posting (paid_call_id, kind, debit_account, credit_account, amount_atomic, unit, at)
          SELECT paid_call_id, 'kept', debit_account, credit_account, amount_atomic, unit, at
          FROM posting WHERE kind = 'delivered' AND paid_call_id = ${anUpload}`,
    promise: 'a delivered call has no kept posting',
  },
  {
    fault: 'a posting of another amount',
    sql: `UPDATE posting SET amount_atomic = amount_atomic + 1 WHERE kind = 'settled' AND paid_call_id = ${anUpload}`,
    promise: 'a posting is of the price',
  },
  {
    fault: 'a posting to the account of another payer',
    sql: `UPDATE posting SET credit_account = 'prepaid:somebody' WHERE kind = 'settled' AND paid_call_id = ${anUpload}`,
    promise: 'prepaid equals what is paid and open',
  },
  {
    fault: 'money booked on another network',
    sql: `UPDATE posting SET debit_account = 'chain:polygon:treasury' WHERE kind = 'settled' AND paid_call_id = ${anUpload}`,
    promise: 'a posting names the accounts of its call',
  },
  {
    fault: 'revenue booked to another operation',
    sql: `UPDATE posting SET credit_account = 'revenue:uploads.renew' WHERE kind = 'delivered' AND paid_call_id = ${anUpload}`,
    promise: 'a posting names the accounts of its call',
  },
  {
    fault: 'a settlement whose gas was not posted',
    sql: `DELETE FROM posting WHERE kind = 'gas'
          AND settlement_id = (SELECT settlement_id FROM paid_call WHERE id = ${anUpload})`,
    promise: 'a confirmed settlement has a gas posting',
  },
  {
    fault: 'a move that is missing',
    sql: `DELETE FROM paid_call_move WHERE to_state = 'settled' AND paid_call_id = ${anUpload}`,
    promise: 'every move is legal',
  },
  {
    fault: 'a state that no move led to',
    sql: `UPDATE paid_call SET state = 'needs_attention' WHERE id = ${anUpload}`,
    promise: 'the moves lead to the state',
  },
  {
    fault: 'a call that has been open for two days',
    sql: `UPDATE paid_call SET state = 'settled', moved_at = now() - interval '2 days' WHERE id = ${anUpload}`,
    promise: 'a call comes to an end within a day',
  },
  {
    fault: 'a transfer whose call was removed',
    sql: `DELETE FROM posting WHERE paid_call_id = ${anUpload};
          DELETE FROM paid_call_move WHERE paid_call_id = ${anUpload};
          DELETE FROM upload WHERE paid_call_id = ${anUpload};
          DELETE FROM paid_call WHERE id = ${anUpload}`,
    promise: 'a used authorization has a paid call',
  },
  {
    fault: 'a transfer without a call, whose nonce the call of another payer has as well',
    sql: `UPDATE paid_call SET payer = '0x000000000000000000000000000000000000dEaD' WHERE id = ${anUpload}`,
    promise: 'a used authorization has a paid call',
  },
  {
    fault: 'a delivered call that nobody paid',
    sql: `UPDATE paid_call SET "authorization" = 'invented' WHERE id = ${anUpload}`,
    promise: 'a settled call has exactly one transfer',
  },
  {
    fault: 'a charged call that is called refused',
    sql: `UPDATE paid_call SET state = 'refused' WHERE id = ${aRenewal}`,
    promise: 'a refused call was not charged',
  },
  {
    fault: 'a call that names another transaction',
    sql: `UPDATE paid_call SET transaction_hash = '0x01' WHERE id = ${anUpload}`,
    promise: 'a settled call names its transaction',
  },
  {
    fault: 'a price that is not what was moved',
    sql: `UPDATE paid_call SET amount_atomic = amount_atomic + 1 WHERE id = ${anUpload};
          UPDATE posting SET amount_atomic = amount_atomic + 1 WHERE paid_call_id = ${anUpload}`,
    promise: 'a transfer moves exactly the price',
  },
  {
    fault: 'a delivered call without its answer',
    sql: `UPDATE paid_call SET answer = NULL WHERE id = ${anUpload}`,
    promise: 'a delivered call keeps its answer until that expires',
  },
  {
    fault: 'an upload that is missing',
    sql: `DELETE FROM upload WHERE paid_call_id = ${anUpload}`,
    promise: 'a delivered call had its effect',
  },
  {
    fault: 'a renewal that is missing',
    sql: `DELETE FROM upload_renewal WHERE paid_call_id = ${aRenewal}`,
    promise: 'a delivered call had its effect',
  },
  {
    fault: 'a deletion that did not happen',
    sql: 'UPDATE upload SET deleted_at = NULL, deleted_by = NULL WHERE owner = :payer',
    promise: 'a delivered call had its effect',
  },
  {
    fault: 'a reservation of a call that is over',
    sql: `INSERT INTO upload_reservation (paid_call_id, upload_id, is_deletion)
          SELECT paid_call_id, id, false FROM upload WHERE owner = :payer;
          UPDATE upload SET reserved_renewals = 1 WHERE owner = :payer`,
    promise: 'a reservation belongs to an open call',
  },
  {
    fault: 'an upload that waits for a renewal which nobody makes',
    sql: 'UPDATE upload SET reserved_renewals = 1 WHERE owner = :payer',
    promise: 'an upload counts its reservations',
  },
  {
    fault: 'an upload of a call that bought something else',
    sql: `UPDATE upload SET paid_call_id = ${aRenewal} WHERE paid_call_id = ${anUpload}`,
    promise: 'an upload was paid for',
  },
  {
    fault: 'a refund that was not sent',
    sql: refunded,
    promise: 'a confirmed refund has its transfer',
  },
  {
    fault: 'a refunded call without a refund',
    sql: `${refunded} DELETE FROM refund_move WHERE refund_id = ${itsRefund}; DELETE FROM refund WHERE paid_call_id = ${anUpload}`,
    promise: 'a refunded call has a confirmed refund',
  },
  {
    fault: 'a refund that was not posted',
    sql: `${refunded} DELETE FROM posting WHERE kind = 'refunded' AND paid_call_id = ${anUpload}`,
    promise: 'a refunded call has a refunded posting',
  },
  {
    fault: 'a refund that was not taken from the revenue',
    sql: `${refunded} UPDATE posting SET debit_account = 'revenue:uploads.renew'
          WHERE kind = 'refunded' AND paid_call_id = ${anUpload}`,
    promise: 'a refund is posted from where the money was to where it went',
  },
  {
    fault: 'a refund of more than the price',
    sql: `${refunded} UPDATE refund SET amount_atomic = amount_atomic + 1 WHERE paid_call_id = ${anUpload}`,
    promise: 'a refund is of the price',
  },
  {
    fault: 'a refund to somebody else',
    sql: `${refunded} UPDATE refund SET recipient = '0x000000000000000000000000000000000000dEaD' WHERE paid_call_id = ${anUpload}`,
    promise: 'a refund goes to the payer of its call, or into an account',
  },
  {
    fault: 'a refund that no move led to',
    sql: `${refunded} UPDATE refund_move SET to_state = 'sent' WHERE refund_id = ${itsRefund}`,
    promise: 'the moves of a refund lead to its state',
  },
  {
    fault: 'a balance that nobody paid in',
    ofAccount: true,
    sql: 'UPDATE account_balance SET balance_atomic = balance_atomic + 1 WHERE account_id = :payer',
    promise: 'a balance is the sum of its postings',
  },
  {
    fault: 'a balance whose account was removed',
    ofAccount: true,
    sql: 'DELETE FROM account WHERE id = :payer',
    promise: 'a balance has an account',
  },
  {
    fault: 'a deposit that was credited twice, balance and all',
    ofAccount: true,
    sql: `UPDATE account_balance SET balance_atomic = balance_atomic + 1000000 WHERE account_id = :payer;
          INSERT INTO posting (paid_call_id, kind, round, debit_account, credit_account, amount_atomic, unit, at)
          SELECT paid_call_id, kind, 1, debit_account, credit_account, amount_atomic, unit, at
          FROM posting WHERE kind = 'delivered' AND paid_call_id = ${aDeposit}`,
    promise: 'only a deposit enters an account, and once',
  },
  {
    fault: 'a deposit that was taken for revenue',
    ofAccount: true,
    sql: `UPDATE account_balance SET balance_atomic = balance_atomic - 1000000 + 5000 WHERE account_id = :payer;
          UPDATE posting SET credit_account = 'revenue:billing.deposit'
          WHERE kind = 'delivered' AND paid_call_id = ${aDeposit}`,
    promise: 'a deposit is in its account',
  },
  {
    fault: 'a call that another account paid',
    ofAccount: true,
    sql: `UPDATE posting SET debit_account = 'account:somebody' WHERE debit_account = 'account:' || :payer`,
    promise: 'an account pays for its own calls',
  },
  {
    fault: 'a purchase that left the balance as it was',
    ofAccount: true,
    sql: 'UPDATE account_balance SET balance_atomic = 1000000 WHERE account_id = :payer',
    promise: 'a balance is the sum of its postings',
  },
  {
    fault: 'a deposit in its account whose payment came to nothing',
    ofAccount: true,
    sql: `${takenAway} UPDATE paid_call SET state = 'refused' WHERE id = ${aDeposit}`,
    promise: 'a deposit is backed by a settlement',
  },
  {
    fault: 'a deposit that is still owed after it was settled again',
    ofAccount: true,
    sql: takenAway,
    promise: 'a deposit that was settled again is owed no more',
  },
  {
    fault: 'a call that claims to be a transfer which no operator has booked',
    sql: `UPDATE paid_call SET operation = 'transfers.unmatched' WHERE id = ${anUpload}`,
    promise: 'an operator has booked a transfer without a call',
  },
  {
    fault: 'a transfer without a call that was delivered',
    sql: `UPDATE paid_call SET operation = 'transfers.unmatched' WHERE id = ${anUpload}`,
    promise: 'a transfer without a call waits, is kept or refunded',
  },
];
