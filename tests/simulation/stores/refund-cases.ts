import { expect } from '@playwright/test';
import type { Refund } from '@/lib/ledger/refund-records';
import type { CallWorld } from './call-world';
import { later, newClaim, newPayment, worldTime } from './call-world';

/** What every store of refunds does, besides single moves. The same cases run against the twin and PostgreSQL. */
export interface RefundCase {
  readonly title: string;
  /** @param name distinguishes its calls from all others in the store */
  run(world: CallWorld, name: string): Promise<void>;
}

const now = worldTime;
const operator = { name: 'console:test', address: null };
const step = { operator, note: null, now };

/** Begins the refund of a new call, to be checked first after some minutes. */
async function begin(world: CallWorld, name: string, checkAfter = 1): Promise<Refund> {
  const { calls, refunds } = world.one;
  const id = `pc_${name}`;
  await calls.claim(newClaim(name, newPayment(name)), now);
  const settled = { kind: 'settled', transactionHash: `0x of ${name}`, block: null } as const;
  await calls.recordOutcome(id, settled, now);
  await calls.recordNeedsAttention({ id }, 'delivery_failed', now);
  await world.finalize(id);
  const terms = { paidCallId: id, method: 'wallet', accountId: null, reason: 'duplicate' } as const;
  const begun = { ...terms, note: null, sinceHeight: 9n };
  return refunds.begin(begun, { kind: 'request' }, later(checkAfter), step);
}

const namedAs = (hash: string, index: number) =>
  ({
    kind: 'send',
    sent: { transactionHash: hash, untilHeight: null },
    found: { place: { index, block: { number: 20n, hash: '0xb' } }, isFinal: false },
  }) as const;

export const refundCases: readonly RefundCase[] = [
  {
    title: 'one of two operators begins the refund of a call',
    run: async (world, name) => {
      const first = await begin(world, name);
      await world.one.refunds.change(first, { kind: 'cancel' }, step);
      const { paidCallId } = first;
      const terms = { paidCallId, method: 'wallet', accountId: null, reason: 'duplicate' } as const;
      const begun = await Promise.allSettled(
        [world.one, world.other].map(({ refunds }) =>
          refunds.begin({ ...terms, note: null, sinceHeight: 9n }, { kind: 'request' }, later(1), step),
        ),
      );
      expect(begun.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      const states = (await world.one.refunds.refundsOf(paidCallId)).map(({ state }) => state);
      expect(states).toEqual(['requested', 'cancelled']);
    },
  },
  {
    title: 'a transfer is the refund of one of two calls',
    run: async (world, name) => {
      const both = [await begin(world, `${name} a`), await begin(world, `${name} b`)];
      const hash = `0xboth of ${name}`;
      const named = await Promise.allSettled(
        both.map((refund, index) =>
          (index === 0 ? world.one : world.other).refunds.change(refund, namedAs(hash, 4), step),
        ),
      );
      expect(named.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      const taken = named.findIndex(({ status }) => status === 'fulfilled');
      const other = both[1 - taken];
      expect(await world.one.refunds.find(other?.id ?? '')).toEqual(other);
      const { indexes } = await world.one.refunds.usedTransfers('base', hash, other?.id ?? '');
      expect([...indexes]).toEqual([4]);
      expect(other && (await world.other.refunds.change(other, namedAs(hash, 5), step))).toBe(true);
    },
  },
  {
    title: 'a refund is due for a check by one of two processes, and again after a wait that grows',
    run: async (world, name) => {
      const { id } = await begin(world, name);
      const isTaken = async (process: CallWorld['one'], minutes: number) =>
        (await process.refunds.takeToCheck(later(minutes), 1_000)).some((refund) => refund.id === id);
      expect(await isTaken(world.one, 0)).toBe(false);
      const both = await Promise.all([isTaken(world.one, 1), isTaken(world.other, 1)]);
      expect(both.toSorted()).toEqual([false, true]);
      const [first] = await world.traceRefunds(`pc_${name}`);
      expect(await isTaken(world.one, 600)).toBe(true);
      const [later10Hours] = await world.traceRefunds(`pc_${name}`);
      const waited = (at: Date | undefined, minutes: number) =>
        (at?.getTime() ?? 0) - later(minutes).getTime();
      expect(waited(first?.checkAt, 1)).toBeLessThan(waited(later10Hours?.checkAt, 600));
    },
  },
  {
    title: 'a refund that is over is not checked',
    run: async (world, name) => {
      const refund = await begin(world, name);
      await world.one.refunds.change(refund, { kind: 'cancel' }, step);
      const due = await world.one.refunds.takeToCheck(later(10), 1_000);
      expect(due.map(({ id }) => id)).not.toContain(refund.id);
    },
  },
];
