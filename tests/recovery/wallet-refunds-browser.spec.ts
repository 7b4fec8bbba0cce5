import type { Page } from '@playwright/test';
import { createKeyPairSignerFromBytes } from '@solana/kit';
import { rpcCall } from '@/local/json-rpc';
import { expectAccessible, withAxe } from '../pages/accessible';
import { injectEvmWallet, injectSolanaWallet } from '../support/browser-wallets';
import { signInByHand, takePicture } from '../support/console-page';
import { expect, test } from './fixtures';
import { onBase, stopMining } from './rig/own-chain';
import { shareRefundRig } from './rig/refunding';
import { fundTreasury, refundStates, type SoldCall, solanaTreasury, transferOnBase } from './rig/refunds';
import type { Rig } from './rig/rig';
import { until } from './rig/waiting';
import { expectRefundedOnce, passBlockhashes, soldOn } from './rig/wallet-refunds';

/** Refunds that an operator signs with a browser wallet: whatever goes wrong, the payer gets the money once. */

let rig: Rig;

shareRefundRig(async (shared) => {
  ({ rig } = shared);
  await fundTreasury(rig);
});

/** Opens the console, and takes a call to the page where a wallet signs. */
async function openSigning(page: Page, call: SoldCall): Promise<void> {
  await signInByHand(page, rig.apiUrl);
  await page.goto(`${rig.apiUrl}/operator/calls/${call.id}`);
  await page.getByRole('link', { name: 'Refund', exact: true }).click();
  await page.getByLabel('The treasury’s wallet in this browser signs it').check();
  await page.getByLabel('Duplicate').check();
  await page.getByRole('button', { name: 'Review refund' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Check the refund');
  expect(await refundStates(rig, call)).toEqual([]);
  await page.getByRole('button', { name: 'Request this refund' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign the refund of 0.005 USDC');
}

const signButton = (page: Page) => page.getByRole('button', { name: 'Sign 0.005 USDC to the payer' });
const rpcUrl = () => rig.chainUrl('base');

test('an operator refunds from a browser wallet on base: declined, on a wrong chain, and then signed', async ({
  page,
}) => {
  const call = await soldOn(rig, 'base');
  const states: string[][] = [];
  const asking = async () => void states.push(await refundStates(rig, call));
  const wallet = await injectEvmWallet(page, rig.treasury.evm, { rpcUrl: rpcUrl(), asking });
  await withAxe(page);
  await openSigning(page, call);
  await expect(page.getByText(call.wallet.address)).toBeVisible();
  await expectAccessible(page);
  await takePicture(page, 'refund-signing');
  const problem = page.getByRole('alert');
  wallet.staysOnItsChain = true;
  await signButton(page).click();
  await expect(problem).toContainText('Switch it to Base');
  expect(wallet.asked).not.toContain('eth_signTypedData_v4');
  wallet.staysOnItsChain = false;
  for (const method of ['eth_signTypedData_v4', 'eth_sendTransaction']) {
    wallet.declined = [method];
    await signButton(page).click();
    await expect(problem).toContainText('declined in the wallet, and nothing was sent');
    await expect(problem).toBeFocused();
  }
  await takePicture(page, 'refund-declined');
  expect(await refundStates(rig, call)).toEqual(['requested']);
  wallet.declined = [];
  await signButton(page).click();
  await expect(page.getByRole('heading', { name: 'Refunds' })).toBeVisible();
  expect(wallet.typedData?.message).toMatchObject({ to: call.wallet.address, value: '5000' });
  // Before each request to the wallet, the refund was already in the books.
  expect(states).toEqual(states.map(() => ['requested']));
  await expectRefundedOnce(rig, call);
});

test('without a wallet there is nothing to press, a wallet with another account signs nothing, and the transfer is made and recorded by hash', async ({
  page,
}) => {
  const call = await soldOn(rig, 'base');
  await openSigning(page, call);
  await expect(page.getByText('No wallet for Base was found')).toBeVisible();
  await expect(signButton(page)).toBeHidden();
  const wallet = await injectEvmWallet(page, await rig.newEvmPayer(), { rpcUrl: rpcUrl() });
  await page.reload();
  await signButton(page).click();
  await expect(page.getByRole('alert')).toContainText(`does not show the account ${rig.payTo.evm}`);
  expect(wallet.asked).toEqual(['eth_requestAccounts']);
  expect(await refundStates(rig, call)).toEqual(['requested']);
  const hash = await transferOnBase(rig, call.wallet.address, 5_000n);
  await page.getByRole('link', { name: 'Record a transaction, or cancel the refund' }).click();
  await page.getByLabel('Transaction hash, if it was sent elsewhere').fill(hash);
  await page.getByRole('button', { name: 'Check the transaction' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Check the refund');
  await page.getByRole('button', { name: 'Record this refund' }).click();
  await expect(page.getByRole('heading', { name: 'Refunds' })).toBeVisible();
  await expectRefundedOnce(rig, call);
});

/** Signs in the wallet, but the server never gets the transaction. @returns the URL of the page */
async function signAndLose(page: Page, call: SoldCall): Promise<string> {
  await injectEvmWallet(page, rig.treasury.evm, { rpcUrl: rpcUrl() });
  await openSigning(page, call);
  await page.route('**/refund/wallet', async (route) => {
    const step = new URLSearchParams(route.request().postData() ?? '').get('step') ?? '';
    if (step.includes('"sent"')) await route.abort();
    else await route.fallback();
  });
  await signButton(page).click();
  await expect(page.getByRole('status')).toContainText('not recorded yet');
  const url = page.url();
  await page.close();
  return url;
}

test('a tab that is closed before it says what was sent: its browser says so when the page is opened again', async ({
  page,
}) => {
  const call = await soldOn(rig, 'base');
  // No block has the transaction, so the service cannot find it.
  await stopMining(rig);
  const url = await signAndLose(page, call);
  expect(await refundStates(rig, call)).toEqual(['requested']);
  const again = await page.context().newPage();
  await again.goto(url);
  await expect(again.getByRole('heading', { name: 'Refunds' })).toBeVisible();
  expect(await refundStates(rig, call)).toEqual(['sent']);
  expect(await again.evaluate('localStorage.length')).toBe(0);
  await onBase(rig, 'evm_setAutomine', true);
  await expectRefundedOnce(rig, call);
});

test('a tab that is closed before it says what was sent: the service finds it on the chain', async ({
  page,
}) => {
  const call = await soldOn(rig, 'base');
  await signAndLose(page, call);
  await until('the transaction', async () => (await refundStates(rig, call))[0] === 'sent');
  await expectRefundedOnce(rig, call);
});

test('two operators sign the same refund: the payer gets it once', async ({ page, browser }) => {
  const call = await soldOn(rig, 'base');
  const elsewhere = await browser.newContext();
  const other = await elsewhere.newPage();
  await injectEvmWallet(page, rig.treasury.evm, { rpcUrl: rpcUrl() });
  await injectEvmWallet(other, rig.treasury.evm, { rpcUrl: rpcUrl() });
  await openSigning(page, call);
  await signInByHand(other, rig.apiUrl);
  await other.goto(page.url());
  await Promise.all([signButton(page).click(), signButton(other).click()]);
  await expect(page.getByRole('heading', { name: 'Refunds' }).or(page.getByRole('alert'))).toBeVisible();
  await expect(other.getByRole('heading', { name: 'Refunds' }).or(other.getByRole('alert'))).toBeVisible();
  await elsewhere.close();
  await expectRefundedOnce(rig, call);
});

test('an operator refunds from a browser wallet on Solana, also when the answer is lost', async ({
  page,
}) => {
  const call = await soldOn(rig, 'solana-mainnet');
  await injectSolanaWallet(page, await createKeyPairSignerFromBytes(solanaTreasury(rig).secretKey));
  await openSigning(page, call);
  let lost = 0;
  await page.route('**/refund/wallet', async (route) => {
    const body = new URLSearchParams(route.request().postData() ?? '').get('step') ?? '';
    if (!body.includes('"signed"') || lost > 0) return route.fallback();
    lost += 1;
    await route.fetch();
    await route.abort();
  });
  await signButton(page).click();
  await expect(page.getByRole('alert')).toContainText('could not be reached');
  expect(await refundStates(rig, call)).toEqual(['sent']);
  await page.reload();
  await expect(page.getByText(/It was sent, and no block has it yet|It is in a block/)).toBeVisible();
  await expectRefundedOnce(rig, call);
  const [record] = (await rpcCall(rig.chainUrl('solana-mainnet'), 'getSignaturesForAddress', [
    rig.payTo.solana,
    { limit: 1, commitment: 'confirmed' },
  ])) as { memo: string | null }[];
  expect(record?.memo).toMatch(/rf_/);
});

test('a server that is killed while the wallet sends gets the hash when it is back', async ({ page }) => {
  const call = await soldOn(rig, 'base');
  const asking = async (method: string) => {
    if (method === 'eth_sendTransaction') await rig.kill();
  };
  await injectEvmWallet(page, rig.treasury.evm, { rpcUrl: rpcUrl(), asking });
  await openSigning(page, call);
  await signButton(page).click();
  await expect(page.getByRole('status')).toContainText('not recorded yet');
  await rig.start();
  // The page polls every two seconds, and a request to a server that is starting may take longer.
  await expect(page.getByRole('heading', { name: 'Refunds' })).toBeVisible({ timeout: 30_000 });
  await expectRefundedOnce(rig, call);
});

test('a server that is killed after it recorded a transfer on Solana and before it sent it: another one is signed', async ({
  page,
}) => {
  const call = await soldOn(rig, 'solana-mainnet');
  await injectSolanaWallet(page, await createKeyPairSignerFromBytes(solanaTreasury(rig).secretKey));
  await openSigning(page, call);
  const held = rig.proxy('solana-mainnet').hold('sendTransaction', 'before');
  await signButton(page).click();
  await held.reached;
  await rig.kill();
  held.abandon();
  await rig.start();
  expect(await refundStates(rig, call)).toEqual(['sent']);
  await page.reload();
  await expect(page.getByText('It was sent, and no block has it yet')).toBeVisible();
  await signButton(page).click();
  await expect(page.getByRole('alert')).toContainText('it can be signed again');
  await passBlockhashes(rig);
  await signButton(page).click();
  await expect(page.getByRole('heading', { name: 'Refunds' })).toBeVisible();
  await expectRefundedOnce(rig, call);
});
