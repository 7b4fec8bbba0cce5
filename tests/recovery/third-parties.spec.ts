import { encodeFunctionData, parseAbi } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { topUpUsdc } from '@/local/evm/funding';
import { resign } from '../support/lies';
import { loseRequest } from '../support/rpc-proxy';
import { expect, test } from './fixtures';
import { callsOf, transfersOf, untilState, uploadsOf } from './rig/found';
import { ask, persist, sign, type X402Request } from './rig/requests';
import type { Rig } from './rig/rig';
import { cancellation, carries, submitAsStranger, submitTogether, transact, usdc } from './rig/strangers';
import { until } from './rig/waiting';

test.setTimeout(180_000);

const broadcast = 'eth_sendRawTransaction';
const tokenAbi = parseAbi(['function transfer(address to, uint256 value)']);

/** Sends a request and stops the server just before it broadcasts. */
async function stopBeforeBroadcast(rig: Rig) {
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  // Transactions of earlier tests may still be sent again.
  const held = rig.base.hold(broadcast, 'before', { params: carries(wallet) });
  const answer = ask(request);
  answer.catch(() => undefined);
  await held.reached;
  return { wallet, request, held, answer };
}

function transactionOf(headers: Headers): unknown {
  const receipt = headers.get('payment-response') ?? '';
  return JSON.parse(Buffer.from(receipt, 'base64').toString()).transaction;
}

test('a payment that a stranger submits first is delivered once, under the transaction of the stranger', async ({
  rig,
}) => {
  const { wallet, request, held, answer } = await stopBeforeBroadcast(rig);
  const strangers = await submitAsStranger(rig, request);
  held.release();
  const { status, headers } = await answer;
  expect(status).toBe(200);
  expect(transactionOf(headers)).toBe(strangers);
  expect(await transfersOf(rig, wallet.address)).toEqual([strangers]);
  expect(await callsOf(rig, wallet.address)).toMatchObject([
    { state: 'delivered', transaction_hash: strangers },
  ]);
  expect(await uploadsOf(rig, wallet.address)).toHaveLength(1);
  expect(await rig.audit()).toEqual([]);
});

test('a node with a small log limit is queried only for the logs of one authorization', async ({ rig }) => {
  const { wallet, request, held, answer } = await stopBeforeBroadcast(rig);
  const narrow = rig.base.on('eth_getLogs', async ({ params: [filter] }, forward) => {
    const [, authorizer, nonce] = (filter as { topics: readonly (string | null)[] }).topics;
    const isNarrow = authorizer?.endsWith(wallet.address.slice(2).toLowerCase()) && nonce !== undefined;
    return isNarrow
      ? forward()
      : { error: { code: -32005, message: 'query returned more than 10000 results' } };
  });
  const strangers = await submitAsStranger(rig, request);
  held.release();
  expect((await answer).status).toBe(200);
  expect(narrow.hits).toBeGreaterThan(0);
  expect(await transfersOf(rig, wallet.address)).toEqual([strangers]);
});

test('recovery finds and delivers a payment that a stranger submits while the server is down', async ({
  rig,
}) => {
  const { wallet, request, held } = await stopBeforeBroadcast(rig);
  await rig.kill();
  held.abandon();
  const strangers = await submitAsStranger(rig, request);
  await rig.start();
  const call = await untilState(rig, wallet.address, 'delivered');
  expect(call.transaction_hash).toBe(strangers);
  expect(await transfersOf(rig, wallet.address)).toEqual([strangers]);
  expect(transactionOf((await persist(request)).headers)).toBe(strangers);
  expect(await rig.audit()).toEqual([]);
});

async function expectRefusedForGood(rig: Rig, request: X402Request, reason: string): Promise<void> {
  for (const answer of [await ask(request), await ask(request)]) {
    expect(answer.status).toBe(402);
    expect(answer.body.error).toBe(reason);
  }
  expect(await callsOf(rig, request.payer)).toMatchObject([{ state: 'refused', refusal_reason: reason }]);
  expect(await transfersOf(rig, request.payer)).toEqual([]);
  expect(await uploadsOf(rig, request.payer)).toEqual([]);
  expect(await rig.audit()).toEqual([]);
}

async function moveBalanceAway(rig: Rig, wallet: PrivateKeyAccount): Promise<void> {
  const to = privateKeyToAccount(generatePrivateKey()).address;
  await transact(
    rig,
    wallet,
    encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [to, 10_000_000n] }),
  );
}

test('a balance spent between verification and settlement gets 402 with the reason, and nothing is delivered', async ({
  rig,
}) => {
  const { wallet, request, held, answer } = await stopBeforeBroadcast(rig);
  await moveBalanceAway(rig, wallet);
  held.release();
  const first = await answer;
  expect(first.status).toBe(402);
  expect(first.body.error).toBe('invalid_exact_evm_insufficient_balance');
  await expectRefusedForGood(rig, request, 'invalid_exact_evm_insufficient_balance');
});

test('a refused payment that a stranger submits when the balance is back is delivered once', async ({
  rig,
}) => {
  const { wallet, request, held, answer } = await stopBeforeBroadcast(rig);
  await moveBalanceAway(rig, wallet);
  held.release();
  expect((await answer).status).toBe(402);
  await topUpUsdc(rig.chainUrl('base'), usdc, [wallet.address], 10_000_000n, 10_000_000n);
  const strangers = await submitAsStranger(rig, request);
  // The window passes.
  await rig.query("UPDATE paid_call SET valid_before = now() - interval '1 second' WHERE payer = $1", [
    wallet.address,
  ]);
  const call = await untilState(rig, wallet.address, 'delivered', 60_000);
  expect(call.transaction_hash).toBe(strangers);
  expect(await uploadsOf(rig, wallet.address)).toHaveLength(1);
  expect((await persist(request)).status).toBe(200);
  expect(await transfersOf(rig, wallet.address)).toEqual([strangers]);
  expect(await rig.audit()).toEqual([]);
});

test('an authorization canceled between verification and settlement gets 402 with the reason, and nothing is delivered', async ({
  rig,
}) => {
  const { wallet, request, held, answer } = await stopBeforeBroadcast(rig);
  await transact(rig, privateKeyToAccount(generatePrivateKey()), await cancellation(wallet, request));
  held.release();
  const first = await answer;
  expect(first.status).toBe(402);
  expect(first.body.error).toBe('authorization_canceled');
  await expectRefusedForGood(rig, request, 'authorization_canceled');
});

test('a payer who uses a second authorization with the same nonce gets 402 with the reason, and nothing is delivered', async ({
  rig,
}) => {
  const { wallet, request, held, answer } = await stopBeforeBroadcast(rig);
  const toHimself = { authorization: { to: wallet.address } };
  await submitAsStranger(rig, { envelope: await resign(request.envelope, wallet, 'base', toHimself) });
  held.release();
  const first = await answer;
  expect(first.status).toBe(402);
  expect(first.body.error).toBe('authorization_used_elsewhere');
  await expectRefusedForGood(rig, request, 'authorization_used_elsewhere');
});

test('one transfer pays for one call, however many authorizations of the payer are used beside it', async ({
  rig,
}) => {
  const wallet = await rig.newEvmPayer();
  const [unpaid, paid] = await Promise.all([sign(rig, wallet), sign(rig, wallet)]);
  const cut = rig.base.on(broadcast, loseRequest, { params: carries(wallet) });
  const answers = [persist(unpaid), persist(paid)];
  await until('both payments are to be sent', async () => {
    const calls = await callsOf(rig, wallet.address);
    return calls.filter(({ transaction_hash: hash }) => hash !== null).length === answers.length;
  });
  const nothing = { authorization: { to: wallet.address, value: '0' } };
  const used = { envelope: await resign(unpaid.envelope, wallet, 'base', nothing) };
  const strangers = await submitTogether(rig, [used, paid]);
  cut.remove();
  const [refused, delivered] = await Promise.all(answers);
  expect(refused?.status).toBe(402);
  expect(refused?.body.error).toBe('authorization_used_elsewhere');
  expect(delivered?.status).toBe(200);
  expect(await transfersOf(rig, wallet.address)).toEqual([strangers]);
  expect(await uploadsOf(rig, wallet.address)).toHaveLength(1);
  expect(await rig.audit()).toEqual([]);
});

test('a balance spent while the server is down proves nothing: 503 until it is back, then delivered', async ({
  rig,
}) => {
  const { wallet, request, held } = await stopBeforeBroadcast(rig);
  await rig.kill();
  held.abandon();
  await moveBalanceAway(rig, wallet);
  // The recorded settlement does not reach the chain yet. In a block, it would be refused.
  const cut = rig.base.on(broadcast, loseRequest, { params: carries(wallet) });
  await rig.start();
  await untilState(rig, wallet.address, 'unknown');
  const open = await ask(request);
  expect([409, 503]).toContain(open.status);
  expect(open.body.error.retry).toBe('same_request');
  await topUpUsdc(rig.chainUrl('base'), usdc, [wallet.address], 10_000_000n, 10_000_000n);
  cut.remove();
  const last = await persist(request);
  expect(last.status).toBe(200);
  expect(await transfersOf(rig, wallet.address)).toHaveLength(1);
  expect(await uploadsOf(rig, wallet.address)).toHaveLength(1);
  expect(await rig.audit()).toEqual([]);
});

test('an authorization canceled while the server is down ends refused', async ({ rig }) => {
  const { wallet, request, held } = await stopBeforeBroadcast(rig);
  await rig.kill();
  held.abandon();
  await transact(rig, privateKeyToAccount(generatePrivateKey()), await cancellation(wallet, request));
  await rig.start();
  await untilState(rig, wallet.address, 'refused');
  await expectRefusedForGood(rig, request, 'authorization_canceled');
});
