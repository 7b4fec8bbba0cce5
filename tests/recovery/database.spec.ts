import { shortTimings } from '../support/timings';
import { expect, test } from './fixtures';
import { holdStatement } from './held-statement';
import { callsOf, expectPaidAndDeliveredOnce, transfersOf, uploadsOf } from './rig/found';
import { type Answer, ask, persist, type SignedRequest, sign } from './rig/requests';
import type { Rig } from './rig/rig';
import { pause } from './rig/waiting';

test.setTimeout(180_000);

/** An answer may say that nothing was charged only if nothing was charged and nothing will be. */
function expectHonest(answer: Answer | null): void {
  if (!answer || answer.status === 200) return;
  expect(answer.body.error, JSON.stringify(answer.body)).toMatchObject({ retry: 'same_request' });
}

const statements = [
  { what: 'the claim', text: 'INSERT INTO paid_call (' },
  { what: 'the prepared transaction', text: 'INSERT INTO settlement_transaction' },
  { what: 'the mined transaction', text: "SET state = 'confirmed'" },
  { what: 'the upload', text: 'INSERT INTO upload (' },
  { what: 'the stored answer', text: 'answer_status = asked.status' },
];

for (const { what, text } of statements) {
  test(`if the database commits ${what} and its reply is lost, the same request gets one upload and pays once`, async ({
    rig,
  }) => {
    const wallet = await rig.newEvmPayer();
    const request = await sign(rig, wallet);
    const lost = rig.database.loseAnswerTo(text);
    const first = await ask(request);
    await lost;
    expectHonest(first);
    const last = await persist(request);
    expect(last.status).toBe(200);
    expect(await transfersOf(rig, wallet.address)).toHaveLength(1);
    expect([last.body.id]).toEqual(await uploadsOf(rig, wallet.address));
    expect(await rig.audit()).toEqual([]);
  });
}

/** Leaves the database as after a crash before the claim of a payer's call was on disk. */
async function loseClaim(rig: Rig, payer: string): Promise<void> {
  // Without triggers and foreign keys, because a crash does not respect them.
  await rig.query('SET session_replication_role = replica');
  await rig.query(
    'DELETE FROM paid_call_move USING paid_call WHERE paid_call.id = paid_call_id AND payer = $1',
    [payer],
  );
  await rig.query('DELETE FROM paid_call WHERE payer = $1', [payer]);
  await rig.query('RESET session_replication_role');
}

for (const on of ['base', 'solana-mainnet'] as const) {
  test(`a payment on ${on} whose claim the database has lost is not sent, and the same request pays once`, async ({
    rig,
  }) => {
    const wallet = on === 'base' ? await rig.newEvmPayer() : await rig.newSolanaPayer();
    const request = await sign(rig, wallet, {}, on);
    const held = holdStatement(rig, 'INSERT INTO settlement_transaction');
    const answering = ask(request);
    await held.reached;
    await loseClaim(rig, wallet.address);
    held.release();
    const answer = await answering;
    expect(answer.status).toBe(503);
    expectHonest(answer);
    expect(await transfersOf(rig, wallet.address)).toEqual([]);
    expect((await persist(request)).status).toBe(200);
    await expectPaidAndDeliveredOnce(rig, wallet.address);
  });
}

test('a retry that cannot be looked up is not told that nothing was charged', async ({ rig }) => {
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  const bought = await ask(request);
  expect(bought.status).toBe(200);
  const lost = rig.database.loseAnswerTo('idempotency_key_hash = asked.key_hash');
  const repeated = await ask(request);
  await lost;
  expect(repeated.body.error).toMatchObject({ code: 'ledger_unavailable', retry: 'same_request' });
  const last = await persist(request);
  expect(last.body).toEqual(bought.body);
});

test('a free call without the database gets our error, which does not mention the database', async ({
  rig,
}) => {
  const lost = rig.database.loseAnswerTo('FROM "public"."paid_call"');
  const answer = await fetch(`${rig.apiUrl}/v1/paid-calls/pc_4fQm9WzR2sKx7LdTn0VbYcHj`);
  await lost;
  expect(answer.status).toBe(500);
  const { error } = await answer.json();
  expect(error).toMatchObject({ code: 'internal_error', payment: 'none', retry: 'later' });
  expect(JSON.stringify(error)).not.toMatch(/paid_call|postgres|connection|SELECT/i);
});

const cuts = [
  { how: 'by the server of the database', byServer: true },
  { how: 'by the network', byServer: false },
];

for (const { how, byServer } of cuts) {
  test(`with connections cut ${how} again and again, each of ten calls ends delivered and paid once`, async ({
    rig,
  }) => {
    const wallets = await Promise.all(Array.from({ length: 10 }, () => rig.newEvmPayer()));
    const requests = await Promise.all(wallets.map((wallet) => sign(rig, wallet)));
    const cutNow = async () => {
      if (!byServer) return rig.database.cut();
      await rig.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
      );
    };
    const spread = async (request: SignedRequest, index: number) => {
      await pause(index * 80);
      const first = await ask(request).catch(() => null);
      expectHonest(first);
      return persist(request);
    };
    const answers = Promise.all(requests.map(spread));
    for (let round = 0; round < 8; round += 1) {
      await cutNow();
      await pause(120);
    }
    expect((await answers).map(({ status }) => status)).toEqual(requests.map(() => 200));
    for (const { address } of wallets) {
      expect(await callsOf(rig, address)).toHaveLength(1);
      expect(await transfersOf(rig, address)).toHaveLength(1);
      expect(await uploadsOf(rig, address)).toHaveLength(1);
    }
    expect(await rig.audit()).toEqual([]);
  });
}

test('a database that never replies to a statement times out, and the same request ends paid once', async ({
  rig,
}) => {
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  await rig.restart({}, { ...shortTimings, database: { answerWithinMs: 1_000 } });
  let isSwallowed = false;
  rig.database.intercept((statement) => {
    if (isSwallowed || !statement.includes('INSERT INTO paid_call (')) return null;
    isSwallowed = true;
    return () => new Promise(() => undefined);
  });
  const first = await ask(request);
  expect(first.status).toBe(503);
  expectHonest(first);
  expect((await persist(request)).status).toBe(200);
  expect(await transfersOf(rig, wallet.address)).toHaveLength(1);
  expect(await rig.audit()).toEqual([]);
  await rig.kill();
});
