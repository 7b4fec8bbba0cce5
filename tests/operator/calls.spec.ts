import pg from 'pg';
import { type App, createApp } from '@/lib/app';
import { recordAction } from '@/lib/operator/actions';
import { callFilters, callQuery, readSearch } from '@/lib/operator/calls/filters';
import { findCalls } from '@/lib/operator/calls/find-calls';
import { callTimeline } from '@/lib/operator/calls/timeline';
import { newId, newOrderedId } from '@/lib/platform/ids';
import { addCall, addSettlement } from '../support/ledger-rows';
import { migratedDatabase, type NewDatabase } from '../support/new-database';
import { runOperatorProgram } from '../support/operator-program';
import { testPlatform } from '../support/platform';
import { stack } from '../support/stack';
import { fullOnly } from '../support/tiers';
import { expect, test } from '../support/without-browser';

let database: NewDatabase;
let ledger: pg.Pool;
let app: App;

const payer = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';
const start = Date.UTC(2026, 5, 1);
const minute = (n: number) => new Date(start + n * 60_000);
const hash = `0x${'ab'.repeat(32)}`;
const thirdPartyHash = `0x${'cd'.repeat(32)}`;
/** The ids of the calls, by a name for what each is; one call per minute. */
const ids: Record<string, string> = {};

test.beforeAll(async () => {
  database = await migratedDatabase();
  ledger = new pg.Pool({ connectionString: database.url, max: 2 });
  const { settings, log } = testPlatform({ DATABASE_URL: database.url });
  app = createApp({ settings, log });
  const settlementId = await addSettlement(ledger, { hash, at: minute(1), feeAtomic: 21_000n });
  const carried = { settlementId, transactionHash: hash, payer };
  const calls = {
    first: { ...carried },
    second: { ...carried, operation: 'render.pdf' },
    ofAccount: { network: 'account', rail: 'account', payer: `acct_${'A'.repeat(24)}` },
    stuck: { states: ['settled', ['needs_attention', 'delivery_failed']] },
    refused: { states: [['refused', 'insufficient_funds']], network: 'polygon' },
    kept: { states: ['settled', 'kept'], rail: 'mpp' },
    unknown: { states: ['unknown'], transactionHash: thirdPartyHash },
    open: { states: [] },
  } as const;
  for (const [index, [name, call]] of Object.entries(calls).entries())
    ids[name] = await addCall(ledger, { createdAt: minute(index), ...call });
});
test.afterAll(async () => {
  await app.close();
  await ledger.end();
  await database.drop();
});

/** The names of the calls on the first page of results. */
async function found(query: Record<string, string>): Promise<string[]> {
  const { calls, nextCursor } = await findCalls(app, callQuery.parse(query));
  expect(nextCursor).toBeNull();
  return calls.map(({ id }) => Object.entries(ids).find(([, known]) => known === id)?.[0] ?? id);
}

const searches: readonly [Record<string, string>, string[]][] = [
  [{}, ['open', 'unknown', 'kept', 'refused', 'stuck', 'ofAccount', 'second', 'first']],
  [{ payer }, ['second', 'first']],
  [{ payer: payer.toLowerCase(), operation: 'render.pdf' }, ['second']],
  [{ payer: `acct_${'A'.repeat(24)}` }, ['ofAccount']],
  [{ transaction: hash.toUpperCase().replace('0X', '0x') }, ['second', 'first']],
  [{ transaction: hash, operation: 'uploads.create' }, ['first']],
  [{ transaction: thirdPartyHash }, ['unknown']],
  [{ state: 'needs_attention' }, ['stuck']],
  [{ state: 'refused', network: 'base' }, []],
  [{ state: 'refused', network: 'polygon' }, ['refused']],
  [{ state: 'kept', payer }, []],
  [{ state: 'settling' }, ['open']],
  [{ state: 'delivered' }, ['ofAccount', 'second', 'first']],
  [{ rail: 'mpp' }, ['kept']],
  [{ operation: 'render.pdf', network: 'base' }, ['second']],
  [{ from: minute(2).toISOString(), to: minute(4).toISOString() }, ['stuck', 'ofAccount']],
  [{ to: '2026-06-01' }, []],
  [{ from: '2026-06-01', to: '2026-06-02', rail: 'account' }, ['ofAccount']],
];

for (const [query, names] of searches) {
  test(`calls with ${JSON.stringify(query)}`, async () => {
    expect(await found(query)).toEqual(names);
  });
}

test('a call is found by its id, and only if the other filters fit', async () => {
  const { first = '' } = ids;
  expect(await found({ id: first })).toEqual(['first']);
  expect(await found({ id: first, rail: 'mpp' })).toEqual([]);
  expect(await found({ id: newOrderedId('pc', new Date()) })).toEqual([]);
});

test('pages of a search are complete, although calls of the same moment and new ones arrive', async () => {
  const operation = 'tools.paged';
  const made: string[] = [];
  for (let n = 0; n < 7; n += 1)
    made.push(await addCall(ledger, { operation, createdAt: minute(-100 + Math.floor(n / 3)) }));
  for (const filters of [
    { operation },
    { operation, payer: `0x${'1'.repeat(40)}` },
    { operation, state: 'delivered' },
  ]) {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await findCalls(
        app,
        callQuery.parse({ ...filters, limit: '2', ...(cursor && { cursor }) }),
      );
      seen.push(...page.calls.map(({ id }) => id));
      cursor = page.nextCursor;
      if (seen.length === 2) await addCall(ledger, { operation: 'tools.other', createdAt: new Date() });
    } while (cursor !== null);
    expect(seen.toSorted()).toEqual(made.toSorted());
  }
});

test('a search that finds nothing for long stops and says how far back it has come', fullOnly, async () => {
  const other = await migratedDatabase();
  const client = new pg.Client({ connectionString: other.url });
  await client.connect();
  const { settings, log } = testPlatform({ DATABASE_URL: other.url });
  const large = createApp({ settings, log });
  try {
    await client.query('SET session_replication_role = replica');
    await client.query(`
      INSERT INTO paid_call (id, operation, rail, network, asset, payer, "authorization", amount_atomic, pay_to,
        request_hash, state, valid_before, attempt_at, created_at, moved_at)
      SELECT 'pc_' || lpad(n::text, 24, '0'), CASE n WHEN 3 THEN 'tools.rare' ELSE 'tools.often' END, 'x402', 'base', 'USDC',
        'payer', n::text, 1, 'us', 'request', 'delivered', now(), now(), '2026-01-01'::timestamptz + n * interval '1 second', now()
      FROM generate_series(1, 12000) AS n;
      INSERT INTO paid_call_move (paid_call_id, to_state, at) SELECT id, 'claimed', created_at FROM paid_call`);
    const query = { operation: 'tools.rare' };
    const first = await findCalls(large, callQuery.parse(query));
    expect(first).toEqual({
      calls: [],
      nextCursor: expect.any(String),
      searchedBackTo: new Date(Date.UTC(2026, 0, 1) + 2_001_000),
    });
    const second = await findCalls(large, callQuery.parse({ ...query, cursor: first.nextCursor }));
    expect(second).toMatchObject({
      calls: [{ operation: 'tools.rare' }],
      nextCursor: null,
      searchedBackTo: null,
    });
    // The search for a payer with many calls is limited in time as well.
    const ofPayer = await findCalls(large, { limit: 5, payer: 'payer' });
    expect(ofPayer.calls.map(({ id }) => Number(id.slice(3)))).toEqual([12000, 11999, 11998, 11997, 11996]);
  } finally {
    await large.close();
    await client.end();
    await other.drop();
  }
});

test('filters are parsed', () => {
  for (const query of [
    { id: "pc_1' OR '1'='1" },
    { payer: '0x12' },
    { payer: 'x'.repeat(5_000) },
    { transaction: 'abc' },
    { state: 'lost' },
    { network: 'Base; DROP TABLE paid_call' },
    { from: 'yesterday' },
    { color: 'blue' },
  ])
    expect(callFilters.safeParse(query).success, JSON.stringify(query)).toBe(false);
  expect(readSearch(` ${payer.toLowerCase()} `)).toEqual({ payer });
  expect(readSearch(hash)).toEqual({ transaction: hash });
  expect(readSearch(`pc_${'a'.repeat(24)}`)).toEqual({ id: `pc_${'a'.repeat(24)}` });
  expect(readSearch('hello')).toBeNull();
});

test('the time line of a call has its moves, postings, transaction and the actions of operators', async () => {
  const { first = '', stuck = '' } = ids;
  await recordAction(app, {
    actor: { name: 'cli:ada@example', address: null },
    action: 'content.show',
    target: { kind: 'paid_call', id: first },
    correlationId: newId('op'),
  });
  const timeline = await callTimeline(app, first);
  expect(timeline).toMatchObject({
    call: { id: first, answer: 'none', transactionPage: `https://basescan.org/tx/${hash}` },
    moves: [
      { from: null, to: 'claimed', at: minute(0) },
      { from: 'claimed', to: 'settling' },
      { from: 'settling', to: 'settled' },
      { from: 'settled', to: 'delivered', note: null },
    ],
    postings: [
      { kind: 'settled', debitAccount: 'chain:base:treasury', amountAtomic: 5_000n, unit: 'usdc' },
      { kind: 'delivered', creditAccount: 'revenue:uploads.create' },
    ],
    transactions: [{ hash, state: 'confirmed', feeAtomic: 21_000n, page: `https://basescan.org/tx/${hash}` }],
    actions: [{ action: 'content.show', actor: 'cli:ada@example' }],
  });
  expect(timeline?.call).not.toHaveProperty('input');
  expect((await callTimeline(app, stuck))?.moves.at(-1)).toMatchObject({ note: 'delivery_failed' });
  expect(await callTimeline(app, newOrderedId('pc', new Date()))).toBeNull();
});

const tuppence = (...args: string[]) =>
  runOperatorProgram(
    {
      ...stack().serverEnv,
      PUBLIC_URL: stack().apiUrl,
      FILES_URL: stack().filesUrl,
      DATABASE_URL: database.url,
    },
    'calls',
    ...args,
  );

test('tuppence calls lists calls as text and as JSON', async () => {
  const text = await tuppence('--state', 'needs_attention');
  expect(text).toMatchObject({ exitCode: 0, errors: '' });
  expect(text.output).toContain(
    `${ids.stuck}  ${minute(3).toISOString()}  needs_attention (delivery_failed)\n`,
  );
  expect(text.output).toContain('  uploads.create, 0.005 USDC on base\n');
  const json = await tuppence(payer, '--json', '--limit', '1');
  expect(
    json.output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    expect.objectContaining({ id: ids.second, amount: '0.005', amountAtomic: '5000', transactionHash: hash }),
  ]);
  expect(json.errors).toContain('The first 1 are shown');
});

test('tuppence calls shows the time line of one call', fullOnly, async () => {
  const { output, exitCode } = await tuppence(ids.first ?? '');
  expect(exitCode).toBe(0);
  for (const line of [
    /\nMoves\n {2}2026-06-01T00:00:00\.000Z {2}nothing > claimed\n/,
    /\nPostings\n {2}.* {2}settled: chain:base:treasury > prepaid:0xd8dA.*, 5000 usdc\n/,
    /\nTransactions\n {2}.* {2}0xabab.* \(confirmed\)\n {4}https:\/\/basescan\.org\/tx\/0xabab/,
  ])
    expect(output).toMatch(line);
  const json = await tuppence(ids.first ?? '', '--json');
  expect(JSON.parse(json.output)).toMatchObject({
    call: { amountAtomic: '5000', createdAt: minute(0).toISOString() },
  });
});

test(
  'tuppence calls exits with 1 when nothing fits, and with 2 when it is used wrongly',
  fullOnly,
  async () => {
    expect(await tuppence(newOrderedId('pc', new Date()))).toMatchObject({
      exitCode: 1,
      output: expect.stringMatching(/^There is no/),
    });
    expect(await tuppence('--payer', `0x${'9'.repeat(40)}`)).toMatchObject({
      exitCode: 1,
      output: 'No calls match.\n',
    });
    for (const args of [['hello'], ['--state', 'lost'], ['--color', 'blue'], ['--limit', '0'], [payer, hash]])
      expect(await tuppence(...args), args.join(' ')).toMatchObject({
        exitCode: 2,
        output: '',
        errors: expect.stringMatching(/\n\nUsage: tuppence calls /),
      });
  },
);
