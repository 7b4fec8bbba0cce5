import type { Charge } from '@/lib/payments/outcome';
import type { Payment } from '@/lib/payments/payment';
import { productionTimings } from '@/lib/platform/timings';
import { MemoryDatabase } from '@/packages/paywall/memory/memory-database';
import { memoryJournal } from '@/packages/paywall/memory/memory-journal';
import { expect, test } from '../support/without-browser';
import { noClusterFaults } from './solana/chain';
import { changeTokenAccount } from './solana/funding';
import { noNodeFaults } from './solana/node';
import { walletOf } from './solana/transfers';
import { vaultOf } from './solana/wallet-program';
import { SolanaWorld, settlingCall, type WorldOptions } from './solana/world';
import { MemoryProcess } from './stores/memory-process';
import { makeCryptoSynchronous } from './synchronous-crypto';

const network = 'solana-mainnet';
const price = 10_000n;
const minuteMs = 60_000;
const slotMs = 400;

interface Claimed {
  readonly charge: Charge;
  readonly trace: { readonly id: string; readonly sinceHeight: bigint; readonly transactionHash: null };
}

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
  claim(payer: string): Claimed {
    this.world.fund(payer, 1_000_000n);
    return this.#claim(this.world.pay(payer, price));
  }

  /** The same for the smart wallet of a member. */
  claimFromWallet(member: string, changes: Parameters<SolanaWorld['payFromWallet']>[2] = {}) {
    this.world.fundWallet(member, 1_000_000n);
    return this.#claim(this.world.payFromWallet(member, price, changes));
  }

  #claim(payment: Payment): Claimed {
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

test('a payment that a facilitator settles on Solana is not refused because one of two nodes does not list it', async () => {
  const service = new Service({ nodes: 2 });
  const { world } = service;
  const { charge, trace } = service.claim('payer');
  await service.finish(service.settler.settle(charge));
  const lookup = world.openLookup(world.time.createClock());
  // By now its blockhash has expired.
  await service.pass(300);
  const look = () => service.finish(lookup.resolveOutcome(charge.payment, trace));
  for (const node of world.nodes) {
    node.listsNothing = true;
    const isLast = node === world.nodes.at(-1);
    expect((await look()).kind).toBe(isLast ? 'refused' : 'settled');
  }
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

test.describe('smart wallets', () => {
  let undo = () => {};
  test.beforeAll(() => {
    undo = makeCryptoSynchronous();
  });
  test.afterAll(() => undo());

  const failed = { kind: 'refused', reason: 'invalid_exact_svm_transaction_failed' };

  test("a smart wallet's payment is verified by what its program does, and paid from its vault", async () => {
    const service = new Service({ nodes: 2 });
    const { world, settler } = service;
    const { charge } = service.claimFromWallet('member');
    expect(await service.finish(settler.verify(charge.payment))).toEqual({ ok: true, height: world.height });
    expect(await service.finish(settler.settle(charge))).toMatchObject({ kind: 'settled' });
    expect(world.paid()).toBe(price);
    expect(await service.finish(settler.usdcOf(charge.payment.payer))).toBe(1_000_000n - price);
  });

  test("a smart wallet's payment is refused when its program does not pay the price, once", async () => {
    const service = new Service();
    const { world, settler } = service;
    const { charge } = service.claimFromWallet('member');
    const verify = async (payment = charge.payment) => {
      const verification = await service.finish(settler.verify(payment));
      return verification.ok ? 'ok' : verification.reason;
    };
    const because = 'invalid_exact_svm_smart_wallet_';
    const reasons = {
      doesNothing: `${because}no_transfer_in_simulation`,
      paysHalf: `${because}transfer_mismatch`,
      paysTwice: `${because}multiple_matching_transfers`,
      fails: 'invalid_exact_svm_transaction_simulation_failed',
      computesForever: 'invalid_exact_svm_transaction_simulation_failed',
    } as const;
    for (const behavior of Object.keys(reasons) as (keyof typeof reasons)[]) {
      world.changeWallet('member', behavior);
      await service.pass(2);
      expect(await verify(), behavior).toBe(reasons[behavior]);
    }
    world.changeWallet('member', 'pays');
    await service.pass(2);
    // More than the price, which the official check accepts.
    const generous = { ...world.payFromWallet('member', price + 1n, { memo: 'more' }), amountAtomic: price };
    expect(await verify(generous)).toBe(`${because}transfer_mismatch`);
    expect(await verify(world.payFromWallet('member', price, { computeUnits: 400_001 }))).toBe(
      `${because}compute_units_too_high`,
    );
    expect(await verify(world.payFromWallet('member', price, { microLamportsPerUnit: 50_001 }))).toBe(
      `${because}priority_fee_too_high`,
    );
    world.fundWallet('poor member', price - 1n);
    expect(await verify(world.payFromWallet('poor member', price))).toBe(
      'invalid_exact_svm_transaction_simulation_failed_insufficient_balance',
    );
    expect(await verify()).toBe('ok');
  });

  test('a smart wallet that changes between its verification and its block is refused, whatever its transaction says', async () => {
    for (const behavior of ['doesNothing', 'paysHalf', 'fails'] as const) {
      const service = new Service({ nodes: 2 });
      const { world, settler } = service;
      const { charge, trace } = service.claimFromWallet('member');
      const settling = settler.settle(charge);
      // Its verification right before it is sent still sees the old behavior.
      world.changeWallet('member', behavior);
      expect(await service.finish(settling), behavior).toEqual({ ...failed, isReversible: true });
      const look = () => service.finish(settler.resolveOutcome(charge.payment, trace));
      expect(await look()).toEqual({ ...failed, isReversible: true });
      await service.pass(40);
      expect(await look()).toEqual(failed);
      expect(service.stateOf(charge)).toBe('refused');
      expect(service.transactions).toEqual([{ state: 'confirmed', hash: expect.any(String) }]);
    }
  });

  test("a smart wallet's payment counts only once every node that answers has its transaction", async () => {
    const service = new Service({ nodes: 2 });
    const { charge, trace } = service.claimFromWallet('member');
    const [, behind] = service.world.nodes;
    if (!behind) throw new Error('there is no second node');
    behind.slotsBehind = (method) => (method === 'getTransaction' ? 10_000 : 0);
    expect(await service.finish(service.settler.settle(charge))).toMatchObject({ kind: 'unknown' });
    const look = () => service.finish(service.settler.resolveOutcome(charge.payment, trace));
    expect(await look()).toMatchObject({ kind: 'unknown' });
    behind.slotsBehind = null;
    expect(await look()).toMatchObject({ kind: 'settled' });
  });

  test('a smart wallet that has cost four fees in vain within an hour waits, and others do not', async () => {
    const service = new Service();
    const { world, settler } = service;
    for (let attempt = 0; attempt < 4; attempt += 1) {
      world.changeWallet('member', 'pays');
      await service.pass(2);
      const { charge } = service.claimFromWallet('member', {
        memo: `${attempt}`,
        computeUnits: 400_000,
        microLamportsPerUnit: 50_000,
      });
      const settling = settler.settle(charge);
      world.changeWallet('member', 'doesNothing');
      expect(await service.finish(settling)).toMatchObject(failed);
    }
    world.changeWallet('member', 'pays');
    await service.pass(2);
    const { charge } = service.claimFromWallet('member', { memo: 'once more' });
    expect(await service.finish(settler.verify(charge.payment))).toMatchObject({
      ok: false,
      reason: 'gas_budget_exceeded',
      retryAfterSeconds: expect.any(Number),
    });
    expect(await service.finish(settler.settle(charge))).toEqual({
      kind: 'refused',
      reason: 'gas_budget_exceeded',
    });
    const other = service.claimFromWallet('other member');
    expect(await service.finish(settler.settle(other.charge))).toMatchObject({ kind: 'settled' });
  });

  test("a smart wallet's payment whose block a fork abandons is looked up again, because its program may do something else", async () => {
    const service = new Service({ nodes: 2 });
    const { world, settler } = service;
    const { charge, trace } = service.claimFromWallet('member');
    await service.pass(10);
    const outcome = await service.finish(settler.settle(charge));
    if (outcome.kind !== 'settled' || !outcome.block || !outcome.transactionHash)
      throw new Error('not settled');
    world.cluster.fork(5);
    await service.pass(50);
    const settled = [{ hash: outcome.transactionHash, block: outcome.block }];
    const checked = await service.finish(settler.checkFinality(settled));
    expect(checked.get(outcome.transactionHash)).toEqual({ kind: 'vanished' });
    expect(await service.finish(settler.resolveOutcome(charge.payment, trace))).toMatchObject({
      kind: 'settled',
    });
    expect(world.paid()).toBe(price);
  });

  test("a smart wallet's payment is recognized as the same after the payee has changed, and then pays somebody else", () => {
    const { world } = new Service();
    const signed = { to: walletOf('an earlier payee').publicKey, memo: 'for call 7' };
    const payment = world.payFromWallet('member', price, signed);
    const again = world.payFromWallet('member', price, signed);
    expect(again.authorization).toBe(payment.authorization);
    expect(payment).toMatchObject({
      payer: vaultOf(walletOf('member').publicKey).vault.toBase58(),
      payTo: 'somebody else',
    });
  });

  test('a call of a program is no payment where it is not clear which of its accounts pays', () => {
    const { world } = new Service();
    const payee = walletOf('our payee').publicKey;
    const payment = (changes: object) => () => world.payFromWallet('member', price, changes);
    // The payee's own address beside its token account: it might be the one that pays.
    expect(payment({ more: [payee] })).toThrow('this is no payment');
    expect(payment({ more: Array.from({ length: 18 }, (_, at) => walletOf(`x${at}`).publicKey) })).toThrow();
    expect(payment({ signers: [] })).toThrow('this is no payment');
    expect(payment({ more: [walletOf('x').publicKey] })).not.toThrow();
  });

  test('the program of a smart wallet is asked whether somebody who signs may pay from it, even with an old blockhash', async () => {
    const service = new Service();
    const { world, settler } = service;
    const { charge } = service.claimFromWallet('member');
    await service.pass(200);
    expect(await service.finish(settler.askWallet(charge.payment))).toBe('signed');
    world.changeWallet('member', 'fails');
    await service.pass(2);
    expect(await service.finish(settler.askWallet(charge.payment))).toBe('not_signed');
  });
});
