import { expect, test } from './fixtures';
import { lockDelivery } from './rig/delivery-lock';
import { transfersOf, untilState, uploadsOf } from './rig/found';
import { ask, sign } from './rig/requests';
import type { Rig } from './rig/rig';
import { until } from './rig/waiting';

interface Wait {
  readonly attempts: number;
  /** From the end of the attempt to the next, in seconds. */
  readonly seconds: number;
}

/** Makes the database record each wait as a server writes it, so that the test does not have to poll for it. */
async function noteWaits(rig: Rig): Promise<void> {
  await rig.query('CREATE TABLE noted_wait (payer text, attempts int, seconds float)');
  await rig.query(`CREATE FUNCTION note_wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO noted_wait
    VALUES (NEW.payer, NEW.attempts, EXTRACT(epoch FROM NEW.attempt_at - clock_timestamp()));
    RETURN NULL;
  END $$`);
  await rig.query(`CREATE TRIGGER note_wait AFTER UPDATE ON paid_call FOR EACH ROW
    WHEN (NEW.state = 'settled' AND NEW.worked_by IS NULL AND OLD.worked_by IS NOT NULL)
    EXECUTE FUNCTION note_wait()`);
}

async function forgetWaits(rig: Rig): Promise<void> {
  await rig.query('DROP TRIGGER note_wait ON paid_call');
  await rig.query('DROP FUNCTION note_wait');
  await rig.query('DROP TABLE noted_wait');
}

/** Waits for this many attempts, and returns the wait that followed each. */
async function waitsOf(rig: Rig, payer: string, attempts: number): Promise<Wait[]> {
  let waits: Wait[] = [];
  await until(`${attempts} attempts`, async () => {
    waits = await rig.query<Wait>(
      'SELECT attempts, seconds FROM noted_wait WHERE payer = $1 ORDER BY attempts',
      [payer],
    );
    return waits.length >= attempts;
  });
  return waits;
}

test('a call that cannot be delivered is retried after 3, 6 and 12 seconds, and at once when its client retries', async ({
  rig,
}) => {
  // With production timings, which this test is about.
  await rig.restart({}, null);
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  await rig.query('ALTER TABLE upload ADD CONSTRAINT nothing_fits CHECK (false) NOT VALID');
  await noteWaits(rig);
  try {
    const first = await ask(request);
    expect(first).toMatchObject({ status: 503, body: { error: { code: 'delivery_pending' } } });
    const waits = await waitsOf(rig, wallet.address, 3);
    expect(waits.map(({ attempts }) => attempts)).toEqual([0, 1, 2]);
    for (const { attempts, seconds } of waits) {
      // Up to a quarter less at random, and up to half a second until it is written.
      expect(seconds).toBeLessThanOrEqual(3 * 2 ** attempts);
      expect(seconds).toBeGreaterThan(3 * 2 ** attempts * 0.75 - 0.5);
    }
    // A retry by the client that fails does not lengthen the wait.
    expect((await ask(request)).status).toBe(503);
    const [row] = await rig.query<{ attempts: number }>('SELECT attempts FROM paid_call WHERE payer = $1', [
      wallet.address,
    ]);
    expect(row?.attempts).toBe(2);
  } finally {
    await forgetWaits(rig);
    await rig.query('ALTER TABLE upload DROP CONSTRAINT nothing_fits');
  }
  const answer = await ask(request);
  expect(answer.status).toBe(200);
  await untilState(rig, wallet.address, 'delivered', 0);
  expect(await uploadsOf(rig, wallet.address)).toEqual([answer.body.id]);
  expect(await transfersOf(rig, wallet.address)).toHaveLength(1);
  expect(await rig.audit()).toEqual([]);
  await rig.kill();
});

/** Makes the payer's one call look as if recovery had tried to deliver it for about an hour. */
async function passAttempts(rig: Rig, payer: string, changes = ''): Promise<void> {
  await rig.query(`UPDATE paid_call SET attempts = 19, attempt_at = now() ${changes} WHERE payer = $1`, [
    payer,
  ]);
}

async function worklistNoteOf(rig: Rig, payer: string): Promise<string | null | undefined> {
  await untilState(rig, payer, 'needs_attention', 10_000);
  const [row] = await rig.query<{ note: string | null }>(
    `SELECT note FROM paid_call_move JOIN paid_call ON paid_call.id = paid_call_id
     WHERE payer = $1 AND to_state = 'needs_attention'`,
    [payer],
  );
  return row?.note;
}

test('a call that could not be delivered for an hour is on the worklist, and its client gets delivery_needs_attention', async ({
  rig,
}) => {
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  await rig.query('ALTER TABLE upload ADD CONSTRAINT nothing_fits CHECK (false) NOT VALID');
  try {
    expect((await ask(request)).body.error.code).toBe('delivery_pending');
    await passAttempts(rig, wallet.address);
    expect(await worklistNoteOf(rig, wallet.address)).toBe('delivery_failed');
    const { exitCode, output } = await rig.tuppence('worklist', '--json');
    expect(exitCode).toBe(1);
    expect(output).toContain(
      `"operation":"uploads.create","network":"base","payer":"${wallet.address}","amount":"0.005"`,
    );
    const told = await ask(request);
    expect(told).toMatchObject({
      status: 503,
      body: { error: { code: 'delivery_needs_attention', payment: 'kept', retry: 'stop' } },
    });
  } finally {
    await rig.query('ALTER TABLE upload DROP CONSTRAINT nothing_fits');
  }
  expect(await transfersOf(rig, wallet.address)).toHaveLength(1);
  expect((await rig.tuppence('worklist')).output).toMatch(
    /uploads\.create, 0\.005 USDC on base, since .*\n {2}Delivery failed for an hour\./,
  );
  expect(await rig.audit()).toEqual([]);
});

test('a paid call that this version cannot start to deliver is on the worklist after the same number of attempts', async ({
  rig,
}) => {
  const wallet = await rig.newEvmPayer();
  await rig.query('ALTER TABLE upload ADD CONSTRAINT nothing_fits CHECK (false) NOT VALID');
  try {
    expect((await ask(await sign(rig, wallet))).status).toBe(503);
    await passAttempts(rig, wallet.address, ", operation = 'uploads.gone'");
    expect(await worklistNoteOf(rig, wallet.address)).toBe('recovery_failed');
  } finally {
    await rig.query('ALTER TABLE upload DROP CONSTRAINT nothing_fits');
    await rig.query(`UPDATE paid_call SET operation = 'uploads.create' WHERE payer = $1`, [wallet.address]);
  }
  expect(await rig.audit()).toEqual([]);
});

test('a paid call whose delivery ends its process each time is on the worklist after the same number of attempts', async ({
  rig,
}) => {
  // This test starts four servers.
  test.setTimeout(180_000);
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  const killDuringDelivery = async (begin: () => Promise<unknown>) => {
    const lock = await lockDelivery(rig, wallet.address);
    await begin();
    await lock.reached();
    await rig.kill();
    await lock.abandon();
    await rig.passTakeoverTime();
  };
  let first: Promise<unknown> | undefined;
  await killDuringDelivery(async () => {
    first = ask(request).catch(() => null);
  });
  expect(await first).toBeNull();
  // Two attempts of recovery are left.
  await rig.query('UPDATE paid_call SET attempts = 18 WHERE payer = $1', [wallet.address]);
  await killDuringDelivery(() => rig.start());
  await killDuringDelivery(() => rig.start());
  await rig.start();
  expect(await worklistNoteOf(rig, wallet.address)).toBe('recovery_interrupted');
  expect((await ask(request)).body.error).toMatchObject({
    code: 'delivery_needs_attention',
    payment: 'kept',
  });
  expect(await uploadsOf(rig, wallet.address)).toEqual([]);
  expect(await transfersOf(rig, wallet.address)).toHaveLength(1);
  expect(await rig.audit()).toEqual([]);
});

test('a call of an operation that is no longer offered does not block others', async ({ rig }) => {
  const [stale, wallet] = await Promise.all([rig.newEvmPayer(), rig.newEvmPayer()]);
  await rig.query('ALTER TABLE upload ADD CONSTRAINT nothing_fits CHECK (false) NOT VALID');
  try {
    for (const payer of [stale, wallet]) expect((await ask(await sign(rig, payer))).status).toBe(503);
    await rig.query(`UPDATE paid_call SET operation = 'uploads.gone' WHERE payer = $1`, [stale.address]);
  } finally {
    await rig.query('ALTER TABLE upload DROP CONSTRAINT nothing_fits');
  }
  await untilState(rig, wallet.address, 'delivered');
  const failed = await until('an attempt at the stale call', async () => {
    const [row] = await rig.query<{ attempts: number; worked_by: string | null }>(
      'SELECT attempts, worked_by FROM paid_call WHERE payer = $1',
      [stale.address],
    );
    return row && row.attempts > 0 && row.worked_by === null ? row : null;
  });
  expect(failed.attempts).toBeGreaterThan(0);
  // Restored for the audit of the next test on this rig.
  await rig.query(`UPDATE paid_call SET operation = 'uploads.create' WHERE payer = $1`, [stale.address]);
  await untilState(rig, stale.address, 'delivered');
  expect(await rig.audit()).toEqual([]);
});
