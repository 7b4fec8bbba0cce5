import { challengeOf } from '../support/buyer';
import { falsify } from '../support/rpc-proxy';
import { network } from '../support/stack';
import { expect, test as recoveryTest } from './fixtures';
import { ask, sign, signMpp } from './rig/requests';
import { type Rig, startRig } from './rig/rig';

const test = recoveryTest.extend<{ rig: Rig }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern
  rig: async ({}, use) => {
    const rig = await startRig({ networks: ['base', 'polygon'] });
    await use(rig);
    await rig.close();
  },
});

test.setTimeout(180_000);

test('a network whose node serves another chain is not offered, and the others are', async ({ rig }) => {
  rig.base.on(
    'eth_chainId',
    falsify(() => '0x1'),
  );
  await rig.start();
  const { accepts } = await challengeOf(`${rig.apiUrl}/v1/uploads`);
  expect(accepts.map((offer) => offer.network)).toEqual([network('polygon').caip2]);
  const wallet = await rig.newEvmPayer();
  expect((await ask(await sign(rig, wallet, {}, 'polygon'))).status).toBe(200);
  expect((await ask(await signMpp(rig, wallet, {}, 'polygon'))).status).toBe(200);
});

test('while no network can be offered, replays still work and nothing is charged', async ({ rig }) => {
  await rig.start();
  const request = await sign(rig, await rig.newEvmPayer());
  const bought = await ask(request);
  expect(bought.status).toBe(200);
  await rig.kill();
  for (const on of rig.networks) rig.proxy(on).on('*', async () => ({ fault: 'close' }));
  await rig.start();
  const again = await ask(request);
  expect([again.status, again.body]).toEqual([200, bought.body]);
  const unsold = await ask({ ...request, init: { method: 'POST', headers: {} } });
  expect([unsold.status, unsold.body.error.code]).toEqual([503, 'service_unavailable']);
});
