import { expect, test } from '../support/without-browser';
import { listFiles, read } from './sources';
import { textsIn } from './sql';

/** The room that each table belongs to. Only its files write the table, and no other room reads it but by an exception. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  'lib/platform': ['address_salt', 'attempt', 'installation', 'instance'],
  'lib/payments': ['receipt_key', 'used_sign_in'],
  'lib/ledger': [
    'account_balance',
    'channel',
    'channel_event',
    'channel_watch',
    'channel_write_off',
    'gas_in_vain',
    'legal_move',
    'legal_refund_move',
    'legal_settlement_move',
    'paid_call',
    'paid_call_move',
    'posting',
    'published_voucher',
    'refund',
    'refund_move',
    'refund_request',
    'settlement_signer',
    'settlement_transaction',
    'transfer_without_call',
  ],
  'lib/services/abuse-reports.ts': ['abuse_report'],
  'lib/services/accounts': ['account'],
  'lib/services/forms': ['form', 'form_response'],
  'lib/services/uploads': ['held_file', 'link_traffic', 'upload', 'upload_renewal', 'upload_reservation'],
  'lib/jobs': ['turn'],
  'lib/operator': ['audit_run', 'daily_figures', 'operator_action', 'operator_session'],
};

/** What a room may read of other rooms. */
const readsAcross: readonly {
  readonly room: string;
  readonly tables: readonly string[];
  readonly why: string;
}[] = [
  {
    room: 'lib/operator',
    tables: Object.values(rooms).flat(),
    why: 'Its pages, figures, exports and the audit show and compare what all rooms have. They change none of it.',
  },
  {
    room: 'lib/ledger',
    tables: ['instance'],
    why: 'A call or a settlement key is taken over only from a process that is dead, in the statement that takes it.',
  },
  {
    room: 'lib/ledger',
    tables: ['turn'],
    why: 'An idle process finds everything that is due in one statement.',
  },
  {
    room: 'lib/ledger',
    tables: ['account'],
    why: 'A deposit locks its account against revocation, so that one of the two comes first.',
  },
  {
    room: 'lib/ledger',
    tables: ['attempt'],
    why: 'What a payer has used and whether it was ever charged are read in one round trip.',
  },
];

const tables = Object.values(rooms).flat();
const roomOf = (table: string) => Object.keys(rooms).find((room) => rooms[room]?.includes(table)) ?? '';
const isIn = (file: string, room: string) => file === room || file.startsWith(`${room}/`);
/** The name that the database client has for a table. */
const modelOf = (table: string) => table.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

interface Use {
  readonly table: string;
  readonly isWrite: boolean;
}

/** The tables that a program uses, in SQL and through the database client. */
function usesIn(program: string): Use[] {
  const texts = /\b(FROM|JOIN|UPDATE|INTO)\b/.test(program) ? textsIn(program) : [];
  const named = (isWrite: boolean, pattern: RegExp) =>
    texts.flatMap((text) => [...text.matchAll(pattern)].map(([, table = '']) => ({ table, isWrite })));
  const called = [
    ...program.matchAll(/\bdb\.(\w+)\.(find|count|aggregate|groupBy|create|update|upsert|delete)\w*\(/g),
  ];
  const uses = [
    ...named(true, /\b(?:UPDATE|INSERT INTO|DELETE FROM)\s+"?(\w+)"?/g),
    ...named(false, /(?<!DELETE\s)\b(?:FROM|JOIN)\s+"?(\w+)"?/g),
    // More tables behind FROM, with or without a name of their own.
    ...named(false, /\bFROM\s+"?\w+"?(?:\s+(?:AS\s+)?[a-z]\w*)?,\s*"?(\w+)"?/g),
    ...called.map(([, model = '', method = '']) => ({
      table: tables.find((table) => modelOf(table) === model) ?? '',
      isWrite: ['create', 'update', 'upsert', 'delete'].includes(method),
    })),
  ];
  return uses.filter(({ table }) => tables.includes(table));
}

function isAllowed(file: string, { table, isWrite }: Use): boolean {
  if (isIn(file, roomOf(table))) return true;
  return !isWrite && readsAcross.some((reader) => isIn(file, reader.room) && reader.tables.includes(table));
}

const files = listFiles(/^((app|lib|mcp)\/.*|[^/]*)\.tsx?$/).filter((file) => !file.includes('/generated/'));

test('every table of the database belongs to one room', () => {
  const created = listFiles(/^prisma\/migrations\/.*\.sql$/).flatMap((file) =>
    [...read(file).matchAll(/(CREATE TABLE|DROP TABLE|RENAME TO) "(\w+)"/g)].map(([, , table = '']) => table),
  );
  const models = [...read('prisma/schema.prisma').matchAll(/^model [^}]*@@map\("(\w+)"\)/gm)];
  expect(models.map(([, table]) => table).filter((table = '') => !tables.includes(table))).toEqual([]);
  expect(tables.filter((table) => !created.includes(table))).toEqual([]);
  expect(tables.toSorted()).toEqual([...new Set(tables)].toSorted());
});

test('only the room of a table names it', () => {
  const offences = files.flatMap((file) =>
    usesIn(read(file))
      .filter((use) => !isAllowed(file, use))
      .map(({ table, isWrite }) => `${file} ${isWrite ? 'writes' : 'reads'} ${table} of ${roomOf(table)}`),
  );
  expect([...new Set(offences)]).toEqual([]);
});

test('no exception is left over', () => {
  const unused = readsAcross.flatMap(({ room, tables }) =>
    room === 'lib/operator'
      ? []
      : tables.filter(
          (table) =>
            !files.some((file) => isIn(file, room) && usesIn(read(file)).some((use) => use.table === table)),
        ),
  );
  expect(unused).toEqual([]);
});

test('a table is found in SQL and in calls of the database client', () => {
  const found: readonly (readonly [program: string, ...Use[]])[] = [
    ['db.$queryRaw`SELECT FROM paid_call WHERE id = 1`', { table: 'paid_call', isWrite: false }],
    ['db.$queryRaw`SELECT FROM one JOIN "upload" ON true`', { table: 'upload', isWrite: false }],
    ['query("SELECT 1 FROM one AS other, refund")', { table: 'refund', isWrite: false }],
    ['query(`INSERT INTO form (id) VALUES (1)`)', { table: 'form', isWrite: true }],
    ['query(`DELETE FROM attempt`)', { table: 'attempt', isWrite: true }],
    ['query(`WITH a AS (UPDATE turn SET due_at = now()) SELECT`)', { table: 'turn', isWrite: true }],
    ['app.db.abuseReport.updateMany({})', { table: 'abuse_report', isWrite: true }],
    ['db.paidCall.findFirst({})', { table: 'paid_call', isWrite: false }],
  ];
  for (const [program, ...uses] of found) expect(usesIn(program), program).toEqual(uses);
  expect(usesIn('const text = "A file from upload, or an upload";')).toEqual([]);
});
