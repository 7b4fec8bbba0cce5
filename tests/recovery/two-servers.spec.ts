import { test as bare, expect } from '@playwright/test';
import { callsOf, transfersOf, untilState, uploadsOf } from './rig/found';
import { ask, persist, type SignedRequest, sign } from './rig/requests';
import { type Rig, startRig } from './rig/rig';

const test = bare.extend<{ pair: readonly [Rig, Rig] }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern
  pair: async ({}, use) => {
    const one = await startRig();
    const other = await startRig({ beside: one });
    // In turn: the first applies the migrations.
    await one.start();
    await other.start();
    await use([one, other]);
    await other.close();
    await one.close();
  },
});

test.setTimeout(90_000);

/** The same signed request at another instance of the service. */
function at(rig: Rig, request: SignedRequest): SignedRequest {
  return { ...request, url: request.url.replace(/^http:\/\/[^/]+/, rig.apiUrl) };
}

test('a hundred identical requests at two servers buy one upload, and all get its one answer', async ({
  pair,
}) => {
  const [one, other] = pair;
  const wallet = await one.newEvmPayer();
  const request = await sign(one, wallet);
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) => ask(at(index % 2 === 0 ? one : other, request))),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  expect(answers.filter(({ headers }) => !headers.has('idempotent-replayed'))).toHaveLength(1);
  expect(await callsOf(one, wallet.address)).toHaveLength(1);
  expect(await transfersOf(one, wallet.address)).toHaveLength(1);
  expect(await uploadsOf(one, wallet.address)).toHaveLength(1);
  expect(one.base.count('eth_sendRawTransaction') + other.base.count('eth_sendRawTransaction')).toBe(1);
  expect(await one.audit()).toEqual([]);
});

test('one of two servers killed in the middle of twenty calls, the other finishes them all', async ({
  pair,
}) => {
  const [one, other] = pair;
  const wallets = await Promise.all(Array.from({ length: 20 }, () => one.newEvmPayer()));
  const requests = await Promise.all(wallets.map((wallet) => sign(one, wallet)));
  const held = one.base.hold('eth_getTransactionReceipt', 'after');
  const firsts = requests.map((request, index) =>
    ask(at(index % 2 === 0 ? one : other, request)).catch(() => null),
  );
  await held.reached;
  await one.kill();
  held.abandon();
  const answered = await Promise.all(firsts);
  expect(answered.filter((answer) => answer === null).length).toBeGreaterThan(0);
  for (const [index, request] of requests.entries()) {
    // Where the dead server had written nothing, nobody was charged, and the client has to ask again; it may elsewhere.
    const isClaimed = (await callsOf(one, request.payer)).length > 0;
    if (!isClaimed) expect(await transfersOf(one, request.payer)).toEqual([]);
    if (!isClaimed || index % 4 === 0) expect((await persist(at(other, request))).status).toBe(200);
    await untilState(one, request.payer, 'delivered');
    expect(await transfersOf(one, request.payer)).toHaveLength(1);
    expect(await uploadsOf(one, request.payer)).toHaveLength(1);
  }
  expect(await one.audit()).toEqual([]);
});
