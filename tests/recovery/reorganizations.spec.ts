import { expect } from '@playwright/test';
import { toFunctionSelector } from 'viem';
import { expectLogged } from '../support/logged';
import { holdStatement } from './held-statement';
import { contradictions } from './history/contradictions';
import { History } from './history/history';
import { callsOf, transfersOf, untilState, uploadsOf } from './rig/found';
import { blockNumber, mine, onBase, reorganize, rollBackTo, test } from './rig/own-chain';
import { ask, persist, sign } from './rig/requests';
import { type Rig, startRig } from './rig/rig';
import { submitAsStranger } from './rig/strangers';
import { until } from './rig/waiting';

/** The moves of the rig's one call since its first delivery. */
async function movesOf(rig: Rig): Promise<string[]> {
  const rows = await rig.query<{ to_state: string }>('SELECT to_state::text FROM paid_call_move ORDER BY id');
  const states = rows.map(({ to_state }) => to_state);
  return states.slice(states.indexOf('delivered'));
}

/** The balance of each account of the payer's call, from the postings, without accounts at zero. */
async function balances(rig: Rig): Promise<string[]> {
  const rows = await rig.query<{ account: string; amount: string }>(`
    SELECT account, sum(amount)::text AS amount FROM (
      SELECT credit_account AS account, amount_atomic AS amount FROM posting WHERE unit = 'usdc'
      UNION ALL SELECT debit_account, -amount_atomic FROM posting WHERE unit = 'usdc') entries
    GROUP BY account HAVING sum(amount) <> 0 ORDER BY account`);
  return rows.map(({ account, amount }) => `${account} ${amount}`);
}

test('a settlement removed by a reorganization is sent again, and the call keeps its response', async ({
  rig,
}) => {
  await rig.start();
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  const before = await blockNumber(rig);
  const first = await ask(request);
  expect(first.status).toBe(200);
  rig.base.on('eth_sendRawTransaction', async () => ({ fault: 'close' }));
  await reorganize(rig, before);
  expect(await transfersOf(rig, wallet.address)).toEqual([]);
  await until('the fall back', async () => (await movesOf(rig)).includes('unknown'));
  rig.clearWays();
  await untilState(rig, wallet.address, 'delivered', 60_000);
  expect(await transfersOf(rig, wallet.address)).toHaveLength(1);
  expect(await uploadsOf(rig, wallet.address)).toHaveLength(1);
  expect((await persist(request)).body).toEqual(first.body);
  expect((await movesOf(rig)).slice(0, 2)).toEqual(['delivered', 'unknown']);
  expect(await balances(rig)).toEqual(['chain:base:treasury -5000', 'revenue:uploads.create 5000']);
  expect(await rig.audit()).toEqual([]);
});

test('a deposit whose settlement is removed by a reorganization stays credited, once, when it is settled again', async ({
  rig,
}) => {
  await rig.start();
  const wallet = await rig.newEvmPayer();
  const opened = await fetch(`${rig.apiUrl}/v1/accounts`, { method: 'POST' });
  const { accountId } = await opened.json();
  const body = JSON.stringify({ accountId, amount: '1' });
  const request = await sign(rig, wallet, { path: '/billing/deposits', body });
  const before = await blockNumber(rig);
  expect((await ask(request)).status).toBe(200);
  rig.base.on('eth_sendRawTransaction', async () => ({ fault: 'close' }));
  await reorganize(rig, before);
  await until('the fall back', async () => (await movesOf(rig)).includes('unknown'));
  expect(await balances(rig)).toEqual([
    `account:${accountId} 1000000`,
    'receivable:reorganized-deposits -1000000',
  ]);
  rig.clearWays();
  await untilState(rig, wallet.address, 'delivered', 60_000);
  expect(await transfersOf(rig, wallet.address)).toHaveLength(1);
  expect(await balances(rig)).toEqual([`account:${accountId} 1000000`, 'chain:base:treasury -1000000']);
  expect(await rig.audit()).toEqual([]);
});

test('a retry gets the stored response while its settlement is being sent again', async ({ rig }) => {
  await rig.start();
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  const before = await blockNumber(rig);
  const first = await ask(request);
  rig.base.on('eth_sendRawTransaction', async () => ({ fault: 'close' }));
  await reorganize(rig, before);
  await until('the fall back', async () => (await movesOf(rig)).includes('unknown'));
  const repeated = await ask(request);
  expect(repeated.status).toBe(200);
  expect(repeated.body).toEqual(first.body);
  rig.clearWays();
  await untilState(rig, wallet.address, 'delivered', 60_000);
  expect(await transfersOf(rig, wallet.address)).toHaveLength(1);
  expect(await rig.audit()).toEqual([]);
});

test('a settlement that a reorganization moves to another block stays paid once', async ({ rig }) => {
  await rig.start();
  const wallet = await rig.newEvmPayer();
  const before = await blockNumber(rig);
  const first = await ask(await sign(rig, wallet));
  expect(first.status).toBe(200);
  const [{ raw } = { raw: Buffer.alloc(0) }] = await rig.query<{ raw: Buffer }>(
    "SELECT raw FROM settlement_transaction WHERE state = 'confirmed'",
  );
  // On a busy machine its own broadcast would come first, and so would one that has been replaced.
  rig.base.on('eth_sendRawTransaction', async () => ({ fault: 'close' }));
  await rollBackTo(rig, before);
  await onBase(rig, 'anvil_dropAllTransactions');
  await mine(rig, 2);
  await onBase(rig, 'eth_sendRawTransaction', `0x${raw.toString('hex')}`);
  await mine(rig, 3);
  rig.clearWays();
  await until('the new block', async () => {
    const [row] = await rig.query<{ reorganizations: number; state: string }>(
      'SELECT reorganizations, state FROM settlement_transaction WHERE raw = $1',
      [raw],
    );
    return row?.reorganizations === 1 && row.state === 'confirmed';
  });
  await untilState(rig, wallet.address, 'delivered');
  expect(await transfersOf(rig, wallet.address)).toHaveLength(1);
  expect(await rig.query("SELECT FROM settlement_transaction WHERE state <> 'replaced'")).toHaveLength(1);
  expect(await rig.audit()).toEqual([]);
});

test('a settlement removed by a reorganization is noticed although a newer one is recorded before anyone looks', async ({
  rig,
}) => {
  await rig.start();
  const [wallet, other] = await Promise.all([rig.newEvmPayer(), rig.newEvmPayer()]);
  const [request, another] = await Promise.all([sign(rig, wallet), sign(rig, other)]);
  const before = await blockNumber(rig);
  const first = await ask(request);
  expect(first.status).toBe(200);
  rig.base.on('eth_sendRawTransaction', async () => ({ fault: 'close' }));
  // The server checks blocks again only when both settlements are recorded.
  const looks = rig.base.on('eth_getBlockByNumber', async () => ({ fault: 'close' }), {
    params: ([height]) => height !== 'latest',
  });
  await reorganize(rig, before);
  const answer = persist(another);
  await until('the claim', async () => (await callsOf(rig, other.address)).length === 1);
  const inChain = await submitAsStranger(rig, another);
  expect((await answer).status).toBe(200);
  expect(await callsOf(rig, other.address)).toMatchObject([
    { state: 'delivered', transaction_hash: inChain },
  ]);
  expect(await callsOf(rig, wallet.address)).toMatchObject([{ state: 'delivered' }]);
  // A check that began before has ended after this many: each request is tried twice.
  const looksBefore = looks.hits;
  await until('another look', async () => looks.hits > looksBefore + 2);
  looks.remove();
  await untilState(rig, wallet.address, 'unknown');
  rig.clearWays();
  await untilState(rig, wallet.address, 'delivered', 60_000);
  for (const payer of [wallet.address, other.address]) {
    expect(await transfersOf(rig, payer)).toHaveLength(1);
    expect(await uploadsOf(rig, payer)).toHaveLength(1);
  }
  expect((await persist(request)).body).toEqual(first.body);
  expect(await rig.audit()).toEqual([]);
});

test('a settlement removed by a reorganization is noticed although an earlier look at its block is answered only then', async ({
  rig,
}) => {
  await rig.start();
  const [wallet, other] = await Promise.all([rig.newEvmPayer(), rig.newEvmPayer()]);
  const [request, another] = await Promise.all([sign(rig, wallet), sign(rig, other)]);
  const before = await blockNumber(rig);
  expect((await ask(request)).status).toBe(200);
  const [settled] = await rig.query<{ height: number }>(
    'SELECT block_number::int AS height FROM settlement_transaction',
  );
  const removedAt = settled?.height ?? 0;
  const isRemoved = ([height]: readonly unknown[]) => Number(height) === removedAt;
  const look = rig.base.hold('eth_getBlockByNumber', 'after', { params: isRemoved, times: 1 });
  await look.reached;
  rig.base.on('eth_sendRawTransaction', async () => ({ fault: 'close' }));
  await reorganize(rig, before);
  // Another settlement is recorded in a later block, and has a check of its own.
  const answer = persist(another);
  await until('the claim', async () => (await callsOf(rig, other.address)).length === 1);
  await submitAsStranger(rig, another);
  expect((await answer).status).toBe(200);
  const height = await blockNumber(rig);
  const isAbove = ([asked]: readonly unknown[]) => Number(asked) > removedAt && Number(asked) <= height;
  await rig.base.on('eth_getBlockByNumber', (_, forward) => forward(), { params: isAbove }).reached;
  look.release();
  await untilState(rig, wallet.address, 'unknown');
  rig.clearWays();
  await untilState(rig, wallet.address, 'delivered', 60_000);
  for (const payer of [wallet.address, other.address]) expect(await transfersOf(rig, payer)).toHaveLength(1);
  expect(await rig.audit()).toEqual([]);
});

test('a settlement whose nonce the chain waits for again is sent again before anyone has noticed the reorganization', async ({
  rig,
}) => {
  await rig.start();
  const [wallet, other] = await Promise.all([rig.newEvmPayer(), rig.newEvmPayer()]);
  const before = await blockNumber(rig);
  const first = await ask(await sign(rig, wallet));
  expect(first.status).toBe(200);
  const [{ transaction_hash: told } = {}] = await callsOf(rig, wallet.address);
  const looks = rig.base.on('eth_getBlockByNumber', async () => ({ fault: 'close' }), {
    params: ([height]) => height !== 'latest',
  });
  await reorganize(rig, before);
  expect((await persist(await sign(rig, other))).status).toBe(200);
  await expectLogged(rig.server(), 'a settlement that the chain waits for is sent again');
  expect(await callsOf(rig, wallet.address)).toMatchObject([{ state: 'delivered', transaction_hash: told }]);
  looks.remove();
  await until('the new block', async () => {
    const rows = await rig.query('SELECT FROM settlement_transaction WHERE reorganizations = 1');
    return rows.length === 1;
  });
  await untilState(rig, wallet.address, 'delivered');
  expect(await transfersOf(rig, wallet.address)).toEqual([told]);
  const settlements = await rig.query('SELECT state, payments FROM settlement_transaction ORDER BY nonce');
  expect(settlements).toEqual([
    { state: 'confirmed', payments: 1 },
    { state: 'confirmed', payments: 1 },
  ]);
  expect(await rig.audit()).toEqual([]);
});

/** Matches calls that ask the token whether an authorization is used. */
function isLookUp([call]: readonly unknown[]): boolean {
  const selector = toFunctionSelector('authorizationState(address,bytes32)');
  return (call as { data?: string }).data?.startsWith(selector) === true;
}

test('a settlement removed by a reorganization is left to the live server that has its key', async ({
  rig,
}) => {
  await rig.start();
  const second = await startRig({ beside: rig });
  try {
    await second.start();
    const wallet = await rig.newEvmPayer();
    const before = await blockNumber(rig);
    const first = await ask(await sign(rig, wallet));
    const [{ transaction_hash: told } = {}] = await callsOf(rig, wallet.address);
    rig.base.on('eth_sendRawTransaction', async () => ({ fault: 'close' }));
    // Held, so that the other server is the one that checks blocks and calls.
    const turns = holdStatement(rig, 'UPDATE turn');
    const looks = second.base.on('eth_call', (_, forward) => forward(), { params: isLookUp });
    await reorganize(rig, before);
    await until('the fall back', async () => (await movesOf(rig)).includes('unknown'));
    // The other server finds the authorization unused.
    await until('its second look', async () => looks.hits >= 2, 30_000);
    turns.release();
    rig.clearWays();
    await untilState(rig, wallet.address, 'delivered', 60_000);
    expect(await transfersOf(rig, wallet.address)).toEqual([told]);
    expect(await rig.query('SELECT FROM settlement_transaction')).toHaveLength(1);
    expect(first.status).toBe(200);
    expect(await rig.audit()).toEqual([]);
  } finally {
    await second.close();
  }
});

test('the comparison of clients, chains and ledger accepts another transaction than was told after a reorganization, and only then', async ({
  rig,
}) => {
  await rig.start();
  const history = new History();
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  const before = await blockNumber(rig);
  expect((await history.ask(request)).status).toBe(200);
  const told = await transfersOf(rig, wallet.address);
  rig.base.on('eth_sendRawTransaction', async () => ({ fault: 'close' }));
  await reorganize(rig, before);
  await until('the fall back', async () => (await movesOf(rig)).includes('unknown'));
  await submitAsStranger(rig, request);
  rig.clearWays();
  await untilState(rig, wallet.address, 'delivered', 60_000);
  expect((await history.persist(request)).status).toBe(200);
  expect(await contradictions(rig, history, undefined, true)).toEqual([]);
  expect((await contradictions(rig, history)).join('\n')).toContain(`told of transaction ${told}`);
});

test('a settlement is final after the configured number of blocks, and neither checked nor sent again', async ({
  rig,
}) => {
  await rig.start({ FINALITY_BLOCKS: 'base=5' });
  const wallet = await rig.newEvmPayer();
  expect((await ask(await sign(rig, wallet))).status).toBe(200);
  const isFinal = async () => {
    const [row] = await rig.query<{ is_final: boolean }>(
      'SELECT final_at IS NOT NULL AS is_final FROM settlement_transaction',
    );
    return row?.is_final;
  };
  expect(await isFinal()).toBe(false);
  await mine(rig, 6);
  await until('finality', isFinal);
  // The transaction is never sent again.
  expect(await rig.query('SELECT raw FROM settlement_transaction')).toEqual([{ raw: null }]);
  expect(await callsOf(rig, wallet.address)).toMatchObject([{ state: 'delivered' }]);
});
