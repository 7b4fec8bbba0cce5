import { decodePaymentRequiredHeader } from '@x402/core/http';
import { asHolder, balanceIn, deposit, openAccount, postedIn } from '../support/accounts';
import { balanceOf } from '../support/balances';
import { envelopeFor, payingFetch, paymentHeader } from '../support/buyer';
import { expectError } from '../support/expectations';
import { newEvmPayer, newSolanaPayer } from '../support/payers';
import { networkNames, stack } from '../support/stack';
import { networkSample } from '../support/tiers';
import { expect, test } from '../support/without-browser';

const url = () => `${stack().apiUrl}/v1/billing/deposits`;
const post = (body: string | undefined, headers: Record<string, string> = {}) =>
  fetch(url(), { method: 'POST', body, headers });

for (const name of networkNames) {
  test(
    `the official client deposits exactly the amount in the body, on ${name}`,
    networkSample(name),
    async () => {
      const account = await openAccount();
      const wallet = name === 'solana-mainnet' ? await newSolanaPayer() : await newEvmPayer();
      const pay = payingFetch(wallet, name);
      const answer = await deposit(account.accountId, '5.25', pay);
      expect(answer.status).toBe(200);
      expect(await answer.json()).toEqual({
        accountId: account.accountId,
        amount: '5.25',
        amountUsdcAtomic: '5250000',
        currency: 'USDC',
        txHash: expect.any(String),
        creditedAt: expect.any(String),
      });
      expect(await balanceOf(wallet, name)).toBe(4_750_000n);
      expect((await deposit(account.accountId, '1', pay)).status).toBe(200);
      expect(await balanceIn(account)).toBe('6.25');
      expect(await postedIn(account.accountId)).toBe(6_250_000n);
    },
  );
}

test('the challenge asks for the amount in the body, or for the minimum without one', async () => {
  const { accountId } = await openAccount();
  for (const [body, amount] of [
    [JSON.stringify({ accountId, amount: '499.999999' }), '499999999'],
    [JSON.stringify({ accountId, amount: '500' }), '500000000'],
    [undefined, '1000000'],
  ] as const) {
    const answer = await post(body);
    expect(answer.status).toBe(402);
    const challenge = decodePaymentRequiredHeader(answer.headers.get('payment-required') ?? '');
    expect(challenge.accepts.map((accepted) => accepted.amount)).toEqual(Array(4).fill(amount));
    expect(await answer.json()).toEqual(challenge);
  }
});

test('an invalid amount is refused before payment', async () => {
  const { accountId } = await openAccount();
  for (const amount of [
    '0.99',
    '0',
    '-5',
    '500.000001',
    '501',
    '1000',
    '1e2',
    '5.1234567',
    '05',
    ' 5',
    '５',
    5,
    null,
  ]) {
    const answer = await post(JSON.stringify({ accountId, amount }));
    const { issues } = await expectError(answer, 'invalid_input');
    expect(issues?.[0]?.path, String(amount)).toBe('amount');
  }
  await expectError(await post('{'), 'invalid_input');
  await expectError(await post(JSON.stringify({ accountId: 'acct_1', amount: '5' })), 'invalid_input');
});

test('a payment for one amount does not buy another', async () => {
  const { accountId } = await openAccount();
  const wallet = await newEvmPayer();
  const envelope = await envelopeFor(url(), wallet, 'base');
  const answer = await post(JSON.stringify({ accountId, amount: '5' }), paymentHeader(envelope));
  expect(answer.status).toBe(402);
  expect(await balanceOf(wallet, 'base')).toBe(10_000_000n);
  expect(await postedIn(accountId)).toBe(0n);
});

test('a deposit to an unknown account is refused', async () => {
  const wallet = await newEvmPayer();
  const answer = await deposit(`acct_${'0'.repeat(24)}`, '1', payingFetch(wallet, 'polygon'));
  await expectError(answer, 'account_not_found');
  expect(await balanceOf(wallet, 'polygon')).toBe(10_000_000n);
});

test('twenty simultaneous copies of one signed deposit are credited once', async () => {
  const account = await openAccount();
  const wallet = await newEvmPayer();
  const headers = paymentHeader(await envelopeFor(url(), wallet, 'arbitrum'));
  const body = JSON.stringify({ accountId: account.accountId, amount: '1' });
  const answers = await Promise.all(Array.from({ length: 20 }, () => post(body, headers)));
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
  expect(await balanceIn(account)).toBe('1');
  expect(await balanceOf(wallet, 'arbitrum')).toBe(9_000_000n);
});

test('a signed deposit is credited only to the account it was first sent for', async () => {
  const [mine, other] = [await openAccount(), await openAccount()];
  const wallet = await newEvmPayer();
  const headers = paymentHeader(await envelopeFor(url(), wallet, 'base'));
  const send = (accountId: string) => post(JSON.stringify({ accountId, amount: '1' }), headers);
  expect((await send(mine.accountId)).status).toBe(200);
  await expectError(await send(other.accountId), 'idempotency_conflict');
  expect([await balanceIn(mine), await balanceIn(other)]).toEqual(['1', '0']);
});

test('simultaneous deposits from many wallets are all credited', async () => {
  const account = await openAccount();
  const wallets = await Promise.all(Array.from({ length: 10 }, () => newEvmPayer(1_000_000n, ['base'])));
  const answers = await Promise.all(
    wallets.map((wallet) => deposit(account.accountId, '1', payingFetch(wallet, 'base'))),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
  expect(await balanceIn(account)).toBe('10');
  const { transactions } = await (await asHolder(account, 'GET', '/v1/account/transactions')).json();
  expect(transactions).toHaveLength(10);
});
