import type { Check } from '../session';

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
      WHERE state = 'prepared' AND created_at < now() - interval '10 minutes'`,
  },
];
