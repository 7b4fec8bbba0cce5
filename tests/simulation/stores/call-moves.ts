import type { PaidCall, StoredAnswer } from '@/lib/calls/paid-call';
import type { PaidCallState } from '@/lib/ledger/states';
import type { Outcome } from '@/lib/payments/outcome';
import type { Payment } from '@/lib/payments/payment';
import { type CallProcess, type CallWorld, later, newClaim, newPayment, worldTime } from './call-world';

/** Every situation in which the store finds a call, and everything that it can be told about the call. */

const now = worldTime;
const delivered: StoredAnswer = { status: 200, body: '{"words":2}', receipt: 'receipt' };
const kept: StoredAnswer = {
  status: 422,
  body: '{"error":{"code":"provider_failed","reason":"provider_refused"}}',
  headers: { Sandbox: 'true' },
};
const settledBy = (name: string): Outcome => ({
  kind: 'settled',
  transactionHash: `0x of ${name}`,
  block: { number: 8n, hash: '0xb' },
});
const refused: Outcome = { kind: 'refused', reason: 'insufficient_funds' };
const unknown: Outcome = { kind: 'unknown', transactionHash: null };

/** How a call is brought into a situation, by process `one`, which holds it then if it is unfinished. */
export interface CallSituation {
  readonly name: string;
  readonly state: PaidCallState;
  /** @param name distinguishes the call from all others in the store */
  arrange(world: CallWorld, name: string): Promise<void>;
}

const idOf = (name: string) => `pc_${name}`;
const claimOf = (name: string) => newClaim(name, newPayment(name));

async function settle({ one: { calls } }: CallWorld, name: string): Promise<void> {
  await calls.claim(claimOf(name), now);
  await calls.recordOutcome(idOf(name), settledBy(name), now);
}

async function refuse({ one: { calls } }: CallWorld, name: string): Promise<void> {
  await calls.claim(claimOf(name), now);
  await calls.recordOutcome(idOf(name), refused, now);
}

/** A call that a prepaid account is about to pay. */
async function charge(
  { one, openAccount }: CallWorld,
  name: string,
  balanceAtomic: bigint,
): Promise<Payment> {
  const payment = newPayment(name, { network: 'account', signed: { family: 'account' } });
  await openAccount(payment.payer, balanceAtomic);
  await one.calls.claim(newClaim(name, payment), now);
  return payment;
}

/** A settled call that a prepaid account has paid. */
async function debit(world: CallWorld, name: string): Promise<void> {
  await world.one.accounts.debit(await charge(world, name, 12_000n));
}

/** The account into which a deposit is paid. */
const depositAccount = (name: string) => `account of ${name}`;

export const situations: readonly CallSituation[] = [
  {
    name: 'claimed',
    state: 'claimed',
    arrange: async ({ one: { calls } }, name) => {
      await calls.claim({ ...claimOf(name), isPrepared: true }, now);
    },
  },
  {
    name: 'claimed again after a refusal that is not final',
    state: 'claimed',
    arrange: async (world, name) => {
      await refuse(world, name);
      await world.one.calls.recordReopened({ id: idOf(name) }, now);
    },
  },
  {
    name: 'settling',
    state: 'settling',
    arrange: async ({ one: { calls } }, name) => {
      await calls.claim(claimOf(name), now);
    },
  },
  {
    name: 'settling with what was prepared',
    state: 'settling',
    arrange: async ({ one: { calls } }, name) => {
      await calls.claim({ ...claimOf(name), isPrepared: true }, now);
      await calls.recordPrepared({ id: idOf(name) }, { file: 'key' }, now);
    },
  },
  {
    name: 'unknown',
    state: 'unknown',
    arrange: async ({ one: { calls } }, name) => {
      await calls.claim(claimOf(name), now);
      await calls.recordOutcome(idOf(name), unknown, now);
    },
  },
  { name: 'settled', state: 'settled', arrange: settle },
  { name: 'settled from an account', state: 'settled', arrange: debit },
  {
    name: 'settling from an account',
    state: 'settling',
    arrange: async (world, name) => {
      await charge(world, name, 12_000n);
    },
  },
  {
    name: 'settling from an account that holds too little',
    state: 'settling',
    arrange: async (world, name) => {
      await charge(world, name, 4_000n);
    },
  },
  {
    name: 'unknown, and to be paid from an account',
    state: 'unknown',
    arrange: async (world, name) => {
      await charge(world, name, 12_000n);
      await world.one.calls.recordOutcome(idOf(name), unknown, now);
    },
  },
  {
    name: 'settled, and a deposit into an account',
    state: 'settled',
    arrange: async (world, name) => {
      await world.openAccount(depositAccount(name), 0n);
      await settle(world, name);
    },
  },
  {
    name: 'delivered',
    state: 'delivered',
    arrange: async (world, name) => {
      await settle(world, name);
      await world.one.calls.recordResult({ id: idOf(name) }, delivered, null, now);
    },
  },
  {
    name: 'kept',
    state: 'kept',
    arrange: async (world, name) => {
      await settle(world, name);
      await world.one.calls.recordResult({ id: idOf(name) }, kept, null, now);
    },
  },
  {
    name: 'in need of attention',
    state: 'needs_attention',
    arrange: async (world, name) => {
      await settle(world, name);
      await world.one.calls.recordNeedsAttention({ id: idOf(name) }, 'delivery_failed', now);
    },
  },
  { name: 'refused', state: 'refused', arrange: refuse },
  {
    name: 'refused for good, because its authorization was never used',
    state: 'refused',
    arrange: async (world, name) => {
      await refuse(world, name);
      await world.one.calls.recordRefusalFinal(idOf(name), now);
    },
  },
  {
    name: 'refused before anything was submitted',
    state: 'refused',
    arrange: async ({ one: { calls } }, name) => {
      await calls.claim({ ...claimOf(name), isPrepared: true }, now);
      await calls.recordUnprepared({ id: idOf(name) }, 'render_failed', now);
    },
  },
  {
    name: 'refunded',
    state: 'refunded',
    arrange: async (world, name) => {
      await debit(world, name);
      const payment = newPayment(name, { network: 'account' });
      await world.one.calls.refundUnsent({ id: idOf(name), payment }, 'provider_unreachable', now);
    },
  },
];

/** Something that a process tells the store about a call. */
export interface CallMove {
  readonly name: string;
  run(process: CallProcess, call: PaidCall, name: string): Promise<unknown>;
}

const at = later(1);

export const moves: readonly CallMove[] = [
  {
    name: 'was prepared',
    run: ({ calls }, call) => calls.recordPrepared(call, { file: 'another key' }, at),
  },
  {
    name: 'could not be prepared',
    run: ({ calls }, call) => calls.recordUnprepared(call, 'service_unavailable', at),
  },
  {
    name: 'was charged',
    run: ({ calls }, { id }, name) => calls.recordOutcome(id, settledBy(name), at),
  },
  { name: 'was refused', run: ({ calls }, { id }) => calls.recordOutcome(id, refused, at) },
  {
    name: 'has no outcome',
    run: ({ calls }, { id }) => calls.recordOutcome(id, { ...unknown, transactionHash: '0x?' }, at),
  },
  { name: 'is submitted again', run: ({ calls }, call) => calls.recordResubmission(call, at) },
  { name: 'is reopened', run: ({ calls }, call) => calls.recordReopened(call, at) },
  { name: 'cannot be charged any more', run: ({ calls }, { id }) => calls.recordRefusalFinal(id, at) },
  { name: 'was delivered', run: ({ calls }, call) => calls.recordResult(call, delivered, null, at) },
  { name: 'was kept', run: ({ calls }, call) => calls.recordResult(call, kept, null, at) },
  {
    name: 'needs attention',
    run: ({ calls }, call) => calls.recordNeedsAttention(call, 'delivery_failed', at),
  },
  {
    name: 'is restarted',
    run: ({ calls }, { id }, name) =>
      calls.claimAgain({ ...claimOf(name), id, input: { again: true }, idempotencyKey: null }, at),
  },
  { name: 'is taken over', run: ({ calls }, call) => calls.takeOver(call) },
  { name: 'is taken over for recovery', run: ({ calls }, call) => calls.takeOverForRecovery(call) },
  { name: 'is sent to a third party', run: ({ calls }, { id }) => calls.recordSending(id) },
  { name: 'is released', run: ({ calls }, { id }) => calls.release(id, at) },
  {
    name: 'is postponed after a charge',
    run: ({ calls }, { id }) => calls.postpone(id, { attempts: 4, attemptAt: at, isDelivery: false }),
  },
  {
    name: 'is postponed after a delivery',
    run: ({ calls }, { id }) =>
      calls.postpone(id, { attempts: 5, attemptAt: at, isDelivery: true, note: 'provider_failed' }),
  },
];

/** Only calls that concern an account. */
export const accountMoves: readonly CallMove[] = [
  {
    name: 'is refunded to its account',
    run: ({ calls }, call) => calls.refundUnsent(call, 'provider_unreachable', at),
  },
  {
    name: 'is charged to its account',
    run: async ({ accounts }, { payment }) => {
      const outcome = await accounts.debit({ ...payment, network: 'account' });
      return outcome.kind === 'refused' ? outcome.reason : outcome.kind;
    },
  },
  {
    name: 'is credited to an account',
    run: ({ calls }, call, name) => calls.recordResult(call, delivered, depositAccount(name), at),
  },
];

/** What moves did to a call: what each returned, or its error, and everything that the store has of the call. */
export async function play(
  world: CallWorld,
  situation: CallSituation,
  name: string,
  told: readonly CallMove[],
  order: 'in order' | 'in reverse' | 'at once',
): Promise<string> {
  await situation.arrange(world, name);
  const id = idOf(name);
  const call = await world.one.calls.find(id);
  if (!call) throw new Error(`no paid call ${id}`);
  const runs = told.map(
    (move, index) => () => resultOf(world, move.run(index % 2 === 0 ? world.one : world.other, call, name)),
  );
  const results: string[] = [];
  if (order === 'at once') results.push(...(await Promise.all(runs.map((run) => run()))));
  else {
    for (const run of order === 'in order' ? runs : runs.toReversed()) results.push(await run());
    if (order === 'in reverse') results.reverse();
  }
  const held = await Promise.all(
    [call.payment.payer, depositAccount(name)].map((account) => world.one.accounts.balanceOf(account)),
  );
  const text = [...results, await describeCall(world, id), `accounts hold ${held.join(' and ')}`].join('\n');
  return text.replaceAll(name, 'NAME');
}

async function resultOf(world: CallWorld, result: Promise<unknown>): Promise<string> {
  try {
    const value = (await result) ?? null;
    if (value === null || typeof value !== 'object') return String(value);
    const { state, attempts, workedBy } = value as PaidCall;
    return `${state}, attempts ${attempts}, held by ${world.nameOf(workedBy)}`;
  } catch (error) {
    return `failed: ${error instanceof Error ? (error.message.match(/may not move from \w+ to \w+/)?.[0] ?? 'error') : ''}`;
  }
}

/** Everything that the store has of a call, as text. */
async function describeCall(world: CallWorld, id: string): Promise<string> {
  const call = await world.one.calls.find(id);
  if (!call) return 'no call';
  const { payment, requestHash, requestDigest, idempotencyKeyHash, claimTokenHash, ...rest } = call;
  const { moves: made, postings, ...trace } = await world.trace(id);
  const facts = {
    ...rest,
    ...trace,
    signed: payment.signed,
    hasKey: idempotencyKeyHash !== null,
    hasToken: claimTokenHash !== null,
    workedBy: world.nameOf(call.workedBy),
    sinceHeight: String(call.sinceHeight),
  };
  const lines = Object.entries(facts)
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return [...lines, ...made, ...postings].join('\n');
}
