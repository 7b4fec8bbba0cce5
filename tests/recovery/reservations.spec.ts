import { heldTimings } from '../support/timings';
import { expect, test } from './fixtures';
import { holdStatement } from './held-statement';
import { callsOf, transfersOf } from './rig/found';
import { type Answer, ask, persist, type SignedRequest, sign } from './rig/requests';
import type { Rig } from './rig/rig';
import { until } from './rig/waiting';

type Payer = Awaited<ReturnType<Rig['newEvmPayer']>>;

/** Part of the statement that records a call as prepared. After it, the payment may be sent. */
const recordsPrepared = ', prepared = $2';

/** A new wallet's upload, and the wallet's requests to renew and delete it. */
async function anUpload(rig: Rig): Promise<{
  id: string;
  wallet: Payer;
  renewal: SignedRequest;
  deletion: SignedRequest;
}> {
  const wallet = await rig.newEvmPayer();
  const { body } = await ask(await sign(rig, wallet));
  const path = `/uploads/${body.id}`;
  return {
    id: body.id,
    wallet,
    renewal: await sign(rig, wallet, { path: `${path}/renew` }),
    deletion: await sign(rig, wallet, { path, method: 'DELETE' }),
  };
}

/** Sends a request and holds it when its payment is on the chain but the server does not know that yet. */
async function whilePaying(rig: Rig, request: SignedRequest) {
  const held = rig.base.hold('eth_getTransactionReceipt', 'before');
  const answer = ask(request);
  await held.reached;
  return { answer, finish: () => held.release() };
}

async function uploadRow(rig: Rig, id: string) {
  const [row] = await rig.query<{ renewals: number; deleting: boolean; deleted: boolean; calls: number }>(
    `SELECT reserved_renewals AS renewals, is_deletion_reserved AS deleting, deleted_at IS NOT NULL AS deleted,
       (SELECT count(*)::int FROM upload_reservation WHERE upload_id = upload.id) AS calls
     FROM upload WHERE id = $1`,
    [id],
  );
  return row;
}

function expectUncharged({ status, body }: Answer, code: string, expectedStatus: number): void {
  expect(status, JSON.stringify(body)).toBe(expectedStatus);
  expect(body.error).toMatchObject({ code, payment: 'none' });
}

test('a deletion waits for a renewal that is being paid; if that takes long, it gets Retry-After and is not charged', async ({
  rig,
}) => {
  await rig.restart({}, heldTimings);
  const { id, wallet, renewal, deletion } = await anUpload(rig);
  const paying = await whilePaying(rig, renewal);
  const early = await ask(deletion);
  expectUncharged(early, 'upload_busy', 409);
  expect(early.headers.get('retry-after')).toBe('2');
  expect(await uploadRow(rig, id)).toMatchObject({ renewals: 1, deleting: false });
  const again = ask(deletion);
  await until(
    'the deletion again',
    async () => (await callsOf(rig, wallet.address)).at(-1)?.state === 'claimed',
  );
  paying.finish();
  expect((await paying.answer).body).toMatchObject({ id, renewalCount: 1 });
  expect((await again).status).toBe(200);
  expect(await uploadRow(rig, id)).toEqual({ renewals: 0, deleting: false, deleted: true, calls: 0 });
  expect(await transfersOf(rig, wallet.address)).toHaveLength(3);
  expect(await rig.audit()).toEqual([]);
  await rig.restart();
});

test('a renewal during a deletion waits for it, finds no upload and is not charged', async ({ rig }) => {
  const { id, wallet, renewal, deletion } = await anUpload(rig);
  const paying = await whilePaying(rig, deletion);
  const late = ask(renewal);
  await until('the renewal', async () => (await callsOf(rig, wallet.address)).length === 3);
  paying.finish();
  expect((await paying.answer).status).toBe(200);
  expectUncharged(await late, 'upload_not_found', 404);
  expect(await uploadRow(rig, id)).toEqual({ renewals: 0, deleting: false, deleted: true, calls: 0 });
  expect(await transfersOf(rig, wallet.address)).toHaveLength(2);
  expect(await rig.audit()).toEqual([]);
});

test('a renewal whose payment is refused releases its reservation at once', async ({ rig }) => {
  const { id, wallet, renewal } = await anUpload(rig);
  const held = rig.base.hold('eth_sendRawTransaction', 'before');
  const answer = ask(renewal);
  await held.reached;
  expect(await uploadRow(rig, id)).toMatchObject({ renewals: 1, calls: 1 });
  await rig.drain(wallet);
  held.release();
  expect((await answer).status).toBe(402);
  expect(await uploadRow(rig, id)).toEqual({ renewals: 0, deleting: false, deleted: false, calls: 0 });
});

test('a server that dies before it charges a reserved renewal leaves nothing reserved', async ({ rig }) => {
  const { id, wallet, renewal } = await anUpload(rig);
  const stopped = new Promise<void>((resolve) => {
    rig.database.intercept((statement) =>
      statement.includes(recordsPrepared)
        ? async () => {
            await rig.kill();
            resolve();
          }
        : null,
    );
  });
  const first = ask(renewal).catch(() => null);
  await stopped;
  rig.database.intercept(null);
  expect(await first).toBeNull();
  expect(await uploadRow(rig, id)).toMatchObject({ renewals: 1, calls: 1 });
  await rig.passTakeoverTime();
  await rig.start();
  await until('nothing is reserved', async () => (await uploadRow(rig, id))?.renewals === 0);
  expect(await uploadRow(rig, id)).toMatchObject({ calls: 0 });
  expect((await persist(renewal)).body).toMatchObject({ id, renewalCount: 1 });
  expect(await transfersOf(rig, wallet.address)).toHaveLength(2);
  expect(await rig.audit()).toEqual([]);
});

test('an upload that expires while its renewal is being paid is kept and renewed', async ({ rig }) => {
  const secret = 'a-secret-of-the-scheduler';
  await rig.restart({ WORKER: 'separate', CRON_SECRET: secret });
  const { id, renewal } = await anUpload(rig);
  const paying = await whilePaying(rig, renewal);
  await rig.query("UPDATE upload SET expires_at = now() - interval '1 second' WHERE id = $1", [id]);
  const jobs = await fetch(`${rig.apiUrl}/internal/cron`, { headers: { Authorization: `Bearer ${secret}` } });
  expect(jobs.status).toBe(200);
  expect(await uploadRow(rig, id)).toMatchObject({ deleted: false, renewals: 1 });
  paying.finish();
  const { status, body } = await paying.answer;
  expect(status).toBe(200);
  expect(Date.parse(body.expiresAt)).toBeGreaterThan(Date.now() + 6 * 86_400_000);
  await rig.restart();
  expect(await rig.audit()).toEqual([]);
});

test('a paid renewal that can never be delivered is on the worklist at once, with the reason', async ({
  rig,
}) => {
  const { id, wallet, renewal } = await anUpload(rig);
  const paying = await whilePaying(rig, renewal);
  // Somebody with access to the database took the file down.
  await rig.query('UPDATE upload SET deleted_at = now() WHERE id = $1', [id]);
  paying.finish();
  const { status, body } = await paying.answer;
  expect(status).toBe(503);
  expect(body.error).toMatchObject({ code: 'delivery_needs_attention', payment: 'kept', retry: 'stop' });
  const [move] = await rig.query<{ note: string }>(
    `SELECT note FROM paid_call_move JOIN paid_call ON paid_call.id = paid_call_id
     WHERE payer = $1 AND to_state = 'needs_attention'`,
    [wallet.address],
  );
  expect(move?.note).toBe('upload_not_found');
  expect(await uploadRow(rig, id)).toMatchObject({ renewals: 0, calls: 0 });
  expect(await rig.audit()).toEqual([]);
});

for (const [what, pick] of [
  ['the last renewal that there is room for', 'renewal'],
  ['a deletion', 'deletion'],
] as const) {
  test(`${what}, reserved by a call whose preparation could not be recorded, is used by its retry`, async ({
    rig,
  }) => {
    const { id, wallet, [pick]: request } = await anUpload(rig);
    await rig.query("UPDATE upload SET expires_at = created_at + interval '25 days' WHERE id = $1", [id]);
    const recovery = holdStatement(rig, 'ORDER BY attempt_at');
    const record = holdStatement(rig, recordsPrepared);
    const first = ask(request);
    await record.reached;
    record.fail();
    const { status, body } = await first;
    expect(status).toBe(503);
    expect(body.error).toMatchObject({ code: 'settlement_unknown', payment: 'unknown' });
    const again = await ask(request);
    expect(again.status, JSON.stringify(again.body)).toBe(200);
    expect(again.body).toMatchObject({ id });
    recovery.release();
    expect(await uploadRow(rig, id)).toMatchObject({ renewals: 0, deleting: false, calls: 0 });
    expect(await transfersOf(rig, wallet.address)).toHaveLength(2);
    expect(await rig.audit()).toEqual([]);
  });
}
