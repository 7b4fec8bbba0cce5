import pg from 'pg';
import { refundEvents } from '@/lib/ledger/refund-states';
import type { Changes, Event } from '@/lib/ledger/state-machine';
import { callEvents, settlementEvents } from '@/lib/ledger/states';
import { callMoves, refundMoves, settlementMoves } from '@/lib/ledger/transition';
import { Prisma } from '@/lib/platform/database/generated/client';
import { PaidCallState, RefundState } from '@/lib/platform/database/generated/enums';
import { migratedDatabase, type NewDatabase } from '../support/new-database';
import { expect, test } from '../support/without-browser';

let ledger: pg.Client;
let database: NewDatabase;

test.beforeAll(async () => {
  database = await migratedDatabase();
  ledger = new pg.Client({ connectionString: database.url });
  await ledger.connect();
  // Rows in any state, without what belongs to them. Other tests show what triggers and checks refuse.
  await ledger.query('SET session_replication_role = replica');
  const { rows } = await ledger.query<{ name: string }>(
    `SELECT conname AS name FROM pg_constraint WHERE conrelid = 'refund'::regclass AND contype = 'c'`,
  );
  for (const { name } of rows) await ledger.query(`ALTER TABLE refund DROP CONSTRAINT ${name}`);
});
test.afterAll(async () => {
  await ledger.end();
  await database.drop();
});

/** A composer of moves, seen without the types of its events. */
interface Composer {
  move(name: string, given: object): { readonly set: Prisma.Sql; readonly isLegal: Prisma.Sql };
  moveByState(events: object): { readonly set: Prisma.Sql; readonly isLegal: Prisma.Sql };
}

interface Machine {
  readonly table: string;
  readonly composer: Composer;
  readonly events: Readonly<Record<string, Event<string>>>;
  readonly states: readonly string[];
  readonly always: Changes;
}

const dated = { moved_at: 'at', move_note: 'given' } as const;
const machines: readonly Machine[] = [
  {
    table: 'paid_call',
    composer: callMoves,
    events: callEvents,
    states: Object.values(PaidCallState),
    always: dated,
  },
  {
    table: 'settlement_transaction',
    composer: settlementMoves,
    events: settlementEvents,
    states: ['prepared', 'confirmed', 'replaced', 'vanished'],
    always: {},
  },
  {
    table: 'refund',
    composer: refundMoves,
    events: refundEvents,
    states: Object.values(RefundState),
    always: dated,
  },
];

const before = new Date('2026-01-01');
const at = new Date('2026-01-02');

interface Column {
  readonly name: string;
  readonly type: string;
  readonly isNullable: boolean;
}

async function columnsOf(table: string): Promise<Column[]> {
  const { rows } = await ledger.query<Column>(
    `SELECT column_name AS name, udt_name AS type, is_nullable = 'YES' AS "isNullable"
     FROM information_schema.columns WHERE table_name = $1 AND column_name <> 'state'`,
    [table],
  );
  return rows;
}

function sample(type: string, of: 'row' | 'statement'): unknown {
  if (type === 'timestamptz') return of === 'row' ? before : at;
  if (type === 'bytea') return Buffer.from(of);
  if (type === 'text') return of;
  if (type === 'refund_method') return 'transfer';
  return of === 'row' ? 5 : 7;
}

/** Inserts a row whose columns that may be empty are all empty, or all filled. */
async function insert(table: string, columns: readonly Column[], state: string, isFilled: boolean) {
  const id = `${table} ${state} ${Math.random()}`;
  const unique = ['id', 'authorization', 'idempotency_key_hash', 'hash', 'paid_call_id', 'transaction_hash'];
  const filled = columns.filter(({ isNullable }) => isFilled || !isNullable);
  const values = filled.map(({ name, type }) => {
    if (unique.includes(name)) return type === 'bytea' ? Buffer.from(id) : id;
    return sample(type, 'row');
  });
  const names = ['state', ...filled.map(({ name }) => `"${name}"`)];
  await ledger.query(
    `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map((_, n) => `$${n + 1}`).join(', ')})`,
    [state, ...values],
  );
  return id;
}

/** What an event sets, each column with the value that a statement gives for it. */
function givenFor({ events, always }: Machine, name: string, columns: readonly Column[]): object {
  const sets: Changes = { ...always, ...events[name]?.sets };
  const given = columns.filter((column) => sets[column.name] === 'given');
  const values = given.map(({ name: column, type }) => {
    // Within a CASE, PostgreSQL does not infer the type of a parameter from its column.
    const value = Prisma.sql`${sample(type, 'statement')}::${Prisma.raw(type)}`;
    return [column, value];
  });
  return { at, ...Object.fromEntries(values) };
}

function isMet({ only = {} }: Event<string>, isFilled: boolean, columns: readonly Column[]): boolean {
  return Object.entries(only).every(([name, is]) => {
    const isEmpty = !isFilled && columns.find((column) => column.name === name)?.isNullable === true;
    return is === 'empty' ? isEmpty : !isEmpty;
  });
}

/** Whether a row can have one of two events at most, and statements need both: they lead to the same state or begin in it. */
function isEither(one: Event<string>, other: Event<string>): boolean {
  const shared = one.from.filter((state) => other.from.includes(state));
  const opposite = Object.entries(one.only ?? {}).some(([name, is]) => (other.only?.[name] ?? is) !== is);
  return shared.length === 0 ? one.to === other.to : opposite;
}

/** The columns of a row after an event. */
function after(machine: Machine, event: Event<string>, columns: readonly Column[], row: Row): Row {
  const sets: Changes = { ...machine.always, ...event.sets };
  const changed = columns.flatMap(({ name, type }) => {
    const change = sets[name];
    if (change === undefined) return [];
    if (change === 'next') return [[name, Number(row[name]) + 1]];
    if (change === 'at') return [[name, at]];
    if (change === 'given') return [[name, sample(type, 'statement')]];
    return [[name, change]];
  });
  return comparable({ ...row, state: event.to, ...Object.fromEntries(changed) });
}

type Row = Readonly<Record<string, unknown>>;

/** PostgreSQL returns wide numbers as text. */
const comparable = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'number' ? String(value) : value]),
  );

async function rowOf(table: string, id: string): Promise<Row> {
  const { rows } = await ledger.query<Record<string, unknown>>(`SELECT * FROM ${table} WHERE id = $1`, [id]);
  return comparable(rows[0] ?? {});
}

async function run(table: string, id: string, move: { set: Prisma.Sql; isLegal: Prisma.Sql }): Promise<void> {
  const { text, values } =
    Prisma.sql`UPDATE ${Prisma.raw(table)} SET ${move.set} WHERE id = ${id} AND ${move.isLegal}`;
  await ledger.query(text, values);
}

for (const machine of machines) {
  const { table, composer, events, states } = machine;

  test(`each event moves a row of ${table} from the states of its table alone, and sets what the table says`, async () => {
    const columns = await columnsOf(table);
    for (const [name, event] of Object.entries(events)) {
      for (const state of states) {
        for (const isFilled of [false, true]) {
          const id = await insert(table, columns, state, isFilled);
          const row = await rowOf(table, id);
          await run(table, id, composer.move(name, givenFor(machine, name, columns)));
          const isLegal = event.from.includes(state) && isMet(event, isFilled, columns);
          const expected = isLegal ? after(machine, event, columns, row) : row;
          expect(await rowOf(table, id), `${name} of ${state}, filled: ${isFilled}`).toEqual(expected);
        }
      }
    }
  });

  test(`a statement about several events of ${table} does for each row what one about its event does`, async () => {
    const columns = await columnsOf(table);
    const names = Object.keys(events);
    for (const [one, first] of Object.entries(events)) {
      for (const other of names.slice(names.indexOf(one) + 1)) {
        const second = events[other];
        if (!second || !isEither(first, second)) continue;
        const both = composer.moveByState({
          [one]: givenFor(machine, one, columns),
          [other]: givenFor(machine, other, columns),
        });
        for (const state of states) {
          for (const isFilled of [false, true]) {
            const id = await insert(table, columns, state, isFilled);
            const row = await rowOf(table, id);
            await run(table, id, both);
            const event = [first, second].find(
              (event) => event.from.includes(state) && isMet(event, isFilled, columns),
            );
            const expected = event ? after(machine, event, columns, row) : row;
            expect(await rowOf(table, id), `${one} or ${other} of ${state}, filled: ${isFilled}`).toEqual(
              expected,
            );
          }
        }
      }
    }
  });
}
