import { PublicKey } from '@solana/web3.js';
import { rpcCall } from '@/local/json-rpc';
import { balanceOf } from '../support/balances';
import { startAtomic } from '../support/expectations';
import { newSolanaSmartWallet } from '../support/payers';
import { falsify, startRpcProxy } from '../support/rpc-proxy';
import {
  type behaviors,
  type SolanaSmartWallet,
  setBehavior,
  walletProgram,
} from '../support/wallet-program/wallet';
import { expect, test } from './fixtures';
import { callsOf, expectPaidAndDeliveredOnce, untilState, uploadsOf } from './rig/found';
import { type Answer, ask, persist, sign, type X402Request } from './rig/requests';
import type { Rig } from './rig/rig';
import { bookedFor, expectNothingOpen, forgetWastedGas } from './rig/settlements';
import { until } from './rig/waiting';

/** Smart wallets whose owners change what they do after a payment was verified, and servers that are killed meanwhile. */

test.setTimeout(180_000);

// Fees that other tests on the same rig have wasted would count, because all of them come from one address.
test.beforeEach(({ rig }) => forgetWastedGas(rig));

type Behavior = keyof typeof behaviors;

const on = 'solana-mainnet';
const priceAtomic = 5_000n;

const newWallet = (rig: Rig) => newSolanaSmartWallet({ rpcUrl: rig.chainUrl(on) });

/** Pays, and makes a change between the last simulation and the block. */
async function payThen(rig: Rig, request: X402Request, change: () => Promise<unknown>): Promise<Answer> {
  const vault = new PublicKey(request.payer).toBuffer();
  // A server also sends again what it sent for others.
  const held = rig.proxy(on).hold('sendTransaction', 'before', {
    params: ([raw]) => Buffer.from(String(raw), 'base64').includes(vault),
  });
  const answer = ask(request);
  // If the wallet is refused before anything is sent, the hold is never reached.
  const isSent = await Promise.race([held.reached.then(() => true), answer.then(() => false)]);
  if (isSent) await change();
  held.release();
  return answer;
}

/** Expects that a wallet's only call was refused and delivered nothing, and that the books agree with the chains. */
async function expectRefused(rig: Rig, { address }: SolanaSmartWallet, since: Date): Promise<void> {
  expect(await callsOf(rig, address)).toMatchObject([{ state: 'refused' }]);
  expect(await uploadsOf(rig, address)).toEqual([]);
  await expectNothingOpen(rig, since);
}

for (const [behavior, words, paidAtomic] of [
  ['doesNothing', 'does nothing', 0n],
  ['fails', 'fails', 0n],
  ['computesForever', 'computes until its units are used up', 0n],
  ['paysHalf', 'pays half', priceAtomic / 2n],
] as const)
  test(`a smart wallet that ${words} in the block is refused and gets nothing, and its fee counts against it`, async ({
    rig,
  }) => {
    const since = new Date();
    const wallet = await newWallet(rig);
    const answer = await payThen(rig, await sign(rig, wallet), () => setBehavior(wallet, behavior));
    expect([answer.status, answer.body.payment]).toEqual([402, 'none']);
    expect(await balanceOf(wallet, on)).toBe(startAtomic - paidAtomic);
    const [booked, ...others] = await bookedFor(rig, wallet.address);
    expect(others).toEqual([]);
    expect(booked).toMatchObject({ code: walletProgram });
    expect(booked?.gas).toBeGreaterThanOrEqual(10_000);
    await expectRefused(rig, wallet, since);
    // It can pay again.
    await setBehavior(wallet, 'pays');
    expect((await ask(await sign(rig, wallet))).status).toBe(200);
  });

test('a smart wallet whose vault is emptied before the block is refused, and its fee counts against it', async ({
  rig,
}) => {
  const since = new Date();
  const wallet = await newWallet(rig);
  const answer = await payThen(rig, await sign(rig, wallet), () =>
    rpcCall(wallet.rpcUrl, 'tuppence_setTokenBalance', [wallet.address, '4999']),
  );
  expect([answer.status, answer.body.payment]).toEqual([402, 'none']);
  expect(await bookedFor(rig, wallet.address)).toMatchObject([{ code: walletProgram }]);
  await expectRefused(rig, wallet, since);
});

test('five payments of one smart wallet at once are all served, each for its own call', async ({ rig }) => {
  const since = new Date();
  const wallet = await newWallet(rig);
  const requests = await Promise.all(Array.from({ length: 5 }, () => sign(rig, wallet)));
  const answers = await Promise.all(requests.map((request) => persist(request)));
  expect(answers.map(({ status }) => status)).toEqual(requests.map(() => 200));
  expect(await balanceOf(wallet, on)).toBe(startAtomic - 5n * priceAtomic);
  expect(await uploadsOf(rig, wallet.address)).toHaveLength(5);
  await expectNothingOpen(rig, since);
});

test('a smart wallet with money for two of three payments at once gets two calls, and the third costs no fee', async ({
  rig,
}) => {
  const since = new Date();
  const wallet = await newSolanaSmartWallet({ rpcUrl: rig.chainUrl(on), atomic: 2n * priceAtomic });
  const requests = await Promise.all(Array.from({ length: 3 }, () => sign(rig, wallet)));
  const answers = await Promise.all(requests.map((request) => persist(request)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 402]);
  expect(await balanceOf(wallet, on)).toBe(0n);
  expect(await uploadsOf(rig, wallet.address)).toHaveLength(2);
  expect(await bookedFor(rig, wallet.address)).toEqual([]);
  await expectNothingOpen(rig, since);
});

test('when the refusal of a smart wallet that paid half becomes final, the audit does not take that half for the price', async ({
  solanaRig: rig,
}) => {
  const wallet = await newWallet(rig);
  expect((await payThen(rig, await sign(rig, wallet), () => setBehavior(wallet, 'paysHalf'))).status).toBe(
    402,
  );
  await rig.query("UPDATE paid_call SET valid_before = now() - interval '1 hour' WHERE payer = $1", [
    wallet.address,
  ]);
  await rpcCall(wallet.rpcUrl, 'tuppence_advanceSlots', [250]);
  await until('a final refusal', async () => {
    const final = await rig.query(
      "SELECT FROM paid_call WHERE payer = $1 AND state = 'refused' AND refusal_final_at IS NOT NULL",
      [wallet.address],
    );
    return final.length > 0;
  });
  expect(await rig.audit()).toEqual([]);
});

test('a smart wallet that pays twice in the block is served once', async ({ rig }) => {
  const since = new Date();
  const wallet = await newWallet(rig);
  const answer = await payThen(rig, await sign(rig, wallet), () => setBehavior(wallet, 'paysTwice'));
  expect(answer.status).toBe(200);
  expect(await balanceOf(wallet, on)).toBe(startAtomic - 2n * priceAtomic);
  expect(await uploadsOf(rig, wallet.address)).toHaveLength(1);
  await expectNothingOpen(rig, since);
});

test('over its hourly budget a smart wallet gets Retry-After before anything is sent, and others still pay', async ({
  rig,
}) => {
  const wallet = await newWallet(rig);
  const answers: Answer[] = [];
  while (answers.length < 12 && answers.at(-1)?.status !== 429) {
    await setBehavior(wallet, 'pays');
    answers.push(await payThen(rig, await sign(rig, wallet), () => setBehavior(wallet, 'fails')));
  }
  const { status, headers, body } = answers.at(-1) as Answer;
  expect([status, body.error.code, body.error.reason, body.error.payment]).toEqual([
    429,
    'too_many_failed_settlements',
    'gas_budget_exceeded',
    'none',
  ]);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(3_000);
  expect(answers.slice(0, -1).map((answer) => answer.status)).toEqual(answers.slice(1).map(() => 402));
  const wasted = (await bookedFor(rig, wallet.address)).reduce((sum, { gas }) => sum + gas, 0);
  expect(wasted).toBeLessThanOrEqual(120_000);
  expect((await ask(await sign(rig, await newWallet(rig)))).status).toBe(200);
  // The hour passes.
  await setBehavior(wallet, 'pays');
  await rig.query("UPDATE gas_in_vain SET at = at - interval '61 minutes' WHERE payer = $1", [
    wallet.address,
  ]);
  expect((await ask(await sign(rig, wallet))).status).toBe(200);
});

/** The points at which the server is killed, as the message to the node that it sends or has answered there. */
const stops = {
  'recorded but not sent': ['sendTransaction', 'before'],
  'sent without an acknowledgement': ['sendTransaction', 'after'],
  'in a block but not recorded': ['getTransaction', 'after'],
} as const;
type Stop = keyof typeof stops;

/** Kills the server while it settles a wallet's payment. Before the transaction reaches the node, the wallet may change. */
async function killAt(rig: Rig, wallet: SolanaSmartWallet, stop: Stop, behavior: Behavior = 'pays') {
  const request = await sign(rig, wallet);
  const change = rig.proxy(on).on('sendTransaction', async (_, forward) => {
    await setBehavior(wallet, behavior);
    return forward();
  });
  // The newest rule that matches handles a call.
  const [message, when] = stops[stop];
  const held = rig.proxy(on).hold(message, when);
  const first = ask(request).catch(() => null);
  await held.reached;
  await rig.kill();
  if (stop !== 'in a block but not recorded') await setBehavior(wallet, behavior);
  held.abandon();
  change.remove();
  expect(await first, 'the first request has no answer').toBeNull();
  await rig.passTakeoverTime();
  await rig.start();
  return request;
}

for (const stop of Object.keys(stops) as Stop[])
  test(`killed when the payment of a smart wallet is ${stop}, the same request ends with the one upload it paid for`, async ({
    rig,
  }) => {
    const wallet = await newWallet(rig);
    const request = await killAt(rig, wallet, stop);
    expect((await persist(request)).status).toBe(200);
    await expectPaidAndDeliveredOnce(rig, wallet.address);
    expect(await balanceOf(wallet, on)).toBe(startAtomic - priceAtomic);
  });

test('killed when the payment of a smart wallet that no longer pays is in a block but not recorded, the call is refused and delivers nothing', async ({
  rig,
}) => {
  const since = new Date();
  const wallet = await newWallet(rig);
  const request = await killAt(rig, wallet, 'in a block but not recorded', 'doesNothing');
  await untilState(rig, wallet.address, 'refused');
  expect((await persist(request)).status).toBe(402);
  expect(await balanceOf(wallet, on)).toBe(startAtomic);
  await expectRefused(rig, wallet, since);
});

test('killed when the payment of a smart wallet that no longer pays is recorded but not sent, the call is refused once it has expired', async ({
  solanaRig: rig,
}) => {
  const since = new Date();
  const wallet = await newWallet(rig);
  const request = await killAt(rig, wallet, 'recorded but not sent', 'doesNothing');
  await untilState(rig, wallet.address, 'unknown');
  await rpcCall(rig.chainUrl(on), 'tuppence_advanceSlots', [250]);
  await untilState(rig, wallet.address, 'refused');
  expect((await persist(request)).status).toBe(402);
  expect(await balanceOf(wallet, on, wallet.rpcUrl)).toBe(startAtomic);
  await expectRefused(rig, wallet, since);
});

/** Sends a transaction that is on the chain again after its fork has lost. */
async function landAgain({ rpcUrl }: SolanaSmartWallet, signature: string, before: () => Promise<void>) {
  const config = { encoding: 'base64', commitment: 'confirmed', maxSupportedTransactionVersion: 0 };
  const found = await rpcCall(rpcUrl, 'getTransaction', [signature, config]);
  const [wire] = (found as { transaction: [string, 'base64'] }).transaction;
  expect(await rpcCall(rpcUrl, 'tuppence_rollback', [signature])).toEqual([signature]);
  await before();
  await rpcCall(rpcUrl, 'tuppence_advanceSlots', [2]);
  await rpcCall(rpcUrl, 'sendTransaction', [wire, { encoding: 'base64', skipPreflight: true }]);
  await rpcCall(rpcUrl, 'tuppence_advanceSlots', [40]);
}

for (const [behavior, words, state] of [
  ['pays', 'pays', 'delivered'],
  ['doesNothing', 'no longer pays', 'refused'],
] as const)
  test(`if the fork with the payment of a smart wallet loses and the wallet ${words} on the other, the call is ${state} and the books agree`, async ({
    solanaRig: rig,
  }) => {
    const since = new Date();
    const wallet = await newWallet(rig);
    expect((await ask(await sign(rig, wallet))).status).toBe(200);
    const [call] = await callsOf(rig, wallet.address);
    await landAgain(wallet, call?.transaction_hash ?? '', () => setBehavior(wallet, behavior));
    await until('a final slot', async () => {
      const found = await rig.query(
        'SELECT FROM settlement_transaction WHERE hash = $1 AND final_at IS NOT NULL',
        [call?.transaction_hash],
      );
      return found.length > 0;
    });
    await untilState(rig, wallet.address, state);
    const left = startAtomic - (behavior === 'pays' ? priceAtomic : 0n);
    expect(await balanceOf(wallet, on, wallet.rpcUrl)).toBe(left);
    await expectNothingOpen(rig, since);
  });

/** What a node returns of a transaction, as far as it says who has how much. */
interface Told {
  readonly meta: { readonly postTokenBalances: { owner: string; uiTokenAmount: { amount: string } }[] };
}

test('a payment of a smart wallet is neither delivered nor refused before the node returns its transaction', async ({
  rig,
}) => {
  const [honest, fickle] = [await newWallet(rig), await newWallet(rig)];
  const unknown = rig.proxy(on).on('getTransaction', async () => ({ result: null }));
  const paid = await sign(rig, honest);
  const unpaid = await sign(rig, fickle);
  const answers = [await ask(paid), await payThen(rig, unpaid, () => setBehavior(fickle, 'doesNothing'))];
  expect(answers.map(({ status, body }) => [status, body.error.retry])).toEqual([
    [503, 'same_request'],
    [503, 'same_request'],
  ]);
  expect(unknown.hits).toBeGreaterThan(1);
  for (const { address } of [honest, fickle]) expect(await uploadsOf(rig, address)).toEqual([]);
  unknown.remove();
  expect((await persist(paid)).status).toBe(200);
  await expectPaidAndDeliveredOnce(rig, honest.address);
  expect((await persist(unpaid)).status).toBe(402);
  expect(await uploadsOf(rig, fickle.address)).toEqual([]);
});

test('a smart wallet that did nothing gets nothing while one of two nodes says that it paid', async ({
  rig,
}) => {
  const since = new Date();
  const wallet = await newWallet(rig);
  const liar = await startRpcProxy(rig.chainUrl(on));
  // Whichever node is asked for anything else, its answer is right.
  const lie = liar.on(
    'getTransaction',
    falsify((told) => {
      if (told === null) return told;
      for (const balance of (told as Told).meta.postTokenBalances) {
        const change =
          { [wallet.address]: -priceAtomic, [rig.payTo.solana]: priceAtomic }[balance.owner] ?? 0n;
        balance.uiTokenAmount.amount = String(BigInt(balance.uiTokenAmount.amount) + change);
      }
      return told;
    }),
  );
  await rig.restart({ SOLANA_RPC_URL: `${liar.url},${rig.proxy(on).url}` });
  try {
    const request = await sign(rig, wallet);
    // Either node may be the one that the transaction is sent to first.
    const changed = liar.on('sendTransaction', async (_, forward) => {
      await setBehavior(wallet, 'doesNothing');
      return forward();
    });
    const answer = await payThen(rig, request, () => setBehavior(wallet, 'doesNothing'));
    changed.remove();
    expect([answer.status, answer.body.error.retry]).toEqual([503, 'same_request']);
    expect(lie.hits).toBeGreaterThan(0);
    expect(await callsOf(rig, wallet.address)).toMatchObject([{ state: 'unknown' }]);
    expect(await uploadsOf(rig, wallet.address)).toEqual([]);
    lie.remove();
    expect((await persist(request)).status).toBe(402);
    await expectRefused(rig, wallet, since);
  } finally {
    await rig.kill();
    await liar.close();
  }
});
