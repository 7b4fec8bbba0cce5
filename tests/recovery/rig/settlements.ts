import { expect } from '@playwright/test';
import { lockSending } from '../../support/database-lock';
import { transfersOf, uploadsOf } from './found';
import { type Answer, ask, sign, type X402Request } from './requests';
import type { Rig } from './rig';
import { until } from './waiting';
import { newDelegatedPayer } from './wallets-with-code';

export interface Settlement {
  readonly id: string;
  readonly payments: number;
  readonly gas: number;
}

/** The settlement transactions of a rig since a moment, oldest first. */
export function settlementsSince(rig: Rig, since: Date): Promise<Settlement[]> {
  return rig.query(
    `SELECT id, payments, gas_used::int AS gas FROM settlement_transaction
     WHERE created_at >= $1 AND state = 'confirmed' ORDER BY nonce`,
    [since],
  );
}

export interface Booked {
  readonly payer: string;
  readonly code: string | null;
  readonly gas: number;
}

export function bookedFor(rig: Rig, payer: string): Promise<Booked[]> {
  return rig.query('SELECT payer, code, gas::int FROM gas_in_vain WHERE payer = $1 ORDER BY at', [payer]);
}

/** Makes the time pass in which gas in vain counts against payers. */
export async function forgetWastedGas(rig: Rig): Promise<void> {
  await rig.query("UPDATE gas_in_vain SET at = at - interval '8 days'");
}

/** Requests from this many new wallets without code. */
export function honestRequests(rig: Rig, count: number): Promise<X402Request[]> {
  return Promise.all(Array.from({ length: count }, async () => sign(rig, await rig.newEvmPayer())));
}

/** Requests from two wallets that burn all gas. */
export function twoBurners(rig: Rig): Promise<X402Request[]> {
  return Promise.all([1, 2].map(async () => sign(rig, await newDelegatedPayer(rig, 'burner'))));
}

/**
 * Sends the requests while the settlement of another one is held up, so that all of them are settled together after it.
 * `before` runs when all are verified and claimed and none is settled yet.
 */
export async function askTogether(
  rig: Rig,
  requests: readonly X402Request[],
  before: () => Promise<void>,
): Promise<Answer[]> {
  const plug = await sign(rig, await rig.newEvmPayer());
  const lock = await lockSending(rig.databaseUrl);
  const plugged = ask(plug);
  await lock.reached();
  const claimed = (count: number) =>
    until('every payment claimed', async () => {
      const payers = requests.map(({ payer }) => payer);
      const rows = await rig.query("SELECT 1 FROM paid_call WHERE payer = ANY($1) AND state = 'settling'", [
        payers,
      ]);
      return rows.length === count;
    });
  const answers: Promise<Answer>[] = [];
  for (const [index, request] of requests.entries()) {
    answers.push(ask(request));
    // How much gas a hostile payment leaves for the others depends on its position, so the first one is kept first.
    if (index === 0) await claimed(1);
  }
  await claimed(requests.length);
  await before();
  await lock.release();
  expect((await plugged).status).toBe(200);
  return Promise.all(answers);
}

export async function expectServed(rig: Rig, requests: readonly X402Request[], answers: readonly Answer[]) {
  expect(answers.map(({ status, body }) => [status, body?.error])).toEqual(
    requests.map(() => [200, undefined]),
  );
  for (const { payer } of requests) {
    expect(await transfersOf(rig, payer)).toHaveLength(1);
    expect(await uploadsOf(rig, payer)).toHaveLength(1);
  }
}

/** By default, expects a refusal before anything was sent for the payment. */
export async function expectRefused(
  rig: Rig,
  request: X402Request | undefined,
  answer: Answer | undefined,
  reason = /invalid_exact_evm_(signature|transaction_simulation_failed)/,
) {
  if (!request || !answer) throw new Error('nothing was asked');
  expect([answer.status, answer.body.error]).toEqual([402, expect.stringMatching(reason)]);
  expect(await transfersOf(rig, request.payer)).toEqual([]);
  expect(await uploadsOf(rig, request.payer)).toEqual([]);
}

/** Expects no open calls since then. Earlier tests on the same rig may have left calls open. */
export async function expectNothingOpen(rig: Rig, since: Date): Promise<void> {
  expect(
    await rig.query(
      `SELECT id, operation, state FROM paid_call
       WHERE state IN ('settling', 'unknown', 'settled') AND created_at >= $1`,
      [since],
    ),
  ).toEqual([]);
  expect(await rig.audit()).toEqual([]);
}
