import { billing } from '@/lib/catalog';
import { reorganizedDeposits } from '@/lib/ledger/account-book';
import { inOurBooks } from '@/lib/payments/payment';
import type { Check } from '../session';

/** Prepaid accounts against their postings, and deposits against the settlements that stand behind them. */
export const accountChecks: readonly Check[] = [
  {
    // What an account holds is what entered it less what left it.
    sql: `WITH posted AS (
        SELECT account, sum(amount) AS amount FROM (
          SELECT credit_account AS account, amount_atomic AS amount FROM posting WHERE credit_account LIKE 'account:%'
          UNION ALL
          SELECT debit_account, -amount_atomic FROM posting WHERE debit_account LIKE 'account:%'
        ) entries GROUP BY account
      ), held AS (SELECT 'account:' || account_id AS account, balance_atomic AS amount FROM account_balance)
      SELECT 'a balance is the sum of its postings' AS promise,
        account || ': ' || COALESCE(held.amount::text, 'none') || ' and ' || COALESCE(posted.amount::text, 'none') AS about
      FROM held FULL JOIN posted USING (account) WHERE held.amount IS DISTINCT FROM posted.amount`,
  },
  {
    sql: `SELECT 'a balance has an account' AS promise, account_id AS about FROM account_balance
      WHERE NOT EXISTS (SELECT FROM account WHERE account.id = account_id)`,
  },
  {
    // A deposit enters one account, once; a call that pays for something, none. What a re-organization took away is owed
    // for as long as its payment is open, and a payment that came to nothing is for a person to look at. Money leaves an
    // account for a call of its holder's and for nothing else.
    sql: `WITH touched AS (
        SELECT paid_call_id, count(*) FILTER (WHERE credit_account LIKE 'account:%') AS entered,
          count(*) FILTER (WHERE debit_account = $2) - count(*) FILTER (WHERE credit_account = $2) AS owed,
          array_agg(DISTINCT debit_account) FILTER (WHERE debit_account LIKE 'account:%') AS payers
        FROM posting WHERE paid_call_id IS NOT NULL AND (credit_account LIKE 'account:%' OR debit_account LIKE 'account:%'
          OR credit_account = $2 OR debit_account = $2)
        GROUP BY paid_call_id
      ), call AS (
        SELECT id, state, operation = $1 AS is_deposit, COALESCE(entered, 0) AS entered, COALESCE(owed, 0) AS owed, payers,
          CASE WHEN network = $3 THEN ARRAY['account:' || payer] END AS own
        FROM paid_call LEFT JOIN touched ON paid_call_id = id
        WHERE paid_call_id IS NOT NULL OR operation = $1
      )
      SELECT promise, id AS about FROM call CROSS JOIN LATERAL (VALUES
        (entered > CASE WHEN is_deposit THEN 1 ELSE 0 END, 'only a deposit enters an account, and once'),
        (is_deposit AND state = 'delivered' AND entered <> 1, 'a deposit is in its account'),
        (entered = 1 AND owed > 0 AND state = 'refused', 'a deposit is backed by a settlement'),
        (state = 'delivered' AND owed <> 0, 'a deposit that was settled again is owed no more'),
        (payers IS NOT NULL AND payers IS DISTINCT FROM own, 'an account pays for its own calls')
      ) AS finding(is_broken, promise) WHERE is_broken`,
    values: [billing.deposit.id, reorganizedDeposits, inOurBooks],
  },
];
