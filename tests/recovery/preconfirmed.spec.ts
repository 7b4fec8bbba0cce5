import { decodePaymentResponseHeader } from '@x402/core/http';
import { type PreconfirmingNode, preconfirm } from '../support/preconfirming-node';
import { expect, test as recoveryTest } from './fixtures';
import { holdStatement } from './held-statement';
import { callsOf, transfersOf } from './rig/found';
import { mine, onBase, stopMining } from './rig/own-chain';
import {
  expectPaidOnceInBlock,
  expectToWaitForBlock,
  lose,
  movesOf,
  postingsOf,
  settlementOf,
  synchronous,
} from './rig/preconfirmed';
import { ask, persist, sign } from './rig/requests';
import { type Rig, startRig } from './rig/rig';
import { until } from './rig/waiting';
import { newDelegatedPayer } from './rig/wallets-with-code';

interface PerTest {
  /** A server that may answer on pre-confirmations for up to 1 USDC. Nothing is stopped, and no blocks are mined. */
  readonly rig: Rig;
  /** Its node, which pre-confirms the transactions that it is sent. */
  readonly node: PreconfirmingNode;
}

/** Tests on a base chain of their own, whose blocks they mine. */
const test = recoveryTest.extend<PerTest>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern
  rig: async ({}, use) => {
    await keptRig.query('UPDATE preconfirmation_switch SET stopped_at = NULL');
    await keptRig.restart(on);
    await use(keptRig);
    keptRig.clearWays();
    await mine(keptRig, 3);
    await until('the end of every settlement', async () => {
      const open = await keptRig.query(
        "SELECT FROM settlement_transaction WHERE state IN ('prepared', 'preconfirmed')",
      );
      if (open.length > 0) await mine(keptRig);
      return open.length === 0;
    });
  },
  node: async ({ rig }, use) => {
    await use(preconfirm(rig.base, rig.chainUrl('base')));
  },
});

// One chain and rig for the file. They are not worker fixtures, because tests with different ones need separate workers.
test.describe.configure({ mode: 'default' });
let keptRig: Rig;
test.beforeAll(async () => {
  keptRig = await startRig({ hasOwnBase: true, sendsSynchronously: true });
  await stopMining(keptRig);
});
test.afterAll(() => keptRig.close());

const on = { PRECONFIRMED_USDC_MAX: 'base=1' };
const off = { PRECONFIRMED_USDC_MAX: 'base=0' };

const isStopped = async (rig: Rig) =>
  (await rig.query('SELECT FROM preconfirmation_switch WHERE stopped_at IS NOT NULL')).length > 0;

for (const how of ['sent synchronously', 'sent and asked for'] as const) {
  const hide = (rig: Rig) =>
    how === 'sent and asked for'
      ? rig.base.on(synchronous, async () => ({ error: { code: -32_601, message: 'Method not found' } }))
      : null;

  test(`off: a payment that is ${how} waits for its block, whatever the node promises`, async ({
    rig,
    node,
  }) => {
    hide(rig);
    await rig.restart(off);
    const wallet = await rig.newEvmPayer();
    const request = await sign(rig, wallet);
    await expectToWaitForBlock(rig, node, request);
    await expectPaidOnceInBlock(rig, wallet.address);
  });

  test(`on: a payment that is ${how} is answered before its block, and posted once`, async ({
    rig,
    node,
  }) => {
    hide(rig);
    await rig.restart(on);
    const wallet = await rig.newEvmPayer();
    const request = await sign(rig, wallet);
    const answer = await ask(request);
    expect(answer.status).toBe(200);
    const [hash] = node.preconfirmed;
    expect(decodePaymentResponseHeader(answer.headers.get('payment-response') ?? '')).toMatchObject({
      success: true,
      transaction: hash,
      payer: wallet.address,
    });
    expect(await transfersOf(rig, wallet.address)).toEqual([]);
    expect(await settlementOf(rig, wallet.address)).toEqual({
      state: 'preconfirmed',
      hash,
      block_hash: null,
    });
    const fees = await rig.query(
      'SELECT FROM posting JOIN settlement_transaction settlement ON settlement_id = settlement.id WHERE hash = $1',
      [hash],
    );
    expect(fees).toEqual([]);
    expect(await rig.audit()).toEqual([]);
    await mine(rig);
    await expectPaidOnceInBlock(rig, wallet.address);
    expect(await movesOf(rig, wallet.address)).toEqual(['claimed', 'settling', 'settled', 'delivered']);
    expect((await persist(request)).body).toEqual(answer.body);
  });
}

test('a receipt without a block hash counts as pre-confirmed, like one with zeros', async ({ rig }) => {
  preconfirm(rig.base, rig.chainUrl('base'), { blockHash: null });
  const wallet = await rig.newEvmPayer();
  expect((await ask(await sign(rig, wallet))).status).toBe(200);
  expect(await settlementOf(rig, wallet.address)).toMatchObject({ state: 'preconfirmed' });
  await mine(rig);
  await expectPaidOnceInBlock(rig, wallet.address);
});

test('a buyer who pays again before the block is answered again', async ({ rig, node }) => {
  const wallet = await rig.newEvmPayer();
  for (let call = 0; call < 3; call += 1) expect((await ask(await sign(rig, wallet))).status).toBe(200);
  expect(node.preconfirmed).toHaveLength(3);
  expect(await transfersOf(rig, wallet.address)).toEqual([]);
  await mine(rig);
  await until('every payment in a block', async () => {
    const transfers = await transfersOf(rig, wallet.address);
    return transfers.length === 3;
  });
});

test('a pre-confirmation that is lost is reversed and sent again, and stops further ones until an operator resumes', async ({
  rig,
  node,
}) => {
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  const first = await ask(request);
  expect(first.status).toBe(200);
  const [hash = '0x'] = node.preconfirmed;
  const loss = await lose(rig, node, hash);
  await mine(rig, 4);
  // The fallback happens once the chain has grown since the server looked for the transaction.
  await until('the fall back', async () => {
    await mine(rig);
    return (await movesOf(rig, wallet.address)).includes('unknown');
  });
  expect(await settlementOf(rig, wallet.address)).toEqual({ state: 'prepared', hash, block_hash: null });
  expect(await postingsOf(rig, wallet.address)).toEqual([
    '0 settled',
    '0 delivered',
    '0 settled_reversed',
    '0 delivered_reversed',
  ]);
  // What was delivered stays delivered.
  expect((await ask(request)).body).toEqual(first.body);
  expect(await rig.audit()).toEqual([
    expect.stringMatching(/a call that was answered before its payment was in a block is paid \(.*5000 of/),
  ]);
  const worklist = await rig.tuppence('worklist', '--json');
  expect(JSON.parse(worklist.output)).toMatchObject({
    kind: 'preconfirmation_lost',
    payer: wallet.address,
    amount: '0.005',
    reason: 'unpaid',
  });

  loss.sendAgain();
  await until('the same bytes again', async () => {
    const { pending } = await onBase<{ pending: string }>(rig, 'txpool_status');
    return Number(pending) > 0;
  });
  await mine(rig);
  await expectPaidOnceInBlock(rig, wallet.address);
  expect((await settlementOf(rig, wallet.address))?.hash).toBe(hash);

  // The stop survives a restart.
  rig.clearWays();
  const later = preconfirm(rig.base, rig.chainUrl('base'));
  await rig.restart(on);
  expect(await isStopped(rig)).toBe(true);
  const ready = await fetch(`${rig.apiUrl}/health/ready`);
  expect(await ready.json()).toMatchObject({ status: 'ready', preconfirmationsStopped: ['base'] });
  const waiting = await rig.newEvmPayer();
  await expectToWaitForBlock(rig, later, await sign(rig, waiting));

  const shown = await rig.tuppence('preconfirmations');
  expect([shown.exitCode, shown.output]).toEqual([
    1,
    expect.stringMatching(/^base: stopped since .*, 1 payments lost, 0\.005 USDC in all\n {2}first in .*\n$/),
  ]);
  const listed = (await rig.tuppence('preconfirmations', '--json')).output.split('\n');
  expect(JSON.parse(listed[0] ?? '')).toMatchObject({
    network: 'base',
    stop: { lostPayments: 1, lost: '0.005', since: expect.stringMatching(/Z$/) },
  });
  const resumed = await rig.tuppence(
    'preconfirmations',
    '--resume',
    'base',
    '--note',
    'the node was replaced',
  );
  expect([resumed.exitCode, resumed.errors]).toEqual([0, '']);
  expect(
    await rig.query("SELECT target_id, note FROM operator_action WHERE action = 'preconfirmations.resume'"),
  ).toEqual([{ target_id: 'base', note: 'the node was replaced' }]);
  expect((await rig.tuppence('worklist')).output).toContain('Nothing waits for you.');
  const next = await rig.newEvmPayer();
  expect((await ask(await sign(rig, next))).status).toBe(200);
  expect(await settlementOf(rig, next.address)).toMatchObject({ state: 'preconfirmed' });
});

test('a promised transaction that is reverted as a whole is a loss for each of its calls, and stops further promises', async ({
  rig,
  node,
}) => {
  const wallets = await Promise.all(Array.from({ length: 6 }, () => rig.newEvmPayer()));
  const requests = await Promise.all(wallets.map((wallet) => sign(rig, wallet)));
  const answers = await Promise.all(requests.map((request) => ask(request)));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  const [together] = await rig.query<{ hash: string; payers: string[] }>(
    `SELECT hash, array_agg(payer) AS payers FROM settlement_transaction settlement
     JOIN paid_call ON settlement_id = settlement.id WHERE payer = ANY($1) GROUP BY hash HAVING count(*) > 1`,
    [wallets.map(({ address }) => address)],
  );
  if (!together) throw new Error('no two payments share a transaction');
  node.stopPreconfirming();
  const { to: batcher } = await onBase<{ to: string }>(rig, 'eth_getTransactionByHash', together.hash);
  const code = await onBase<string>(rig, 'eth_getCode', batcher, 'latest');
  // PUSH1 0 PUSH1 0 REVERT
  await onBase(rig, 'anvil_setCode', batcher, '0x60006000fd');
  await mine(rig);
  await onBase(rig, 'anvil_setCode', batcher, code);
  for (const payer of together.payers) {
    await until('the loss', async () => (await movesOf(rig, payer)).includes('unknown'));
    expect((await postingsOf(rig, payer)).slice(0, 4)).toEqual([
      '0 settled',
      '0 delivered',
      '0 settled_reversed',
      '0 delivered_reversed',
    ]);
  }
  expect(await isStopped(rig)).toBe(true);
  // The payments are still valid and are sent again, as are others in the same transaction.
  for (const { address } of wallets)
    await until('the payment', async () => {
      await mine(rig);
      return (await transfersOf(rig, address)).length === 1;
    });
  for (const { address } of wallets) await expectPaidOnceInBlock(rig, address);
  for (const [index, request] of requests.entries())
    expect((await persist(request)).body).toEqual(answers[index]?.body);
});

test('a payer gets a tenth of the limit before a block, and waits for the rest', async ({ rig, node }) => {
  await rig.restart({ PRECONFIRMED_USDC_MAX: 'base=0.05' });
  const [one, other] = await Promise.all([rig.newEvmPayer(), rig.newEvmPayer()]);
  expect((await ask(await sign(rig, one))).status).toBe(200);
  const second = ask(await sign(rig, one));
  await until('its pre-confirmation', async () => node.preconfirmed.length > 1);
  expect((await ask(await sign(rig, other))).status).toBe(200);
  expect((await callsOf(rig, one.address)).map(({ state }) => state)).toEqual(['delivered', 'settling']);
  expect(await transfersOf(rig, one.address)).toEqual([]);
  await mine(rig);
  expect((await second).status).toBe(200);
  expect(await transfersOf(rig, one.address)).toHaveLength(2);
});

test('a price above the share of a payer waits for its block', async ({ rig, node }) => {
  await rig.restart({ PRECONFIRMED_USDC_MAX: 'base=0.049999' });
  const wallet = await rig.newEvmPayer();
  await expectToWaitForBlock(rig, node, await sign(rig, wallet));
});

test('a deposit waits for its block', async ({ rig, node }) => {
  await rig.restart({ PRECONFIRMED_USDC_MAX: 'base=100' });
  const wallet = await rig.newEvmPayer();
  const { accountId } = await (await fetch(`${rig.apiUrl}/v1/accounts`, { method: 'POST' })).json();
  const body = JSON.stringify({ accountId, amount: '1' });
  await expectToWaitForBlock(rig, node, await sign(rig, wallet, { path: '/billing/deposits', body }));
});

test('a payer with code waits for its block', async ({ rig, node }) => {
  const wallet = await newDelegatedPayer(rig, 'accept');
  await expectToWaitForBlock(rig, node, await sign(rig, wallet));
  await expectPaidOnceInBlock(rig, wallet.address);
});

test('the word of one of two nodes is not enough', async ({ rig, node }) => {
  await rig.restart({ ...on, BASE_RPC_URL: `${rig.base.url},${rig.chainUrl('base')}` });
  const wallet = await rig.newEvmPayer();
  await expectToWaitForBlock(rig, node, await sign(rig, wallet));
  await expectPaidOnceInBlock(rig, wallet.address);
});

test('killed between the answer and the block, the server finds the block, or the loss, when it is back', async ({
  rig,
  node,
}) => {
  const [kept, lost] = await Promise.all([rig.newEvmPayer(), rig.newEvmPayer()]);
  const requests = [await sign(rig, kept), await sign(rig, lost)] as const;
  const answers = [await ask(requests[0]), await ask(requests[1])] as const;
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  await rig.kill();
  const loss = await lose(rig, node, node.preconfirmed[1] ?? '0x');
  await mine(rig, 3);
  await rig.passTakeoverTime();
  // Open transactions are followed, whatever the setting is now.
  await rig.start(off);
  await expectPaidOnceInBlock(rig, kept.address);
  await until('the loss', async () => {
    await mine(rig);
    return (await movesOf(rig, lost.address)).includes('unknown');
  });
  expect(await isStopped(rig)).toBe(true);
  loss.sendAgain();
  await until('the payment', async () => {
    await mine(rig);
    return (await transfersOf(rig, lost.address)).length === 1;
  });
  await expectPaidOnceInBlock(rig, lost.address);
  for (const [index, request] of requests.entries())
    expect((await persist(request)).body).toEqual(answers[index]?.body);
});

test('killed before the pre-confirmation is recorded, the server waits for the block when it is back', async ({
  rig,
  node,
}) => {
  rig.base.on(synchronous, async () => ({ error: { code: -32_601, message: 'Method not found' } }));
  await rig.restart(on);
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  const held = rig.base.hold('eth_getTransactionReceipt', 'before');
  const cut = ask(request).catch(() => null);
  await held.reached;
  await rig.kill();
  await cut;
  held.release();
  await rig.passTakeoverTime();
  await rig.start(on);
  await until('the pre-confirmation', async () => node.preconfirmed.length > 0);
  await mine(rig);
  expect((await persist(request)).status).toBe(200);
  await expectPaidOnceInBlock(rig, wallet.address);
});

test('killed after the pre-confirmation is recorded and before the answer, the server delivers when it is back', async ({
  rig,
}) => {
  preconfirm(rig.base, rig.chainUrl('base'));
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  const held = holdStatement(rig, 'answer_expires_at = asked.answer_expires_at');
  const cut = ask(request).catch(() => null);
  await held.reached;
  expect(await settlementOf(rig, wallet.address)).toMatchObject({ state: 'preconfirmed' });
  await rig.kill();
  await cut;
  held.release();
  await rig.passTakeoverTime();
  await rig.start(on);
  expect((await persist(request)).status).toBe(200);
  expect(await transfersOf(rig, wallet.address)).toEqual([]);
  await mine(rig);
  await expectPaidOnceInBlock(rig, wallet.address);
});
