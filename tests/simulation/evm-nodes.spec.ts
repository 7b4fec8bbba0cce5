import type { Hex } from 'viem';
import type { EvmNetwork } from '@/lib/payments/network-offers';
import { networkTable } from '@/lib/payments/network-table';
import { randomNumbers } from '../support/random';
import { expect, test } from '../support/without-browser';
import { Account, usdcCalls } from './evm/accounts';
import { SimulatedChain } from './evm/chain';
import {
  type NodeConditions,
  type NodeFault,
  nodeFaults,
  SimulatedNode,
  type SynchronousSends,
  sendToNodes,
} from './evm/node';
import { hexOf } from './evm/words';
import { VirtualTime } from './virtual-clock';

/** What anvil cannot show: how real nodes refuse and keep transactions, and how nodes fail. */

const [network] = networkTable.main as readonly [EvmNetwork, ...unknown[]];
const usdc = network.usdc as Hex;
const [payer, payee, sender] = ['payer', 'payee', 'sender'].map((name) => new Account(name)) as [
  Account,
  Account,
  Account,
];
const gwei = 10n ** 9n;

function open(conditions: Partial<NodeConditions> = {}, seed = 1) {
  const time = new VirtualTime();
  const clock = time.createClock();
  const chain = new SimulatedChain({ network, clock, baseFeeMin: gwei, gasLimit: 1_000_000 });
  chain.giveGas(sender.address, 10n ** 18n);
  chain.giveUsdc(sender.address, 1_000n);
  const node = new SimulatedNode(chain, clock, randomNumbers(seed), conditions);
  const ask = async (method: string, ...params: unknown[]) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const { signal } = new AbortController();
    return (await time.finish(node.send('http://node', body, signal), 60_000)) as {
      result?: unknown;
      error?: { code: number; message: string };
    };
  };
  return { time, clock, chain, node, ask };
}

interface Offer {
  readonly nonce?: number;
  readonly fee?: bigint;
  readonly tip?: bigint;
  readonly gas?: bigint;
}

function signed({ nonce = 0, fee = 2n * gwei, tip = 1_000n, gas = 100_000n }: Offer = {}): Hex {
  return sender.signer.signTransaction({
    type: 'eip1559',
    chainId: network.chainId,
    to: usdc,
    data: usdcCalls.transfer(payee.address, 1n),
    ...{ nonce, gas, maxFeePerGas: fee, maxPriorityFeePerGas: tip },
  });
}

test('a replacement has to raise both fees by a tenth, and gas that cannot suffice is refused', async () => {
  const { ask } = open();
  const attempt = async (offer: Offer) => {
    const { error } = await ask('eth_sendRawTransaction', signed(offer));
    return error?.message ?? 'taken';
  };
  const underpriced = 'replacement transaction underpriced';
  expect(await attempt({})).toBe('taken');
  expect(await attempt({ fee: 2n * gwei + 1n })).toBe(underpriced);
  expect(await attempt({ fee: 4n * gwei })).toBe(underpriced);
  expect(await attempt({ fee: (22n * gwei) / 10n - 1n, tip: 1_100n })).toBe(underpriced);
  expect(await attempt({ fee: (22n * gwei) / 10n, tip: 1_100n })).toBe('taken');
  expect(await attempt({ nonce: 1, gas: 21_000n })).toMatch(/^intrinsic gas too low/);
});

test('full blocks raise the base fee, and a transaction that offers less waits until it has fallen', async () => {
  const { ask, chain } = open();
  const { result: hash } = await ask('eth_sendRawTransaction', signed({ fee: (11n * gwei) / 10n }));
  chain.othersGas = 1_000_000;
  for (let block = 0; block < 3; block += 1) chain.mine();
  expect(chain.head.baseFeePerGas).toBeGreaterThan((11n * gwei) / 10n);
  chain.othersGas = 0;
  const heights: number[] = [];
  for (let block = 0; block < 4; block += 1) {
    chain.mine();
    if (chain.blocks.blockOf(hash as Hex, chain.head)) heights.push(chain.head.number);
  }
  expect(heights.length).toBeGreaterThan(0);
  expect(heights.length).toBeLessThan(4);
});

test('transactions that a reorganization removes return, come later, or are lost', async () => {
  for (const fate of ['at once', 'later', 'never'] as const) {
    const { ask, chain } = open();
    const { result: hash } = await ask('eth_sendRawTransaction', signed());
    const before = chain.mine();
    chain.mine();
    const isMined = () => chain.blocks.blockOf(hash as Hex, chain.head) !== null;
    expect(isMined()).toBe(true);
    chain.reorganize(2, {
      isDelayed: fate === 'later',
      fateOf: () => (fate === 'never' ? 'lost' : 'returns'),
    });
    expect(chain.head.number).toBe(before.number + 1);
    expect(isMined()).toBe(fate === 'at once');
    expect(chain.usdcOf(payee.address)).toBe(fate === 'at once' ? 1n : 0n);
    chain.mine();
    expect(isMined()).toBe(fate !== 'never');
    expect(chain.nonceOf(sender.address)).toBe(fate === 'never' ? 0 : 1);
    // The old branch can still be read.
    expect(chain.usdcOf(payee.address, before)).toBe(1n);
  }
});

test('a node that lags or is stuck answers from its own newest block, also on a branch that was removed', async () => {
  const { ask, chain, node } = open();
  const height = async () => Number((await ask('eth_blockNumber')).result);
  const owned = async () =>
    (await ask('eth_call', { to: usdc, data: usdcCalls.balanceOf(payee.address) })).result;
  const { result: hash } = await ask('eth_sendRawTransaction', signed());
  const first = chain.head.number;
  chain.mine();
  node.conditions.lagBlocks = 1;
  expect(await height()).toBe(first);
  expect((await ask('eth_getTransactionReceipt', hash)).result).toBeNull();
  expect(BigInt((await owned()) as Hex)).toBe(0n);
  node.conditions.lagBlocks = 0;
  node.stick();
  chain.reorganize(1, { fateOf: () => 'lost' });
  chain.mine();
  expect(await height()).toBe(first + 1);
  expect((await ask('eth_getTransactionReceipt', hash)).result).not.toBeNull();
  expect(BigInt((await owned()) as Hex)).toBe(1n);
  node.follow();
  expect(await height()).toBe(first + 2);
  expect((await ask('eth_getTransactionReceipt', hash)).result).toBeNull();
});

/** What each fault does to a broadcast: how it ends, and whether the transaction is waiting then. */
const endings: Readonly<Record<NodeFault, { readonly ends: RegExp; readonly isThere: boolean }>> = {
  request_lost: { ends: /ECONNRESET/, isThere: false },
  answer_lost: { ends: /ECONNRESET/, isThere: true },
  hangs: { ends: /gave up/, isThere: false },
  overloaded: { ends: /Too Many Requests/, isThere: false },
  late: { ends: /taken/, isThere: true },
  doubled: { ends: /taken/, isThere: true },
  broadcast_dropped: { ends: /taken/, isThere: false },
  lie: { ends: /taken/, isThere: true },
};

for (const fault of nodeFaults) {
  test(`a node with the fault "${fault}" treats a broadcast as such nodes do`, async () => {
    const { time, clock, chain, node } = open({ rates: { [fault]: 1 } });
    const abort = new AbortController();
    clock.after(20_000, () => abort.abort(new Error('gave up')));
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 7,
      method: 'eth_sendRawTransaction',
      params: [signed()],
    });
    const startedAt = time.nowMs;
    const sent = node.send('http://node', body, abort.signal).then(
      () => 'taken',
      (error: unknown) => String(error),
    );
    expect(await time.finish(sent, 60_000)).toMatch(endings[fault].ends);
    if (fault === 'late') expect(time.nowMs - startedAt).toBeGreaterThanOrEqual(node.conditions.lateMs[0]);
    await time.pass(30_000);
    expect(chain.mempool.size).toBe(endings[fault].isThere ? 1 : 0);
    expect(node.happened.get(fault) ?? 0).toBe(fault === 'lie' ? 0 : 1);
  });
}

test('a node that waits for blocks gives up, lets only so many wait, and refuses what overtakes its predecessor', async () => {
  const method = 'eth_sendRawTransactionSync';
  const usual = { waitMs: 20_000, openMax: 2, refusal: 'error', gaps: 'refused' } as const;
  const openWith = (synchronous: Partial<SynchronousSends>) =>
    open({ synchronous: { ...usual, ...synchronous } });
  const { chain, time, ask, node } = openWith({});
  expect((await ask(method, '0x00')).error).toEqual((await ask('eth_sendRawTransaction', '0x00')).error);
  expect((await ask(method, signed({ nonce: 1 }))).error?.code).toBe(-32_000);
  expect(chain.mempool.size).toBe(0);
  chain.start();
  const startedAt = time.nowMs;
  expect((await ask(method, signed())).result).toMatchObject({ status: '0x1' });
  expect(time.nowMs - startedAt).toBeGreaterThan(1_000);
  expect(node.happened.get('gap_refused')).toBe(1);

  const silent = openWith({ gaps: 'refused as waiting', waitMs: 500 });
  expect((await silent.ask(method, signed({ nonce: 1 }))).error?.code).toBe(4);
  expect(silent.chain.mempool.size).toBe(0);
  expect((await silent.ask(method, signed())).error?.code).toBe(4);
  expect(silent.chain.mempool.size).toBe(1);
  expect(silent.node.happened.get('not_yet_mined')).toBe(1);

  const busy = openWith({ openMax: 1, refusal: 'status' });
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [signed()] });
  void busy.node.send('http://node', body, new AbortController().signal);
  await busy.time.pass(100);
  await expect(busy.ask(method, signed({ nonce: 1 }))).rejects.toThrow('Too Many Requests');

  expect((await open().ask(method, signed())).error?.code).toBe(-32_601);
});

test('a node that is down refuses connections, and one that hangs answers nobody', async () => {
  const { time, clock, node } = open();
  const ask = async () => {
    const abort = new AbortController();
    clock.after(5_000, () => abort.abort(new Error('gave up')));
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId' });
    const send = sendToNodes(new Map([['http://node', node]]));
    return time.finish(send('http://node', body, abort.signal).then(JSON.stringify, String), 60_000);
  };
  expect(await ask()).toContain('"0x2105"');
  node.conditions.isDown = true;
  expect(await ask()).toContain('ECONNREFUSED');
  node.conditions.isDown = false;
  node.conditions.isHanging = true;
  expect(await ask()).toContain('gave up');
});

test('a node that lies says nothing false about what is final', async () => {
  const { ask, chain, node } = open({ rates: { lie: 1 } });
  const { result: hash } = await ask('eth_sendRawTransaction', signed());
  const asked = [
    ['eth_getTransactionReceipt', hash],
    ['eth_getBlockByNumber', hexOf(chain.head.number + 1), false],
    ['eth_call', { to: usdc, data: usdcCalls.balanceOf(payee.address) }, hexOf(chain.head.number + 1)],
  ] as const;
  const answers = async () => {
    const all: unknown[] = [];
    for (const [method, ...params] of asked) all.push((await ask(method, ...params)).result);
    return JSON.stringify(all);
  };
  // It waits, and is said to be in a block that does not exist.
  expect((await ask('eth_getTransactionReceipt', hash)).result).toMatchObject({
    transactionHash: hash,
    status: '0x1',
  });
  chain.mine();
  const honest = async () => {
    node.conditions.rates = {};
    const all = await answers();
    node.conditions.rates = { lie: 1 };
    return all;
  };
  expect(await answers()).not.toBe(await honest());
  while (chain.tagged('finalized').transactions.length === 0) chain.mine();
  for (let time = 0; time < 5; time += 1) expect(await answers()).toBe(await honest());
});

test('equal seeds have equal faults, and other seeds have others', async () => {
  const traceOf = async (seed: number) => {
    const rates = Object.fromEntries(nodeFaults.map((fault) => [fault, 0.2]));
    const { time, clock, chain, node } = open({ rates }, seed);
    chain.start();
    const trace: string[] = [];
    for (let turn = 0; turn < 20; turn += 1) {
      const abort = new AbortController();
      const cancel = clock.after(10_000, () => abort.abort(new Error('gave up')));
      const method = turn % 5 === 0 ? 'eth_sendRawTransaction' : 'eth_getBlockByNumber';
      const params = turn % 5 === 0 ? [signed({ nonce: turn / 5 })] : ['latest', false];
      const body = JSON.stringify({ jsonrpc: '2.0', id: turn, method, params });
      const sent = node.send('http://node', body, abort.signal).then(JSON.stringify, String);
      trace.push(`${await time.finish(sent, 60_000)} ${time.nowMs}`);
      cancel();
    }
    return trace;
  };
  const one = await traceOf(1);
  expect(await traceOf(1)).toEqual(one);
  expect(await traceOf(2)).not.toEqual(one);
});

test('signatures are really checked: of transactions, and of payments', async () => {
  const { ask, chain } = open();
  const raw = signed();
  const forged: Hex = `${raw.slice(0, -4) as Hex}${raw.slice(-4) === '0000' ? '0001' : '0000'}`;
  const { result, error } = await ask('eth_sendRawTransaction', forged);
  // Another signature is that of another account, which has no money for gas.
  expect(error?.message ?? result).toMatch(/insufficient funds|invalid transaction v, r, s values/);
  const authorization = {
    ...{ from: payer.address, to: payee.address, value: 0n },
    ...{ validAfter: 0n, validBefore: 2n ** 40n, nonce: `0x${'07'.repeat(32)}` as Hex },
  };
  const data = usdcCalls.transferParts(authorization, sender.authorize(network, authorization));
  const refused = await ask('eth_call', { to: usdc, data }, hexOf(chain.head.number));
  expect(refused.error?.message).toBe('execution reverted: FiatTokenV2: invalid signature');
});
