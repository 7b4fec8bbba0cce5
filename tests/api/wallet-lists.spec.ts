import { randomUUID } from 'node:crypto';
import { createSIWxClientHook } from '@x402/extensions/sign-in-with-x';
import { wrapFetchWithPayment, x402Client, x402HTTPClient } from '@x402/fetch';
import { wallet as catalog } from '@/lib/catalog';
import { accountWith, buySlotFrom } from '../support/accounts';
import { payingFetch, type Wallet } from '../support/buyer';
import { callsOf } from '../support/database';
import { expectError } from '../support/expectations';
import { aFile } from '../support/files';
import { buyForm } from '../support/forms';
import { mppClient } from '../support/mpp-buyer';
import { newEvmPayer, newSolanaPayer } from '../support/payers';
import { stack } from '../support/stack';
import { buySlot } from '../support/uploads';
import { askedAt, listOf, messageFor, signedHeader, signMessage, walletUrl } from '../support/wallet-sign-in';
import { expect, test } from '../support/without-browser';

const read = async (wallet: Wallet, path: string) => {
  const answer = await listOf(wallet, path);
  expect(answer.status, await answer.clone().text()).toBe(200);
  return answer.json();
};

test('a wallet lists its uploads, forms and calls of all networks with the official client, newest first', async () => {
  const wallet = await newEvmPayer();
  const slot = await buySlot(wallet, 'base');
  const form = await buyForm(undefined, wallet, 'polygon');
  const mpp = await mppClient(wallet, 'arbitrum').fetch(`${stack().apiUrl}/v1/mpp/uploads`, {
    method: 'POST',
    body: aFile(7).body,
  });
  const second = await mpp.json();

  const { uploads, ...restOfUploads } = await read(wallet, 'uploads');
  expect(uploads.map(({ id }: { id: string }) => id)).toEqual([second.id, slot.id]);
  expect(uploads[1]).toMatchObject({ publicUrl: slot.publicUrl, expiresAt: slot.expiresAt, renewalCount: 0 });
  expect(restOfUploads).toEqual({ nextCursor: null });

  const answer = await listOf(wallet, 'forms');
  const text = await answer.text();
  expect(text).not.toContain(form.readToken);
  expect(JSON.parse(text)).toEqual({
    forms: [
      {
        id: form.id,
        url: form.url,
        responsesUrl: form.responsesUrl,
        title: 'Summer party',
        status: 'open',
        responseCount: 0,
        maxResponses: 100,
        createdAt: expect.any(String),
        closesAt: form.closesAt,
        readableUntil: form.readableUntil,
        takenDownAt: null,
      },
    ],
    nextCursor: null,
  });
  expect(answer.headers.get('cache-control')).toBe('private, no-store');

  const { calls, nextCursor } = await read(wallet, 'calls');
  expect(nextCursor).toBeNull();
  expect(calls).toMatchObject([
    { operation: 'uploads.create', network: 'arbitrum', price: '0.005' },
    { operation: 'forms.create', network: 'polygon', price: '0.01' },
    { operation: 'uploads.create', network: 'base', price: '0.005' },
  ]);
  for (const call of calls) {
    expect(call).toEqual(await (await fetch(`${stack().apiUrl}/v1/paid-calls/${call.id}`)).json());
    expect(call).toMatchObject({ state: 'delivered', payment: 'kept', currency: 'USDC' });
    expect(call.transaction).toMatch(/^0x[0-9a-f]{64}$/);
  }
});

test('a Solana wallet does the same', async () => {
  const wallet = await newSolanaPayer();
  const slot = await buySlot(wallet, 'solana-mainnet');
  expect((await read(wallet, 'uploads')).uploads).toMatchObject([{ id: slot.id }]);
  expect((await read(wallet, 'calls')).calls).toMatchObject([
    { operation: 'uploads.create', network: 'solana-mainnet', price: '0.005' },
  ]);
  expect((await read(wallet, 'forms')).forms).toEqual([]);
});

test("the official client's hook signs in too, and a wallet without calls gets empty lists", async () => {
  const wallet = await newEvmPayer(0n);
  const client = new x402HTTPClient(new x402Client()).onPaymentRequired(createSIWxClientHook(wallet));
  const answer = await wrapFetchWithPayment(fetch, client)(walletUrl('calls?limit=5'));
  expect([answer.status, await answer.json()]).toEqual([200, { calls: [], nextCursor: null }]);
  expect(await callsOf(wallet.address)).toBe(0);
});

test('an address in lower case is the same wallet', async () => {
  const wallet = await newEvmPayer();
  const slot = await buySlot(wallet, 'base');
  const url = walletUrl('uploads');
  const signed = await signMessage(messageFor(await askedAt(url), wallet), wallet);
  const headers = signedHeader({ ...signed, address: wallet.address.toLowerCase() });
  expect((await (await fetch(url, { headers })).json()).uploads).toMatchObject([{ id: slot.id }]);
});

test('nobody sees what another wallet or a prepaid account has bought', async () => {
  const [wallet, other] = await Promise.all([newEvmPayer(), newEvmPayer()]);
  const account = await accountWith('1');
  await buySlotFrom(account);
  await buySlot(other, 'base');
  const foreign = await buyForm(undefined, other);
  const own = await buySlot(wallet, 'base');
  expect((await read(wallet, 'uploads')).uploads.map(({ id }: { id: string }) => id)).toEqual([own.id]);
  expect((await read(wallet, 'forms')).forms).toEqual([]);
  expect((await read(wallet, 'calls')).calls).toHaveLength(1);
  // Another wallet's cursor leads nowhere.
  const { calls } = await read(other, 'calls');
  for (const path of [`forms?cursor=${foreign.id}`, `calls?cursor=${calls[0].id}`]) {
    await expectError(await listOf(wallet, path), 'invalid_input');
  }
});

test('lists are paged, newest first, up to the last entry', async () => {
  const wallet = await newEvmPayer();
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1) ids.unshift((await buySlot(wallet, 'base')).id);
  for (const [list, expected] of [
    ['uploads', ids],
    ['calls', null],
  ] as const) {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Record<string, { id: string }[]> & { nextCursor: string | null } = await read(
        wallet,
        `${list}?limit=2${cursor === null ? '' : `&cursor=${cursor}`}`,
      );
      expect(page[list]?.length).toBeLessThanOrEqual(2);
      seen.push(...(page[list] ?? []).map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(new Set(seen).size).toBe(3);
    if (expected) expect(seen).toEqual(expected);
  }
});

test('calls of a period come as CSV with what was spent, and the address of the next page', async () => {
  const wallet = await newEvmPayer();
  await buySlot(wallet, 'base');
  await buyForm(undefined, wallet, 'polygon');
  const { calls } = await read(wallet, 'calls');
  const csv = (query: string) => listOf(wallet, `calls${query}`, { Accept: 'text/csv' });
  const rowsOf = async (answer: Response) => {
    const [columns, ...rows] = (await answer.text())
      .trimEnd()
      .split('\r\n')
      .map((line) => line.split(','));
    return rows.map((cells) => Object.fromEntries(cells.map((cell, index) => [columns?.[index], cell])));
  };

  const whole = await csv('');
  expect(whole.headers.get('content-type')).toContain('text/csv');
  expect(whole.headers.get('link')).toBeNull();
  expect(await rowsOf(whole)).toEqual(
    calls.map((call: Record<string, string>) => ({
      date: call.createdAt,
      operation: call.operation,
      network: call.network,
      amount: call.price,
      currency: 'USDC',
      transaction: call.transaction,
      paidCallId: call.id,
      state: 'delivered',
      spent: call.price,
      refundTransaction: '',
    })),
  );

  const [form, upload] = calls;
  const since = new URLSearchParams({ from: form.createdAt });
  const before = new URLSearchParams({ from: '2026-01-01', to: form.createdAt });
  expect(await rowsOf(await csv(`?${since}`))).toMatchObject([{ paidCallId: form.id }]);
  expect(await rowsOf(await csv(`?${before}`))).toMatchObject([{ paidCallId: upload.id }]);

  const first = await csv('?from=2026-01-01&limit=1');
  expect(await rowsOf(first)).toMatchObject([{ paidCallId: form.id }]);
  const next = /^<([^>]*)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
  expect(new URL(next).origin).toBe(stack().apiUrl);
  expect(await rowsOf(await csv(new URL(next).search))).toMatchObject([{ paidCallId: upload.id }]);
});

test('a query that is not valid is refused before anybody signs it', async () => {
  const wrong = ['limit=0', 'limit=1001', 'cursor=tx_1', 'from=yesterday', 'to=2026-13-01', 'since=1'];
  for (const query of [...wrong, `limit=${'0'.repeat(600)}1`]) {
    await expectError(await fetch(walletUrl(`calls?${query}`)), 'invalid_input');
  }
  await expectError(await fetch(walletUrl('uploads?from=2026-01-01')), 'invalid_input');
});

test('every list is free, and has the input and output that the catalog says', async () => {
  const wallet = await newEvmPayer();
  await buySlot(wallet, 'base');
  await buyForm(undefined, wallet);
  const before = await callsOf(wallet.address);
  for (const { path, output } of catalog.free.filter(({ method }) => method === 'GET')) {
    const body = await read(wallet, path.replace('/v1/wallet/', ''));
    expect(output.safeParse(body).error?.issues ?? [], path).toEqual([]);
    const withKey = await listOf(wallet, path.replace('/v1/wallet/', ''), {
      'Idempotency-Key': randomUUID(),
    });
    expect(withKey.status).toBe(200);
  }
  expect(await callsOf(wallet.address)).toBe(before);
});

test('a deposit is a call of the wallet, and what the account buys with it is not', async () => {
  const wallet = await newEvmPayer(20_000_000n);
  const account = await accountWith('1');
  const paid = await payingFetch(wallet, 'base')(`${stack().apiUrl}/v1/billing/deposits`, {
    method: 'POST',
    body: JSON.stringify({ accountId: account.accountId, amount: '2' }),
  });
  expect(paid.status).toBe(200);
  await buySlotFrom(account);
  expect((await read(wallet, 'calls')).calls).toMatchObject([{ operation: 'billing.deposit', price: '2' }]);
  expect((await read(wallet, 'uploads')).uploads).toEqual([]);
});
