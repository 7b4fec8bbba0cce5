import { isChargedBefore } from '@/lib/ledger/channel-calls';
import { listed, paidStates } from '@/lib/ledger/states';
import type { Check } from '../audit-session';

/** The calls that a channel was charged for, with the total that each raised it to. A charge outlives its deposit's block. */
const charged = `charged AS (
  SELECT id, channel_id, amount_atomic, split_part("authorization", ':', 2)::numeric AS total FROM paid_call
  WHERE (channel_id IS NOT NULL AND state IN ${listed(paidStates)}) OR (${isChargedBefore}))`;

/** The balances of the accounts of channels, by network. */
const booked = `booked AS (
  SELECT account, sum(amount) AS amount FROM (
    SELECT debit_account AS account, amount_atomic AS amount FROM posting WHERE unit = 'usdc'
    UNION ALL SELECT credit_account, -amount_atomic FROM posting WHERE unit = 'usdc'
  ) entries WHERE account LIKE 'chain:%:unclaimed' OR account LIKE 'chain:%:claimed' OR account LIKE 'expense:unclaimable:%'
  GROUP BY account)`;

/** What was spent through payment channels is covered or written off, adds up call by call, and is claimed once. */
export const channelChecks: readonly Check[] = [
  {
    sql: `SELECT promise, id AS about FROM channel CROSS JOIN LATERAL (VALUES
        (charged_atomic - written_off_atomic > balance_atomic, 'a channel holds what was spent of it'),
        (claimed_atomic > charged_atomic, 'no more is claimed of a channel than was spent'),
        (written_off_atomic > GREATEST(charged_atomic - GREATEST(claimed_atomic, balance_atomic), 0),
          'no more is written off of a channel than the contract cannot pay')
      ) AS finding(is_broken, promise) WHERE is_broken`,
  },
  {
    sql: `WITH ${charged}
      SELECT 'the total of a channel is what its calls cost' AS promise, channel.id AS about
      FROM channel LEFT JOIN (SELECT channel_id, sum(amount_atomic) AS spent FROM charged GROUP BY channel_id) AS calls
        ON channel_id = channel.id
      WHERE charged_atomic <> opened_atomic + COALESCE(spent, 0)`,
  },
  {
    sql: `WITH ${charged}, step AS (
        SELECT charged.id, total - amount_atomic AS from_total,
          lag(total, 1, opened_atomic::numeric) OVER (PARTITION BY channel_id ORDER BY total) AS came_to
        FROM charged JOIN channel ON channel.id = channel_id
      )
      SELECT 'each call raises the total of its channel from that of the call before' AS promise, id AS about
      FROM step WHERE from_total <> came_to`,
  },
  {
    sql: `WITH ${booked}, paid AS (
        SELECT network, sum(amount_atomic) AS amount FROM paid_call
        WHERE channel_id IS NOT NULL AND state IN ${listed(paidStates)} GROUP BY network
      ), event AS (
        SELECT network, COALESCE(sum(amount_atomic) FILTER (WHERE name = 'Claimed'), 0) AS claimed,
          COALESCE(sum(amount_atomic) FILTER (WHERE name = 'Settled'), 0) AS swept
        FROM channel_event GROUP BY network
      ), lost AS (
        SELECT network, sum(entry.amount_atomic) AS written_off
        FROM channel_write_off entry JOIN channel ON channel.id = channel_id GROUP BY network
      ), wanted AS (
        SELECT unclaimed_account(network) AS account,
          COALESCE(amount, 0) - COALESCE(claimed, 0) - COALESCE(written_off, 0) AS amount
        FROM paid FULL JOIN event USING (network) FULL JOIN lost USING (network)
        UNION ALL SELECT claimed_account(network), claimed - swept FROM event
        UNION ALL SELECT unclaimable_expense_account(network), written_off FROM lost
      )
      SELECT 'what is unclaimed and unswept is booked' AS promise, account AS about
      FROM wanted FULL JOIN booked USING (account) WHERE COALESCE(wanted.amount, 0) <> COALESCE(booked.amount, 0)`,
  },
  {
    // Otherwise a claim that the ledger does not know was paid out.
    sql: `SELECT 'no more is paid out of channels than was claimed' AS promise, network AS about
      FROM channel_event GROUP BY network
      HAVING sum(CASE name WHEN 'Claimed' THEN amount_atomic WHEN 'Settled' THEN -amount_atomic ELSE 0 END) < 0`,
  },
  {
    sql: `SELECT 'an event of the channels'' contract is posted as what it is' AS promise,
        event.name || ' in ' || event.transaction_hash AS about
      FROM channel_event event LEFT JOIN posting ON channel_event_id = event.id
      WHERE (event.name IN ('Claimed', 'Settled') AND event.amount_atomic > 0) <> (posting.id IS NOT NULL)
        OR posting.amount_atomic <> event.amount_atomic
        OR posting.kind <> CASE event.name WHEN 'Claimed' THEN 'claimed' ELSE 'swept' END`,
  },
  {
    sql: `SELECT 'what is written off of a channel has its entries' AS promise, channel.id AS about
      FROM channel LEFT JOIN (
        SELECT channel_id, sum(amount_atomic) AS amount FROM channel_write_off GROUP BY channel_id
      ) AS entries ON channel_id = channel.id
      WHERE written_off_atomic <> COALESCE(amount, 0)`,
  },
  {
    sql: `SELECT 'a write-off of a channel is posted as what it is' AS promise, channel_id AS about
      FROM channel_write_off entry LEFT JOIN posting ON channel_write_off_id = entry.id
      WHERE posting.id IS NULL OR posting.amount_atomic <> abs(entry.amount_atomic)
        OR posting.kind <> CASE WHEN entry.amount_atomic > 0 THEN 'written_off' ELSE 'written_off_reversed' END`,
  },
  {
    sql: `SELECT 'no claim of a channel is counted twice' AS promise, channel.id AS about
      FROM channel JOIN (
        SELECT channel_id, sum(amount_atomic) AS claimed FROM channel_event WHERE name = 'Claimed' GROUP BY channel_id
      ) events ON channel_id = channel.id
      WHERE claimed > claimed_atomic - opened_atomic`,
  },
  {
    // A node that leaves out logs makes the ledger miss a claim. Blocks after the final ones are still to be read.
    sql: `SELECT 'what is claimed of a channel has its events' AS promise, channel.id AS about
      FROM channel JOIN channel_watch USING (network)
      WHERE read_at_block <= final_block AND claimed_atomic - opened_atomic > (
        SELECT COALESCE(sum(amount_atomic), 0) FROM channel_event
        WHERE channel_id = channel.id AND name = 'Claimed')`,
  },
];
