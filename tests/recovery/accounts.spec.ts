import { type DatabaseLock, lockPaidCalls, lockTable, writeAndHold } from '../support/database-lock';
import { expect, test } from './fixtures';
import { type Account, depositInto, fundedAccount, openAccount, purchase } from './rig/accounts';
import { transfersOf, untilState, uploadsOf } from './rig/found';
import { type Answer, ask, persist } from './rig/requests';
import type { Rig } from './rig/rig';
import { until } from './rig/waiting';

test.setTimeout(180_000);

async function heldIn(rig: Rig, accountId: string): Promise<string> {
  const [row] = await rig.query<{ balance: string }>(
    'SELECT balance_atomic::text AS balance FROM account_balance WHERE account_id = $1',
    [accountId],
  );
  return row?.balance ?? '0';
}

test('killed when debited without an effect, the same request buys one upload for one price', async ({
  rig,
}) => {
  const account = await fundedAccount(rig);
  const request = purchase(rig, account);
  const held = await lockTable(rig.databaseUrl, 'upload', 'INSERT INTO');
  const first = ask(request).catch(() => null);
  await held.reached();
  await rig.kill();
  await held.abandon();
  expect(await first).toBeNull();
  expect(await heldIn(rig, account.accountId)).toBe('995000');
  await rig.passTakeoverTime();
  await rig.start();
  const answer = await persist(request);
  expect(answer.status).toBe(200);
  expect([answer.body.id]).toEqual(await uploadsOf(rig, account.accountId));
  expect(await heldIn(rig, account.accountId)).toBe('995000');
  expect(await rig.audit()).toEqual([]);
});

/** Revokes the tokens of an account, as its holder does. @returns the remaining balance that the answer states */
async function revoke(rig: Rig, { token }: Account): Promise<string> {
  const answer = await fetch(`${rig.apiUrl}/v1/account/token`, {
    method: 'DELETE',
    headers: { Authorization: `Bearer ${token}` },
  });
  expect(answer.status).toBe(200);
  return (await answer.json()).balance;
}

/** Expects that the deposit is charged and only in the worklist, and that its payer is told so. */
async function expectForRefund(rig: Rig, payer: string, answer: Answer): Promise<void> {
  expect(answer.status).toBe(503);
  expect(answer.body.error).toMatchObject({
    code: 'delivery_needs_attention',
    payment: 'kept',
    retry: 'stop',
  });
  await untilState(rig, payer, 'needs_attention', 0);
  const [row] = await rig.query<{ note: string; credits: number }>(
    `SELECT note, (SELECT count(*)::int FROM posting WHERE paid_call_id = paid_call.id AND kind = 'delivered') AS credits
     FROM paid_call JOIN paid_call_move ON paid_call_id = paid_call.id AND to_state = 'needs_attention' WHERE payer = $1`,
    [payer],
  );
  expect(row).toEqual({ note: 'account_revoked', credits: 0 });
  expect(await transfersOf(rig, payer)).toHaveLength(1);
  expect(await rig.audit()).toEqual([]);
}

const settling = [
  { on: 'base', asks: 'eth_getTransactionReceipt', newPayer: (rig: Rig) => rig.newEvmPayer() },
  { on: 'solana-mainnet', asks: 'getSignatureStatuses', newPayer: (rig: Rig) => rig.newSolanaPayer() },
] as const;

for (const { on, asks, newPayer } of settling) {
  test(`a deposit on ${on} whose account is revoked while it is being settled is not credited, and is on the worklist`, async ({
    rig,
  }) => {
    const account = await openAccount(rig);
    const request = await depositInto(rig, account, await newPayer(rig));
    const held = rig.proxy(on).hold(asks, 'before');
    const answer = ask(request);
    await held.reached;
    expect(await revoke(rig, account)).toBe('0');
    held.release();
    await expectForRefund(rig, request.payer, await answer);
    expect(await heldIn(rig, account.accountId)).toBe('0');
  });
}

test('a revocation committed while a deposit is being credited comes first: the deposit goes to the worklist', async ({
  rig,
}) => {
  const account = await openAccount(rig);
  const request = await depositInto(rig, account);
  const held = await writeAndHold(rig.databaseUrl, 'UPDATE account SET revoked_at = now() WHERE id = $1', [
    account.accountId,
  ]);
  const first = ask(request);
  await held.reached();
  await held.commit();
  expect((await first).body.error.code).toBe('delivery_pending');
  await untilState(rig, request.payer, 'needs_attention');
  await expectForRefund(rig, request.payer, await ask(request));
  expect(await heldIn(rig, account.accountId)).toBe('0');
});

test('a revocation during the crediting of a deposit waits for it, and returns the balance', async ({
  rig,
}) => {
  const account = await openAccount(rig);
  const request = await depositInto(rig, account);
  // Held at the row of the call. The crediting statement gets there after it has locked the account.
  const crediting = new Promise<DatabaseLock>((resolve) => {
    rig.database.intercept((statement) =>
      statement.includes('open_account')
        ? async ({ forward, reply }) => {
            rig.database.intercept(null);
            const lock = await lockPaidCalls(rig.databaseUrl, request.payer);
            resolve(lock);
            reply(await forward());
          }
        : null,
    );
  });
  const deposit = ask(request);
  const held = await crediting;
  await held.reached();
  const revocation = revoke(rig, account);
  await until('a revocation that waits', async () => (await waitingFor(rig, 'UPDATE%"account"%')) === 1);
  await held.release();
  expect((await deposit).status).toBe(200);
  expect(await revocation).toBe('1');
  expect(await rig.audit()).toEqual([]);
});

/** How many statements that match this pattern wait for a lock. */
async function waitingFor(rig: Rig, pattern: string): Promise<number> {
  const [row] = await rig.query<{ count: number }>(
    `SELECT count(*)::int FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1`,
    [pattern],
  );
  return row?.count ?? 0;
}
