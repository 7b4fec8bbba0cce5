import { randomUUID } from 'node:crypto';
import {
  accountWith,
  asHolder,
  balanceIn,
  buySlotFrom,
  deposit,
  fromAnywhere,
  openAccount,
  postedIn,
} from '../support/accounts';
import { balanceOf } from '../support/balances';
import { payingFetch } from '../support/buyer';
import { callsOf, sql, uploadsOf } from '../support/database';
import { expectError } from '../support/expectations';
import { aFile } from '../support/files';
import { newEvmPayer, newSolanaPayer } from '../support/payers';
import { stack } from '../support/stack';
import { fullOnly } from '../support/tiers';
import { buySlot, putFile } from '../support/uploads';
import { expect, test } from '../support/without-browser';

const open = (headers: Record<string, string>) =>
  fetch(`${stack().apiUrl}/v1/accounts`, { method: 'POST', headers });

test('anyone can open an account for free, with a balance of zero', async () => {
  const account = await openAccount();
  expect(account).toEqual({
    accountId: expect.stringMatching(/^acct_[0-9A-Za-z]{24}$/),
    token: expect.stringMatching(/^tpt_[0-9A-Za-z]{43}$/),
    depositUrl: `${stack().apiUrl}/deposit/${account.accountId}`,
  });
  const answer = await asHolder(account, 'GET', '/v1/account');
  expect(await answer.json()).toEqual({
    accountId: account.accountId,
    currency: 'USDC',
    balance: '0',
    balanceUsdcAtomic: '0',
    depositUrl: account.depositUrl,
    createdAt: expect.any(String),
  });
  expect(answer.headers.get('cache-control')).toContain('no-store');
});

test('each address can open a hundred accounts an hour', fullOnly, async () => {
  const headers = fromAnywhere();
  const answers = await Promise.all(Array.from({ length: 101 }, () => open(headers)));
  const refused = answers.filter(({ status }) => status !== 200);
  // A new hour may begin between the calls.
  expect(refused.length).toBeLessThanOrEqual(1);
  for (const answer of refused) {
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    await expectError(answer, 'rate_limited');
  }
  const again = await Promise.all(Array.from({ length: 101 }, () => open(headers)));
  expect(again.some(({ status }) => status === 429)).toBe(true);
  expect((await open(fromAnywhere())).status).toBe(200);
});

test('only the hash of the token is stored', async () => {
  const { accountId, token } = await openAccount();
  const [row] = await sql<{ row: string }>(
    'SELECT row_to_json(account)::text AS row FROM account WHERE id = $1',
    [accountId],
  );
  expect(row?.row).toContain(accountId);
  expect(row?.row).not.toContain(token);
  expect(row?.row).not.toContain(Buffer.from(token).toString('hex'));
});

const holderPaths = [
  ['GET', '/v1/account'],
  ['GET', '/v1/account/transactions'],
  ['GET', '/v1/account/uploads'],
  ['POST', '/v1/account/token'],
  ['DELETE', '/v1/account/token'],
  ['POST', '/v1/account/uploads'],
  ['POST', '/v1/account/uploads/up_1/renew'],
  ['DELETE', '/v1/account/uploads/up_1'],
] as const;

test('an account cannot be read or used without its token, and a wrong token has its own error', async () => {
  for (const [method, path] of holderPaths) {
    const none = await fetch(`${stack().apiUrl}${path}`, { method });
    expect(none.headers.get('www-authenticate')).toBe('Bearer');
    await expectError(none, 'account_token_required');
    await expectError(
      await asHolder({ token: `tpt_${'0'.repeat(43)}` }, method, path),
      'account_token_wrong',
    );
  }
});

test('an account buys, lists, renews and deletes an upload, each call at its price', async () => {
  const account = await accountWith('1');
  const { bytes, body } = aFile(500);
  const bought = await buySlotFrom(account, { body });
  expect(bought.status).toBe(200);
  const slot = await bought.json();
  expect(await balanceIn(account)).toBe('0.995');
  expect((await putFile(slot, bytes)).status).toBe(200);
  expect(Buffer.from(await (await fetch(slot.publicUrl)).arrayBuffer()).equals(Buffer.from(bytes))).toBe(
    true,
  );

  const listed = await (await asHolder(account, 'GET', '/v1/account/uploads')).json();
  expect(listed.uploads).toMatchObject([
    { id: slot.id, publicUrl: slot.publicUrl, size: 500, renewalCount: 0 },
  ]);

  const renewed = await asHolder(account, 'POST', `/v1/account/uploads/${slot.id}/renew`, {
    key: randomUUID(),
  });
  expect(await renewed.json()).toMatchObject({ id: slot.id, renewalCount: 1, txHash: null });
  expect(await balanceIn(account)).toBe('0.99');

  const deleted = await asHolder(account, 'DELETE', `/v1/account/uploads/${slot.id}`);
  const told = await deleted.json();
  expect(told).toMatchObject({ id: slot.id, status: 'deleted', deleted: true });
  expect((await fetch(slot.publicUrl)).status).toBe(410);
  const again = await asHolder(account, 'DELETE', `/v1/account/uploads/${slot.id}`);
  expect(await again.json()).toEqual(told);
  expect((await (await asHolder(account, 'GET', '/v1/account/uploads')).json()).uploads).toEqual([]);
  expect(await balanceIn(account)).toBe('0.99');
  expect(await postedIn(account.accountId)).toBe(990_000n);
});

test('uploads of other accounts cannot be listed, renewed or deleted, and nothing is charged', async () => {
  const [account, other] = [await accountWith('1'), await accountWith('1')];
  const foreign = [await buySlot(await newEvmPayer(), 'base'), await (await buySlotFrom(other)).json()];
  for (const { id } of foreign) {
    const renew = await asHolder(account, 'POST', `/v1/account/uploads/${id}/renew`, { key: randomUUID() });
    await expectError(renew, 'not_owner');
    await expectError(await asHolder(account, 'DELETE', `/v1/account/uploads/${id}`), 'not_owner');
  }
  await expectError(await asHolder(account, 'DELETE', '/v1/account/uploads/up_none'), 'upload_not_found');
  expect((await (await asHolder(account, 'GET', '/v1/account/uploads')).json()).uploads).toEqual([]);
  expect(await balanceIn(account)).toBe('1');
});

test('lists are paged, newest first, up to the last entry', async () => {
  const account = await accountWith('1');
  for (let index = 0; index < 5; index += 1) expect((await buySlotFrom(account)).status).toBe(200);
  for (const [path, name, count] of [
    ['/v1/account/uploads', 'uploads', 5],
    ['/v1/account/transactions', 'transactions', 6],
  ] as const) {
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? '?limit=2' : `?limit=2&cursor=${cursor}`;
      const page = await (await asHolder(account, 'GET', `${path}${query}`)).json();
      ids.push(...page[name].map(({ id }: { id: string }) => id));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(new Set(ids).size, path).toBe(count);
    const whole = await (await asHolder(account, 'GET', path)).json();
    expect(whole[name].map(({ id }: { id: string }) => id)).toEqual(ids);
  }
});

test('an invalid query gets an error with the field and the rule', async () => {
  const account = await openAccount();
  for (const query of ['limit=0', 'limit=101', 'limit=x', 'cursor=tx_1%27', 'since=yesterday']) {
    const answer = await asHolder(account, 'GET', `/v1/account/transactions?${query}`);
    const { issues } = await expectError(answer, 'invalid_input');
    expect(issues?.[0]?.path).toBe(query.split('=')[0]);
  }
});

test('transactions show deposits and charges, and what each paid for', async () => {
  const account = await accountWith('2.5');
  const paidCallId = (await buySlotFrom(account)).headers.get('paid-call-id');
  const { transactions } = await (await asHolder(account, 'GET', '/v1/account/transactions')).json();
  expect(transactions).toMatchObject([
    { kind: 'charge', amount: '0.005', operation: 'uploads.create', paidCallId, network: null, txHash: null },
    {
      kind: 'deposit',
      amount: '2.5',
      amountUsdcAtomic: '2500000',
      operation: 'billing.deposit',
      network: 'base',
      txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    },
  ]);
});

test('a call paid from an account has the same kind of status as any other', async () => {
  const account = await accountWith('1');
  const id = (await buySlotFrom(account)).headers.get('paid-call-id');
  const call = await (await fetch(`${stack().apiUrl}/v1/paid-calls/${id}`)).json();
  expect(call).toMatchObject({ state: 'delivered', price: '0.005', network: 'account', transaction: null });
});

test('a low balance gets 402 with the balance, the price and the deposit page, and nothing is recorded', async () => {
  const account = await openAccount();
  const { reason, account: missing } = await expectError(await buySlotFrom(account), 'insufficient_balance');
  expect(reason).toBe('balance_too_low');
  expect(missing).toEqual({
    accountId: account.accountId,
    balance: '0',
    price: '0.005',
    depositUrl: account.depositUrl,
  });
  expect(await callsOf(account.accountId)).toBe(0);
});

test('a call without an Idempotency-Key is refused, because a retry would look like a second call', async () => {
  const account = await accountWith('1');
  const answer = await asHolder(account, 'POST', '/v1/account/uploads', { body: aFile().body });
  const { issues } = await expectError(answer, 'invalid_input');
  expect(issues?.[0]?.path).toBe('Idempotency-Key');
  expect(await balanceIn(account)).toBe('1');
});

test('invalid input and refused calls cost nothing', async () => {
  const account = await accountWith('1');
  await expectError(await buySlotFrom(account, { body: '{' }), 'invalid_input');
  await expectError(
    await buySlotFrom(account, { body: JSON.stringify({ ...aFile().announcement, size: 10_485_761 }) }),
    'file_too_large',
  );
  const renew = await asHolder(account, 'POST', '/v1/account/uploads/up_none/renew', { key: randomUUID() });
  await expectError(renew, 'upload_not_found');
  expect(await balanceIn(account)).toBe('1');
  expect(await callsOf(account.accountId)).toBe(0);
});

test('repeated and simultaneous requests with one key get one response and are charged once', async () => {
  const account = await accountWith('1');
  const [key, { body }] = [randomUUID(), aFile()];
  const answers = await Promise.all(Array.from({ length: 20 }, () => buySlotFrom(account, { key, body })));
  const texts = new Set(await Promise.all(answers.map((answer) => answer.text())));
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect(texts.size).toBe(1);
  const replay = await buySlotFrom(account, { key, body });
  expect(replay.headers.get('idempotent-replayed')).toBe('true');
  expect(texts).toContain(await replay.text());
  expect(await balanceIn(account)).toBe('0.995');
  expect(await uploadsOf(account.accountId)).toBe(1);
});

test('a key belongs to one request, and to one account', async () => {
  const [account, other] = [await accountWith('1'), await accountWith('1')];
  const [key, { body }] = [randomUUID(), aFile()];
  expect((await buySlotFrom(account, { key, body })).status).toBe(200);
  await expectError(await buySlotFrom(account, { key }), 'idempotency_conflict');
  const theirs = await buySlotFrom(other, { key, body });
  expect(theirs.headers.get('idempotent-replayed')).toBeNull();
  expect([await balanceIn(account), await balanceIn(other)]).toEqual(['0.995', '0.995']);
});

test('a key that was refused for a low balance works once there is money', async () => {
  const account = await openAccount();
  const [key, { body }] = [randomUUID(), aFile()];
  await expectError(await buySlotFrom(account, { key, body }), 'insufficient_balance');
  const wallet = await newEvmPayer(1_000_000n, ['base']);
  expect((await deposit(account.accountId, '1', payingFetch(wallet, 'base'))).status).toBe(200);
  expect((await buySlotFrom(account, { key, body })).status).toBe(200);
  expect(await balanceIn(account)).toBe('0.995');
});

test('exactly 100 of 200 simultaneous calls succeed with money for 100, nothing is left, and the postings balance', async () => {
  const account = await accountWith('1');
  // The balance pays for 200 slots; the first 100 use up half of it.
  const slots = (count: number) => Promise.all(Array.from({ length: count }, () => buySlotFrom(account)));
  expect((await slots(100)).map(({ status }) => status)).toEqual(Array(100).fill(200));
  expect(await balanceIn(account)).toBe('0.5');

  const answers = await slots(200);
  const sold = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status === 402);
  expect([sold.length, refused.length]).toEqual([100, 100]);
  for (const answer of refused) {
    const { account: missing } = await expectError(answer, 'insufficient_balance');
    expect(missing).toMatchObject({ accountId: account.accountId, price: '0.005' });
  }
  expect(await balanceIn(account)).toBe('0');
  expect(await postedIn(account.accountId)).toBe(0n);
  expect(await uploadsOf(account.accountId)).toBe(200);
  const [row] = await sql<{ prepaid: string; revenue: string }>(
    `SELECT sum(CASE kind WHEN 'settled' THEN amount_atomic ELSE -amount_atomic END)::text AS prepaid,
       sum(amount_atomic) FILTER (WHERE credit_account = 'revenue:uploads.create')::text AS revenue
     FROM posting WHERE paid_call_id IN (SELECT id FROM paid_call WHERE payer = $1)`,
    [account.accountId],
  );
  expect(row).toEqual({ prepaid: '0', revenue: '1000000' });
});

test('a new token replaces the old one when it is first used, and not before', async () => {
  const account = await openAccount();
  const rotate = async () => (await (await asHolder(account, 'POST', '/v1/account/token')).json()).token;
  const lost = await rotate();
  const next = await rotate();
  expect((await asHolder(account, 'GET', '/v1/account')).status).toBe(200);
  await expectError(await asHolder({ token: lost }, 'GET', '/v1/account'), 'account_token_wrong');
  const answer = await asHolder({ token: next }, 'GET', '/v1/account');
  expect(await answer.json()).toMatchObject({ accountId: account.accountId });
  await expectError(await asHolder(account, 'GET', '/v1/account'), 'account_token_wrong');
  expect((await asHolder({ token: next }, 'GET', '/v1/account')).status).toBe(200);
});

test('a replaced token cannot spend or read stored responses; the new one can', async () => {
  const account = await accountWith('1');
  const [key, { body }] = [randomUUID(), aFile()];
  const first = await (await buySlotFrom(account, { key, body })).text();
  const { token } = await (await asHolder(account, 'POST', '/v1/account/token')).json();
  expect(await (await buySlotFrom({ token }, { key, body })).text()).toBe(first);
  await expectError(await buySlotFrom(account, { key, body }), 'account_token_wrong');
  expect(await balanceIn({ token })).toBe('0.995');
});

test('a revoked account refuses every token and keeps its balance', async () => {
  const account = await accountWith('1');
  const { token: next } = await (await asHolder(account, 'POST', '/v1/account/token')).json();
  const revoked = await asHolder(account, 'DELETE', '/v1/account/token');
  expect(await revoked.json()).toEqual({
    accountId: account.accountId,
    revokedAt: expect.any(String),
    balance: '1',
  });
  for (const token of [account.token, next])
    await expectError(await asHolder({ token }, 'GET', '/v1/account'), 'account_token_wrong');
  expect(await postedIn(account.accountId)).toBe(1_000_000n);
});

test('a revoked account takes no deposits, over the API or on its page', async () => {
  const account = await openAccount();
  await asHolder(account, 'DELETE', '/v1/account/token');
  const wallet = await newEvmPayer(10_000_000n, ['base']);
  await expectError(await deposit(account.accountId, '1', payingFetch(wallet, 'base')), 'account_not_found');
  expect((await fetch(account.depositUrl)).status).toBe(404);
  const { address: payer } = await newSolanaPayer();
  const transaction = await fetch(`${account.depositUrl}/solana`, {
    method: 'POST',
    body: JSON.stringify({ payer, amount: '1' }),
  });
  expect(transaction.status).toBe(404);
  expect(await balanceOf(wallet, 'base')).toBe(10_000_000n);
});

test('the database itself refuses to overdraw an account', async () => {
  const { accountId } = await accountWith('1');
  const overdraw = sql('UPDATE account_balance SET balance_atomic = -1 WHERE account_id = $1', [accountId]);
  await expect(overdraw).rejects.toThrow('account_balance_not_negative');
  await expect(sql('DELETE FROM account_balance WHERE account_id = $1', [accountId])).rejects.toThrow(
    /refused/,
  );
});
