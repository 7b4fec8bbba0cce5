import { rpcCall } from '@/local/json-rpc';
import { breakAnswer, loseRequest } from '../support/rpc-proxy';
import { expect, test } from './fixtures';
import { callsOf, transfersOf, untilState, uploadsOf } from './rig/found';
import { ask, persist, sign } from './rig/requests';
import type { Rig } from './rig/rig';
import { until } from './rig/waiting';

test.setTimeout(180_000);

const broadcast = 'sendTransaction';

const solanaOf = (rig: Rig) => rig.proxy('solana-mainnet');

async function expectPaidAndDeliveredOnce(rig: Rig, payer: string): Promise<void> {
  await until('one confirmed transfer', async () => (await transfersOf(rig, payer)).length === 1, 5_000);
  expect(await uploadsOf(rig, payer)).toHaveLength(1);
  expect(await rig.audit()).toEqual([]);
}

/** A payer and their request. The server was killed before or after the node got the transaction. */
async function killAtBroadcast(rig: Rig, when: 'before' | 'after') {
  const wallet = await rig.newSolanaPayer();
  const request = await sign(rig, wallet);
  const held = solanaOf(rig).hold(broadcast, when);
  const first = ask(request).catch(() => null);
  await held.reached;
  await rig.kill();
  held.abandon();
  await first;
  return { wallet, request };
}

test('Solana payments of one account are sent in parallel while its balance covers them; the rest cost no fee', async ({
  rig,
}) => {
  const wallet = await rig.newSolanaPayer(10_000n);
  const [one, another, tooMuch] = [
    await sign(rig, wallet),
    await sign(rig, wallet),
    await sign(rig, wallet),
  ] as const;
  const asked = solanaOf(rig).count('getTokenAccountBalance');
  // A transaction that is slow to land is sent again.
  const sent = new Set<unknown>();
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const held = solanaOf(rig).on(broadcast, async ({ params: [transaction] }, forward) => {
    sent.add(transaction);
    await released;
    return forward();
  });
  const first = ask(one);
  await held.reached;
  expect(solanaOf(rig).count('getTokenAccountBalance')).toBe(asked);
  const second = ask(another);
  await until('two broadcasts', async () => sent.size === 2);
  const third = ask(tooMuch);
  await until('a look at the balance', async () => solanaOf(rig).count('getTokenAccountBalance') > asked + 1);
  release();
  expect([(await first).status, (await second).status]).toEqual([200, 200]);
  const refused = await third;
  held.remove();
  expect(refused.status).toBe(402);
  expect(refused.body.error).toBe('insufficient_funds');
  expect(sent.size).toBe(2);
  expect(await transfersOf(rig, wallet.address)).toHaveLength(2);
  expect(await uploadsOf(rig, wallet.address)).toHaveLength(2);
  expect(await rig.audit()).toEqual([]);
});

test('a Solana payment that was made is found although no node tells whether its blockhash is valid', async ({
  solanaRig: rig,
}) => {
  const { wallet, request } = await killAtBroadcast(rig, 'after');
  await until('a confirmed transfer', async () => (await transfersOf(rig, wallet.address)).length === 1);
  await rpcCall(rig.chainUrl('solana-mainnet'), 'tuppence_advanceSlots', [250]);
  const limited = solanaOf(rig).on('isBlockhashValid', loseRequest);
  await rig.passTakeoverTime();
  await rig.start();
  expect((await persist(request)).status).toBe(200);
  limited.remove();
  await expectPaidAndDeliveredOnce(rig, wallet.address);
});

test('a Solana payment sent under an earlier settlement key is resolved after the key was changed', async ({
  rig,
}) => {
  const { wallet } = await killAtBroadcast(rig, 'after');
  await rig.start({ SETTLEMENT_KEY_SOLANA: await rig.newSolanaFeePayer() });
  try {
    await untilState(rig, wallet.address, 'delivered');
    await expectPaidAndDeliveredOnce(rig, wallet.address);
    // The transaction is booked and becomes final like those of the current key.
    await until('the record of its block', async () => {
      const open = await rig.query("SELECT FROM settlement_transaction WHERE state <> 'confirmed'");
      return open.length === 0;
    });
  } finally {
    await rig.kill();
  }
});

test('if the Solana node cannot be asked to verify a payment, the call gets 503, and nothing is stored or charged', async ({
  rig,
}) => {
  for (const fault of ['status-500', 'close', 'truncate'] as const) {
    const wallet = await rig.newSolanaPayer();
    const request = await sign(rig, wallet);
    const rule = solanaOf(rig).on('simulateTransaction', breakAnswer(fault));
    const first = await ask(request);
    rule.remove();
    expect(first.status).toBe(503);
    expect(first.body.error).toMatchObject({ code: 'service_unavailable', payment: 'none', retry: 'later' });
    expect(await callsOf(rig, wallet.address)).toEqual([]);
    expect((await persist(request)).status).toBe(200);
    await expectPaidAndDeliveredOnce(rig, wallet.address);
  }
});
