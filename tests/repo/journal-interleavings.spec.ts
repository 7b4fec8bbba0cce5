import type { MinedTransaction } from '@/lib/payments/journal';
import type { PaidCallRow } from '@/packages/paywall/memory/memory-rows';
import { moveCall, newCall, newSettlement } from '../simulation/stores/journal-rows';
import type { JournalWorld } from '../simulation/stores/journal-world';
import { openPostgresWorlds, type PostgresWorlds } from '../support/postgres-world';
import { expect, test } from '../support/without-browser';

// A statement finds rows as they were when it began. Here the first of two statements is held at a row until the second waits for
// it too, so that each begins before the other has changed anything.

let worlds: PostgresWorlds;

test.beforeAll(async () => {
  worlds = await openPostgresWorlds();
});
test.afterAll(() => worlds.close());

const network = 'base';
const block = { number: 5n, hash: '0xb' } as const;

/** Begins one after the other while a transaction is locked, and then lets them go on in that order. */
async function holdAt(
  hash: string,
  first: () => Promise<unknown>,
  second: () => Promise<unknown>,
): Promise<void> {
  await holdAtRow('settlementTransaction', `id of ${hash}`, first, second);
}

async function holdAtRow(
  table: 'settlementTransaction' | 'paidCall',
  id: string,
  first: () => Promise<unknown>,
  second: () => Promise<unknown>,
): Promise<unknown[]> {
  const unlock = await worlds.lock(table, id);
  const begun: Promise<unknown>[] = [];
  for (const [index, begin] of [first, second].entries()) {
    begun.push(begin());
    await expect.poll(() => worlds.waiting()).toBe(index + 1);
  }
  await unlock();
  return Promise.all(begun);
}

/** A world with transactions of one nonce, and calls that the last of them carries. */
async function arrange(
  hashes: readonly string[],
  calls: Readonly<Record<string, readonly PaidCallRow['state'][]>>,
): Promise<JournalWorld> {
  const world = await worlds.next();
  for (const hash of hashes) await world.insert('settlementTransaction', newSettlement(hash));
  const carrier = hashes.at(-1) ?? '';
  for (const [id, states] of Object.entries(calls)) {
    const carried = { settlementId: `id of ${carrier}`, transactionHash: carrier };
    await world.insert('paidCall', newCall(id, carried));
    await moveCall(world, id, states);
  }
  return world;
}

async function mined(
  world: JournalWorld,
  hash: string,
  {
    settled = [],
    failed = [],
  }: { readonly settled?: readonly string[]; readonly failed?: readonly string[] },
): Promise<MinedTransaction> {
  const outcome = { kind: 'settled', transactionHash: hash, block } as const;
  return {
    network,
    hash,
    block,
    gasUsed: 100n,
    feeAtomic: 1_000n,
    feeInVainAtomic: failed.length > 0 ? 400n : 0n,
    outcomes: await Promise.all(settled.map(async (id) => ({ charge: await world.chargeOf(id), outcome }))),
    inVain: failed.map((id) => ({ paidCallId: id, payer: `payer of ${id}`, gas: 40n })),
    failedIds: failed,
  };
}

const confirmedIn = { number: 4n, hash: '0xa' } as const;

async function confirmed(world: JournalWorld, hash: string): Promise<void> {
  await world.update('settlementTransaction', `id of ${hash}`, {
    state: 'confirmed',
    confirmedAt: world.now,
    blockNumber: confirmedIn.number,
    blockHash: confirmedIn.hash,
  });
}

/** The last posting of each kind that a call has left in the treasury: 0 when its payment was reversed. */
async function treasuryOf(world: JournalWorld, id: string): Promise<bigint> {
  const postings = (await world.all('posting')).filter(({ paidCallId }) => paidCallId === id);
  return postings.reduce((sum, { debitAccount, creditAccount, amountAtomic }) => {
    const treasury = `chain:${network}:treasury`;
    if (debitAccount === treasury) return sum + amountAtomic;
    return creditAccount === treasury ? sum - amountAtomic : sum;
  }, 0n);
}

async function settlementStates(world: JournalWorld): Promise<Record<string, string>> {
  const rows = await world.all('settlementTransaction');
  return Object.fromEntries(rows.map(({ hash, state }) => [hash, state]));
}

test('a call that is found settled while a replacement, in which its charge failed, is recorded loses that payment', async () => {
  const world = await arrange(['0x1', '0x2'], { a: [] });
  const { one, other } = world;
  const [charge, replacement] = [await world.chargeOf('a'), await mined(world, '0x2', { failed: ['a'] })];
  await holdAt(
    '0x1',
    () => other.journal.outbox.recordOutcome(charge, { kind: 'settled', transactionHash: '0x1', block }),
    () => one.journal.outbox.recordMined(replacement),
  );
  expect(await world.all('paidCall')).toMatchObject([{ state: 'unknown', reorganizations: 1 }]);
  expect(await treasuryOf(world, 'a')).toBe(0n);
});

test('a call that is found settled while it is settled by a replacement keeps that payment, and its sender replaces the first transaction again', async () => {
  const world = await arrange(['0x1', '0x2'], { a: [] });
  const { one, other } = world;
  const [charge, replacement] = [await world.chargeOf('a'), await mined(world, '0x2', { settled: ['a'] })];
  await holdAt(
    '0x1',
    () => one.journal.outbox.recordMined(replacement),
    () => other.journal.outbox.recordOutcome(charge, { kind: 'settled', transactionHash: '0x1', block }),
  );
  expect(await world.all('paidCall')).toMatchObject([{ state: 'settled', settlementId: 'id of 0x2' }]);
  expect(await treasuryOf(world, 'a')).toBe((await world.all('paidCall'))[0]?.amountAtomic);
  expect(await settlementStates(world)).toEqual({ '0x1': 'prepared', '0x2': 'confirmed' });
  await one.journal.outbox.recordDropped(network, ['0x1']);
  expect(await settlementStates(world)).toEqual({ '0x1': 'replaced', '0x2': 'confirmed' });
});

test('two processes record two transactions with one nonce at once, and neither fails', async () => {
  const world = await arrange(['0x1', '0x2'], { a: ['settled'] });
  const [one, two] = [await mined(world, '0x1', {}), await mined(world, '0x2', {})];
  await holdAt(
    '0x1',
    () => world.one.journal.outbox.recordMined(one),
    () => world.other.journal.outbox.recordMined(two),
  );
  expect(Object.values(await settlementStates(world)).sort()).toContain('confirmed');
});

test('a transaction is recorded as mined while another process drops its nonce, and neither fails', async () => {
  const world = await arrange(['0x1', '0x2'], { a: ['settled'] });
  const transaction = await mined(world, '0x1', {});
  await holdAt(
    '0x1',
    () => world.one.journal.outbox.recordMined(transaction),
    () => world.other.journal.outbox.recordDropped(network, ['0x2', '0x1']),
  );
  expect(await settlementStates(world)).toEqual({ '0x1': 'confirmed', '0x2': 'replaced' });
});

test('a call that a reorganization undoes while the replacement of its transaction is recorded is settled by the replacement', async () => {
  const world = await arrange(['0x2', '0x1'], { a: ['settled', 'delivered'] });
  await confirmed(world, '0x1');
  const replacement = await mined(world, '0x2', { settled: ['a'] });
  await holdAt(
    '0x1',
    () => world.one.finality.recordVanished(network, { hash: '0x1', block: confirmedIn }, world.now),
    () => world.other.journal.outbox.recordMined(replacement),
  );
  expect(await world.all('paidCall')).toMatchObject([{ state: 'settled', transactionHash: '0x2' }]);
  expect(await treasuryOf(world, 'a')).toBe(5_000n);
});

test('a call that is found settled by a transaction while another process drops it loses that payment', async () => {
  const world = await arrange(['0x1'], { a: ['unknown'] });
  const charge = await world.chargeOf('a');
  await holdAt(
    '0x1',
    () => world.one.journal.outbox.recordOutcome(charge, { kind: 'settled', transactionHash: '0x1', block }),
    () => world.other.journal.outbox.recordDropped(network, ['0x1']),
  );
  expect(await settlementStates(world)).toEqual({ '0x1': 'replaced' });
  expect(await world.all('paidCall')).toMatchObject([{ state: 'unknown' }]);
  expect(await treasuryOf(world, 'a')).toBe(0n);
});

test('a call that is found settled by a transaction while its block vanishes loses that payment', async () => {
  const world = await arrange(['0x1'], { a: ['unknown'] });
  await confirmed(world, '0x1');
  const charge = await world.chargeOf('a');
  await holdAt(
    '0x1',
    () => world.one.journal.outbox.recordOutcome(charge, { kind: 'settled', transactionHash: '0x1', block }),
    () => world.other.finality.recordVanished(network, { hash: '0x1', block: confirmedIn }, world.now),
  );
  expect(await world.all('paidCall')).toMatchObject([{ state: 'unknown' }]);
  expect(await treasuryOf(world, 'a')).toBe(0n);
});

test("a third party's transaction is recorded as mined while another process drops it, and neither fails", async () => {
  const world = await worlds.next();
  const ofOther = {
    signer: null,
    nonce: null,
    raw: null,
    state: 'confirmed',
    confirmedAt: world.now,
  } as const;
  await world.insert('settlementTransaction', newSettlement('0x1', ofOther));
  await world.update('settlementTransaction', 'id of 0x1', { state: 'vanished', confirmedAt: null });
  await world.insert('paidCall', newCall('a', { settlementId: 'id of 0x1', transactionHash: '0x1' }));
  const transaction = await mined(world, '0x1', { settled: ['a'] });
  await holdAt(
    '0x1',
    () => world.one.journal.outbox.recordDropped(network, ['0x1']),
    () => world.other.journal.outbox.recordMined({ ...transaction, feeAtomic: 0n }),
  );
  expect(await world.all('paidCall')).toMatchObject([{ state: 'settled', transactionHash: '0x1' }]);
});

test('a charge that one process sends while another refuses it is either sent or refused, whichever is first', async () => {
  for (const isSentFirst of [true, false]) {
    const world = await worlds.next();
    await world.insert('paidCall', newCall('a'));
    const charge = await world.chargeOf('a');
    const { one, other } = world;
    const prepare = () => {
      const raw = new Uint8Array([1, 2, 3]);
      const transaction = {
        network: 'solana-mainnet',
        signer: 'signer',
        nonce: null,
        hash: '0x1',
        raw,
      } as const;
      return one.journal.outbox.recordPrepared({ ...transaction, charges: [charge] }).then(
        () => 'sent',
        () => 'not sent',
      );
    };
    const refuse = async () =>
      (await other.journal.outbox.refuseUnlessSent(charge, 'insufficient_funds')).kind;
    const [first, second] = isSentFirst ? [prepare, refuse] : [refuse, prepare];
    const outcomes = await holdAtRow('paidCall', 'a', first, second);
    expect(outcomes).toEqual(isSentFirst ? ['sent', 'unknown'] : ['refused', 'not sent']);
    expect(await world.all('paidCall')).toMatchObject([{ state: isSentFirst ? 'settling' : 'refused' }]);
    expect(await world.all('settlementTransaction')).toHaveLength(isSentFirst ? 1 : 0);
  }
});
