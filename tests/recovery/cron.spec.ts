import { expectLogged } from '../support/logged';
import { expect, test } from './fixtures';
import { lockDelivery } from './rig/delivery-lock';
import { callsOf, transfersOf, uploadsOf } from './rig/found';
import { ask, sign } from './rig/requests';
import type { Rig } from './rig/rig';

const secret = 'a-secret-of-the-scheduler';

async function restart(rig: Rig, changed: Record<string, string>): Promise<void> {
  await rig.restart({ WORKER: 'separate', ...changed });
}

const runJobs = (rig: Rig, authorization?: string) =>
  fetch(`${rig.apiUrl}/internal/cron`, { headers: authorization ? { Authorization: authorization } : {} });

test('without a configured secret the path of the jobs gets 404', async ({ rig }) => {
  await restart(rig, {});
  expect((await runJobs(rig, `Bearer ${secret}`)).status).toBe(404);
});

test('only requests with the secret run the jobs', async ({ rig }) => {
  await restart(rig, { CRON_SECRET: secret });
  const wrong = [
    undefined,
    'Bearer',
    `Bearer ${secret}x`,
    `Bearer ${secret.slice(1)}`,
    secret,
    `Basic ${secret}`,
  ];
  for (const authorization of wrong) {
    const refused = await runJobs(rig, authorization);
    expect(refused.status, authorization).toBe(401);
    expect(refused.headers.get('www-authenticate')).toBe('Bearer');
    const text = await refused.text();
    expect(JSON.parse(text).error.code).toBe('unauthorized');
    expect(text).not.toContain(secret);
  }
  const ran = await runJobs(rig, `Bearer ${secret}`);
  expect(ran.status).toBe(200);
  expect(await ran.json()).toEqual({
    ran: [
      'recover-calls',
      'review-settlements',
      'close-refusals',
      'expire-uploads',
      'erase-forms',
      'erase-answers',
      'erase-refund-messages',
      'forget-sign-ins',
      'check-refunds',
    ],
  });
});

test('one request finishes a call that a killed server left', async ({ rig }) => {
  await restart(rig, { CRON_SECRET: secret });
  const wallet = await rig.newEvmPayer();
  const lock = await lockDelivery(rig, wallet.address);
  const first = ask(await sign(rig, wallet)).catch(() => null);
  await lock.reached();
  await restart(rig, { CRON_SECRET: secret });
  await lock.abandon();
  await first;
  // Only the dead server: the live one has not been silent.
  await rig.query(
    `UPDATE instance SET alive_until = now() - interval '1 second'
     WHERE id IN (SELECT worked_by FROM paid_call WHERE payer = $1)`,
    [wallet.address],
  );
  expect((await callsOf(rig, wallet.address)).map(({ state }) => state)).toEqual(['settled']);
  expect((await runJobs(rig, `Bearer ${secret}`)).status).toBe(200);
  expect((await callsOf(rig, wallet.address)).map(({ state }) => state)).toEqual(['delivered']);
  expect(await transfersOf(rig, wallet.address)).toHaveLength(1);
  expect(await uploadsOf(rig, wallet.address)).toHaveLength(1);
  expect(await rig.audit()).toEqual([]);
});

test('a failed job is named in the response, and the others still run', async ({ rig }) => {
  await restart(rig, { CRON_SECRET: secret, LOG_LEVEL: 'debug' });
  await rig.query('ALTER TABLE upload RENAME TO upload_away');
  try {
    const failed = await runJobs(rig, `Bearer ${secret}`);
    expect(failed.status).toBe(503);
    expect((await failed.json()).error.message).toBe('These jobs failed: expire-uploads.');
    await expectLogged(rig.server(), /"job":"recover-calls".*"a job ran"/);
  } finally {
    await rig.query('ALTER TABLE upload_away RENAME TO upload');
  }
});
