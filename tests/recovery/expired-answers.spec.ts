import { expect, test } from './fixtures';
import { callsOf, transfersOf, uploadsOf } from './rig/found';
import { type Answer, ask, type SignedRequest, sign, signMpp } from './rig/requests';
import type { Rig } from './rig/rig';

const secret = 'a-secret-of-the-scheduler';
const key = { 'Idempotency-Key': 'a-secret-of-the-buyer' };

/** Jobs run only when the test starts them, and no block of the chain is ever deep enough to be final. */
async function start(rig: Rig): Promise<void> {
  await rig.restart({ WORKER: 'separate', CRON_SECRET: secret, FINALITY_BLOCKS: 'base=1000000' });
}

async function runJobs(rig: Rig): Promise<void> {
  const ran = await fetch(`${rig.apiUrl}/internal/cron`, { headers: { Authorization: `Bearer ${secret}` } });
  expect(ran.status).toBe(200);
}

function withKey<Request extends SignedRequest>(request: Request): Request {
  return { ...request, init: { ...request.init, headers: { ...request.init.headers, ...key } } };
}

/** Lets the lifetime of a call's answer pass. @returns whether it was the longest one, that of a form with its responses */
async function passAnswerLife(rig: Rig, id: string): Promise<boolean> {
  const [row] = await rig.query<{ isLongest: boolean }>(
    `UPDATE paid_call SET answer_expires_at = now() - interval '1 second' FROM paid_call AS before
     WHERE paid_call.id = before.id AND paid_call.id = $1
     RETURNING before.answer_expires_at > before.moved_at + interval '37 days' AS "isLongest"`,
    [id],
  );
  return row?.isLongest === true;
}

function expectExpired({ status, headers, body }: Answer, paidCallId: string): void {
  expect([status, body.error]).toMatchObject([
    410,
    { code: 'response_expired', payment: 'kept', retry: 'stop', paidCallId },
  ]);
  expect(headers.get('payment-response')).toBeNull();
}

for (const rail of ['x402', 'mpp'] as const) {
  test(`over ${rail} a stored response is erased once it has expired and its settlement is final; a retry gets an error that says so and is not charged`, async ({
    rig,
  }) => {
    await start(rig);
    const wallet = await rig.newEvmPayer();
    const signed = rail === 'x402' ? sign : signMpp;
    const request = withKey(await signed(rig, wallet));
    const first = await ask(request);
    expect(first.status).toBe(200);
    const [{ id } = { id: '' }] = await callsOf(rig, wallet.address);

    await runJobs(rig);
    expect((await ask(request)).body).toEqual(first.body);
    expect(await passAnswerLife(rig, id)).toBe(true);
    await runJobs(rig);
    // A reorganization could still remove the settlement.
    expect((await ask(request)).body).toEqual(first.body);
    await rig.query(
      'UPDATE settlement_transaction SET final_at = now() FROM paid_call WHERE settlement_id = settlement_transaction.id AND paid_call.id = $1',
      [id],
    );
    await runJobs(rig);

    expect(await rig.query('SELECT answer, payment FROM paid_call WHERE id = $1', [id])).toEqual([
      { answer: null, payment: null },
    ]);
    expectExpired(await ask(request), id);
    const { body } = request.init;
    expectExpired(await ask(withKey(await signed(rig, wallet, { body }))), id);
    const status = await fetch(`${rig.apiUrl}/v1/paid-calls/${id}`);
    expect(await status.json()).toMatchObject({ state: 'delivered', payment: 'kept' });
    expect(await transfersOf(rig, wallet.address)).toHaveLength(1);
    expect(await uploadsOf(rig, wallet.address)).toEqual([first.body.id]);
    expect(await rig.audit()).toEqual([]);
  });
}
