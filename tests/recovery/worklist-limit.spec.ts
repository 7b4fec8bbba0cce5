import { expect, test } from '@playwright/test';
import pg from 'pg';
import { cookieOf, enterToken, sendToConsole } from '../support/console';
import { addCall } from '../support/ledger-rows';
import { depositInto, openAccount } from './rig/accounts';
import { transfersOf, untilState } from './rig/found';
import { makeFinal, sell, sellInVain } from './rig/refunds';
import { ask, sign } from './rig/requests';
import { everyNetwork, type Rig, startRig } from './rig/rig';
import { until } from './rig/waiting';

test.setTimeout(180_000);

/** A rig whose worklist is empty. */
let rig: Rig;
test.beforeAll(async () => {
  rig = await startRig({ networks: everyNetwork });
});
test.afterAll(() => rig.close());

const pausedNow = async (): Promise<string[] | undefined> =>
  (await (await fetch(`${rig.apiUrl}/health/ready`)).json()).paused;

/** Sells an upload that cannot be delivered, in the state that recovery leaves after an hour. Returns the id of the call. */
async function sellUndeliverable(): Promise<string> {
  const request = await sign(rig, await rig.newEvmPayer());
  await rig.query('ALTER TABLE upload ADD CONSTRAINT nothing_fits CHECK (false) NOT VALID');
  try {
    expect((await ask(request)).body.error.code).toBe('delivery_pending');
    await rig.query('UPDATE paid_call SET attempts = 19, attempt_at = now() WHERE payer = $1', [
      request.payer,
    ]);
    return (await untilState(rig, request.payer, 'needs_attention')).id;
  } finally {
    await rig.query('ALTER TABLE upload DROP CONSTRAINT nothing_fits');
  }
}

/** The first page of the console. */
async function overviewOf(token: string): Promise<string> {
  const cookie = cookieOf(await enterToken(token, {}, rig));
  return (await sendToConsole('/operator', { cookie }, rig)).text();
}

test('an operation is paused while as many calls as its limit could not be delivered, and all else works', async () => {
  const settings = {
    WORKLIST_LIMIT: '1',
    OPERATOR_TOKEN: 'a token of the tests',
    FINALITY_BLOCKS: 'base=5',
  };
  await rig.restart(settings);
  const early = await sell(rig, await rig.newEvmPayer());
  const late = await sign(rig, await rig.newEvmPayer());
  const lateOverMpp = await fetch(`${rig.apiUrl}/v1/mpp/uploads`, { method: 'POST' });
  expect(lateOverMpp.status).toBe(402);
  // The payer revoked the account meanwhile. If such calls counted, anyone could stop deposits.
  await sellInVain(rig, await rig.newEvmPayer());
  const failed = await sellUndeliverable();
  await until('a paused operation', async () => (await pausedNow()) !== undefined);
  expect(await pausedNow()).toEqual(['uploads.create']);

  // A process that starts knows about the full worklist before its first request.
  await rig.restart(settings);
  for (const path of ['/v1/uploads', '/v1/mpp/uploads']) {
    const unpaid = await fetch(`${rig.apiUrl}${path}`, { method: 'POST' });
    expect([unpaid.status, unpaid.headers.get('retry-after')]).toEqual([503, '300']);
    expect((await unpaid.json()).error).toMatchObject({
      code: 'operation_paused',
      payment: 'none',
      retry: 'later',
    });
  }
  const refused = await ask(late);
  expect([refused.status, refused.body.error.code]).toEqual([503, 'operation_paused']);
  expect(await transfersOf(rig, late.payer)).toEqual([]);

  expect((await ask(early.request)).body).toEqual(early.answer.body);
  const status = await fetch(`${rig.apiUrl}/v1/paid-calls/${failed}`);
  expect(await status.json()).toMatchObject({ state: 'needs_attention', payment: 'kept' });
  expect((await ask(await depositInto(rig, await openAccount(rig)))).status).toBe(200);

  const metrics = await fetch(`${rig.apiUrl}/metrics`, {
    headers: { Authorization: `Bearer ${settings.OPERATOR_TOKEN}` },
  });
  const text = await metrics.text();
  expect(text).toContain('tuppence_operation_paused{operation="uploads.create"} 1');
  expect(text).toContain('tuppence_operation_paused{operation="billing.deposit"} 0');

  const overview = await overviewOf(settings.OPERATOR_TOKEN);
  expect(overview).toContain('uploads.create is paused, because 1 of its paid calls could not be delivered');
  expect(overview).toMatch(/<title>\(\d\) Overview/);

  // Once the call is refunded, the same payment buys what it could not buy before.
  await makeFinal(rig, { id: failed });
  const { accountId } = await openAccount(rig);
  const refund = await rig.tuppence('refund', failed, '--account', accountId, '--yes');
  expect(refund).toMatchObject({ exitCode: 0, errors: '' });
  await until('the operation is available again', async () => (await pausedNow()) === undefined);
  expect((await ask(late)).status).toBe(200);
  expect(await overviewOf(settings.OPERATOR_TOKEN)).not.toContain('is paused');
  expect(await rig.audit()).toEqual([]);
});

test('the plot of refusals names their reason, also when there is only one', async () => {
  const OPERATOR_TOKEN = 'a token of the tests';
  await rig.restart({ OPERATOR_TOKEN });
  const ledger = new pg.Pool({ connectionString: rig.databaseUrl, max: 1 });
  try {
    await addCall(ledger, { states: [['refused', 'the_only_reason']] });
  } finally {
    await ledger.end();
  }
  const overview = await overviewOf(OPERATOR_TOKEN);
  const plot = /<figure aria-labelledby="refusals">.*?<\/figure>/s.exec(overview)?.[0] ?? '';
  const legend = /<ul class="legend".*?<\/ul>/s.exec(plot)?.[0] ?? '';
  expect(legend.replaceAll(/<[^>]*>/g, '')).toBe('the only reason');
});
