import { type DatabaseLock, lockPaidCalls, lockTable } from '../support/database-lock';
import { expect, test } from './fixtures';
import { depositInto, fundedAccount, purchase, renewalFrom } from './rig/accounts';
import { callsOf, transfersOf, untilState, uploadsOf } from './rig/found';
import { type Answer, ask, persist } from './rig/requests';
import type { Rig } from './rig/rig';

test.setTimeout(180_000);

async function heldIn(rig: Rig, accountId: string): Promise<string> {
  const [row] = await rig.query<{ balance: string }>(
    'SELECT balance_atomic::text AS balance FROM account_balance WHERE account_id = $1',
    [accountId],
  );
  return row?.balance ?? '0';
}

const debits: readonly {
  at: string;
  lock: (rig: Rig, accountId: string) => Promise<DatabaseLock>;
  before: string;
}[] = [
  {
    at: 'claimed and not debited',
    lock: (rig) => lockTable(rig.databaseUrl, 'account_balance'),
    before: '1000000',
  },
  { at: 'debited without an effect', lock: (rig) => lockTable(rig.databaseUrl, 'upload'), before: '995000' },
];

for (const { at, lock, before } of debits) {
  test(`killed when ${at}, the same request buys one upload for one price`, async ({ rig }) => {
    const account = await fundedAccount(rig);
    const request = purchase(rig, account);
    const held = await lock(rig, account.accountId);
    const first = ask(request).catch(() => null);
    await held.reached();
    await rig.kill();
    await held.abandon();
    expect(await first).toBeNull();
    expect(await heldIn(rig, account.accountId)).toBe(before);
    await rig.passTakeoverTime();
    await rig.start();
    const answer = await persist(request);
    expect(answer.status).toBe(200);
    expect([answer.body.id]).toEqual(await uploadsOf(rig, account.accountId));
    expect(await heldIn(rig, account.accountId)).toBe('995000');
    expect(await rig.audit()).toEqual([]);
  });
}

test('killed when a renewal is reserved and not debited, recovery renews once, for one price, and leaves nothing reserved', async ({
  rig,
}) => {
  const account = await fundedAccount(rig);
  const request = await renewalFrom(rig, account);
  const held = await lockTable(rig.databaseUrl, 'account_balance');
  const first = ask(request).catch(() => null);
  await held.reached();
  await rig.kill();
  await held.abandon();
  expect(await first).toBeNull();
  await rig.passTakeoverTime();
  await rig.start();
  expect((await persist(request)).body).toMatchObject({ renewalCount: 1 });
  expect(await heldIn(rig, account.accountId)).toBe('990000');
  const [upload] = await rig.query<{ reserved: number; renewals: number }>(
    'SELECT reserved_renewals AS reserved, renewal_count AS renewals FROM upload WHERE owner = $1',
    [account.accountId],
  );
  expect(upload).toEqual({ reserved: 0, renewals: 1 });
  expect(await rig.audit()).toEqual([]);
});

test('killed when delivered without a stored answer, recovery ends the call, and the money left once', async ({
  rig,
}) => {
  const account = await fundedAccount(rig);
  const request = purchase(rig, account);
  const effect = await lockTable(rig.databaseUrl, 'upload');
  const first = ask(request).catch(() => null);
  await effect.reached();
  const answer = await lockPaidCalls(rig.databaseUrl, account.accountId);
  await effect.release();
  await answer.reached();
  await rig.kill();
  await answer.abandon();
  expect(await first).toBeNull();
  await rig.passTakeoverTime();
  await rig.start();
  await untilState(rig, account.accountId, 'delivered', 30_000);
  expect(await uploadsOf(rig, account.accountId)).toHaveLength(1);
  expect(await heldIn(rig, account.accountId)).toBe('995000');
  expect(await rig.audit()).toEqual([]);
});

test('killed when a deposit is settled and not yet in its account, the same request finds it there once', async ({
  rig,
}) => {
  const { accountId } = await fundedAccount(rig);
  const request = await depositInto(rig, { accountId });
  const held = await lockTable(rig.databaseUrl, 'account_balance');
  const first = ask(request).catch(() => null);
  await held.reached();
  await rig.kill();
  await held.abandon();
  expect(await first).toBeNull();
  expect(await callsOf(rig, request.payer)).toMatchObject([{ state: 'settled' }]);
  expect(await heldIn(rig, accountId)).toBe('1000000');
  await rig.passTakeoverTime();
  await rig.start();
  const answer: Answer = await persist(request);
  expect(answer.status).toBe(200);
  expect(await heldIn(rig, accountId)).toBe('2000000');
  expect(await transfersOf(rig, request.payer)).toHaveLength(1);
  expect(await rig.audit()).toEqual([]);
});
