import { expect } from '@playwright/test';
import { LeaseLost } from '@/lib/payments/journal';
import { type Charge, unknownOutcome } from '@/lib/payments/outcome';
import { moveCall, newCall, newSettlement } from './journal-rows';
import type { JournalWorld } from './journal-world';

/** What every implementation of the settlement journal does. The same cases run against the twin and PostgreSQL. */
export interface JournalCase {
  readonly title: string;
  run(world: JournalWorld): Promise<void>;
}

const raw = new Uint8Array([1, 2, 3]);
const network = 'base';
const signer = 'signer';

async function addCall(world: JournalWorld, id: string): Promise<Charge> {
  await world.insert('paidCall', newCall(id));
  return world.chargeOf(id);
}

async function addCalls(world: JournalWorld, ...ids: readonly string[]): Promise<Charge[]> {
  const charges: Charge[] = [];
  for (const id of ids) charges.push(await addCall(world, id));
  return charges;
}

async function callOf(world: JournalWorld, id: string) {
  const call = (await world.all('paidCall')).find((row) => row.id === id);
  if (!call) throw new Error(`no paid call ${id}`);
  return call;
}

async function idOf(world: JournalWorld, hash: string): Promise<string> {
  return (await world.all('settlementTransaction')).find((row) => row.hash === hash)?.id ?? '';
}

async function stateOf(world: JournalWorld, hash: string) {
  return (await world.all('settlementTransaction')).find((row) => row.hash === hash)?.state;
}

const leases: readonly JournalCase[] = [
  {
    title: 'a signer is leased to one of two processes that ask at once, and again to the same one',
    async run({ one, other }) {
      const [first, second] = await Promise.all(
        [one, other].map(({ journal }) => journal.leases.acquire(network, signer, [])),
      );
      expect([first, second].filter((lease) => lease !== null)).toEqual([{ nextNonce: null, open: [] }]);
      const [holder, waiting] = first ? [one, other] : [other, one];
      expect(await holder.journal.leases.acquire(network, signer, [])).not.toBeNull();
      expect(await waiting.journal.leases.acquire(network, signer, [])).toBeNull();
      expect(await waiting.journal.leases.acquire(network, 'another signer', [])).not.toBeNull();
      expect(await waiting.journal.leases.acquire('polygon', signer, [])).not.toBeNull();
    },
  },
  {
    title: 'a released signer can be leased at once, and only its holder releases it',
    async run({ one, other }) {
      await one.journal.leases.acquire(network, signer, []);
      await other.journal.leases.release(network, signer);
      expect(await other.journal.leases.acquire(network, signer, [])).toBeNull();
      await one.journal.leases.release(network, signer);
      expect(await other.journal.leases.acquire(network, signer, [])).not.toBeNull();
      expect(await one.journal.leases.acquire(network, signer, [])).toBeNull();
    },
  },
  {
    title: 'the signer of a process whose heartbeat has stopped is taken over with its open transactions',
    async run(world) {
      const { one, other } = world;
      const charges = await addCalls(world, 'a', 'b');
      await one.journal.leases.acquire(network, signer, []);
      for (const [index, charge] of charges.entries()) {
        const [nonce, hash] = [BigInt(8 - index), `0x0${index}`];
        await one.journal.outbox.recordPrepared({ network, signer, nonce, hash, raw, charges: [charge] });
      }
      await world.silence(one);
      const lease = await other.journal.leases.acquire(network, signer, ['0xother']);
      expect(lease?.nextNonce).toBe(9n);
      expect(lease?.open).toEqual(
        [charges[1], charges[0]].map((charge, index) => ({
          network,
          signer,
          nonce: BigInt(7 + index),
          hash: `0x0${1 - index}`,
          raw,
          charges: [charge],
          preparedAt: world.now,
        })),
      );
      const known = await other.journal.leases.acquire(network, signer, ['0x00', '0x01']);
      expect(known?.open).toEqual([]);
      expect(await one.journal.leases.acquire(network, signer, [])).toBeNull();
    },
  },
  {
    title: 'a network has a signer while a process that reports one is alive',
    async run(world) {
      expect(await world.other.journal.leases.hasSigner('polygon')).toBe(false);
      expect(await world.other.journal.leases.hasSigner(network)).toBe(true);
      await world.silence(world.one);
      expect(await world.other.journal.leases.hasSigner(network)).toBe(true);
      await world.silence(world.other);
      expect(await world.other.journal.leases.hasSigner(network)).toBe(false);
    },
  },
  {
    title: 'the signers of open transactions are those of transactions in no block',
    async run(world) {
      await world.insert('settlementTransaction', newSettlement('0x1', { signer: 'open' }));
      await world.insert('settlementTransaction', newSettlement('0x2', { signer: 'mined' }));
      await world.update('settlementTransaction', 'id of 0x2', {
        state: 'confirmed',
        confirmedAt: world.now,
      });
      await world.insert(
        'settlementTransaction',
        newSettlement('0x3', { signer: 'elsewhere', network: 'polygon' }),
      );
      expect(await world.one.journal.leases.signersOfOpen(network)).toEqual(['open']);
    },
  },
];

const nonces: readonly JournalCase[] = [
  {
    title: 'a transaction is stored with its calls, and its nonce is allocated',
    async run(world) {
      const { outbox, leases } = world.one.journal;
      const charges = await addCalls(world, 'a', 'b');
      await leases.acquire(network, signer, []);
      await outbox.recordPrepared({ network, signer, nonce: 4n, hash: '0x1', raw, charges });
      expect(await callOf(world, 'a')).toMatchObject({ transactionHash: '0x1', state: 'settling' });
      expect((await leases.acquire(network, signer, []))?.nextNonce).toBe(5n);
      expect(await outbox.withNonce(network, signer, 4n)).toMatchObject([{ hash: '0x1', charges }]);
      expect(await outbox.withNonce(network, signer, 5n)).toEqual([]);
      for (const charge of charges) expect(await outbox.isUnderWay(charge)).toBe(true);
      // A replacement does not lower the next nonce.
      await outbox.recordPrepared({ network, signer, nonce: 9n, hash: '0x2', raw, charges: [] });
      await outbox.recordPrepared({ network, signer, nonce: 4n, hash: '0x3', raw, charges });
      expect((await leases.acquire(network, signer, []))?.nextNonce).toBe(10n);
      const variants = await outbox.withNonce(network, signer, 4n);
      expect(variants.map(({ hash }) => hash).sort()).toEqual(['0x1', '0x3']);
      expect(variants.find(({ hash }) => hash === '0x3')?.charges).toHaveLength(2);
      expect(variants.find(({ hash }) => hash === '0x1')?.charges).toEqual([]);
    },
  },
  {
    title: 'nothing is stored for a nonce of a signer that another process has',
    async run(world) {
      const charges = await addCalls(world, 'a');
      const { one, other } = world;
      const transaction = { network, signer, nonce: 1n, hash: '0x1', raw, charges } as const;
      await expect(one.journal.outbox.recordPrepared(transaction)).rejects.toBeInstanceOf(LeaseLost);
      await one.journal.leases.acquire(network, signer, []);
      await expect(other.journal.outbox.recordPrepared(transaction)).rejects.toBeInstanceOf(LeaseLost);
      await world.silence(one);
      await other.journal.leases.acquire(network, signer, []);
      await expect(one.journal.outbox.recordPrepared(transaction)).rejects.toBeInstanceOf(LeaseLost);
      expect(await world.all('settlementTransaction')).toEqual([]);
      expect(await callOf(world, 'a')).toMatchObject({ settlementId: null, transactionHash: null });
    },
  },
  {
    title: 'an open transaction comes with the others signed for its nonce, until one of them is final',
    async run(world) {
      const { outbox, leases } = world.one.journal;
      await leases.acquire(network, signer, []);
      for (const hash of ['0x1', '0x2'])
        await outbox.recordPrepared({ network, signer, nonce: 4n, hash, raw, charges: [] });
      const followed = async () => {
        const open = (await leases.acquire(network, signer, []))?.open ?? [];
        const withNonce = await outbox.withNonce(network, signer, 4n);
        return [open, withNonce].map((found) => found.map(({ hash }) => hash).sort());
      };
      const both = ['0x1', '0x2'];
      expect(await followed()).toEqual([both, both]);
      await outbox.recordDropped(network, ['0x1']);
      expect(await followed()).toEqual([both, both]);
      expect((await leases.acquire(network, signer, ['0x2']))?.open).toMatchObject([{ hash: '0x1' }]);
      await world.update('settlementTransaction', await idOf(world, '0x2'), {
        state: 'confirmed',
        confirmedAt: world.now,
      });
      expect(await followed()).toEqual([[], both]);
      await world.one.finality.recordFinal(network, ['0x2'], world.now);
      expect(await followed()).toEqual([[], []]);
    },
  },
  {
    title: 'a replaced transaction in which a payment is found is open again',
    async run(world) {
      await world.insert('settlementTransaction', newSettlement('0x1'));
      const charge = await addCall(world, 'a');
      const { outbox } = world.one.journal;
      await outbox.recordDropped(network, ['0x1']);
      const block = { number: 5n, hash: '0xb' };
      await outbox.recordOutcome(charge, { kind: 'settled', transactionHash: '0x1', block });
      expect(await callOf(world, 'a')).toMatchObject({ state: 'settled', transactionHash: '0x1' });
      expect(await stateOf(world, '0x1')).toBe('prepared');
    },
  },
  {
    title:
      'a payment that was found in another block than the one in which its transaction failed settles nothing',
    async run(world) {
      const charge = await addCall(world, 'a');
      await world.insert('settlementTransaction', {
        ...newSettlement('0x1'),
        state: 'confirmed',
        confirmedAt: world.now,
        blockNumber: 6n,
        blockHash: '0xc',
      });
      const { outbox } = world.one.journal;
      const found = (number: bigint, hash: string) =>
        outbox.recordOutcome(charge, {
          kind: 'settled',
          transactionHash: '0x1',
          block: { number, hash },
        });
      await found(5n, '0xb');
      await found(6n, '0xb');
      expect(await callOf(world, 'a')).toMatchObject({ state: 'settling' });
      await found(6n, '0xc');
      expect(await callOf(world, 'a')).toMatchObject({ state: 'settled', transactionHash: '0x1' });
    },
  },
  {
    title: 'a transaction without a nonce needs no lease, and is stored once by two processes',
    async run(world) {
      const charges = await addCalls(world, 'a');
      const transaction = {
        network: 'solana-mainnet',
        signer,
        nonce: null,
        hash: 'signature',
        raw,
        charges,
      } as const;
      const { one, other } = world;
      await Promise.all([one, other].map(({ journal }) => journal.outbox.recordPrepared(transaction)));
      expect(await world.all('settlementTransaction')).toHaveLength(1);
    },
  },
  {
    title: 'a charge that a transaction under way carries is not refused by another process',
    async run(world) {
      const charge = await addCall(world, 'a');
      const { outbox, leases } = world.one.journal;
      await leases.acquire(network, signer, []);
      await outbox.recordPrepared({ network, signer, nonce: 3n, hash: '0x1', raw, charges: [charge] });
      const { outbox: ofPaused } = world.other.journal;
      expect(await ofPaused.refuseUnlessSent(charge, 'insufficient_funds')).toEqual(unknownOutcome);
      expect(await callOf(world, 'a')).toMatchObject({ state: 'settling', refusalReason: null });
      await outbox.recordDropped(network, ['0x1']);
      const refused = { kind: 'refused', reason: 'insufficient_funds' };
      expect(await ofPaused.refuseUnlessSent(charge, 'insufficient_funds')).toEqual(refused);
      expect(await callOf(world, 'a')).toMatchObject({
        state: 'refused',
        refusalReason: 'insufficient_funds',
      });
    },
  },
  {
    title: 'a refused charge is put into no transaction but one that replaces what carries it',
    async run(world) {
      const [charge, other] = [await addCall(world, 'a'), await addCall(world, 'b')];
      const { outbox, leases } = world.one.journal;
      await leases.acquire(network, signer, []);
      const prepare = (hash: string, charges: readonly Charge[]) =>
        outbox.recordPrepared({ network, signer, nonce: 3n, hash, raw, charges });
      await outbox.refuseUnlessSent(charge, 'insufficient_funds');
      await expect(prepare('0x1', [charge, other])).rejects.toThrow('a charge is refused');
      expect(await world.all('settlementTransaction')).toEqual([]);
      await prepare('0x2', [other]);
      await outbox.recordOutcome(other, { kind: 'refused', reason: 'authorization_expired' });
      await prepare('0x3', [other]);
      expect(await stateOf(world, '0x3')).toBe('prepared');
    },
  },
  {
    title: 'nothing is stored, and no nonce allocated, when the claim of a charge is gone',
    async run(world) {
      const charge = await addCall(world, 'a');
      const { outbox, leases } = world.one.journal;
      await leases.acquire(network, signer, []);
      const charges = [charge, { ...charge, paidCallId: 'lost' }];
      const stored = outbox.recordPrepared({ network, signer, nonce: 3n, hash: '0x1', raw, charges });
      await expect(stored).rejects.toThrow('the database has lost its claim');
      expect(await world.all('settlementTransaction')).toEqual([]);
      expect((await leases.acquire(network, signer, []))?.nextNonce).toBeNull();
    },
  },
  {
    title: 'a charge is followed while a living process has its key and its transaction is recent',
    async run(world) {
      const { one, other } = world;
      const charge = await addCall(world, 'a');
      const { outbox, leases } = one.journal;
      expect(await outbox.isFollowed(charge)).toBe(false);
      await leases.acquire(network, signer, []);
      await outbox.recordPrepared({ network, signer, nonce: 1n, hash: '0x1', raw, charges: [charge] });
      expect(await other.journal.outbox.isFollowed(charge)).toBe(true);
      const [row] = await world.all('settlementTransaction');
      await world.update('settlementTransaction', row?.id ?? '', { createdAt: new Date(0) });
      expect(await other.journal.outbox.isFollowed(charge)).toBe(false);
      await world.update('settlementTransaction', row?.id ?? '', { reorganizedAt: world.now });
      expect(await other.journal.outbox.isFollowed(charge)).toBe(true);
      await leases.release(network, signer);
      expect(await other.journal.outbox.isFollowed(charge)).toBe(false);
      await leases.acquire(network, signer, []);
      await world.silence(one);
      expect(await other.journal.outbox.isFollowed(charge)).toBe(false);
    },
  },
];

const queue: readonly JournalCase[] = [
  {
    title: 'every queued charge is taken by one of two processes',
    async run(world) {
      const { one, other } = world;
      const ids = Array.from({ length: 12 }, (_, index) => `call ${index}`);
      const charges = await addCalls(world, ...ids);
      await moveCall(world, 'call 11', ['unknown']);
      for (const charge of charges) await other.journal.queue.enqueue(charge);
      // A process that took this one over has settled it.
      await addCalls(world, 'settled by another');
      await other.journal.queue.enqueue(await world.chargeOf('settled by another'));
      await moveCall(world, 'settled by another', ['settled']);
      expect(await one.journal.queue.dequeue('polygon')).toEqual([]);
      const taken = await Promise.all([one, other].map(({ journal }) => journal.queue.dequeue(network)));
      const takenIds = taken.flat().map(({ paidCallId }) => paidCallId);
      expect(takenIds.sort()).toEqual(ids.slice(0, 11).sort());
      expect(taken.flat().find(({ paidCallId }) => paidCallId === 'call 0')).toEqual(charges[0]);
      expect(await one.journal.queue.dequeue(network)).toEqual([]);
    },
  },
  {
    title: 'the outcomes of queued charges are those of calls that are no longer being settled',
    async run(world) {
      await addCalls(world, 'settling', 'unknown', 'refused', 'settled', 'delivered');
      const transactionHash = '0x1';
      await moveCall(world, 'unknown', ['unknown'], { transactionHash });
      await moveCall(world, 'refused', ['refused'], { refusalReason: 'insufficient_balance' });
      await moveCall(world, 'settled', ['settled'], { transactionHash });
      await moveCall(world, 'delivered', ['settled', 'delivered'], { transactionHash });
      const ids = ['settling', 'unknown', 'refused', 'settled', 'delivered', 'not there'];
      const settled = { kind: 'settled', transactionHash, block: null, isInLedger: true };
      expect(Object.fromEntries(await world.one.journal.queue.outcomes(ids))).toEqual({
        unknown: { kind: 'unknown', transactionHash },
        refused: { kind: 'refused', reason: 'insufficient_balance' },
        settled,
        delivered: settled,
      });
    },
  },
];

/** A call that recovery found paid by the transaction 0x1, which its sender still follows. */
async function addFoundCall(world: JournalWorld) {
  await world.one.journal.leases.acquire(network, signer, []);
  for (const hash of ['0x1', '0x2']) await world.insert('settlementTransaction', newSettlement(hash));
  await world.insert('paidCall', newCall('a', { settlementId: 'id of 0x1' }));
  await moveCall(world, 'a', ['settled', 'delivered'], { transactionHash: '0x1', settlementId: 'id of 0x1' });
  return world.chargeOf('a');
}

const inBlock = {
  network,
  block: { number: 9n, hash: '0xb' },
  gasUsed: 1n,
  feeAtomic: 1n,
  feeInVainAtomic: 0n,
  inVain: [],
} as const;

const foundCalls: readonly JournalCase[] = [
  {
    title:
      'a call that was found paid has the transaction with the same nonce that was mined after a reorganization',
    async run(world) {
      const charge = await addFoundCall(world);
      const outcome = { kind: 'settled', transactionHash: '0x2', block: inBlock.block } as const;
      const outcomes = [{ charge, outcome }];
      await world.one.journal.outbox.recordMined({ ...inBlock, hash: '0x2', outcomes, failedIds: [] });
      expect(await stateOf(world, '0x1')).toBe('replaced');
      expect(await callOf(world, 'a')).toMatchObject({
        ...{ state: 'delivered', settlementId: 'id of 0x2', transactionHash: '0x2' },
      });
    },
  },
  ...(['0x1', '0x2'] as const).map((hash) => ({
    title: `a call that was found paid is unknown again when its payment fails in ${hash === '0x1' ? 'its transaction' : 'one with the same nonce'}`,
    async run(world: JournalWorld) {
      const charge = await addFoundCall(world);
      const outcomes = [{ charge, outcome: { kind: 'refused', reason: 'authorization_expired' } as const }];
      await world.one.journal.outbox.recordMined({ ...inBlock, hash, outcomes, failedIds: ['a'] });
      expect(await callOf(world, 'a')).toMatchObject({
        ...{ state: 'unknown', moveNote: 'reorganized', reorganizations: 1, workedBy: null },
      });
    },
  })),
  {
    title: 'a call that was found paid is unknown again when its transaction can never be mined',
    async run(world) {
      await addFoundCall(world);
      await world.one.journal.outbox.recordDropped(network, ['0x1', '0x2']);
      expect(await callOf(world, 'a')).toMatchObject({ state: 'unknown', reorganizations: 1 });
    },
  },
];

const gas: readonly JournalCase[] = [
  {
    title:
      'gas spent in vain is counted by payer, code, client and in total, without payments that others submitted',
    async run(world) {
      const at = (minutes: number) => new Date(world.now.getTime() - minutes * 60_000);
      await world.insert('settlementTransaction', newSettlement('0x1'));
      await world.insert('settlementTransaction', newSettlement('0x2', { signer: null, nonce: null }));
      const spent = [
        ['a', 'payer', null, 10n, 1, '0x1'],
        ['b', 'payer', '0xc0de', 20n, 2, '0x1'],
        ['c', 'neighbor', '0xc0de', 40n, 3, '0x1'],
        ['d', 'old', '0xc0de', 80n, 90, '0x1'],
        ['e', 'paid by another', '0xc0de', 160n, 1, '0x2'],
        ['f', 'stranger', '0xf00d', 320n, 4, null],
      ] as const;
      for (const [id, payer, code, amount, minutes, settledBy] of spent) {
        const settlementId = settledBy && `id of ${settledBy}`;
        await world.insert('paidCall', newCall(id, { payer, settlementId }));
        const row = { settlementId: 'id of 0x1', paidCallId: id, network, payer, code, gas: amount };
        await world.insert('gasInVain', { ...row, at: at(minutes) });
      }
      await moveCall(world, 'a', ['settled']);
      const by = { ofPayerSince: at(60), ofOthersSince: at(60), sameClient: ['neighbor', 'stranger'] };
      const record = world.one.journal.gas;
      expect(await record.gasInVain(network, 'payer', '0xc0de', by)).toEqual({
        ofPayer: [
          { at: at(1), gas: 10n },
          { at: at(2), gas: 20n },
        ],
        byCode: { gas: 60n, oldest: at(3) },
        byClient: { gas: 360n, oldest: at(4) },
        byAll: { gas: 380n, oldest: at(4) },
        hasPaid: true,
      });
      expect(await record.gasInVain('polygon', 'payer', null, by)).toMatchObject({
        ofPayer: [],
        hasPaid: false,
      });
      const payers = await record.payersOfGasInVain(network, at(60));
      expect([...payers].sort()).toEqual(['neighbor', 'paid by another', 'payer', 'stranger']);
    },
  },
];

const finality: readonly JournalCase[] = [
  {
    title: 'a settlement is reviewed until it is final, and its signed bytes are erased then',
    async run(world) {
      const { finality: record } = world.one;
      await world.insert('settlementTransaction', newSettlement('0x1'));
      expect(await record.notFinal([network])).toEqual(new Map());
      const changes = {
        state: 'confirmed',
        confirmedAt: world.now,
        blockNumber: 5n,
        blockHash: '0xb',
      } as const;
      await world.update('settlementTransaction', 'id of 0x1', changes);
      const confirmed = { hash: '0x1', block: { number: 5n, hash: '0xb' }, confirmedAt: world.now };
      expect(await record.notFinal([network, 'polygon'])).toEqual(new Map([[network, [confirmed]]]));
      const moved = { hash: '0x1', block: { number: 6n, hash: '0xc' } };
      await record.recordBlock(network, confirmed, moved.block);
      await record.recordFinal(network, ['0x1'], world.now);
      await record.recordBlock(network, moved, { number: 7n, hash: '0xd' });
      expect(await record.recordVanished(network, moved, world.now)).toBe(0);
      expect(await record.notFinal([network])).toEqual(new Map());
      expect(await world.all('settlementTransaction')).toMatchObject([
        { state: 'confirmed', blockNumber: 6n, raw: null, finalAt: world.now },
      ]);
    },
  },
];

const movedSettlements: readonly JournalCase[] = [
  {
    title:
      'a settlement that its sender has found in another block stays, whatever a check of the first block says',
    async run(world) {
      const { finality: record } = world.one;
      await world.insert('settlementTransaction', newSettlement('0x1'));
      const charge = await addCall(world, 'a');
      const checked = { hash: '0x1', block: { number: 5n, hash: '0xb' } };
      const found = { number: 6n, hash: '0xc' };
      const outcome = { kind: 'settled', transactionHash: '0x1', block: found } as const;
      const outcomes = [{ charge, outcome }];
      await world.one.journal.outbox.recordMined({
        ...{ ...inBlock, block: found, hash: '0x1', outcomes, failedIds: [] },
      });
      expect(await record.recordVanished(network, checked, world.now)).toBe(0);
      await record.recordBlock(network, checked, { number: 7n, hash: '0xd' });
      expect(await callOf(world, 'a')).toMatchObject({ state: 'settled' });
      expect(await world.all('settlementTransaction')).toMatchObject([
        { state: 'confirmed', blockNumber: 6n, blockHash: '0xc' },
      ]);
      expect(await record.recordVanished(network, { hash: '0x1', block: found }, world.now)).toBe(1);
    },
  },
];

export const journalCases: readonly JournalCase[] = [
  ...leases,
  ...nonces,
  ...queue,
  ...foundCalls,
  ...gas,
  ...finality,
  ...movedSettlements,
];
