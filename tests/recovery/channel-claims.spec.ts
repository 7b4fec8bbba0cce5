import { encodeFunctionResult, getAbiItem, toFunctionSelector } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { batchSettlementAbi } from '@/lib/payments/channels/batch-settlement-abi';
import { startEvmChain } from '@/local/evm/chain';
import { readUsdcBalances } from '@/local/evm/funding';
import { rpcCall } from '@/local/json-rpc';
import { expectLogged } from '../support/logged';
import { network } from '../support/stack';
import { collectingTimings, shortTimings } from '../support/timings';
import { expect, test } from './fixtures';
import {
  buy,
  callContract,
  channelClient,
  channelOf,
  configOf,
  send,
  signRefund,
  signTotal,
  startChannelRig,
} from './rig/channels';
import { onBase } from './rig/own-chain';
import type { Rig } from './rig/rig';
import { pause, until } from './rig/waiting';

let rig: Rig;
test.beforeAll(async () => {
  rig = await startChannelRig({ timings: collectingTimings, hasOwnBase: true });
});
test.afterAll(() => rig.close());

async function newBuyer() {
  const payer = await rig.newEvmPayer();
  return { payer, ...channelClient(rig, payer) };
}

/** The balances of the network's accounts, from the postings, without those at zero. */
async function chainAccounts(): Promise<Record<string, number>> {
  const rows = await rig.query<{ account: string; amount: number }>(`
    SELECT account, sum(amount)::int AS amount FROM (
      SELECT debit_account AS account, amount_atomic AS amount FROM posting WHERE unit = 'usdc'
      UNION ALL SELECT credit_account, -amount_atomic FROM posting WHERE unit = 'usdc') entries
    WHERE account LIKE 'chain:%' GROUP BY account HAVING sum(amount) <> 0`);
  return Object.fromEntries(rows.map(({ account, amount }) => [account, amount]));
}

const treasuryAtomic = async () =>
  Number((await readUsdcBalances(rig.chainUrl('base'), network('base').usdc, [rig.payTo.evm]))[0]);

test('the collector claims spent funds, and each event is posted once, no matter who sent the transaction', async () => {
  const { payer, fetch } = await newBuyer();
  await buy(rig, fetch, 2);
  await until('the claim', async () => (await channelOf(rig, payer)).claimed === 10_000);
  await until('the posting', async () => (await chainAccounts())['chain:base:claimed'] === 10_000);
  expect(await chainAccounts()).toEqual({ 'chain:base:claimed': 10_000 });
  expect(await treasuryAtomic()).toBe(0);
  // Anyone may sweep: the money goes to our payee, and is counted once.
  const stranger = privateKeyToAccount(generatePrivateKey());
  await callContract(rig, stranger, 'settle', [rig.payTo.evm, network('base').usdc as `0x${string}`]);
  await until('the sweep', async () => (await chainAccounts())['chain:base:treasury'] === 10_000);
  expect(await chainAccounts()).toEqual({ 'chain:base:treasury': 10_000 });
  expect(await treasuryAtomic()).toBe(10_000);
  expect(await rig.audit()).toEqual([]);
});

test('a channel that is used on is claimed again once its last claim has landed, however long a lost claim is waited for', async () => {
  const patient = { ...collectingTimings.channels, claimAgainAfterMs: 3_600_000 };
  await rig.restart({}, { ...collectingTimings, channels: patient });
  const { payer, fetch } = await newBuyer();
  for (const claimed of [10_000, 20_000, 30_000]) {
    await buy(rig, fetch, 2);
    await until('the claim', async () => (await channelOf(rig, payer)).claimed === claimed);
  }
  await rig.restart();
});

test('a channel that cannot be claimed is reported, and the others are claimed', async () => {
  const [good, bad] = [await newBuyer(), await newBuyer()];
  await rig.restart({}, shortTimings);
  for (const { fetch } of [good, bad]) await buy(rig, fetch, 2);
  const { id } = await channelOf(rig, bad.payer);
  await rig.query(`UPDATE channel SET signature = '0x' || repeat('11', 64) || '1b' WHERE id = $1`, [id]);
  await rig.restart();
  await until('the claim', async () => (await channelOf(rig, good.payer)).claimed === 10_000);
  await expectLogged(rig.server(), 'a payment channel cannot be claimed');
  expect(rig.server().output()).toContain(id);
  expect((await channelOf(rig, bad.payer)).claimed).toBe(0);
  const worklist = async () => (await rig.tuppence('worklist')).output;
  await until('the item', async () => (await worklist()).includes(id));
  expect(await worklist()).toContain(`${id}  payment channel, 0.01 USDC on base, since `);
  // Sets that nothing is left to claim. A running server would read from the chain that something is.
  await rig.kill();
  await rig.query('UPDATE channel SET claimed_atomic = charged_atomic WHERE id = $1', [id]);
  expect(await worklist()).not.toContain(id);
  await rig.restart();
});

/** Matches requests to the node, or transactions, that call this function of the contract. */
function calls(name: 'claimWithSignature' | 'settle' | 'receivers') {
  const selector = toFunctionSelector(getAbiItem({ abi: batchSettlementAbi, name })).slice(2);
  return (params: readonly unknown[]) => JSON.stringify(params).includes(selector);
}

test('the collector claims spent funds while the payout fails, and pays out when it can', async () => {
  const before = await treasuryAtomic();
  const { payer, fetch } = await newBuyer();
  const unswept = encodeFunctionResult({
    abi: batchSettlementAbi,
    functionName: 'receivers',
    result: [5_000_000n, 0n],
  });
  const due = rig.base.on('eth_call', async () => ({ result: unswept }), { params: calls('receivers') });
  const blocked = rig.base.on(
    'eth_estimateGas',
    async () => ({
      error: { code: 3, message: 'execution reverted: Blacklistable: account is blacklisted' },
    }),
    { params: calls('settle') },
  );
  await buy(rig, fetch, 2);
  await until('the claim', async () => (await channelOf(rig, payer)).claimed === 10_000);
  expect([due.hits, blocked.hits].every((hits) => hits > 0)).toBe(true);
  await expectLogged(rig.server(), 'claimed funds cannot be paid out');
  expect(await treasuryAtomic()).toBe(before);
  blocked.remove();
  await until('the payout', async () => (await treasuryAtomic()) >= before + 10_000);
  rig.clearWays();
});

test('a service that closes its channels takes nothing more, answers repeated requests, claims and refunds', async () => {
  const { payer, scheme, fetch } = await newBuyer();
  await rig.restart({}, shortTimings);
  await buy(rig, fetch, 1);
  const [last, next] = [
    await signTotal(rig, payer, { total: 10_000n }),
    await signTotal(rig, payer, { total: 15_000n }),
  ];
  const first = await send(last);
  expect(first.status).toBe(200);
  await rig.restart({ BATCH_CLOSING: 'true' });
  await until('the claim', async () => (await channelOf(rig, payer)).claimed === 10_000);
  expect((await send(last)).body).toEqual(first.body);
  const refused = await send(next);
  expect([refused.status, refused.body.error]).toEqual([402, 'channels_are_closing']);
  expect(refused.body.accepts.map((entry: { scheme: string }) => entry.scheme)).toEqual(['exact']);
  expect(await scheme.refund(`${rig.apiUrl}/v1/channels/refund`)).toMatchObject({ amount: '990000' });
  await rig.restart();
});

test('a withdrawal that leaves what was spent is no reason to claim, and none for an alert', async () => {
  const { payer, fetch } = await newBuyer();
  await buy(rig, fetch, 1);
  await callContract(rig, payer, 'initiateWithdraw', [await configOf(rig, payer), 1n]);
  await until('the withdrawal', async () => (await channelOf(rig, payer)).withdrawing === 1);
  const rounds = rig.base.on('eth_getLogs', (_, forward) => forward());
  await until('more rounds', async () => rounds.hits > 4);
  expect(await channelOf(rig, payer)).toMatchObject({ charged: 5_000, claimed: 0 });
  expect((await rig.tuppence('channels')).exitCode).toBe(0);
});

test('the collector claims spent funds while the node gives no logs, and books them when it does', async () => {
  const { payer, fetch } = await newBuyer();
  const logs = rig.base.on('eth_getLogs', async () => ({ fault: 'close' }));
  await logs.reached;
  await buy(rig, fetch, 2);
  await until('the claim', async () => (await channelOf(rig, payer)).claimed === 10_000);
  logs.remove();
  const { id } = await channelOf(rig, payer);
  await until('its event', async () => {
    const events = await rig.query("SELECT FROM channel_event WHERE channel_id = $1 AND name = 'Claimed'", [
      id,
    ]);
    return events.length === 1;
  });
});

test('a server with a node of another chain reads nothing of channels, and goes on with the right one', async () => {
  const { payer, fetch } = await newBuyer();
  await rig.restart({}, shortTimings);
  await buy(rig, fetch, 2);
  const known = await channelOf(rig, payer);
  const refund = await signRefund(rig, payer, { total: 10_000 });
  const other = await startEvmChain({ chainId: 42161 });
  try {
    // The other chain's blocks have higher numbers.
    await rpcCall(other.rpcUrl, 'anvil_mine', ['0x400']);
    await rig.kill();
    await rig.passTakeoverTime();
    await rig.start({ BASE_RPC_URL: other.rpcUrl });
    await expectLogged(rig.server(), 'payment channels are not offered');
    const refused = await send(refund);
    expect([refused.status, refused.body.error.code]).toEqual([503, 'service_unavailable']);
    // Enough rounds for the channel to have been read.
    await pause(10 * collectingTimings.channels.collectMs);
    expect(await channelOf(rig, payer)).toEqual(known);
  } finally {
    await rig.restart();
    await other.stop();
  }
  await until('the claim', async () => (await channelOf(rig, payer)).claimed === 10_000);
});

test('a withdrawal that begins is answered by a claim, and the payer takes the rest', async () => {
  const { payer, fetch } = await newBuyer();
  // Too little to be claimed for any other reason.
  await buy(rig, fetch, 1);
  const config = await configOf(rig, payer);
  await callContract(rig, payer, 'initiateWithdraw', [config, 1_000_000n]);
  await until('the claim', async () => (await channelOf(rig, payer)).claimed === 5_000);
  expect(await channelOf(rig, payer)).toMatchObject({ charged: 5_000, withdrawing: 1_000_000 });
  await onBase(rig, 'evm_increaseTime', config.withdrawDelay);
  await callContract(rig, payer, 'finalizeWithdraw', [config]);
  await until('the rest', async () => (await channelOf(rig, payer)).balance === 5_000);
  expect(await channelOf(rig, payer)).toMatchObject({ charged: 5_000, claimed: 5_000, withdrawing: 0 });
});
