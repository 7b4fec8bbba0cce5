import type { Page } from '@playwright/test';
import { rpcCall } from '@/local/json-rpc';
import { signInByHand } from '../support/console-page';
import { expect, test } from './fixtures';
import { expectPaidAndDeliveredOnce } from './rig/found';
import { startRefundRig } from './rig/refunding';
import { makeFinal, sellInVain, transferOnBase } from './rig/refunds';
import { aForm } from './rig/refused-forms';
import { ask, persist, sign } from './rig/requests';
import type { Rig } from './rig/rig';
import { until } from './rig/waiting';

/** Everything goes wrong on one day, and an operator handles it in a browser. */

test.setTimeout(180_000);

let rig: Rig;
/** A key that the provider rejects. */
const refusedKey = { EXA_API_KEY: 'sandbox_wrong_key' };

test.beforeAll(async () => {
  rig = await startRefundRig(refusedKey);
});
test.afterAll(() => rig.close());

test('the worst day: a provider is down, a server is killed, a call needs a refund, a form must go', async ({
  page,
}) => {
  await rig.ready();
  await signInByHand(page, rig.apiUrl);
  const open = (path: string) => page.goto(rig.apiUrl + path);

  await test.step('a provider refuses us: the overview says so', async () => {
    const body = JSON.stringify({ query: 'the news' });
    const order = { path: '/neural/search', body };
    const answer = await persist(await sign(rig, await rig.newEvmPayer(), order));
    expect(answer.status).toBe(502);
    await open('/operator');
    await expect(page.getByRole('link', { name: 'The provider exa is not called' })).toBeVisible();
  });

  await test.step('a server is killed while it settles: the session lives on, and the call is delivered', async () => {
    const wallet = await rig.newEvmPayer();
    const request = await sign(rig, wallet);
    const held = rig.base.hold('eth_sendRawTransaction', 'after');
    const lost = ask(request).catch(() => null);
    await held.reached;
    await rig.kill();
    held.abandon();
    await lost;
    await rig.start();
    const answer = await persist(request);
    expect(answer.status).toBe(200);
    await expectPaidAndDeliveredOnce(rig, wallet.address);
    await open(`/operator/calls?payer=${wallet.address}`);
    await expect(page.getByRole('row', { name: /delivered/ })).toHaveCount(1);
  });

  await test.step('a call is paid and cannot be delivered: it is refunded by a transfer', () => refund(page));
  await test.step('a form is reported: it is taken down', () => takeDown(page));

  await test.step('the log has all of it, and the books agree with the chains', async () => {
    await open('/operator/log');
    for (const done of ['signed in', 'requested a refund of', 'looked at the content of', 'took down'])
      await expect(page.getByRole('heading', { name: new RegExp(done) }).first()).toBeVisible();
    expect(await rig.audit()).toEqual([]);
  });
});

async function refund(page: Page): Promise<void> {
  const wallet = await rig.newEvmPayer();
  const call = await sellInVain(rig, wallet);
  await makeFinal(rig, call);
  await page.goto(`${rig.apiUrl}/operator/worklist`);
  await expect(page.getByText('Paid, not delivered')).toBeVisible();
  await page.getByRole('link', { name: 'Review the call' }).click();
  await page.getByRole('link', { name: 'Refund', exact: true }).click();
  const stranger = await rig.newEvmPayer();
  const wrong = await transferOnBase(rig, stranger.address, 1_000_000n);
  const check = async (hash: string) => {
    await page.getByLabel('I have sent it from the treasury to the payer').check();
    await page.getByLabel('Transaction hash', { exact: true }).fill(hash);
    await page.getByLabel('Paid, not delivered').check();
    await page.getByRole('button', { name: 'Review refund' }).click();
  };
  await check(wrong);
  await expect(page.getByRole('alert')).toContainText('does not transfer to the payer');
  await check(await transferOnBase(rig, wallet.address, 1_000_000n));
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Check the refund');
  await expect(page.getByText(wallet.address)).toHaveCount(2);
  await page.getByRole('button', { name: 'Record this refund' }).click();
  await expect(page.getByRole('heading', { name: 'Refunds' })).toBeVisible();
  await rpcCall(rig.chainUrl('base'), 'anvil_mine', ['0x8']);
  await until('a confirmed refund', async () => {
    await page.reload();
    return (await page.getByText('confirmed', { exact: true }).count()) > 0;
  });
  await page.goto(`${rig.apiUrl}/operator/worklist`);
  await expect(page.getByText('Nothing needs your attention.')).toBeVisible();
}

async function takeDown(page: Page): Promise<void> {
  const sold = await ask(await sign(rig, await rig.newEvmPayer(), aForm));
  expect(sold.status).toBe(200);
  const { url } = sold.body as { url: string };
  const report = new URLSearchParams({ reason: 'pretends', details: 'This is not my bank.' });
  await fetch(`${url}/report`, { method: 'POST', body: report });
  await page.goto(`${rig.apiUrl}/operator/reports`);
  await page.getByRole('link', { name: 'Review', exact: true }).click();
  await page.getByRole('button', { name: 'Show its content' }).click();
  await expect(page.getByText('Summer party')).toBeVisible();
  await page.getByLabel('asks for secrets').check();
  await page.getByRole('textbox', { name: 'Note' }).fill('It pretends to be a bank.');
  await page.getByRole('button', { name: 'Take down' }).click();
  await expect(page.getByText('taken down', { exact: true })).toBeVisible();
  expect((await fetch(url)).status).toBe(410);
}
