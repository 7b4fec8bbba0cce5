import { billing } from '@/lib/catalog';
import { isChargedNext } from '@/lib/ledger/channel-calls';
import { listed, openSettlementStates, paidStates, prepaidStates } from '@/lib/ledger/states';
import { onAccount } from '@/lib/payments/payment';
import type { Check } from '../audit-session';

/** How often a kind was posted for a call and not reversed after a reorganization. */
const posted = (kind: string) =>
  `count(*) FILTER (WHERE kind = '${kind}') - count(*) FILTER (WHERE kind = '${kind}_reversed')`;

/** The postings of a call are exactly those that its state requires, each for its price and between its accounts. */
export const postingChecks: readonly Check[] = [
  {
    sql: `WITH posted AS (
        SELECT paid_call_id, ${posted('settled')} AS settled, ${posted('delivered')} AS delivered, ${posted('kept')} AS kept,
          ${posted('refunded')} AS refunded
        FROM posting WHERE paid_call_id IS NOT NULL GROUP BY paid_call_id
      )
      SELECT 'a ' || state || ' call has ' || CASE WHEN is_wanted THEN 'a ' ELSE 'no ' END || kind || ' posting' AS promise,
        id AS about
      FROM paid_call LEFT JOIN posted ON paid_call_id = id CROSS JOIN LATERAL (VALUES
        ('settled', settled, state::text = ANY($1)),
        -- What was earned before a refund stays posted beside it.
        ('delivered', delivered, CASE WHEN state <> 'refunded' THEN state = 'delivered' END),
        ('kept', kept, CASE WHEN state <> 'refunded' THEN state = 'kept' END),
        ('refunded', refunded, state = 'refunded')
      ) AS wanted(kind, times, is_wanted)
      WHERE (COALESCE(times, 0) = 1) <> is_wanted`,
    values: [paidStates],
  },
  {
    sql: `SELECT 'a ' || state || ' call keeps its answer until that expires' AS promise, id AS about
      FROM paid_call WHERE state IN ('delivered', 'kept') AND answer IS NULL
        AND (answer_expires_at IS NULL OR answer_expires_at > now())`,
  },
  {
    sql: `SELECT promise, about FROM posting JOIN paid_call call ON call.id = paid_call_id
      CROSS JOIN LATERAL (SELECT CASE
        WHEN kind = 'settled' THEN ARRAY[CASE WHEN call.network = $1 THEN balance_account(call.payer)
          WHEN ${isChargedNext('call')} THEN unclaimed_account(call.network) ELSE treasury_account(call.network) END, prepaid_account(call.payer)]
        -- The checks of accounts know the account that a deposit enters.
        WHEN kind = 'kept' OR (kind = 'delivered' AND operation <> $2)
          THEN ARRAY[prepaid_account(call.payer), revenue_account(operation)]
        END AS accounts) AS wanted
      CROSS JOIN LATERAL (VALUES
        (posting.amount_atomic <> call.amount_atomic, 'a posting is of the price', call.id),
        (ARRAY[debit_account, credit_account] <> accounts, 'a posting names the accounts of its call',
          call.id || ': ' || kind)
      ) AS finding(is_broken, promise, about) WHERE is_broken`,
    values: [onAccount, billing.deposit.id],
  },
  {
    sql: `WITH open AS (
        SELECT prepaid_account(payer) AS account, sum(amount_atomic) AS amount FROM paid_call
        WHERE state::text = ANY($1) GROUP BY payer
      ), booked AS (
        SELECT account, sum(amount) AS amount FROM (
          SELECT credit_account AS account, amount_atomic AS amount FROM posting WHERE unit = 'usdc'
          UNION ALL SELECT debit_account, -amount_atomic FROM posting WHERE unit = 'usdc'
        ) entries WHERE account LIKE 'prepaid:%' GROUP BY account
      )
      SELECT 'prepaid equals what is paid and open' AS promise, substr(account, length('prepaid:') + 1) AS about
      FROM open FULL JOIN booked USING (account) WHERE COALESCE(open.amount, 0) <> COALESCE(booked.amount, 0)`,
    values: [prepaidStates],
  },
];

/** The fee of a settlement is posted, and every transaction is followed to its end. */
export const settlementChecks: readonly Check[] = [
  {
    sql: `SELECT 'a confirmed settlement has a gas posting' AS promise, hash AS about FROM settlement_transaction settlement
      WHERE state = 'confirmed' AND gas_used > 0 AND signer IS NOT NULL
        AND NOT EXISTS (SELECT FROM posting WHERE posting.settlement_id = settlement.id AND posting.kind = 'gas'
          AND round = settlement.reorganizations AND amount_atomic = fee_atomic AND unit = fee_unit
          AND debit_account = gas_expense_account(network) AND credit_account = gas_wallet_account(network, signer))`,
  },
  {
    sql: `SELECT 'a settlement is followed to its end' AS promise, hash AS about FROM settlement_transaction
      WHERE state IN ${listed(openSettlementStates)} AND created_at < now() - interval '10 minutes'`,
  },
];
