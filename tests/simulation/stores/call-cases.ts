import { expect } from '@playwright/test';
import type { BoughtRequest, Claim } from '@/lib/calls/call-store';
import { type CallProcess, type CallWorld, later, newClaim, newPayment, worldTime } from './call-world';

/** What every store of paid calls does. The same cases run against the twin and PostgreSQL. */
export interface CallCase {
  readonly title: string;
  /** @param name distinguishes its calls from all others in the store */
  run(world: CallWorld, name: string): Promise<void>;
}

const now = worldTime;
const answer = { status: 200, body: '{"words":2}', headers: { Sandbox: 'true' }, receipt: 'receipt' };
const settled = (hash: string) => ({ kind: 'settled', transactionHash: hash, block: null }) as const;

/** What two processes get that claim at once, winners first. */
async function claimAtOnce({ one, other }: CallWorld, first: Claim, second: Claim) {
  const claims: readonly [CallProcess, Claim][] = [
    [one, first],
    [other, second],
  ];
  const both = await Promise.all(claims.map(([{ calls }, claim]) => calls.claim(claim, now)));
  return both.filter((call) => call !== null).map(({ id }) => id);
}

const keys: readonly CallCase[] = [
  {
    title: 'one of two processes claims a payment',
    run: async (world, name) => {
      const payment = newPayment(name);
      const claims = ['first', 'second'].map((id) =>
        newClaim(`${name} ${id}`, payment, { idempotencyKey: `${name} ${id}` }),
      );
      const [first, second] = claims as [Claim, Claim];
      const winners = await claimAtOnce(world, first, second);
      expect(winners).toHaveLength(1);
      const earlier = await world.other.calls.findEarlier(payment, null);
      expect([earlier.byAuthorization?.id, earlier.byKey]).toEqual([winners[0], null]);
      expect(await world.one.calls.findCallOfPayment(payment)).toBe(winners[0]);
    },
  },
  {
    title: 'one of two processes claims a key of a payer, and another payer may have the same key',
    run: async (world, name) => {
      const [first, second, others] = ['a', 'b', 'c'].map((which) =>
        newPayment(`${name} ${which}`, which === 'c' ? {} : { payer: name }),
      );
      if (!first || !second || !others) throw new Error('three payments');
      const changes = { idempotencyKey: name };
      const winners = await claimAtOnce(
        world,
        newClaim(`${name} a`, first, changes),
        newClaim(`${name} b`, second, changes),
      );
      expect(winners).toHaveLength(1);
      const { byKey } = await world.one.calls.findEarlier(newPayment('new', { payer: name }), name);
      expect(byKey?.id).toBe(winners[0]);
      expect(await world.one.calls.claim(newClaim(`${name} c`, others, changes), now)).not.toBeNull();
    },
  },
  {
    title: 'a Solana message buys one call, whichever wallet is taken for its payer',
    run: async (world, name) => {
      const [first, second] = ['a', 'b'].map((payer) =>
        newPayment(name, { network: 'solana-mainnet', payer: `${name} ${payer}` }),
      );
      if (!first || !second) throw new Error('two payments');
      const winners = await claimAtOnce(world, newClaim(`${name} a`, first), newClaim(`${name} b`, second));
      expect(winners).toHaveLength(1);
      for (const payment of [first, second])
        expect(await world.one.calls.findCallOfPayment(payment)).toBe(winners[0]);
    },
  },
  {
    title: 'two payers may choose the same nonce on an EVM network',
    run: async (world, name) => {
      const [first, second] = ['a', 'b'].map((payer) => newPayment(name, { payer: `${name} ${payer}` }));
      if (!first || !second) throw new Error('two payments');
      const claims = [newClaim(`${name} a`, first), newClaim(`${name} b`, second)] as const;
      expect(await claimAtOnce(world, ...claims)).toHaveLength(2);
      expect(await world.one.calls.findCallOfPayment(second)).toBe(claims[1].id);
    },
  },
  {
    title: 'a refusal frees the key when it is final, not before',
    run: async ({ one: { calls } }, name) => {
      const payment = newPayment(name);
      const claim = newClaim(name, payment);
      await calls.claim(claim, now);
      await calls.recordOutcome(claim.id, { kind: 'refused', reason: 'insufficient_funds' }, now);
      const next = newClaim(`${name} next`, newPayment(`${name} next`, { payer: payment.payer }), {
        idempotencyKey: claim.idempotencyKey,
      });
      expect(await calls.claim(next, now)).toBeNull();
      await calls.recordRefusalFinal(claim.id, now);
      expect(await calls.claim(next, now)).not.toBeNull();
      expect(await calls.find(claim.id)).toMatchObject({ isRefusalFinal: true, input: null });
    },
  },
];

const answers: readonly CallCase[] = [
  {
    title: 'a lookup finds a claim as it was stored, and its secrets only by their hash',
    run: async ({ one, other }, name) => {
      const claim = newClaim(name, newPayment(name));
      const claimed = await one.calls.claim(claim, now);
      const found = await other.calls.find(claim.id);
      expect({ ...found }).toEqual({ ...claimed, payment: expect.objectContaining({ ...claim.payment }) });
      expect(found).toMatchObject({ input: { name }, sinceHeight: 7n, attempts: 0 });
      expect(JSON.stringify(found?.idempotencyKeyHash)).not.toContain(name);
    },
  },
  {
    title: 'an answer is kept with its headers and its receipt, and only the first counts',
    run: async ({ one, other }, name) => {
      const claim = newClaim(name, newPayment(name));
      await one.calls.claim(claim, now);
      expect(await one.calls.recordResult(claim, answer, null, now)).toBe(false);
      await one.calls.recordOutcome(claim.id, settled(`0x of ${name}`), now);
      // Long ones are compressed.
      const bodyOf = (index: number) =>
        JSON.stringify({ words: index, text: `word ${index} `.repeat(1_000) });
      const ended = await Promise.all(
        [one, other].map(({ calls }, index) =>
          calls.recordResult(claim, { ...answer, body: bodyOf(index) }, null, now),
        ),
      );
      expect(ended.toSorted()).toEqual([false, true]);
      expect(await one.calls.find(claim.id)).toMatchObject({
        state: 'delivered',
        answer: { ...answer, body: bodyOf(ended.indexOf(true)) },
        input: null,
        workedBy: null,
      });
    },
  },
  {
    title: 'a deposit credits its account once, and not one that is revoked',
    run: async (world, name) => {
      const { one } = world;
      await world.openAccount(name, 1_000n);
      await world.openAccount(`${name} revoked`, 0n);
      await world.revokeAccount(`${name} revoked`);
      const claim = newClaim(name, newPayment(name));
      await one.calls.claim(claim, now);
      await one.calls.recordOutcome(claim.id, settled(`0x of ${name}`), now);
      expect(await one.calls.recordResult(claim, answer, `${name} revoked`, now)).toBe(false);
      expect(await one.calls.recordResult(claim, answer, name, now)).toBe(true);
      expect(await one.calls.recordResult(claim, answer, name, now)).toBe(false);
      expect(await one.accounts.balanceOf(name)).toBe(6_000n);
      const { postings } = await world.trace(claim.id);
      expect(postings.at(-1)).toBe(`delivered prepaid:${claim.payment.payer}>account:${name} 5000`);
    },
  },
  {
    title: 'an account pays while its balance suffices, and gets back once what nothing was sent for',
    run: async (world, name) => {
      const { one, other } = world;
      await world.openAccount(name, 8_000n);
      const pay = async (which: string) => {
        const payment = newPayment(`${name} ${which}`, {
          network: 'account',
          payer: name,
          signed: { family: 'account' },
        });
        await one.calls.claim(newClaim(`${name} ${which}`, payment), now);
        return { id: `pc_${name} ${which}`, payment, outcome: await one.accounts.debit(payment) };
      };
      const paid = await pay('a');
      expect(paid.outcome.kind).toBe('settled');
      const poor = await pay('b');
      expect(poor.outcome).toEqual({ kind: 'refused', reason: 'balance_too_low' });
      expect(await one.calls.find(poor.id)).toMatchObject({ isRefusalFinal: true });
      const refunds = await Promise.all(
        [one, other].map(({ calls }) => calls.refundUnsent(paid, 'provider_unreachable', now)),
      );
      expect(refunds.toSorted()).toEqual([false, true]);
      expect(await one.accounts.balanceOf(name)).toBe(8_000n);
      expect(await one.calls.find(paid.id)).toMatchObject({ state: 'refunded' });
    },
  },
  {
    title:
      'one of two calls that exceed a balance together is refused, and asking again decides nothing anew',
    run: async (world, name) => {
      const { one, other } = world;
      await world.openAccount(name, 8_000n);
      const payments = ['a', 'b'].map((which) =>
        newPayment(`${name} ${which}`, { network: 'account', payer: name, signed: { family: 'account' } }),
      );
      for (const payment of payments) await one.calls.claim(newClaim(payment.authorization, payment), now);
      const debits = () =>
        Promise.all(
          payments.flatMap((payment) => [one, other].map(({ accounts }) => accounts.debit(payment))),
        );
      const [kindsOfA, , kindsOfB] = (await debits()).map(({ kind }) => kind);
      expect([kindsOfA, kindsOfB].toSorted()).toEqual(['refused', 'settled']);
      expect((await debits()).map(({ kind }) => kind)).toEqual([kindsOfA, kindsOfA, kindsOfB, kindsOfB]);
      expect(await one.accounts.balanceOf(name)).toBe(3_000n);
    },
  },
  {
    title: 'a payment from an account that no call has is not charged',
    run: async ({ one, openAccount }, name) => {
      await openAccount(name, 8_000n);
      const payment = newPayment(name, { network: 'account', payer: name, signed: { family: 'account' } });
      await expect(one.accounts.debit(payment)).rejects.toThrow();
      expect(await one.accounts.balanceOf(name)).toBe(8_000n);
      expect(await one.accounts.balanceOf(`${name} of nobody`)).toBe(0n);
    },
  },
  {
    title: 'nothing is refunded to an account that is revoked',
    run: async (world, name) => {
      const { one } = world;
      await world.openAccount(name, 8_000n);
      const payment = newPayment(name, { network: 'account', payer: name, signed: { family: 'account' } });
      const claim = newClaim(name, payment);
      await one.calls.claim(claim, now);
      await one.accounts.debit(payment);
      await world.revokeAccount(name);
      await expect(one.calls.refundUnsent(claim, 'provider_unreachable', now)).rejects.toThrow();
      expect(await one.calls.find(claim.id)).toMatchObject({ state: 'settled' });
    },
  },
];

const holds: readonly CallCase[] = [
  {
    title: 'a call of a dead process is taken over by one of two, and a call of a living one by none',
    run: async (world, name) => {
      const { one, other } = world;
      const claim = newClaim(name, newPayment(name));
      await one.calls.claim(claim, now);
      const call = { id: claim.id, state: 'settling' } as const;
      expect(await other.calls.takeOverForRecovery(call)).toBeNull();
      expect(await one.calls.takeOver(call), 'its own process holds it').toBeNull();
      await world.setAlive(one, false);
      try {
        const due = await other.calls.abandonedCalls(later(1), 1_000);
        expect(due.map(({ id }) => id)).toContain(claim.id);
        expect(await other.calls.takeOver({ ...call, state: 'unknown' })).toBeNull();
        expect(await other.calls.takeOverForRecovery(call)).toMatchObject({ attempts: 1 });
        expect(await other.calls.heldCalls()).toContain(claim.id);
        expect(await one.calls.takeOver(call)).toBeNull();
      } finally {
        await world.setAlive(one, true);
      }
    },
  },
  {
    title: 'a released call is taken by one of two processes, once it is due',
    run: async (world, name) => {
      const { one, other } = world;
      const claim = newClaim(name, newPayment(name));
      await one.calls.claim(claim, now);
      await other.calls.release(claim.id, now);
      expect(await one.calls.heldCalls()).toContain(claim.id);
      await one.calls.release(claim.id, later(2));
      const dueAt = async (minutes: number) =>
        (await other.calls.abandonedCalls(later(minutes), 1_000)).some(({ id }) => id === claim.id);
      expect([await dueAt(1), await dueAt(3)]).toEqual([false, true]);
      const call = { id: claim.id, state: 'settling' } as const;
      const taken = await Promise.all([one, other].map(({ calls }) => calls.takeOverForRecovery(call)));
      expect(taken.filter((one) => one !== null)).toHaveLength(1);
      expect(await dueAt(3)).toBe(false);
    },
  },
  {
    title: 'a restarted call has no attempts of recovery behind it',
    run: async ({ one: { calls } }, name) => {
      const claim = newClaim(name, newPayment(name), { isPrepared: true });
      await calls.claim(claim, now);
      await calls.release(claim.id, now);
      await calls.takeOverForRecovery({ id: claim.id, state: 'claimed' });
      await calls.recordUnprepared(claim, 'service_unavailable', now);
      expect(await calls.claimAgain(claim, now)).toMatchObject({ state: 'claimed', attempts: 0 });
      expect(await calls.find(claim.id)).toMatchObject({ state: 'claimed', attempts: 0 });
    },
  },
  {
    title: 'a refusal is asked about again once its authorization has expired, until it is final',
    run: async ({ one: { calls } }, name) => {
      const claim = newClaim(name, newPayment(name));
      await calls.claim(claim, now);
      await calls.recordOutcome(claim.id, { kind: 'refused', reason: 'insufficient_funds' }, now);
      const isDue = async (minutes: number) =>
        (await calls.refusalsToClose(later(minutes), 1_000)).some(({ id }) => id === claim.id);
      expect([await isDue(4), await isDue(6), await isDue(6)]).toEqual([false, true, true]);
      await calls.recordRefusalFinal(claim.id, later(6));
      expect(await isDue(7)).toBe(false);
    },
  },
  {
    title: 'a transfer without a call is recorded once',
    run: async (world, name) => {
      const payment = newPayment(name);
      await Promise.all(
        [world.one, world.other].map(({ calls }) =>
          calls.recordTransferWithoutCall(payment, '0x1', 'uploads.create', now),
        ),
      );
      expect(await world.transfersOf(payment.payer)).toBe(1);
    },
  },
];

/** Asks for a call that a wallet has bought with the request of `newClaim`. */
const boughtBy = (payer: string, changes: Partial<BoughtRequest> = {}): BoughtRequest => ({
  ...{ payer, onlyOn: null, operation: 'uploads.create', requestHash: Buffer.from('request') },
  idempotencyKey: null,
  ...changes,
});

const bought: readonly CallCase[] = [
  {
    title: 'a wallet has bought the newest call with the same request, until it is refused, kept or erased',
    run: async ({ one: { calls }, other }, name) => {
      const find = async (changes?: Partial<BoughtRequest>) =>
        (await other.calls.findBought(boughtBy(name, changes)))?.id.slice(`pc_${name} `.length) ?? null;
      expect(await find()).toBeNull();
      const buy = async (which: string, minutes: number, changes: Partial<Claim> = {}) => {
        const claim = newClaim(`${name} ${which}`, newPayment(`${name} ${which}`, { payer: name }), changes);
        await calls.claim(claim, later(minutes));
        return claim;
      };
      const settle = (claim: Claim) => calls.recordOutcome(claim.id, settled(`0x of ${claim.id}`), later(9));
      const first = await buy('first', 0);
      expect(await find(), 'under way').toBe('first');
      await settle(first);
      expect(await find(), 'paid').toBe('first');
      await calls.recordResult(first, answer, null, now);
      const second = await buy('second', 1, { isPrepared: true });
      expect(await find(), 'of two, the newer one').toBe('second');
      await calls.recordUnprepared(second, 'service_unavailable', now);
      expect(await find()).toBe('first');
      const failed = await buy('failed', 2);
      await settle(failed);
      await calls.recordResult(
        failed,
        { ...answer, status: 502, body: '{"error":{"code":"provider_error"}}' },
        null,
        now,
      );
      expect(await find(), 'a failure that was paid for may be bought again').toBe('first');
      const open = await buy('open', 3);
      await settle(open);
      await calls.recordNeedsAttention(open, 'input_unreadable', now);
      expect(await find(), 'on the worklist').toBe('open');
    },
  },
  {
    title: 'a call is found by its own request, wallet, network and key only',
    run: async ({ one: { calls } }, name) => {
      await calls.claim(newClaim(name, newPayment(name, { payer: name })), now);
      const account = newPayment(`${name} a`, { network: 'account', payer: `${name} a` });
      await calls.claim(newClaim(`${name} a`, account), now);
      const find = async (payer: string, changes?: Partial<BoughtRequest>) =>
        (await calls.findBought(boughtBy(payer, changes))) !== null;
      expect(await find(name, { onlyOn: 'base', idempotencyKey: `key of ${name}` })).toBe(true);
      expect(await find(`${name} other`)).toBe(false);
      expect(await find(`${name} a`)).toBe(false);
      expect(await find(name, { onlyOn: 'polygon' })).toBe(false);
      expect(await find(name, { operation: 'uploads.renew' })).toBe(false);
      expect(await find(name, { requestHash: Buffer.from('another') })).toBe(false);
      expect(await find(name, { idempotencyKey: 'another' })).toBe(false);
    },
  },
];

export const callCases: readonly CallCase[] = [...keys, ...bought, ...answers, ...holds];
