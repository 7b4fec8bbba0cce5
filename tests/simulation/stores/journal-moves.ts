import type { PaidCallState, SettlementState } from '@/lib/ledger/states';
import type { MinedTransaction } from '@/lib/payments/journal';
import type { Charge, Outcome } from '@/lib/payments/outcome';
import type { PaidCallRow } from '@/packages/paywall/memory/memory-rows';
import { moveCall, newCall, newSettlement } from './journal-rows';
import type { JournalWorld, Writer } from './journal-world';

/**
 * Every situation in which the journal finds a transaction and its calls, and everything that it can be told about them. The
 * transaction is 0x1, with nonce 7, and carries the calls `a` and `b`; 0x2 has the same nonce, and 0x3 is a third party's.
 */

const network = 'base';
const signer = 'signer';
const id = 'id of 0x1';
/** The block of a transaction that is confirmed in a situation, and that of one that is mined by a move. */
const firstBlock = { number: 4n, hash: '0xa' } as const;
const block = { number: 5n, hash: '0xb' } as const;

export interface Situation {
  readonly name: string;
  arrange(world: JournalWorld): Promise<void>;
}

const pathOfCall: Readonly<Record<PaidCallState, readonly PaidCallState[]>> = {
  claimed: [],
  settling: [],
  unknown: ['unknown'],
  settled: ['settled'],
  delivered: ['settled', 'delivered'],
  kept: ['settled', 'kept'],
  needs_attention: ['settled', 'needs_attention'],
  refused: ['refused'],
  // A refund makes it so, which the journal has no part in.
  refunded: [],
};

const pathOfSettlement: Readonly<Record<SettlementState, readonly SettlementState[]>> = {
  prepared: [],
  confirmed: ['confirmed'],
  replaced: ['replaced'],
  vanished: ['confirmed', 'vanished'],
};

/** @param isOurs whether we have sent it; a third party's is in a block when it is first seen */
async function addTransaction(world: JournalWorld, state: SettlementState, isOurs = true): Promise<void> {
  const { now } = world;
  const { number: blockNumber, hash: blockHash } = firstBlock;
  const inBlock = { state: 'confirmed', confirmedAt: now, blockNumber, blockHash } as const;
  const ofOther = { ...inBlock, signer: null, nonce: null, raw: null };
  await world.insert('settlementTransaction', newSettlement('0x1', isOurs ? {} : ofOther));
  for (const step of pathOfSettlement[state]) {
    await world.update('settlementTransaction', id, {
      state: step,
      ...(step === 'confirmed' && isOurs ? { ...inBlock, feeAtomic: 9n, feeUnit: 'wei' } : {}),
      ...(step === 'vanished' ? { confirmedAt: null, reorganizations: 1, reorganizedAt: now } : {}),
    });
  }
}

async function addCall(
  world: JournalWorld,
  name: string,
  state: PaidCallState,
  changes: Partial<PaidCallRow> = {},
): Promise<void> {
  const beginning = state === 'claimed' ? 'claimed' : 'settling';
  await world.insert('paidCall', newCall(name, { state: beginning, ...changes }));
  await moveCall(world, name, pathOfCall[state], state === 'refused' ? { refusalReason: 'earlier' } : {});
}

const carried = { settlementId: id, transactionHash: '0x1' } as const;

const settlementStates: readonly [SettlementState, PaidCallState, PaidCallState][] = [
  ['prepared', 'settling', 'unknown'],
  ['confirmed', 'delivered', 'settled'],
  ['confirmed', 'unknown', 'settling'],
  ['replaced', 'unknown', 'settling'],
];

const callStates: readonly PaidCallState[] = [
  'claimed',
  'settling',
  'unknown',
  'settled',
  'delivered',
  'kept',
  'needs_attention',
  'refused',
];

export const situations: readonly Situation[] = [
  ...settlementStates.map(([settlement, a, b]) => ({
    name: `a ${settlement} transaction with calls that are ${a} and ${b}`,
    async arrange(world: JournalWorld) {
      await addTransaction(world, settlement);
      await addCall(world, 'a', a, carried);
      await addCall(world, 'b', b, carried);
    },
  })),
  ...(['confirmed', 'vanished'] as const).map((settlement) => ({
    name: `a third party's transaction that is ${settlement}`,
    async arrange(world: JournalWorld) {
      await addTransaction(world, settlement, false);
      const isPaid = settlement === 'confirmed';
      await addCall(world, 'a', isPaid ? 'delivered' : 'unknown', carried);
      await addCall(world, 'b', isPaid ? 'settled' : 'unknown', carried);
    },
  })),
  ...callStates.map((state) => ({
    name: `a call without transaction that is ${state}`,
    async arrange(world: JournalWorld) {
      await addTransaction(world, 'prepared');
      await addCall(world, 'a', state, { queuedForSignerAt: state === 'settling' ? world.now : null });
      await addCall(world, 'b', 'settling', carried);
    },
  })),
  {
    name: 'a refused call whose refusal is final',
    async arrange(world) {
      await addTransaction(world, 'prepared');
      await addCall(world, 'a', 'refused');
      await world.update('paidCall', 'a', {
        refusalFinalAt: world.now,
        input: null,
        idempotencyKeyHash: null,
      });
      await addCall(world, 'b', 'settling', carried);
    },
  },
  {
    name: 'a final transaction',
    async arrange(world) {
      await addTransaction(world, 'confirmed');
      await world.update('settlementTransaction', id, { finalAt: world.now, raw: null });
      await addCall(world, 'a', 'delivered', carried);
      await addCall(world, 'b', 'settled', carried);
    },
  },
  {
    name: 'a transaction and its replacement',
    async arrange(world) {
      await addTransaction(world, 'prepared');
      await world.insert('settlementTransaction', newSettlement('0x2'));
      await addCall(world, 'a', 'settling', { settlementId: 'id of 0x2', transactionHash: '0x2' });
      await addCall(world, 'b', 'unknown', { settlementId: 'id of 0x2', transactionHash: '0x2' });
    },
  },
  {
    name: 'deposits into payment channels',
    async arrange(world) {
      await addTransaction(world, 'prepared');
      await world.insert('settlementTransaction', newSettlement('0x2'));
      const deposit = { settlementId: 'id of 0x2', transactionHash: '0x2' };
      await addCall(world, 'a', 'settling', { ...deposit, channelId: '0xc1' });
      await addCall(world, 'b', 'unknown', { ...deposit, channelId: '0xc2', reorganizations: 1 });
    },
  },
];

/** Something that a process tells the journal, in one statement. */
export interface Move {
  readonly name: string;
  /** The hash of a replaced transaction that it may leave open once more, if it comes too late. */
  readonly mayReopen?: string | null;
  run(writer: Writer, world: JournalWorld, charges: Readonly<Record<'a' | 'b', Charge>>): Promise<unknown>;
}

function minedAs(hash: string, changes: Partial<MinedTransaction>): MinedTransaction {
  return {
    network,
    hash,
    block,
    gasUsed: 100n,
    feeAtomic: 1_000n,
    feeInVainAtomic: 0n,
    outcomes: [],
    inVain: [],
    failedIds: [],
    ...changes,
  };
}

const settledBy = (transactionHash: string): Outcome => ({ kind: 'settled', transactionHash, block });
const raw = new Uint8Array([4, 5, 6]);

const mined = (hash: string, name: string): Move => ({
  name,
  run: ({ journal }, _, { a, b }) =>
    journal.outbox.recordMined(
      minedAs(hash, { outcomes: [a, b].map((charge) => ({ charge, outcome: settledBy(hash) })) }),
    ),
});

const failedOf = (hash: string, name: string): Move => ({
  name,
  run: ({ journal }, _, { a, b }) =>
    journal.outbox.recordMined(
      minedAs(hash, {
        outcomes: [{ charge: b, outcome: settledBy(hash) }],
        feeInVainAtomic: 400n,
        inVain: [{ paidCallId: 'a', payer: a.payment.payer, gas: 40n }],
        failedIds: ['a'],
      }),
    ),
});

const foundOut = (name: string, outcome: Outcome): Move => ({
  name,
  ...(outcome.kind === 'settled' ? { mayReopen: outcome.transactionHash } : {}),
  run: ({ journal }, _, { a }) => journal.outbox.recordOutcome(a, outcome),
});

export const moves: readonly Move[] = [
  mined('0x1', 'it is mined'),
  failedOf('0x1', 'it is mined, and a charge failed'),
  mined('0x2', 'its replacement is mined'),
  failedOf('0x2', 'its replacement is mined, and a charge failed'),
  {
    name: 'it is mined, and its charges are refused',
    run: ({ journal }, _, { a, b }) => {
      const outcome = { kind: 'refused', reason: 'failed_on_chain' } as const;
      const outcomes = [a, b].map((charge) => ({ charge, outcome }));
      return journal.outbox.recordMined(minedAs('0x1', { outcomes, failedIds: ['a', 'b'] }));
    },
  },
  { name: 'it is dropped', run: ({ journal }) => journal.outbox.recordDropped(network, ['0x1', '0x2']) },
  {
    name: 'it vanishes',
    run: ({ finality }, { now }) => finality.recordVanished(network, { hash: '0x1', block: firstBlock }, now),
  },
  {
    name: 'it vanishes from the block in which it is mined',
    run: ({ finality }, { now }) => finality.recordVanished(network, { hash: '0x1', block }, now),
  },
  { name: 'it is final', run: ({ finality }, { now }) => finality.recordFinal(network, ['0x1'], now) },
  {
    name: 'it is in another block',
    run: ({ finality }) => finality.recordBlock(network, { hash: '0x1', block: firstBlock }, block),
  },
  foundOut('a call is found settled by it', settledBy('0x1')),
  foundOut('a call is found settled by another', settledBy('0x3')),
  foundOut('a call is found refused', { kind: 'refused', reason: 'authorization_expired' }),
  {
    name: 'a call is refused unless it is sent',
    run: ({ journal }, _, { a }) => journal.outbox.refuseUnlessSent(a, 'insufficient_funds'),
  },
  foundOut('a call is found unknown', { kind: 'unknown', transactionHash: '0x1' }),
  {
    name: 'its replacement is recorded',
    run: ({ journal }, _, { a, b }) =>
      journal.outbox.recordPrepared({ network, signer, nonce: 7n, hash: '0x2', raw, charges: [a, b] }),
  },
  { name: 'a call is queued', run: ({ journal }, _, { a }) => journal.queue.enqueue(a) },
  {
    name: 'queued calls are taken',
    run: async ({ journal }) => (await journal.queue.dequeue(network)).map(({ paidCallId }) => paidCallId),
  },
  {
    name: 'its gas is blamed',
    run: ({ journal }) =>
      journal.gas.recordBlame(network, '0x1', {
        paidCallId: 'a',
        payer: 'payer of a',
        gas: 7n,
        code: '0xc0de',
      }),
  },
];
