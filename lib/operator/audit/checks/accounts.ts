import { billing } from '@/lib/catalog';
import { onAccount } from '@/lib/payments/payment';
import type { Check } from '../audit-session';

/** Prepaid accounts against their postings, and deposits against their settlements. */
export const accountChecks: readonly Check[] = [
  {
    // A balance is the sum of credits less the sum of debits.
    sql: `WITH posted AS (
        SELECT account, sum(amount) AS amount FROM (
          SELECT credit_account AS account, amount_atomic AS amount FROM posting WHERE credit_account LIKE 'account:%'
          UNION ALL
          SELECT debit_account, -amount_atomic FROM posting WHERE debit_account LIKE 'account:%'
        ) entries GROUP BY account
      ), held AS (SELECT balance_account(account_id) AS account, balance_atomic AS amount FROM account_balance)
      SELECT 'a balance is the sum of its postings' AS promise,
        account || ': ' || COALESCE(held.amount::text, 'none') || ' and ' || COALESCE(posted.amount::text, 'none') AS about
      FROM held FULL JOIN posted USING (account) WHERE held.amount IS DISTINCT FROM posted.amount`,
  },
  {
    sql: `SELECT 'a balance has an account' AS promise, account_id AS about FROM account_balance
      WHERE NOT EXISTS (SELECT FROM account WHERE account.id = account_id)`,
  },
  {
    // Apart from refunds, a deposit is credited to the one account that its call names, once; other calls credit none. A deposit whose
    // settlement a reorganization removed is owed to us while its payment is open; when that payment is refused, a person has
    // to look at it. Only calls of its holder debit an account.
    sql: `WITH touched AS (
        SELECT paid_call_id, count(*) FILTER (WHERE credit_account LIKE 'account:%' AND kind <> 'refunded') AS credits,
          count(*) FILTER (WHERE debit_account = reorganized_deposits_account())
            - count(*) FILTER (WHERE credit_account = reorganized_deposits_account()) AS owed,
          min(credit_account) FILTER (WHERE credit_account LIKE 'account:%' AND kind <> 'refunded') AS credited,
          array_agg(DISTINCT debit_account) FILTER (WHERE debit_account LIKE 'account:%') AS payers
        FROM posting WHERE paid_call_id IS NOT NULL AND (credit_account LIKE 'account:%' OR debit_account LIKE 'account:%'
          OR reorganized_deposits_account() IN (credit_account, debit_account))
        GROUP BY paid_call_id
      ), call AS (
        SELECT id, state, operation = $1 AS is_deposit, COALESCE(credits, 0) AS credits, COALESCE(owed, 0) AS owed, payers,
          credited, balance_account(credited_account) AS wanted,
          CASE WHEN network = $2 THEN ARRAY[balance_account(payer)] END AS own
        FROM paid_call LEFT JOIN touched ON paid_call_id = id
        WHERE paid_call_id IS NOT NULL OR operation = $1
      )
      SELECT promise, id AS about FROM call CROSS JOIN LATERAL (VALUES
        (credits > CASE WHEN is_deposit THEN 1 ELSE 0 END, 'only a deposit enters an account, and once'),
        (is_deposit AND state = 'delivered' AND credits <> 1, 'a deposit is in its account'),
        (credited IS DISTINCT FROM wanted, 'a deposit is in its account'),
        (credits = 1 AND owed > 0 AND state = 'refused', 'a deposit is backed by a settlement'),
        (state = 'delivered' AND owed <> 0, 'a deposit that was settled again is owed no more'),
        (payers IS NOT NULL AND payers IS DISTINCT FROM own, 'an account pays for its own calls')
      ) AS finding(is_broken, promise) WHERE is_broken`,
    values: [billing.deposit.id, onAccount],
  },
];
