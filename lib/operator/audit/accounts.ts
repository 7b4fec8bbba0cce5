import { billing } from '@/lib/catalog';
import { db } from '@/lib/db/client';
import { accountOf, reorganizedDeposits } from '@/lib/ledger/account-book';
import { inOurBooks } from '@/lib/payments/payment';
import type { AuditedCall, Finding } from './findings';

/** Prepaid accounts against their postings, and deposits against the settlements that stand behind them. */
export async function accountFindings(calls: readonly AuditedCall[]): Promise<Finding[]> {
  return [...(await balanceFindings()), ...calls.flatMap(depositFindings), ...calls.flatMap(chargeFindings)];
}

/** What an account holds is what entered it less what left it, and it was opened by somebody. */
async function balanceFindings(): Promise<Finding[]> {
  const rows = await db().$queryRaw<{ account: string; held: bigint | null; posted: string | null }[]>`
    WITH posted AS (
      SELECT account, sum(amount) AS amount FROM (
        SELECT credit_account AS account, amount_atomic AS amount FROM posting WHERE credit_account LIKE 'account:%'
        UNION ALL
        SELECT debit_account, -amount_atomic FROM posting WHERE debit_account LIKE 'account:%'
      ) entries GROUP BY account
    ), held AS (SELECT 'account:' || account_id AS account, balance_atomic AS amount FROM account_balance)
    SELECT account, held.amount AS held, posted.amount::text AS posted
    FROM held FULL JOIN posted USING (account)
    WHERE held.amount IS DISTINCT FROM posted.amount`;
  const unopened = await db().$queryRaw<{ accountId: string }[]>`
    SELECT account_id AS "accountId" FROM account_balance
    WHERE NOT EXISTS (SELECT FROM account WHERE account.id = account_id)`;
  return [
    ...rows.map(({ account, held, posted }) => ({
      promise: 'a balance is the sum of its postings',
      about: `${account}: ${held ?? 'none'} and ${posted ?? 'none'}`,
    })),
    ...unopened.map(({ accountId }) => ({ promise: 'a balance has an account', about: accountId })),
  ];
}

/**
 * A deposit enters one account, once; a call that pays for something, none. What a re-organization took away is owed
 * for as long as its payment is open, and a payment that came to nothing is for a person to look at.
 */
function depositFindings(call: AuditedCall): Finding[] {
  const entered = call.postings.filter(({ creditAccount }) => creditAccount.startsWith(accountOf('')));
  const owed = call.postings.reduce(
    (sum, { debitAccount, creditAccount }) =>
      sum + Number(debitAccount === reorganizedDeposits) - Number(creditAccount === reorganizedDeposits),
    0,
  );
  const isDeposit = call.operation === billing.deposit.id;
  const findings: Finding[] = [];
  const find = (promise: string) => findings.push({ promise, about: call.id });
  if (entered.length > (isDeposit ? 1 : 0)) find('only a deposit enters an account, and once');
  if (isDeposit && call.state === 'delivered' && entered.length !== 1) find('a deposit is in its account');
  if (entered.length === 1 && owed > 0 && call.state === 'refused')
    find('a deposit is backed by a settlement');
  if (call.state === 'delivered' && owed !== 0) find('a deposit that was settled again is owed no more');
  return findings;
}

/** Money leaves an account for a call of its holder's and for nothing else. */
function chargeFindings(call: AuditedCall): Finding[] {
  const left = call.postings.filter(({ debitAccount }) => debitAccount.startsWith(accountOf('')));
  const isOwn = left.every(({ debitAccount }) => debitAccount === accountOf(call.payer));
  const isRight = call.network === inOurBooks ? isOwn : left.length === 0;
  return isRight ? [] : [{ promise: 'an account pays for its own calls', about: call.id }];
}
