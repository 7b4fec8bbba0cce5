import { randomBytes } from 'node:crypto';
import { runOperatorProgram } from '../support/operator-program';
import { expect, test } from './fixtures';
import { callsOf, expectPaidAndDeliveredOnce, transfersOf, untilState, uploadsOf } from './rig/found';
import { ask, persist, type SignedRequest, sign, signMpp } from './rig/requests';
import type { Rig } from './rig/rig';
import { until } from './rig/waiting';

const newKey = randomBytes(32).toString('base64');
const key = { 'Idempotency-Key': 'a-secret-of-the-buyer' };

function withKey<Request extends SignedRequest>(request: Request): Request {
  return { ...request, init: { ...request.init, headers: { ...request.init.headers, ...key } } };
}

/** The server's DATA_KEY, with a new key before it. */
const bothKeys = (rig: Rig) => `${newKey},${rig.serverEnv.DATA_KEY}`;

/** What doctor says about DATA_KEY with this value in the settings. */
async function doctorOn(rig: Rig, DATA_KEY: string) {
  const env = { ...rig.operatorSettings, DATA_KEY };
  const { output } = await runOperatorProgram(env, 'doctor', '--json', '--only', 'database');
  const findings = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { about: string });
  const found = findings.find(({ about }) => about === 'DATA_KEY');
  if (!found) throw new Error(`doctor says nothing of it: ${output}`);
  return found;
}

/** Expects that the payer paid once, and has only this upload. */
async function expectOneUpload(rig: Rig, payer: string, id: string): Promise<void> {
  expect(await uploadsOf(rig, payer)).toEqual([id]);
  await expectPaidAndDeliveredOnce(rig, payer);
}

// Tests on the same rig expect it to have its own key.
test.afterEach(({ rig }) => rig.restart());

for (const rail of ['x402', 'mpp'] as const) {
  test(`over ${rail} a retry whose response no DATA_KEY opens is told that it is gone, and is not charged; with the key it has it again`, async ({
    rig,
  }) => {
    const wallet = await rig.newEvmPayer();
    const signed = rail === 'x402' ? sign : signMpp;
    const request = withKey(await signed(rig, wallet));
    const first = await ask(request);
    expect(first.status).toBe(200);
    const [{ id } = { id: '' }] = await callsOf(rig, wallet.address);

    await rig.restart({ DATA_KEY: newKey });
    const { body } = request.init;
    for (const retry of [request, withKey(await signed(rig, wallet, { body }))]) {
      const { status, headers, body: told } = await ask(retry);
      expect([status, told.error]).toMatchObject([
        410,
        { code: 'response_expired', payment: 'kept', retry: 'stop', paidCallId: id },
      ]);
      expect(headers.get('payment-response')).toBeNull();
    }
    await until('a log entry', async () =>
      rig.server().output().includes('no DATA_KEY opens a stored paid call'),
    );
    const status = await fetch(`${rig.apiUrl}/v1/paid-calls/${id}`);
    expect(await status.json()).toMatchObject({ state: 'delivered', payment: 'kept' });

    await rig.restart({ DATA_KEY: bothKeys(rig) });
    expect((await ask(request)).body).toEqual(first.body);
    await expectOneUpload(rig, wallet.address, first.body.id);
  });
}

test('a paid call whose input no DATA_KEY opens waits for the key, and is delivered when it is back', async ({
  rig,
}) => {
  const wallet = await rig.newEvmPayer();
  const request = withKey(await sign(rig, wallet));
  await rig.query('ALTER TABLE upload ADD CONSTRAINT nothing_fits CHECK (false) NOT VALID');
  try {
    expect((await ask(request)).body.error.code).toBe('delivery_pending');
    await rig.restart({ DATA_KEY: newKey });
  } finally {
    await rig.query('ALTER TABLE upload DROP CONSTRAINT nothing_fits');
  }
  const told = await ask(request);
  expect(told).toMatchObject({
    status: 503,
    body: { error: { code: 'delivery_pending', payment: 'kept', retry: 'same_request' } },
  });
  expect(await uploadsOf(rig, wallet.address)).toEqual([]);
  expect(await doctorOn(rig, newKey)).toMatchObject({
    status: 'warning',
    message: expect.stringMatching(/encrypted with a key that is not set \(.*open calls.*\)/),
    advice: expect.stringContaining('Add the key that encrypted them to DATA_KEY'),
  });
  expect(await doctorOn(rig, bothKeys(rig))).toMatchObject({ status: 'ok' });

  await rig.restart({ DATA_KEY: bothKeys(rig) });
  const { status, body } = await persist(request);
  expect(status).toBe(200);
  await expectOneUpload(rig, wallet.address, body.id);
});

test('a paid call whose input no DATA_KEY opens for an hour is on the worklist with that reason', async ({
  rig,
}) => {
  const wallet = await rig.newEvmPayer();
  const request = withKey(await sign(rig, wallet));
  await rig.query('ALTER TABLE upload ADD CONSTRAINT nothing_fits CHECK (false) NOT VALID');
  try {
    expect((await ask(request)).status).toBe(503);
    // Killed, so that no attempt in progress overwrites this count with its own.
    await rig.kill();
    await rig.query('UPDATE paid_call SET attempts = 19, attempt_at = now() WHERE payer = $1', [
      wallet.address,
    ]);
    await rig.restart({ DATA_KEY: newKey });
    const { id } = await untilState(rig, wallet.address, 'needs_attention', 10_000);
    const { output } = await rig.tuppence('worklist');
    expect(output).toMatch(
      new RegExp(`${id} .*\\n {2}Its input was encrypted with a key that is not in DATA_KEY`),
    );
    expect((await ask(request)).body.error).toMatchObject({
      code: 'delivery_needs_attention',
      payment: 'kept',
      paidCallId: id,
    });
  } finally {
    await rig.query('ALTER TABLE upload DROP CONSTRAINT nothing_fits');
  }
  expect(await transfersOf(rig, wallet.address)).toHaveLength(1);
  expect(await rig.audit()).toEqual([]);
});

test('a payment that was sent and that no DATA_KEY opens is not charged twice when the key is back', async ({
  rig,
}) => {
  const wallet = await rig.newEvmPayer();
  const request = withKey(await sign(rig, wallet));
  const held = rig.base.hold('eth_sendRawTransaction', 'after');
  const asked = ask(request).catch(() => null);
  await held.reached;
  await rig.kill();
  held.abandon();
  await asked;
  await rig.restart({ DATA_KEY: newKey });
  const told = await ask(request);
  expect(told).toMatchObject({ status: 503, body: { error: { retry: 'same_request' } } });
  expect(['settlement_unknown', 'delivery_pending']).toContain(told.body.error.code);
  await rig.restart({ DATA_KEY: bothKeys(rig) });
  const { status, body } = await persist(request);
  expect(status).toBe(200);
  await expectOneUpload(rig, wallet.address, body.id);
});
