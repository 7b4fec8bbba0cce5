import { rpcCall } from '@/local/json-rpc';
import { expect, test as recoveryTest } from './fixtures';
import { callsOf, transfersOf, uploadsOf } from './rig/found';
import { ask, sign } from './rig/requests';
import { type Rig, startRig } from './rig/rig';
import { submitAsStranger } from './rig/strangers';

/** A rig on a chain of the test's own, whose time the test advances. */
const test = recoveryTest.extend<{ rig: Rig }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern
  rig: async ({}, use) => {
    const rig = await startRig({ hasOwnBase: true });
    await rig.start();
    await use(rig);
    await rig.close();
  },
});

test.setTimeout(180_000);

/** Advances the chain by longer than any validity window. */
async function passWindow(rig: Rig): Promise<void> {
  await rpcCall(rig.chainUrl('base'), 'evm_increaseTime', [600]);
  await rpcCall(rig.chainUrl('base'), 'evm_mine');
}

test('a payment that expires while it waits for broadcast is refused and never charged', async ({ rig }) => {
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  const held = rig.base.hold('eth_sendRawTransaction', 'before');
  const answer = ask(request);
  await held.reached;
  await passWindow(rig);
  held.release();
  const { status, body } = await answer;
  expect(status).toBe(402);
  expect(body.error).toBe('invalid_exact_evm_payload_authorization_valid_before');
  expect(await callsOf(rig, wallet.address)).toMatchObject([{ state: 'refused' }]);
  expect(await transfersOf(rig, wallet.address)).toEqual([]);
  expect(await uploadsOf(rig, wallet.address)).toEqual([]);
  expect(await rig.audit()).toEqual([]);
});

test('a payment that a stranger submits in time, and that expires before our broadcast, is delivered and gets no 402', async ({
  rig,
}) => {
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  const held = rig.base.hold('eth_sendRawTransaction', 'before');
  const answer = ask(request);
  await held.reached;
  const strangers = await submitAsStranger(rig, request);
  await passWindow(rig);
  held.release();
  expect((await answer).status).toBe(200);
  expect(await transfersOf(rig, wallet.address)).toEqual([strangers]);
  expect(await callsOf(rig, wallet.address)).toMatchObject([
    { state: 'delivered', transaction_hash: strangers },
  ]);
  expect(await uploadsOf(rig, wallet.address)).toHaveLength(1);
  expect(await rig.audit()).toEqual([]);
});
