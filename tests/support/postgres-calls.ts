import pg from 'pg';
import { accountBook } from '@/lib/ledger/account-book';
import { channelBook } from '@/lib/ledger/channel-book';
import { collectionBook } from '@/lib/ledger/channel-collection';
import { refundBook } from '@/lib/ledger/channel-refund-book';
import { callStore } from '@/lib/ledger/postgres-call-store';
import { refundStore } from '@/lib/operator/refunds/stored-refunds';
import { closeDatabase, openDatabase } from '@/lib/platform/database/database';
import { Instance } from '@/lib/platform/database/instance';
import { shareClock } from '@/lib/platform/shared-clock';
import { type CallProcess, type CallWorld, worldTime } from '../simulation/stores/call-world';
import { VirtualTime } from '../simulation/virtual-clock';
import { migratedDatabase } from './new-database';
import { testPlatform } from './platform';

/** A database in PostgreSQL with two processes that use it. */
export interface PostgresCalls {
  readonly world: CallWorld;
  close(): Promise<void>;
}

export async function openPostgresCalls(): Promise<PostgresCalls> {
  const { url, drop } = await migratedDatabase();
  const rows = new pg.Pool({ connectionString: url });
  const names = new Map<string, CallProcess['id']>();
  const open = async (id: CallProcess['id']) => {
    const clock = new VirtualTime({ startMs: worldTime.getTime() }).createClock();
    const platform = testPlatform({ DATABASE_URL: url }, clock);
    const opened = { ...platform, ...openDatabase(platform) };
    const app = { ...opened, instance: new Instance(opened, shareClock(clock)) };
    names.set(app.instance.id, id);
    await rows.query(`INSERT INTO instance (id, alive_until, settles) VALUES ($1, 'infinity', '{}')`, [
      app.instance.id,
    ]);
    const process: CallProcess = {
      id,
      calls: callStore(app),
      accounts: accountBook(app),
      refunds: refundStore(app),
      channels: channelBook(app),
      collection: collectionBook(app),
      channelRefunds: refundBook(app),
    };
    return { process, instanceId: app.instance.id, end: () => closeDatabase(app) };
  };
  const [one, other] = [await open('one'), await open('other')];
  const all = async <Row extends object>(sql: string, ...values: readonly unknown[]) =>
    (await rows.query<Row>(sql, [...values])).rows;
  const world: CallWorld = {
    one: one.process,
    other: other.process,
    setAlive: async ({ id }, isAlive) => {
      const { instanceId } = id === 'one' ? one : other;
      await all(
        'UPDATE instance SET alive_until = $2 WHERE id = $1',
        instanceId,
        isAlive ? 'infinity' : '-infinity',
      );
    },
    openAccount: async (id, balanceAtomic) => {
      await all('INSERT INTO account (id, created_at) VALUES ($1, now())', id);
      await all(
        'INSERT INTO account_balance (account_id, balance_atomic) VALUES ($1, $2)',
        id,
        balanceAtomic,
      );
    },
    revokeAccount: async (id) => {
      await all('UPDATE account SET revoked_at = now() WHERE id = $1', id);
    },
    nameOf: (processId) => (processId === null ? null : (names.get(processId) ?? 'a stranger')),
    trace: async (id) => {
      const [row] = await all<{ attempt_at: Date; answer_expires_at: Date | null; credited_account: string }>(
        'SELECT attempt_at, answer_expires_at, credited_account FROM paid_call WHERE id = $1',
        id,
      );
      if (!row) throw new Error(`no paid call ${id}`);
      const moves = await all<{ text: string }>(
        `SELECT coalesce(from_state::text, 'null') || '>' || to_state || ' ' || coalesce(note, 'null') AS text
         FROM paid_call_move WHERE paid_call_id = $1 ORDER BY id`,
        id,
      );
      const postings = await all<{ text: string }>(
        `SELECT kind || ' ' || debit_account || '>' || credit_account || ' ' || amount_atomic AS text
         FROM posting WHERE paid_call_id = $1 ORDER BY id`,
        id,
      );
      return {
        attemptAt: row.attempt_at,
        answerExpiresAt: row.answer_expires_at,
        creditedAccount: row.credited_account,
        moves: moves.map(({ text }) => text),
        postings: postings.map(({ text }) => text),
      };
    },
    traceRefunds: async (id) => {
      const refunds = await all<{ id: string; transfer_index: number | null; check_at: Date }>(
        'SELECT id, transfer_index, check_at FROM refund WHERE paid_call_id = $1 ORDER BY round',
        id,
      );
      return Promise.all(
        refunds.map(async (refund) => {
          const moves = await all<{ text: string }>(
            `SELECT coalesce(from_state::text, 'null') || '>' || to_state || ' ' || coalesce(transaction_hash, 'null') || ' '
               || coalesce(note, 'null') AS text
             FROM refund_move WHERE refund_id = $1 ORDER BY id`,
            refund.id,
          );
          return {
            transferIndex: refund.transfer_index,
            checkAt: refund.check_at,
            moves: moves.map(({ text }) => text),
          };
        }),
      );
    },
    finalize: async (id) => {
      await all(
        `UPDATE settlement_transaction SET final_at = now()
         WHERE id = (SELECT settlement_id FROM paid_call WHERE id = $1)`,
        id,
      );
    },
    changeChannel: async (id, changes) => {
      const sets = Object.keys(changes).map((column, index) => `${snakeCase(column)} = $${index + 2}`);
      await all(`UPDATE channel SET ${sets.join(', ')} WHERE id = $1`, id, ...Object.values(changes));
    },
    fallBack: async (id) => {
      await all(
        `UPDATE paid_call SET state = 'unknown', reorganizations = reorganizations + 1, moved_at = $2, worked_by = NULL
         WHERE id = $1`,
        id,
        worldTime,
      );
    },
    traceChannel: async (id, network) => {
      const found = [
        await all('SELECT * FROM channel WHERE id = $1', id),
        await all(
          `SELECT network, block_number, transaction_hash, log_index, name, channel_id, amount_atomic, at
           FROM channel_event WHERE network = $1 ORDER BY id`,
          network,
        ),
        await all('SELECT * FROM published_voucher WHERE channel_id = $1', id),
        await all(
          `SELECT kind, debit_account, credit_account, amount_atomic FROM posting
           WHERE debit_account LIKE 'chain:' || $1 || ':%' ORDER BY id`,
          network,
        ),
      ];
      return found.flat().map(camelCased);
    },
    transfersOf: async (payer) =>
      (await all('SELECT id FROM transfer_without_call WHERE payer = $1', payer)).length,
  };
  return {
    world,
    async close() {
      await rows.end();
      for (const { end } of [one, other]) await end();
      await drop();
    },
  };
}

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A row with the names that it has in memory. */
function camelCased(row: object): object {
  const named = Object.entries(row).map(([column, value]) => [
    column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
    value,
  ]);
  return Object.fromEntries(named);
}
