import type { StoredAnswer } from '@/lib/calls/paid-call';
import type { NewRefund, Refund } from '@/lib/ledger/refund-records';
import type { RefundMethod } from '@/lib/ledger/refund-states';
import type { RefundBeginning, RefundChange, RefundStep } from '@/lib/operator/refunds/refund-store';
import { type CallProcess, type CallWorld, later, newClaim, newPayment, worldTime } from './call-world';

/** Every situation in which the store finds a call and its refund, and everything that can be recorded about them. */

const now = worldTime;
const at = later(1);
const idOf = (name: string) => `pc_${name}`;
const accountOf = (name: string) => `account of ${name}`;
const operator = { name: 'console:test', address: null };
const step: RefundStep = { operator, note: 'noted', now: at };
const answer: StoredAnswer = { status: 200, body: '{"words":2}', receipt: 'receipt' };
const failure: StoredAnswer = { status: 502, body: '{"error":{"code":"provider_failed"}}' };

const placeIn = (number: bigint) => ({ index: 3, block: { number, hash: `0xb${number}` } });
const sentAs = (hash: string) => ({ transactionHash: hash, untilHeight: 90n });
const named = (hash: string, isFinal?: boolean) =>
  ({
    kind: 'send',
    sent: sentAs(hash),
    found: isFinal === undefined ? null : { place: placeIn(20n), isFinal },
  }) as const;

function termsOf(name: string, method: RefundMethod): NewRefund {
  return {
    paidCallId: idOf(name),
    method,
    accountId: method === 'account' ? accountOf(name) : null,
    reason: 'duplicate',
    note: null,
    sinceHeight: method === 'wallet' ? 9n : null,
  };
}

/** How a call and its refund are brought into a situation. */
export interface RefundSituation {
  readonly name: string;
  /** @param name distinguishes the call from all others in the store */
  arrange(world: CallWorld, name: string): Promise<void>;
}

/** A paid call that waits for an operator, and an account of its payer. */
async function sell(world: CallWorld, name: string): Promise<void> {
  const { calls } = world.one;
  await world.openAccount(accountOf(name), 0n);
  await calls.claim(newClaim(name, newPayment(name)), now);
  const block = { number: 8n, hash: '0xa' };
  await calls.recordOutcome(idOf(name), { kind: 'settled', transactionHash: `0x of ${name}`, block }, now);
}

async function sellInVain(world: CallWorld, name: string): Promise<void> {
  await sell(world, name);
  await world.one.calls.recordNeedsAttention({ id: idOf(name) }, 'delivery_failed', now);
  await world.finalize(idOf(name));
}

async function begin(
  world: CallWorld,
  name: string,
  method: RefundMethod = 'wallet',
  how: RefundBeginning = { kind: 'request' },
): Promise<Refund> {
  await sellInVain(world, name);
  return world.one.refunds.begin(termsOf(name, method), how, later(2), { ...step, now });
}

/** A refund from a wallet that took these steps. */
async function beginAnd(
  world: CallWorld,
  name: string,
  ...told: readonly ((process: CallProcess, refund: Refund, name: string) => Promise<unknown>)[]
): Promise<void> {
  const { id } = await begin(world, name);
  for (const tell of told) {
    const refund = await world.one.refunds.find(id);
    if (refund) await tell(world.one, refund, name);
  }
}

const change =
  (made: (name: string) => RefundChange, by = { ...step, now }) =>
  ({ refunds }: CallProcess, refund: Refund, name: string) =>
    refunds.change(refund, made(name), by);
const sign = change(() => ({ kind: 'sign', end: { until: later(10), untilHeight: 70n } }));
const send = change((name) => named(`0xfirst of ${name}`));
const sendInBlock = change((name) => named(`0xfirst of ${name}`, false));

export const situations: readonly RefundSituation[] = [
  {
    name: 'settled, without a refund',
    arrange: async (world, name) => {
      await sell(world, name);
      await world.finalize(idOf(name));
    },
  },
  {
    name: 'in need of attention, not final',
    arrange: async (world, name) => {
      await sell(world, name);
      await world.one.calls.recordNeedsAttention({ id: idOf(name) }, 'delivery_failed', now);
    },
  },
  { name: 'in need of attention, without a refund', arrange: sellInVain },
  ...(['delivered', 'kept'] as const).map((state) => ({
    name: `${state}, without a refund`,
    arrange: async (world: CallWorld, name: string) => {
      await sell(world, name);
      const stored = state === 'kept' ? failure : answer;
      await world.one.calls.recordResult({ id: idOf(name) }, stored, null, now);
      await world.finalize(idOf(name));
    },
  })),
  {
    name: 'a deposit that was credited',
    arrange: async (world, name) => {
      await sell(world, name);
      await world.one.calls.recordResult({ id: idOf(name) }, answer, accountOf(name), now);
      await world.finalize(idOf(name));
    },
  },
  {
    name: 'in need of attention, of a payer whose account is revoked',
    arrange: async (world, name) => {
      await sellInVain(world, name);
      await world.revokeAccount(accountOf(name));
    },
  },
  { name: 'with a requested refund', arrange: (world, name) => beginAnd(world, name) },
  { name: 'with a refund that a wallet may sign', arrange: (world, name) => beginAnd(world, name, sign) },
  { name: 'with a refund that was sent', arrange: (world, name) => beginAnd(world, name, sign, send) },
  { name: 'with a refund in a block', arrange: (world, name) => beginAnd(world, name, sign, sendInBlock) },
  {
    name: 'with a refund that a reorganization has removed',
    arrange: (world, name) =>
      beginAnd(world, name, sendInBlock, ({ refunds }, refund) => refunds.recordReorganized(refund, now)),
  },
  {
    name: 'with a failed refund',
    arrange: (world, name) =>
      beginAnd(world, name, send, ({ refunds }, refund) =>
        refunds.recordFailed(refund, 'transaction_failed', now),
      ),
  },
  {
    name: 'with a cancelled refund',
    arrange: (world, name) =>
      beginAnd(
        world,
        name,
        change(() => ({ kind: 'cancel' })),
      ),
  },
  {
    name: 'refunded by a transfer',
    arrange: async (world, name) => {
      await begin(world, name, 'transfer', named(`0xfirst of ${name}`, true));
    },
  },
  {
    name: 'refunded into an account',
    arrange: async (world, name) => {
      await begin(world, name, 'account', { kind: 'post' });
    },
  },
];

/** Something that a process records about a call or its refund. */
export interface RefundMove {
  readonly name: string;
  /** @param refund the newest one, as the process knows it; null when there is none */
  run(process: CallProcess, refund: Refund | null, name: string): Promise<unknown>;
}

const ofRefund = (
  name: string,
  run: (process: CallProcess, refund: Refund, name: string) => Promise<unknown>,
): RefundMove => ({
  name,
  run: async (process, refund, callName) => (refund ? run(process, refund, callName) : 'no refund'),
});

const begins = (name: string, method: RefundMethod, how: (name: string) => RefundBeginning): RefundMove => ({
  name,
  run: async ({ refunds }, _, callName) =>
    (await refunds.begin(termsOf(callName, method), how(callName), later(3), step)).state,
});

const changes = (name: string, made: (name: string) => RefundChange): RefundMove =>
  ofRefund(name, change(made, step));

export const moves: readonly RefundMove[] = [
  begins('is requested', 'wallet', () => ({ kind: 'request' })),
  begins('begins with a transfer', 'transfer', (name) => named(`0xother of ${name}`, false)),
  begins('begins with a final transfer', 'transfer', (name) => named(`0xother of ${name}`, true)),
  begins('is posted', 'account', () => ({ kind: 'post' })),
  changes('is signed', () => ({ kind: 'sign', end: { until: later(20), untilHeight: 80n } })),
  changes('is sent', (name) => named(`0xnew of ${name}`)),
  changes('is sent and in a block', (name) => named(`0xother of ${name}`, false)),
  changes('is sent and final', (name) => named(`0xother of ${name}`, true)),
  changes('is cancelled', () => ({ kind: 'cancel' })),
  ofRefund('is found', ({ refunds }, refund, name) =>
    refunds.recordFound(refund, sentAs(`0xnew of ${name}`), at),
  ),
  ofRefund('is included', ({ refunds }, refund) => refunds.recordIncluded(refund, placeIn(21n))),
  ofRefund('is reorganized', ({ refunds }, refund) => refunds.recordReorganized(refund, at)),
  ofRefund('is confirmed', ({ refunds }, refund) => refunds.recordConfirmed(refund, placeIn(22n), at)),
  ofRefund('failed', ({ refunds }, refund) => refunds.recordFailed(refund, 'wrong_amount', at)),
  {
    name: 'its call is credited late',
    run: ({ calls }, _, name) => calls.recordResult({ id: idOf(name) }, answer, accountOf(name), at),
  },
  {
    name: 'its call is delivered late',
    run: ({ calls }, _, name) => calls.recordResult({ id: idOf(name) }, answer, null, at),
  },
];

/** What moves did: what each returned, or the code of its error, and everything that the store has of the call and its refunds. */
export async function play(
  world: CallWorld,
  situation: RefundSituation,
  name: string,
  told: readonly RefundMove[],
  order: 'in order' | 'in reverse' | 'at once',
): Promise<string> {
  await situation.arrange(world, name);
  const [refund = null] = await world.one.refunds.refundsOf(idOf(name));
  const runs = told.map(
    (move, index) => () => resultOf(move.run(index % 2 === 0 ? world.one : world.other, refund, name)),
  );
  const results: string[] = [];
  if (order === 'at once') results.push(...(await Promise.all(runs.map((run) => run()))));
  else {
    for (const run of order === 'in order' ? runs : runs.toReversed()) results.push(await run());
    if (order === 'in reverse') results.reverse();
  }
  return [...results, ...(await describeRefunds(world, name))].join('\n').replaceAll(name, 'NAME');
}

async function resultOf(result: Promise<unknown>): Promise<string> {
  try {
    return String(await result);
  } catch (error) {
    return `failed: ${JSON.stringify(error).match(/23\d{3}/)?.[0] ?? String(error)}`;
  }
}

/** Everything that the store has of a call and its refunds, as text. */
async function describeRefunds(world: CallWorld, name: string): Promise<string[]> {
  const id = idOf(name);
  const { refunds, accounts } = world.one;
  const [call, stored, traces, { moves, postings, creditedAccount }] = await Promise.all([
    refunds.findCall(id),
    refunds.refundsOf(id),
    world.traceRefunds(id),
    world.trace(id),
  ]);
  const rows = stored.toReversed().map(({ id: _, ...refund }, round) => ({ ...refund, ...traces[round] }));
  const { indexes, undecided } = await refunds.usedTransfers('base', `0xother of ${name}`, null);
  return [
    ...[call, ...rows].map(toText),
    ...moves,
    ...postings,
    `credited: ${creditedAccount}, balance ${await accounts.balanceOf(accountOf(name))}`,
    `transfers of 0xother: ${[...indexes].join()}, undecided ${undecided}`,
  ];
}

/** A row as text, with its columns in a fixed order. */
function toText(row: object | null): string {
  const columns = Object.entries(row ?? {}).toSorted(([one], [other]) => one.localeCompare(other));
  return JSON.stringify(columns, (_, value) => (typeof value === 'bigint' ? String(value) : value));
}
