import type { Charge } from '@/lib/payments/outcome';
import { productionTimings } from '@/lib/platform/timings';
import { expect, test } from '../support/without-browser';
import { noClusterFaults } from './solana/chain';
import { changeTokenAccount } from './solana/funding';
import { noNodeFaults } from './solana/node';
import { SolanaWorld, settlingCall, type WorldOptions } from './solana/world';
import { MemoryDatabase } from './stores/memory-database';
import { memoryJournal } from './stores/memory-journal';
import { MemoryProcess } from './stores/memory-process';
import { makeCryptoSynchronous } from './synchronous-crypto';

const network = 'solana-mainnet';
const price = 10_000n;
const minuteMs = 60_000;
const slotMs = 400;

/** A world in which one process of ours settles the payments of some payers. */
class Service {
  readonly world: SolanaWorld;
  readonly #database: MemoryDatabase;
  readonly settler;
  readonly process: MemoryProcess;

  constructor(options: WorldOptions = {}) {
    this.world = new SolanaWorld(options);
    this.#database = new MemoryDatabase(this.world.time.createClock());
    const clock = this.world.time.createClock();
    const timings = productionTimings;
    this.process = new MemoryProcess(this.#database, clock, { id: 'one', settles: [network], timings });
    this.settler = this.world.openSettler(clock, memoryJournal(this.process));
  }

  /** Stores a call of a payer who has a dollar, and its payment. */
  claim(payer: string): {
    charge: Charge;
    trace: { id: string; sinceHeight: bigint; transactionHash: null };
  } {
    this.world.fund(payer, 1_000_000n);
    const payment = this.world.pay(payer, price);
    const id = this.#database.newId('pc');
    this.#database.execute(({ paidCall }) => paidCall.insert(settlingCall(id, payment, this.world.height)));
    return {
      charge: { paidCallId: id, payment },
      trace: { id, sinceHeight: this.world.height, transactionHash: null },
    };
  }

  finish<T>(work: Promise<T>, withinMs = 5 * minuteMs): Promise<T> {
    return this.world.time.finish(work, withinMs);
  }

  pass(slots: number): Promise<void> {
    return this.world.time.pass(slots * slotMs);
  }

  stateOf({ paidCallId }: Charge) {
    return this.#database.tables.paidCall.get(paidCallId)?.state;
  }

  get transactions() {
    return this.#database.tables.settlementTransaction
      .where(() => true)
      .map(({ state, hash }) => ({ state, hash }));
  }
}

test.describe('on a virtual clock', () => {
  let undo = () => {};
  test.beforeAll(() => {
    undo = makeCryptoSynchronous();
  });
  test.afterAll(() => undo());

  test('a Solana payment is verified before it is settled, and refused for the reasons of the real cluster', async () => {
    const service = new Service({ nodes: 2 });
    const { world, settler } = service;
    const { charge } = service.claim('payer');
    const verify = (payment = charge.payment) => service.finish(settler.verify(payment));
    expect(await verify()).toEqual({ ok: true, height: world.height });
    const rejected = (reason: string) => ({ ok: false, reason, height: world.height });
    const simulationFailed = 'invalid_exact_svm_transaction_simulation_failed';
    world.fund('poor payer', price - 1n);
    const poor = world.pay('poor payer', price, { memo: 'poor' });
    expect(await verify(poor)).toEqual(rejected(`${simulationFailed}_insufficient_balance`));
    changeTokenAccount(world.cluster, charge.payment.payer, 'frozen');
    await service.pass(2);
    expect(await verify()).toEqual(rejected('payer_blocked'));
    changeTokenAccount(world.cluster, charge.payment.payer, 'initialized');
    await service.pass(2);
    expect(await verify()).toMatchObject({ ok: true });
    expect(await service.finish(settler.settle(charge))).toMatchObject({ kind: 'settled' });
    expect(await verify()).toEqual(rejected(simulationFailed));
    const late = world.pay('payer', price, { memo: 'late' });
    await service.pass(152);
    expect(await verify(late)).toEqual(rejected(simulationFailed));
    for (const node of world.nodes) node.isDown = true;
    await expect(verify(late)).rejects.toThrow('the connection broke');
  });

  test('a Solana payment is not refused because machines of one address are far apart', async () => {
    const service = new Service();
    const { world, settler } = service;
    const [node] = world.nodes;
    if (!node) throw new Error('there is no node');
    const { charge, trace } = service.claim('payer');
    // One tells the height, and another one simulates. Later, none that is asked has reached the block of the blockhash.
    node.slotsBehind = (method) => (method === 'simulateTransaction' ? 0 : 300);
    const verification = await service.finish(settler.verify(charge.payment));
    expect(verification.ok).toBe(true);
    const behind = new Map([
      ['getEpochInfo', 60],
      ['isBlockhashValid', 50],
      ['getSignatureStatuses', 40],
    ]);
    node.slotsBehind = (method) => behind.get(method) ?? 0;
    const sinceHeight = verification.height;
    const looked = await service.finish(settler.resolveOutcome(charge.payment, { ...trace, sinceHeight }));
    expect(looked).toMatchObject({ kind: 'unknown', isUnused: true });
    node.slotsBehind = null;
    expect(await service.finish(settler.settle(charge))).toMatchObject({ kind: 'settled' });
    // Its blockhash has expired since. A machine that does not have its block is no proof against it.
    await service.pass(300);
    node.slotsBehind = (method) => (method === 'getSignatureStatuses' ? 310 : 0);
    const absent = await service.finish(settler.resolveOutcome(charge.payment, trace));
    expect(absent).toEqual({ kind: 'unknown', transactionHash: null });
    node.slotsBehind = null;
    expect(await service.finish(settler.resolveOutcome(charge.payment, trace))).toMatchObject({
      kind: 'settled',
    });
  });
});

test('a payment that a facilitator settles on Solana is not refused because machines of one address are far apart', async () => {
  const service = new Service();
  const { world } = service;
  const [node] = world.nodes;
  if (!node) throw new Error('there is no node');
  const { charge, trace } = service.claim('payer');
  const lookup = world.openLookup(world.time.createClock());
  const verify = () => service.finish(lookup.verify(charge.payment));
  // One tells the height, and another one knows the blockhash.
  node.slotsBehind = (method) => (method === 'isBlockhashValid' ? 0 : 300);
  const verification = await verify();
  expect(verification.ok).toBe(true);
  expect(verification.height).toBeGreaterThanOrEqual(world.height);
  // Later, none that is asked has reached the block of the blockhash.
  node.slotsBehind = (method) => (method === 'getEpochInfo' ? 60 : 50);
  const sinceHeight = verification.height;
  const looked = await service.finish(lookup.resolveOutcome(charge.payment, { ...trace, sinceHeight }));
  expect(looked.kind).toBe('unknown');
  node.slotsBehind = () => 300;
  expect(await verify()).toMatchObject({ ok: false });
});

test('a payment on Solana settles, and its block becomes final', async () => {
  const service = new Service({ nodes: 2 });
  const { charge } = service.claim('payer');
  const outcome = await service.finish(service.settler.settle(charge));
  expect(outcome).toMatchObject({ kind: 'settled', transactionHash: expect.any(String) });
  if (outcome.kind !== 'settled' || !outcome.block || !outcome.transactionHash)
    throw new Error('not settled');
  expect(service.stateOf(charge)).toBe('settled');
  expect(service.world.paid()).toBe(price);
  const settled = [{ hash: outcome.transactionHash, block: outcome.block }];
  const before = await service.finish(service.settler.checkFinality(settled));
  expect(before.get(outcome.transactionHash)?.kind).toBe('included');
  await service.pass(40);
  const after = await service.finish(service.settler.checkFinality(settled));
  expect(after.get(outcome.transactionHash)).toEqual({ kind: 'final', block: outcome.block });
  expect(service.transactions).toEqual([{ state: 'confirmed', hash: outcome.transactionHash }]);
});

test('a broadcast to Solana that was lost is sent again', async () => {
  for (const fault of ['dropped', 'lostRequests', 'lostAnswers'] as const) {
    const service = new Service({ node: { [fault]: 1 } });
    const { charge } = service.claim('payer');
    const settling = service.settler.settle(charge);
    await service.pass(4);
    expect(service.world.paid()).toBe(fault === 'lostAnswers' ? price : 0n);
    for (const node of service.world.nodes) node.faults = noNodeFaults;
    expect(await service.finish(settling)).toMatchObject({ kind: 'settled' });
    expect(service.world.paid()).toBe(price);
  }
});

test('a payment whose block a fork abandons is looked up again, and ends as the chain does', async () => {
  for (const lostInFork of [0, 1]) {
    const service = new Service({ nodes: 2, cluster: { lostInFork } });
    const { charge, trace } = service.claim('payer');
    // The payment's blockhash is older than the blocks that the fork abandons.
    await service.pass(10);
    const outcome = await service.finish(service.settler.settle(charge));
    if (outcome.kind !== 'settled' || !outcome.block || !outcome.transactionHash)
      throw new Error('not settled');
    service.world.cluster.fork(5);
    await service.pass(50);
    const settled = [{ hash: outcome.transactionHash, block: outcome.block }];
    const checked = await service.finish(service.settler.checkFinality(settled));
    const status = checked.get(outcome.transactionHash);
    if (lostInFork) expect(status).toEqual({ kind: 'vanished' });
    else expect(status).toMatchObject({ kind: 'final' });
    const looking = service.settler.resolveOutcome(charge.payment, trace);
    const found = await service.finish(looking);
    expect(found).toMatchObject(lostInFork ? { kind: 'unknown', isUnused: true } : { kind: 'settled' });
    if (found.kind === 'settled') expect(found.block).not.toEqual(outcome.block);
    // Sent again within the life of its blockhash, it is paid once.
    const again = await service.finish(service.settler.settle(charge));
    expect(again.kind).toBe('settled');
    expect(service.world.paid()).toBe(price);
  }
});

test('a payment on Solana that failed in a block is refused for good once that block is final', async () => {
  const service = new Service({ nodes: 2 });
  const { charge, trace } = service.claim('payer');
  const failed = { kind: 'refused', reason: 'invalid_exact_svm_transaction_failed' };
  changeTokenAccount(service.world.cluster, charge.payment.payer, 'frozen');
  expect(await service.finish(service.settler.settle(charge))).toEqual({ ...failed, isReversible: true });
  const look = () => service.finish(service.settler.resolveOutcome(charge.payment, trace));
  expect(await look()).toEqual({ ...failed, isReversible: true });
  await service.pass(40);
  expect(await look()).toEqual(failed);
});

test('a payment on Solana that never got into a block is refused once its blockhash has expired, and not before', async () => {
  const service = new Service({ nodes: 2, cluster: { lostOnTheWay: 1 } });
  const { charge, trace } = service.claim('payer');
  expect(await service.finish(service.settler.settle(charge))).toMatchObject({ kind: 'unknown' });
  const look = () => service.finish(service.settler.resolveOutcome(charge.payment, trace));
  expect(await look()).toMatchObject({ kind: 'unknown', isUnused: true });
  let outcome = await look();
  for (let round = 0; outcome.kind === 'unknown' && round < 100; round += 1) {
    await service.pass(10);
    outcome = await look();
  }
  expect(outcome).toEqual({ kind: 'refused', reason: 'transaction_expired_unused' });
  // Now it can reach the leaders, and no block takes it.
  service.world.cluster.faults = noClusterFaults;
  expect(await service.finish(service.settler.settle(charge))).toMatchObject({ kind: 'unknown' });
  expect(service.world.paid()).toBe(0n);
  // What a dead process leaves behind is given up by another.
  expect(service.transactions).toMatchObject([{ state: 'prepared' }]);
  await service.world.time.pass(5 * minuteMs);
  const work = { hasQueued: false, hasOpen: true, hasLeftBehind: true, leased: [] };
  await service.finish(service.settler.maintain(work));
  expect(service.transactions).toMatchObject([{ state: 'replaced' }]);
});

test('a payment on Solana is not refused while its blockhash is valid, however long ago it was accepted as the nodes tell', async () => {
  const service = new Service();
  await service.pass(300);
  const { charge, trace } = service.claim('payer');
  const looking = service.settler.resolveOutcome(charge.payment, { ...trace, sinceHeight: 0n });
  expect(await service.finish(looking)).toMatchObject({ kind: 'unknown', isUnused: true });
  expect(await service.finish(service.settler.settle(charge))).toMatchObject({ kind: 'settled' });
});

test('a payment on Solana that was never made is refused although the node that tells so is always some slots behind', async () => {
  const service = new Service();
  const [node] = service.world.nodes;
  if (!node) throw new Error('there is no node');
  const { charge, trace } = service.claim('payer');
  await service.pass(300);
  node.slotsBehind = (method) => (method === 'getSignatureStatuses' ? 4 : 0);
  const look = () => service.finish(service.settler.resolveOutcome(charge.payment, trace));
  expect(await look()).toMatchObject({ kind: 'unknown' });
  await service.pass(50);
  expect(await look()).toEqual({ kind: 'refused', reason: 'transaction_expired_unused' });
});

test('a refund on Solana is signed again only once the transaction that was sent can be in no block any more', async () => {
  const world = new SolanaWorld({ nodes: 2 });
  const clock = world.time.createClock();
  const reader = world.openRefundReader(clock);
  const finish = <T>(work: Promise<T>) => world.time.finish(work, minuteMs);
  const sentAt = clock.date();
  const untilHeight = await finish(reader.signedUntilHeight());
  const canSignAgain = () => finish(reader.canSignAgain(sentAt, { until: null, untilHeight }));
  expect(await canSignAgain()).toBe(false);
  // Its blockhash lives for a number of blocks. Those are final some 32 later.
  while (world.height <= untilHeight) await world.time.pass(slotMs);
  expect(await canSignAgain()).toBe(false);
  await world.time.pass(40 * slotMs);
  expect(await canSignAgain()).toBe(true);
});
