import pg from 'pg';
import { finalityRecord } from '@/lib/ledger/finality-record';
import { findPaidCall } from '@/lib/ledger/paid-call-rows';
import { settlementJournal } from '@/lib/ledger/settlement-journal';
import { closeDatabase, openDatabase, type WithDatabase } from '@/lib/platform/database/database';
import { Instance } from '@/lib/platform/database/instance';
import type { Platform } from '@/lib/platform/platform';
import { shareClock } from '@/lib/platform/shared-clock';
import {
  type JournalRows,
  type JournalWorld,
  type TableName,
  worldTime,
} from '../simulation/stores/journal-world';
import { VirtualTime } from '../simulation/virtual-clock';
import { migratedDatabase } from './new-database';
import { testPlatform } from './platform';

/** A database of its own in PostgreSQL, with two apps that write to it. */
export interface PostgresWorlds {
  /** An empty world. The one before it ends. */
  next(): Promise<JournalWorld>;
  /** Locks a row, until the function that it returns is called. */
  lock(table: TableName, id: string): Promise<() => Promise<void>>;
  /** How many statements wait for a lock. */
  waiting(): Promise<number>;
  close(): Promise<void>;
}

const tableNames: Readonly<Record<TableName, string>> = {
  paidCall: 'paid_call',
  paidCallMove: 'paid_call_move',
  posting: 'posting',
  settlementTransaction: 'settlement_transaction',
  settlementSigner: 'settlement_signer',
  gasInVain: 'gas_in_vain',
};

/** Columns of whole numbers that may be large. */
const bigColumns = [
  'amountAtomic',
  'nonce',
  'blockNumber',
  'gasUsed',
  'feeAtomic',
  'feeInVainAtomic',
  'nextNonce',
];
const isBig = (column: string) => [...bigColumns, 'gas', 'lostAtomic'].includes(column);
const isEncrypted = (column: string) => ['input', 'prepared', 'answer', 'payment'].includes(column);
/** Columns that the program uses without these rows having them. */
const leftOut = ['version', 'channelEventId', 'channelWriteOffId'];

/** A channel that a call's deposit goes to. The journal does not look at it. */
const insertChannel = `
  INSERT INTO channel (id, network, payer, receiver, receiver_authorizer, token, withdraw_delay, salt, balance_atomic,
    withdrawing_atomic, claimed_atomic, read_at_block, read_at, opened_atomic, charged_atomic, created_at)
  VALUES ($1, 'base', 'payer', 'us', 'us', 'USDC', 1, 'salt', 0, 0, 0, 0, now(), 0, 0, now())`;

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const camelCase = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

const bigAsText = (_: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value);

/** Creates the database. */
export async function openPostgresWorlds(): Promise<PostgresWorlds> {
  const { url, drop } = await migratedDatabase();
  const open = () => {
    const clock = new VirtualTime({ startMs: worldTime.getTime() }).createClock();
    const platform = testPlatform({ DATABASE_URL: url }, clock);
    const opened = { ...platform, ...openDatabase(platform) };
    return { ...opened, instance: new Instance(opened, shareClock(clock)) };
  };
  const apps = [open(), open()] as const;
  const [{ pool, keys }] = apps;
  // Rows about money cannot be deleted, except by a session without triggers.
  const cleaner = new pg.Client({ connectionString: url });
  await cleaner.connect();
  await cleaner.query('SET session_replication_role = replica');
  const begin = [
    ...['instance', 'channel', ...Object.values(tableNames)].map((name) => `DELETE FROM ${name}`),
    ...apps.map(
      ({ instance }) => `INSERT INTO instance (id, alive_until, settles)
        VALUES (${pg.escapeLiteral(instance.id)}, now() + interval '1 hour', '{base}')`,
    ),
  ].join(';');

  const toColumn = (column: string, value: unknown): unknown => {
    if (value === null) return null;
    if (!isEncrypted(column)) return typeof value === 'bigint' ? value.toString() : value;
    return keys.encrypt(typeof value === 'string' ? value : JSON.stringify(value, bigAsText));
  };
  const fromColumn = (column: string, value: unknown): unknown => {
    if (value === null) return null;
    if (isBig(column)) return BigInt(String(value));
    if (isEncrypted(column) && value instanceof Uint8Array) {
      const text = keys.decrypt(value).toString();
      if (column !== 'payment') return text;
      const { signed, sinceHeight } = JSON.parse(text);
      return { signed, sinceHeight: BigInt(sinceHeight) };
    }
    return value;
  };
  const toRow = (columns: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(columns)
        .map(([name, value]) => [camelCase(name), value] as const)
        .filter(([column]) => !leftOut.includes(column))
        .map(([column, value]) => [column, fromColumn(column, value)]),
    );

  const world = (): JournalWorld => {
    const writer = (app: Platform & WithDatabase) => ({
      id: app.instance.id,
      journal: settlementJournal(app),
      finality: finalityRecord(app),
    });
    return {
      one: writer(apps[0]),
      other: writer(apps[1]),
      now: worldTime,
      async insert(table, row) {
        if ('channelId' in row && row.channelId !== null) await pool.query(insertChannel, [row.channelId]);
        const entries = Object.entries(row);
        const columns = entries.map(([column]) => `"${snakeCase(column)}"`);
        const places = entries.map((_, index) => `$${index + 1}`);
        await pool.query(
          `INSERT INTO ${tableNames[table]} (${columns.join(', ')}) VALUES (${places.join(', ')})`,
          entries.map(([column, value]) => toColumn(column, value)),
        );
      },
      async update(table, id, changes) {
        const entries = Object.entries(changes);
        const assigned = entries.map(([column], index) => `"${snakeCase(column)}" = $${index + 2}`);
        await pool.query(`UPDATE ${tableNames[table]} SET ${assigned.join(', ')} WHERE id = $1`, [
          id,
          ...entries.map(([column, value]) => toColumn(column, value)),
        ]);
      },
      async all<Name extends TableName>(table: Name) {
        const { rows } = await pool.query(`SELECT * FROM ${tableNames[table]} ORDER BY ctid`);
        // The columns of the table are those of the row.
        return rows.map(toRow) as unknown as JournalRows[Name][];
      },
      async silence({ id }) {
        await pool.query("UPDATE instance SET alive_until = 'epoch' WHERE id = $1", [id]);
      },
      async chargeOf(id) {
        const call = await findPaidCall(apps[0], id);
        if (!call) throw new Error(`no paid call ${id}`);
        const { payment } = call;
        return { paidCallId: id, payment: { ...payment } };
      },
    };
  };
  return {
    async next() {
      await cleaner.query(begin);
      return world();
    },
    async lock(table, id) {
      await cleaner.query('BEGIN');
      await cleaner.query(`SELECT FROM ${tableNames[table]} WHERE id = $1 FOR UPDATE`, [id]);
      return async () => {
        await cleaner.query('COMMIT');
      };
    },
    async waiting() {
      const { rowCount } = await pool.query(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      return rowCount ?? 0;
    },
    async close() {
      await cleaner.end();
      for (const app of apps) {
        await closeDatabase(app);
      }
      await drop();
    },
  };
}
