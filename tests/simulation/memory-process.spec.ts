import { checkFinality } from '@/lib/jobs/finality-checks';
import type { FinalityStatus } from '@/lib/payments/outcome';
import { productionTimings } from '@/lib/platform/timings';
import { MemoryDatabase } from '@/packages/paywall/memory/memory-database';
import { memoryDueWork } from '@/packages/paywall/memory/memory-due-work';
import { testPlatform } from '../support/platform';
import { expect, test } from '../support/without-browser';
import { moveCall, newCall, newSettlement } from './stores/journal-rows';
import { memoryWorld } from './stores/journal-world';
import { ConnectionLost, MemoryProcess, type StatementFault } from './stores/memory-process';
import { VirtualTime } from './virtual-clock';

const timings = productionTimings;
const { aliveForMs } = timings.instance;

function open({ fault }: { readonly fault?: () => StatementFault | null } = {}) {
  const time = new VirtualTime();
  const database = new MemoryDatabase(time.createClock());
  const start = (id: string) =>
    new MemoryProcess(database, time.createClock(), {
      id,
      settles: ['base'],
      timings,
      latencyMs: () => 10,
      ...(fault ? { fault } : {}),
    });
  const insert = (process: MemoryProcess, id: string, isFlushedLater = false) =>
    process.query(({ paidCall }) => paidCall.insert(newCall(id)), isFlushedLater);
  const ids = () => database.tables.paidCall.all().map(({ id }) => id);
  return { time, database, start, insert, ids };
}

test('a process is alive for others until its heartbeat has been silent for too long', async () => {
  const { time, start } = open();
  const [one, other] = [start('one'), start('other')];
  await time.finish(one.beat(), 1_000);
  expect(one.hasPeers()).toBe(false);
  await time.finish(other.beat(), 1_000);
  expect(other.hasPeers()).toBe(true);
  await time.pass(aliveForMs - 100);
  await time.finish(other.beat(), 1_000);
  expect(other.hasPeers()).toBe(true);
  await time.pass(100);
  expect(await time.finish(other.beat(), 1_000)).toBe(time.nowMs - 10);
  expect(other.hasPeers()).toBe(false);
  await time.finish(one.beat(), 1_000);
  await time.finish(other.withdraw(), 1_000);
  await time.finish(one.beat(), 1_000);
  expect(one.hasPeers()).toBe(false);
});

for (const isDone of [true, false]) {
  test(`a statement of a killed process never returns, and is ${isDone ? '' : 'not '}done`, async () => {
    const { time, start, insert, ids } = open();
    const process = start('one');
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    insert(process, 'under way').then(end, end);
    await time.pass(5);
    process.kill(() => isDone);
    insert(process, 'later').then(end, end);
    await time.pass(1_000);
    expect(isOver).toBe(false);
    expect(ids()).toEqual(isDone ? ['under way'] : []);
  });
}

test('a process that is killed while its answer is under way has done the statement', async () => {
  const { time, start, insert, ids } = open();
  const process = start('one');
  let isOver = false;
  void insert(process, 'done').then(() => {
    isOver = true;
  });
  await time.pass(15);
  process.kill();
  await time.pass(1_000);
  expect(ids()).toEqual(['done']);
  expect(isOver).toBe(false);
});

test('a statement that fails is not done, one whose answer is lost is', async () => {
  const faults: (StatementFault | null)[] = ['fails', 'answer lost', null];
  const { time, start, insert, ids } = open({ fault: () => faults.shift() ?? null });
  const process = start('one');
  await expect(time.finish(insert(process, 'first'), 1_000)).rejects.toBeInstanceOf(ConnectionLost);
  await expect(time.finish(insert(process, 'second'), 1_000)).rejects.toBeInstanceOf(ConnectionLost);
  await time.finish(insert(process, 'third'), 1_000);
  expect(ids()).toEqual(['second', 'third']);
});

test('a crash of the database loses only what was not flushed, and cuts connections', async () => {
  const { time, database, start, insert, ids } = open();
  const process = start('one');
  const done = (id: string, isFlushedLater = false) =>
    time.finish(insert(process, id, isFlushedLater), 1_000);
  await done('flushed later, then flushed', true);
  await done('flushed');
  await done('kept by chance', true);
  await done('lost', true);
  const underWay = insert(process, 'under way');
  const failed = expect(underWay).rejects.toBeInstanceOf(ConnectionLost);
  await time.pass(5);
  database.crash(1);
  await time.pass(100);
  await failed;
  expect(ids()).toEqual(['flushed later, then flushed', 'flushed', 'kept by chance']);
  await done('afterwards');
  database.crash();
  expect(ids()).toHaveLength(4);
});

test('a statement that breaks a rule does nothing', async () => {
  const { time, database, start } = open();
  const process = start('one');
  const broken = process.query((tables) => {
    const row = tables.paidCall.insert(newCall('a'));
    tables.settlementTransaction.insert(newSettlement('0x1'));
    tables.paidCall.update(row, { state: 'delivered' });
  });
  const failed = expect(broken).rejects.toThrow('paid call a may not move from settling to delivered');
  await time.pass(100);
  await failed;
  expect(database.tables.paidCall.size + database.tables.settlementTransaction.size).toBe(0);
  expect(database.tables.paidCallMove.size).toBe(0);
});

test('a heartbeat learns what the senders of a process have to do', async () => {
  const { time, database, start } = open();
  const process = start('one');
  const work = async () => (await time.finish(memoryDueWork(process, ['base'], new Map()), 1_000)).on('base');
  expect(await work()).toEqual({ hasQueued: false, hasOpen: false, hasLeftBehind: false, leased: [] });
  database.execute(({ paidCall, settlementSigner, settlementTransaction }) => {
    paidCall.insert(newCall('a', { queuedForSignerAt: new Date() }));
    settlementTransaction.insert(newSettlement('0x1', { createdAt: process.clock.date() }));
    for (const holder of ['one', 'other'])
      settlementSigner.insert({ network: 'base', signer: `key of ${holder}`, holder, nextNonce: null });
  });
  expect(await work()).toMatchObject({ hasQueued: true, hasOpen: true, leased: ['key of one'] });
  await time.pass(timings.evm.leftBehindMs);
  expect((await work()).hasLeftBehind).toBe(true);
});

test('calls of a settlement that a reorganization removed are unknown again, and its own is open', async () => {
  const world = await memoryWorld();
  const confirmed = {
    state: 'confirmed',
    confirmedAt: world.now,
    blockNumber: 5n,
    blockHash: '0xb',
  } as const;
  for (const hash of ['0x1', '0x2', '0x3']) {
    await world.insert('settlementTransaction', newSettlement(hash, { nonce: BigInt(hash) }));
    await world.update('settlementTransaction', `id of ${hash}`, confirmed);
    await world.insert('paidCall', newCall(`call of ${hash}`, { settlementId: `id of ${hash}` }));
    await moveCall(world, `call of ${hash}`, ['settled', 'delivered']);
  }
  const block = { number: 5n, hash: '0xb' };
  const statuses = new Map<string, FinalityStatus>([
    ['0x1', { kind: 'vanished' }],
    ['0x2', { kind: 'final', block }],
    ['0x3', { kind: 'included', block }],
  ]);
  const offer = { network: { name: 'base' }, settler: { checkFinality: async () => statuses } };
  const check = { ...testPlatform(), record: world.one.finality, offers: [offer] };
  // The check uses nothing of a network but its name.
  await checkFinality(check as unknown as Parameters<typeof checkFinality>[0], world.now);
  const states = (await world.all('paidCall')).map(({ state }) => state);
  expect(states).toEqual(['unknown', 'delivered', 'delivered']);
  expect(await world.all('settlementTransaction')).toMatchObject([
    { state: 'prepared', reorganizations: 1, confirmedAt: null },
    { state: 'confirmed', finalAt: world.now, raw: null },
    { state: 'confirmed', finalAt: null },
  ]);
  const kinds = (await world.all('posting')).filter(({ paidCallId }) => paidCallId === 'call of 0x1');
  expect(kinds.map(({ kind }) => kind)).toEqual([
    'settled',
    'delivered',
    'settled_reversed',
    'delivered_reversed',
  ]);
});
