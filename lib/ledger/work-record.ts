import {
  type WorkHistory,
  type WorkInSpan,
  type WorkPayer,
  type WorkRecord,
  workCountsMs,
} from '@/lib/calls/call-store';
import { addToCounts, hashAddress } from '@/lib/platform/database/attempts';
import { batchedQuery } from '@/lib/platform/database/batched-query';
import type { WithDatabase } from '@/lib/platform/database/database';
import { listed, paidStates } from './states';

/** A payer whose payments all went back is a newcomer again. */
const chargedStates = paidStates.filter((state) => state !== 'refunded');

/** The length of a period. Work counts for six periods, from the start of its own. */
const spanMs = 10 * 60_000;

interface HistoryRow {
  readonly was_charged: boolean;
  readonly key: string | null;
  readonly since: Date | null;
  readonly amount: number | null;
}

/**
 * Looks at no more than a hundred calls of the payer, so that a payer with many refused calls is not expensive. On one network,
 * the unique index finds them, so the calls of another owner of the address are not read.
 */
const selectHistory = batchedQuery<object, HistoryRow>(
  `SELECT asked.n, used.key, used.since, used.attempts AS amount, EXISTS (
     SELECT FROM (
       (SELECT state FROM paid_call WHERE asked.only_on IS NULL AND payer = asked.payer LIMIT 100)
       UNION ALL
       (SELECT state FROM paid_call
        WHERE network = asked.only_on AND asset = asked.asset AND payer = asked.payer LIMIT 100)
     ) AS call
     WHERE call.state IN ${listed(chargedStates)}
   ) AS was_charged
   FROM json_to_recordset($1::json)
     AS asked(n integer, payer text, asset text, only_on text, payer_key text, address_key text, earliest timestamptz)
   LEFT JOIN attempt AS used ON used.key IN (asked.payer_key, asked.address_key) AND used.since > asked.earliest`,
);

/** Reads the work that counts now, in one round trip with all concurrent readers. */
async function readWorkHistory(
  app: WithDatabase,
  { payer, asset, onlyOn }: WorkPayer,
  keys: { payer: string; address: string | null },
  now: Date,
): Promise<WorkHistory> {
  const earliest = new Date(now.getTime() - workCountsMs);
  const rows = await selectHistory(app, {
    payer,
    asset,
    only_on: onlyOn,
    payer_key: keys.payer,
    address_key: keys.address,
    earliest,
  });
  const work = new Map<string, WorkInSpan[]>();
  for (const { key, since, amount } of rows) {
    if (key === null || since === null || amount === null) continue;
    work.set(key, [...(work.get(key) ?? []), { since, amount }]);
  }
  return { wasCharged: rows.some(({ was_charged }) => was_charged), work };
}

/** Adds work for these keys. A negative amount gives some back. */
async function addWork(app: WithDatabase, keys: readonly string[], amount: number, now: Date): Promise<void> {
  await addToCounts(app, keys, new Date(Math.floor(now.getTime() / spanMs) * spanMs), amount);
}

/** The record of work that was not charged, in PostgreSQL. */
export function workRecord(app: WithDatabase): WorkRecord {
  return {
    history: (payer, keys, now) => readWorkHistory(app, payer, keys, now),
    add: (keys, amount, now) => addWork(app, keys, amount, now),
    hashAddress: (address, now) => hashAddress(app, address, now),
  };
}
