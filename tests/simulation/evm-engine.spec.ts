import type { Charge } from '@/lib/payments/outcome';
import { pick } from '../support/random';
import { fullOnly } from '../support/tiers';
import { expect, test } from '../support/without-browser';
import { EngineWorld } from './evm/engine';

const minuteMs = 60_000;

test('one payment settles on the simulated chain', async () => {
  const world = new EngineWorld();
  const one = await world.start();
  expect(await world.time.finish(one.settler.check(), minuteMs)).toEqual([]);
  const charge = world.newCharge();
  const verified = await world.time.finish(one.settler.verify(charge.payment), minuteMs);
  expect(verified).toMatchObject({ ok: true });
  await world.time.finish(one.settle(charge), minuteMs);
  expect(world.callOf(charge).state).toBe('settled');
  expect(world.receivedAtomic).toBe(world.priceAtomic);
  expect(await world.time.finish(one.settler.verify(charge.payment), minuteMs)).toMatchObject({
    ok: false,
    reason: 'invalid_exact_evm_nonce_already_used',
  });
});

test('a broadcast that a node has lost is sent again, and one that nobody takes is replaced with higher fees', async () => {
  for (const lostForMs of [2_000, 50_000]) {
    const world = new EngineWorld();
    const one = await world.start();
    const charge = world.newCharge();
    const [node] = world.nodes;
    if (!node) throw new Error('the chain has no node');
    node.conditions.rates = { broadcast_dropped: 1 };
    const settled = one.settle(charge);
    await world.time.pass(2_000);
    const first = world.transactionOf(charge);
    await world.time.pass(lostForMs - 2_000);
    expect(world.receivedAtomic).toBe(0n);
    node.conditions.rates = {};
    await world.time.finish(settled, minuteMs);
    expect(world.callOf(charge).state).toBe('settled');
    expect(world.receivedAtomic).toBe(world.priceAtomic);
    expect(world.transactionOf(charge) === first).toBe(lostForMs < 45_000);
  }
});

test(
  'a payment settles again after a reorganization, whether its transaction returns or is lost',
  fullOnly,
  async () => {
    for (const fate of ['returns', 'lost'] as const) {
      const world = new EngineWorld();
      const one = await world.start();
      void one.run();
      const charge = world.newCharge();
      await world.time.finish(one.settle(charge), minuteMs);
      const { settlementId } = world.callOf(charge);
      await world.time.pass(10_000);
      const depth = world.chain.head.number - Number(settledIn(world, settlementId)) + 1;
      world.chain.reorganize(depth, { fateOf: () => fate, isDelayed: true });
      expect(world.receivedAtomic).toBe(0n);
      await world.time.runUntil(() => world.callOf(charge).state === 'unknown', minuteMs);
      await world.time.runUntil(() => world.callOf(charge).state === 'settled', minuteMs);
      expect(world.receivedAtomic).toBe(world.priceAtomic);
      await world.time.pass(30 * minuteMs);
      expect(world.callOf(charge).state).toBe('settled');
      expect(world.receivedAtomic).toBe(world.priceAtomic);
    }
  },
);

function settledIn(world: EngineWorld, settlementId: string | null): bigint {
  const row = world.database.tables.settlementTransaction.get(settlementId ?? '');
  if (row?.blockNumber == null) throw new Error('the transaction is in no block');
  return row.blockNumber;
}

test('a payment is found in a block before the newest one of when it arrived', async () => {
  const world = new EngineWorld();
  const one = await world.start();
  await world.time.pass(10_000);
  const charge = world.newCharge();
  const arrivedAt = BigInt(world.chain.head.number);
  world.interfere(charge, 'submits');
  await world.time.pass(2_000);
  // The transaction is in the next block, and then in the first of the blocks that replace it and others.
  world.chain.reorganize(4);
  expect(world.receivedAtomic).toBe(world.priceAtomic);
  // A node that was far ahead of the others, or lied, may have told the height.
  for (const sinceHeight of [arrivedAt, arrivedAt + 1_000n]) {
    const trace = { sinceHeight, transactionHash: null };
    const outcome = await world.time.finish(one.settler.resolveOutcome(charge.payment, trace), minuteMs);
    expect(outcome).toMatchObject({ kind: 'settled', block: { number: arrivedAt - 2n } });
  }
});

test('a payment that another transaction carries out after a reorganization is not refused', async () => {
  const world = new EngineWorld();
  const one = await world.start();
  const charge = world.newCharge();
  const first = world.interfere(charge, 'submits');
  world.interfere(charge, 'submits', 'another stranger');
  await world.time.pass(2_000);
  const isSuccess = () =>
    world.chain.head.transactions.find(({ transaction }) => transaction.hash === first)?.isSuccess;
  expect(isSuccess()).toBe(true);
  // The log has been found, and its receipt is asked for.
  world.beforeRequest = (body) => {
    if (!body.includes('eth_getTransactionReceipt')) return;
    world.beforeRequest = () => undefined;
    world.chain.passesOver = ({ hash }) => hash === first;
    world.chain.reorganize(1);
    world.chain.passesOver = () => false;
    world.chain.mine();
    expect(isSuccess()).toBe(false);
  };
  const resolve = () => {
    const trace = { sinceHeight: BigInt(world.chain.head.number), transactionHash: null };
    return world.time.finish(one.settler.resolveOutcome(charge.payment, trace), minuteMs);
  };
  expect(await resolve()).toMatchObject({ kind: 'unknown' });
  expect(await resolve()).toMatchObject({ kind: 'settled' });
});

test(
  'with faulty nodes, kills and reorganizations every payment is charged once, or certainly not',
  fullOnly,
  async () => {
    const startedAt = performance.now();
    const histories = Number(process.env.HISTORIES ?? 12);
    let settled = 0;
    const faults = new Map<string, number>();
    for (let seed = 1; seed <= histories; seed += 1) {
      const { world, states } = await historyOf(seed);
      settled += states.filter((state) => state === 'settled').length;
      for (const node of world.nodes)
        for (const [fault, times] of node.happened) faults.set(fault, (faults.get(fault) ?? 0) + times);
    }
    const seconds = (performance.now() - startedAt) / 1_000;
    const perSecond = (count: number) => (count / seconds).toFixed(1);
    console.log(`${perSecond(histories)} histories and ${perSecond(settled)} settlements per second`);
    console.log(`faults: ${JSON.stringify(Object.fromEntries(faults))}`);
  },
);

test('equal seeds are equal histories, whatever ran before', async () => {
  const traceOf = async (seed: number) => {
    const { world, states } = await historyOf(seed);
    return [...world.asked, JSON.stringify(states), world.chain.head.hash, String(world.time.nowMs)];
  };
  const [disturbed, deceived] = [await traceOf(3), await traceOf(4)];
  expect(await traceOf(4)).toEqual(deceived);
  expect(await traceOf(3)).toEqual(disturbed);
  expect(disturbed.length).toBeGreaterThan(200);
});

/** Both nodes fail in many ways, but do not lie. */
function disturb({ nodes, random }: EngineWorld): void {
  for (const { conditions } of nodes) {
    const rate = () => (random() < 0.5 ? 0 : random() * 0.1);
    for (const fault of ['request_lost', 'answer_lost', 'hangs', 'overloaded', 'late', 'doubled'] as const)
      conditions.rates[fault] = rate();
    conditions.rates.broadcast_dropped = 3 * rate();
  }
}

/** One of the nodes lies, drops broadcasts, and lags. The other is honest and always answers. */
function deceive({ nodes, random }: EngineWorld): void {
  const liar = nodes[random() < 0.5 ? 0 : 1];
  if (!liar) throw new Error('the chain has no node');
  liar.conditions.rates = { lie: 0.3 * random(), broadcast_dropped: random() };
  liar.conditions.lagBlocks = Math.floor(3 * random());
}

/** Mines other blocks instead of some of the newest. */
function reorganize({ chain, random }: EngineWorld): void {
  const depth = 1 + Math.floor(random() * 5);
  const fateOf = () => pick(['lost', 'returns'] as const, random());
  if (chain.canReorganize(depth)) chain.reorganize(depth, { fateOf, isDelayed: random() < 0.5 });
}

/**
 * Some time with eight payments, faults at the nodes, reorganizations, interference, and two processes that are killed and
 * started again; then without any of that, until every payment has ended.
 */
async function historyOf(seed: number) {
  const world = new EngineWorld({ seed, nodes: 2 });
  const { time, nodes, random } = world;
  let started = 0;
  const start = async () => {
    started += 1;
    const process = await world.start(`process ${started}`);
    void process.run();
    return { process, settling: [] as Promise<unknown>[] };
  };
  const processes = [await start(), await start()];
  if (seed % 2 === 0) deceive(world);
  else disturb(world);
  const charges: Charge[] = [];
  for (let call = 0; call < 8; call += 1) {
    const charge = world.newCharge(random() < 0.3 ? 40 : 300);
    charges.push(charge);
    const { process, settling } = pick(processes, random());
    settling.push(process.settle(charge));
    await time.pass(random() * 4_000);
    if (random() < 0.25) world.interfere(charge, pick(['submits', 'cancels', 'spends'] as const, random()));
    await time.pass(random() * 4_000);
    if (random() < 0.3) reorganize(world);
    if (random() < 0.2) nodes[0]?.stick();
    else nodes[0]?.follow();
    if (random() < 0.2) {
      processes.shift()?.process.kill();
      processes.push(await start());
    }
  }
  for (const node of nodes) {
    node.follow();
    Object.assign(node.conditions, { rates: {}, lagBlocks: 0 });
  }
  await time.finish(Promise.all(processes.flatMap(({ settling }) => settling)), 30 * minuteMs);
  await time.pass(minuteMs);
  // Their process was killed, or a reorganization has taken them away after they were settled.
  const [{ process } = await start()] = processes;
  await time.finish(Promise.all(charges.map((charge) => process.recover(charge))), 30 * minuteMs);
  await time.finish(Promise.all(charges.map((charge) => process.closeRefusal(charge))), 30 * minuteMs);
  const states = charges.map((charge) => world.callOf(charge).state);
  const isOver = (state: string) => state === 'settled' || state === 'refused';
  expect(states.filter(isOver), `seed ${seed}: ${states}`).toEqual(states);
  const paid = states.filter((state) => state === 'settled').length;
  expect(world.receivedAtomic, `seed ${seed}`).toBe(BigInt(paid) * world.priceAtomic);
  return { world, states };
}
