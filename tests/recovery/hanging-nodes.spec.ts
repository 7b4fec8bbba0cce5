import { challengeOf } from '../support/buyer';
import { type Facilitator, startFacilitator } from '../support/facilitator';
import { expectLogged } from '../support/logged';
import { network } from '../support/stack';
import { promptNodeTimings } from '../support/timings';
import { expect, test as recoveryTest } from './fixtures';
import type { NetworkName } from './rig/chains';
import { callsOf, transfersOf, untilState } from './rig/found';
import { type Answer, ask, type SignedRequest, sign } from './rig/requests';
import { type Rig, startRig, type Wallet } from './rig/rig';
import { until } from './rig/waiting';

/** Nodes that accept every request and say nothing, or send a byte now and then. */

/** What is promised: a signed request has an answer by then, and a network that does not respond is not offered. */
const answerMs = 20_000;
const withdrawnMs = 15_000;

/** Only the limit of the request ends its wait for a block. */
const patientTimings = {
  ...promptNodeTimings,
  evm: { ...promptNodeTimings.evm, answerWithinMs: 60_000 },
  solana: { ...promptNodeTimings.solana, answerWithinMs: 60_000 },
};

let kept: Rig;

const test = recoveryTest.extend<{ rig: Rig }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern
  rig: async ({}, use) => {
    await kept.start();
    await use(kept);
    kept.clearWays();
    await kept.kill();
    await kept.passTakeoverTime();
  },
});

test.describe.configure({ mode: 'default' });

test.beforeAll(async () => {
  kept = await startRig({
    networks: ['base', 'polygon', 'solana-mainnet'],
    hasOwnSolana: true,
    timings: patientTimings,
  });
});
test.afterAll(() => kept.close());
test.setTimeout(180_000);

const newPayer = (rig: Rig, on: NetworkName): Promise<Wallet> =>
  on === 'solana-mainnet' ? rig.newSolanaPayer() : rig.newEvmPayer();

async function offeredNetworks(rig: Rig): Promise<string[]> {
  const { accepts } = await challengeOf(`${rig.apiUrl}/v1/uploads`);
  return accepts.map((offer) => offer.network);
}

const untilWithdrawn = (rig: Rig, on: NetworkName) =>
  until(
    `${on} is not offered`,
    async () => !(await offeredNetworks(rig)).includes(network(on).caip2),
    withdrawnMs,
  );

const untilOffered = (rig: Rig, on: NetworkName) =>
  until(`${on} is offered`, async () => (await offeredNetworks(rig)).includes(network(on).caip2));

/** The answer, which comes in time. */
async function askInTime(request: SignedRequest): Promise<Answer> {
  return ask(request, AbortSignal.timeout(answerMs));
}

for (const on of ['base', 'solana-mainnet'] as const) {
  test(`if every RPC of ${on} hangs, it is not offered soon, a signed payment gets 503 and is not charged, and both end by themselves`, async ({
    rig,
  }) => {
    const wallet = await newPayer(rig, on);
    const request = await sign(rig, wallet);
    const silent = rig.proxy(on).hold('*', 'before');
    const [answer] = await Promise.all([askInTime(request), untilWithdrawn(rig, on)]);
    expect([answer.status, answer.body.error]).toMatchObject([
      503,
      { code: 'service_unavailable', payment: 'none', retry: 'later' },
    ]);
    expect(await callsOf(rig, wallet.address)).toEqual([]);
    expect(await offeredNetworks(rig)).toContain(network('polygon').caip2);
    await expectLogged(rig.server(), 'this network is not offered');
    const ready = await (await fetch(`${rig.apiUrl}/health/ready`)).json();
    expect(ready.networks).toMatchObject({ [on]: false, polygon: true });
    silent.release();
    await untilOffered(rig, on);
    expect((await ask(await sign(rig, wallet))).status).toBe(200);
    expect(await transfersOf(rig, wallet.address)).toHaveLength(1);
  });
}

/** The methods at which a node begins to hang: from then on it answers nothing. */
const stages: readonly [on: NetworkName, method: string, isCharged: boolean][] = [
  ['base', 'eth_call', false],
  ['base', 'eth_sendRawTransaction', true],
  ['base', 'eth_getTransactionReceipt', true],
  ['solana-mainnet', 'simulateTransaction', false],
  ['solana-mainnet', 'sendTransaction', true],
  ['solana-mainnet', 'getSignatureStatuses', true],
];

for (const [on, method, isCharged] of stages) {
  test(`if the node of ${on} hangs from ${method} on, the answer comes in time and is never 402`, async ({
    rig,
  }) => {
    const wallet = await newPayer(rig, on);
    const request = await sign(rig, wallet);
    const node = rig.proxy(on);
    const first = node.hold(method, 'before');
    const answering = askInTime(request);
    await first.reached;
    const all = node.hold('*', 'before');
    const answer = await answering;
    expect([answer.status, answer.body.error]).toMatchObject([
      503,
      isCharged
        ? { code: 'settlement_unknown', payment: 'unknown' }
        : { code: 'service_unavailable', payment: 'none' },
    ]);
    const again = await askInTime(request);
    expect(again.status).toBe(503);
    first.release();
    all.release();
    await untilOffered(rig, on);
    if (isCharged) await untilState(rig, wallet.address, 'delivered', 60_000);
    else expect(await callsOf(rig, wallet.address)).toEqual([]);
    expect(await transfersOf(rig, wallet.address)).toHaveLength(isCharged ? 1 : 0);
  });
}

/** Runs a test on a server whose Base is settled by a facilitator, with a payer there. */
async function withFacilitator(
  rig: Rig,
  run: (facilitator: Facilitator, wallet: Awaited<ReturnType<Rig['newEvmPayer']>>) => Promise<void>,
): Promise<void> {
  const facilitator = await startFacilitator({ evm: { base: rig.chainUrl('base') } });
  try {
    await rig.restart(settledBy(facilitator));
    await run(facilitator, await rig.newEvmPayer());
  } finally {
    await facilitator.close();
  }
}

test('a facilitator that hangs takes only its own network off the offer, until it answers again', async ({
  rig,
}) => {
  await withFacilitator(rig, async (facilitator, wallet) => {
    const request = await sign(rig, wallet);
    facilitator.hang('verify', 'supported');
    const [answer] = await Promise.all([askInTime(request), untilWithdrawn(rig, 'base')]);
    expect([answer.status, answer.body.error]).toMatchObject([
      503,
      { code: 'service_unavailable', payment: 'none' },
    ]);
    expect(await callsOf(rig, wallet.address)).toEqual([]);
    expect(await offeredNetworks(rig)).toContain(network('polygon').caip2);
    facilitator.heal();
    await untilOffered(rig, 'base');
    expect((await ask(await sign(rig, wallet))).status).toBe(200);
  });
});

test('a facilitator that hangs while it settles is answered for in time, and the call is delivered when it has settled', async ({
  rig,
}) => {
  await withFacilitator(rig, async (facilitator, wallet) => {
    facilitator.on('settle', async () => 'hang', 1);
    const answer = await askInTime(await sign(rig, wallet));
    expect([answer.status, answer.body.error]).toMatchObject([503, { payment: 'unknown' }]);
    await untilState(rig, wallet.address, 'delivered', 60_000);
    expect(await transfersOf(rig, wallet.address)).toHaveLength(1);
  });
});

function settledBy({ url, token }: Facilitator): Record<string, string> {
  return { FACILITATOR_URL: `base=${url}`, FACILITATOR_KEY: token };
}
