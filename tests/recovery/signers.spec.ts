import { expectLogged } from '../support/logged';
import { expect, test as recoveryTest } from './fixtures';
import { transfersOf, untilState } from './rig/found';
import { ask, at, persist, sign } from './rig/requests';
import { type Rig, startRig } from './rig/rig';
import { until } from './rig/waiting';

/** Two instances on one database. Each test chooses the keys of the second. */
const test = recoveryTest.extend<{ pair: readonly [Rig, Rig] }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern
  pair: async ({}, use) => {
    const one = await startRig();
    const other = await startRig({ beside: one });
    await one.start();
    await use([one, other]);
    await other.close();
    await one.close();
  },
});

interface Sent {
  readonly signer: string;
  readonly nonce: number;
  readonly payments: number;
}

function sentBy(rig: Rig): Promise<Sent[]> {
  return rig.query(
    "SELECT signer, nonce::int, payments FROM settlement_transaction WHERE state = 'confirmed' ORDER BY nonce",
  );
}

/** Ten payers, each with a signed request: five for the first instance, five for the other. */
async function tenRequests([one, other]: readonly [Rig, Rig]) {
  const wallets = await Promise.all(Array.from({ length: 10 }, () => one.newEvmPayer()));
  return Promise.all(
    wallets.map(async (wallet, index) => {
      const request = await sign(one, wallet);
      return index < 5 ? request : at(other.apiUrl, request);
    }),
  );
}

test('an instance without a key takes calls, and one with a key settles them', async ({ pair }) => {
  const [one, other] = pair;
  await other.start({ SETTLEMENT_KEYS_EVM: '' });
  const requests = await tenRequests(pair);
  const answers = await Promise.all(requests.map((request) => ask(request)));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  for (const { payer } of requests) expect(await transfersOf(one, payer)).toHaveLength(1);
  expect(new Set((await sentBy(one)).map(({ signer }) => signer)).size).toBe(1);
  expect(other.base.count('eth_sendRawTransaction')).toBe(0);
  expect(await one.audit()).toEqual([]);
});

test('no EVM network is offered while no instance has a key', async ({ pair }) => {
  const [one, other] = pair;
  await one.kill();
  await one.passTakeoverTime();
  await other.start({ SETTLEMENT_KEYS_EVM: '' });
  const ready = await fetch(`${other.apiUrl}/health/ready`);
  expect(ready.status).toBe(503);
  await expectLogged(other.server(), 'no settlement key here');
});

test('two instances that share one key never send with it at the same time', async ({ pair }) => {
  const [one, other] = pair;
  await other.start({ SETTLEMENT_KEYS_EVM: one.serverEnv.SETTLEMENT_KEYS_EVM ?? '' });
  // Each instance has probed its node by sending something that is not a transaction.
  const before = [one, other].map(({ base }) => base.count('eth_sendRawTransaction'));
  for (let round = 0; round < 3; round += 1) {
    const requests = await tenRequests(pair);
    const answers = await Promise.all(requests.map((request) => ask(request)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    for (const { payer } of requests) expect(await transfersOf(one, payer)).toHaveLength(1);
  }
  const sent = await sentBy(one);
  expect(sent.map(({ nonce }) => nonce)).toEqual(sent.map((_, index) => index));
  expect(await one.query("SELECT id FROM settlement_transaction WHERE state <> 'confirmed'")).toEqual([]);
  const senders = [one, other].filter(
    ({ base }, index) => base.count('eth_sendRawTransaction') > (before[index] ?? 0),
  );
  expect(senders).toHaveLength(1);
  expect(await one.audit()).toEqual([]);
});

test('when the holder of the key is killed, the other instance takes over the key and its open settlements, and nothing is lost', async ({
  pair,
}) => {
  const [one, other] = pair;
  const wallet = await one.newEvmPayer();
  // The first payment makes the first instance the holder.
  expect((await ask(await sign(one, wallet))).status).toBe(200);
  await other.start({ SETTLEMENT_KEYS_EVM: one.serverEnv.SETTLEMENT_KEYS_EVM ?? '' });
  const requests = await tenRequests(pair);
  const held = one.base.hold('eth_sendRawTransaction', 'before');
  const firsts = requests.map((request) => ask(request).catch(() => null));
  await held.reached;
  // The transaction is recorded but not sent: the worst moment for the next holder of the key.
  await one.kill();
  held.abandon();
  await one.passTakeoverTime();
  await Promise.all(firsts);
  for (const request of requests) {
    expect((await persist(at(other.apiUrl, request))).status).toBe(200);
    await untilState(one, request.payer, 'delivered');
    expect(await transfersOf(one, request.payer)).toHaveLength(1);
  }
  expect(other.base.count('eth_sendRawTransaction')).toBeGreaterThan(0);
  await until('every settlement closed', async () => {
    const open = await one.query("SELECT id FROM settlement_transaction WHERE state = 'prepared'");
    return open.length === 0;
  });
  expect(await one.audit()).toEqual([]);
});

test('a stored payment that no data key decrypts does not stop the settlements of others', async ({
  pair: [one],
}) => {
  const wallet = await one.newEvmPayer();
  const held = one.base.hold('eth_sendRawTransaction', 'before');
  const first = ask(await sign(one, wallet)).catch(() => null);
  await held.reached;
  await one.kill();
  held.abandon();
  await first;
  await one.query("UPDATE paid_call SET payment = decode(repeat('00', 64), 'hex') WHERE payer = $1", [
    wallet.address,
  ]);
  await one.passTakeoverTime();
  await one.start();
  const other = await one.newEvmPayer();
  expect((await ask(await sign(one, other))).status).toBe(200);
  // The transaction that was left open is still sent, because it has the nonce before the new one.
  expect(await transfersOf(one, wallet.address)).toHaveLength(1);
  await expectLogged(one.server(), 'a stored paid call could not be read');
});
