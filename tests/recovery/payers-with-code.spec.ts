import { setTimeout as sleep } from 'node:timers/promises';
import type { PrivateKeyAccount } from 'viem/accounts';
import { startEvmChain } from '@/local/evm/chain';
import { rpcCall } from '@/local/json-rpc';
import { evmNetworks } from '@/local/networks';
import { lockTable } from '../support/database-lock';
import { expect, test } from './fixtures';
import { callsOf, transfersOf, untilState, uploadsOf } from './rig/found';
import { type Answer, ask, sign, type X402Request } from './rig/requests';
import { type Rig, startRig } from './rig/rig';
import { until } from './rig/waiting';
import { delegate, deploy, flip, newDelegatedPayer, type WalletCode, wallets } from './rig/wallets-with-code';

test.setTimeout(120_000);

interface Settlement {
  readonly id: string;
  readonly payments: number;
  readonly gas: number;
}

/** The settlement transactions of a rig since a moment, oldest first. */
function settlementsSince(rig: Rig, since: Date): Promise<Settlement[]> {
  return rig.query(
    `SELECT id, payments, gas_used::int AS gas FROM settlement_transaction
     WHERE created_at >= $1 AND state = 'confirmed' ORDER BY nonce`,
    [since],
  );
}

interface Booked {
  readonly payer: string;
  readonly code: string | null;
  readonly gas: number;
}

function bookedFor(rig: Rig, payer: string): Promise<Booked[]> {
  return rig.query('SELECT payer, code, gas::int FROM gas_in_vain WHERE payer = $1 ORDER BY at', [payer]);
}

/** Requests of so many new wallets without code. */
function honestRequests(rig: Rig, count: number): Promise<X402Request[]> {
  return Promise.all(Array.from({ length: count }, async () => sign(rig, await rig.newEvmPayer())));
}

/** The same of wallets that burn all gas. */
function twoBurners(rig: Rig): Promise<X402Request[]> {
  return Promise.all([1, 2].map(async () => sign(rig, await newDelegatedPayer(rig, 'burner'))));
}

/**
 * Sends the requests while the settlement of another one is held up, so that they all go out together after it; `before`
 * runs when all of them are verified and claimed and none is sent.
 */
async function askTogether(
  rig: Rig,
  requests: readonly X402Request[],
  before: () => Promise<void>,
): Promise<Answer[]> {
  const plug = await sign(rig, await rig.newEvmPayer());
  const lock = await lockTable(rig.databaseUrl, 'settlement_transaction', 'INSERT INTO');
  const plugged = ask(plug);
  await lock.reached();
  const answers = requests.map((request) => ask(request));
  const payers = requests.map(({ payer }) => payer);
  await until('every payment claimed', async () => {
    const rows = await rig.query("SELECT 1 FROM paid_call WHERE payer = ANY($1) AND state = 'settling'", [
      payers,
    ]);
    return rows.length === requests.length;
  });
  await before();
  await lock.release();
  expect((await plugged).status).toBe(200);
  return Promise.all(answers);
}

async function expectServed(rig: Rig, requests: readonly X402Request[], answers: readonly Answer[]) {
  expect(answers.map(({ status, body }) => [status, body?.error])).toEqual(
    requests.map(() => [200, undefined]),
  );
  for (const { payer } of requests) {
    expect(await transfersOf(rig, payer)).toHaveLength(1);
    expect(await uploadsOf(rig, payer)).toHaveLength(1);
  }
}

/** Before anything was sent for it, unless another reason is given. */
async function expectRefused(
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

async function expectNothingOpen(rig: Rig): Promise<void> {
  expect(
    await rig.query("SELECT id, state FROM paid_call WHERE state IN ('settling', 'unknown', 'settled')"),
  ).toEqual([]);
  expect(await rig.audit()).toEqual([]);
}

const hostile: readonly WalletCode[] = ['burner', 'returnBomb', 'gasPriceFlip'];

for (const code of hostile) {
  test(`a delegation to a ${code} that is set after the simulation fails its own payment alone, and the others of its group are served`, async ({
    rig,
  }) => {
    const since = new Date();
    const attacker = await rig.newEvmPayer();
    const honest = await honestRequests(rig, 4);
    const attack = await sign(rig, attacker);
    const to = await deploy(rig, wallets[code]);
    const startedAt = Date.now();
    const [failed, ...served] = await askTogether(rig, [attack, ...honest], () =>
      delegate(rig, attacker, to),
    );
    expect(Date.now() - startedAt).toBeLessThan(10_000);
    await expectServed(rig, honest, served);
    await expectRefused(rig, attack, failed);
    // The payment that was in the way of the others, and their group: nothing is sent again for the attacker.
    const settlements = await settlementsSince(rig, since);
    expect(settlements.map(({ payments }) => payments)).toEqual([1, 5]);
    expect(settlements[1]?.gas).toBeLessThan(420_000);
    const [booked, ...more] = await bookedFor(rig, attacker.address);
    expect(more).toEqual([]);
    expect(booked?.code).toBe(to.toLowerCase());
    expect(booked?.gas).toBeGreaterThan(80_000);
    expect(booked?.gas).toBeLessThanOrEqual(120_000);
    await expectNothingOpen(rig);
  });
}

for (const code of ['burner', 'returnBomb', 'gasPriceFlip', 'reject'] as const) {
  test(`a delegation to a ${code} that is set before is refused before anything is sent`, async ({ rig }) => {
    const since = new Date();
    const attack = await sign(rig, await newDelegatedPayer(rig, code));
    const honest = await honestRequests(rig, 3);
    const [failed, ...served] = await Promise.all([attack, ...honest].map((request) => ask(request)));
    await expectServed(rig, honest, served);
    await expectRefused(rig, attack, failed);
    expect(await callsOf(rig, attack.payer)).toEqual([]);
    const payments = (await settlementsSince(rig, since)).reduce((sum, one) => sum + one.payments, 0);
    expect(payments).toBe(3);
    await expectNothingOpen(rig);
  });
}

test('a payer whose delegate accepts is served, in a transaction with nobody else', async ({ rig }) => {
  const since = new Date();
  const payer = await newDelegatedPayer(rig, 'accept');
  const delegated = await sign(rig, payer);
  const honest = await honestRequests(rig, 4);
  const answers = await askTogether(rig, [delegated, ...honest], async () => undefined);
  await expectServed(rig, [delegated, ...honest], answers);
  const [hash] = await transfersOf(rig, payer.address);
  expect(await rig.query('SELECT payments FROM settlement_transaction WHERE hash = $1', [hash])).toEqual([
    { payments: 1 },
  ]);
  expect((await settlementsSince(rig, since)).map(({ payments }) => payments).sort()).toEqual([1, 1, 4]);
  expect(await bookedFor(rig, payer.address)).toEqual([]);
  await expectNothingOpen(rig);
});

test('burners in one verification with others neither fail them nor keep them waiting', async ({ rig }) => {
  const attacks = await twoBurners(rig);
  const honest = await honestRequests(rig, 7);
  // Four verifications are under way at most; what is asked while they are held up goes together in the fifth.
  const held = rig.base.hold('eth_call', 'before');
  const first = honest.slice(0, 4).map(async (request, index) => {
    await sleep(index * 30);
    return ask(request);
  });
  await until('four verifications', async () => held.hits >= 8);
  const together = [...attacks, ...honest.slice(4)].map((request) => ask(request));
  await sleep(150);
  held.release();
  const [one, other, ...rest] = await Promise.all(together);
  await expectServed(rig, honest, [...(await Promise.all(first)), ...rest]);
  for (const [index, answer] of [one, other].entries()) {
    await expectRefused(rig, attacks[index], answer);
  }
});

test('a simulation of a payer with code that takes for ever keeps nobody else waiting', async ({ rig }) => {
  const slow = await sign(rig, await newDelegatedPayer(rig, 'accept'));
  // Only a simulation with a gas price is that of a payer with code.
  const held = rig.base.hold('eth_call', 'before', {
    params: ([call]) => (call as { maxFeePerGas?: string }).maxFeePerGas !== undefined,
  });
  const waiting = ask(slow);
  await held.reached;
  const honest = await honestRequests(rig, 3);
  await expectServed(rig, honest, await Promise.all(honest.map((request) => ask(request))));
  held.release();
  expect((await waiting).status).toBe(200);
});

/** Lets a payer with code pay, and flips its wallet between the last simulation and the block. */
async function failInBlock(rig: Rig, payer: PrivateKeyAccount): Promise<Answer> {
  const request = await sign(rig, payer);
  const held = rig.base.hold('eth_sendRawTransaction', 'before', {
    params: ([raw]) => String(raw).includes(payer.address.slice(2).toLowerCase()),
  });
  const answer = ask(request);
  // A payer that is refused before anything is sent reaches nothing.
  const isSent = await Promise.race([held.reached.then(() => true), answer.then(() => false)]);
  if (isSent) await flip(rig, payer);
  held.release();
  const result = await answer;
  await flip(rig, payer, 0);
  return result;
}

test('a wallet that flips between simulation and block costs its own transaction, which is booked to it and to its code, and is refused for good', async ({
  rig,
}) => {
  const to = await deploy(rig, wallets.storageFlip);
  const payer = await newDelegatedPayer(rig, 'storageFlip', to);
  const answer = await failInBlock(rig, payer);
  expect([answer.status, answer.body.error]).toEqual([402, expect.stringContaining('invalid_exact_evm')]);
  const [booked] = await bookedFor(rig, payer.address);
  expect(booked?.code).toBe(to.toLowerCase());
  expect(booked?.gas).toBeGreaterThan(200_000);
  expect(booked?.gas).toBeLessThan(340_000);
  const [posting] = await rig.query<{ amount: string; gas: string }>(
    `SELECT in_vain.amount_atomic AS amount, gas.amount_atomic AS gas FROM posting in_vain
     JOIN gas_in_vain spent USING (settlement_id) JOIN posting gas USING (settlement_id)
     WHERE spent.payer = $1 AND in_vain.kind = 'gas_in_vain' AND gas.kind = 'gas'`,
    [payer.address],
  );
  expect(posting?.amount).toBe(posting?.gas);
  expect(Number(posting?.amount)).toBeGreaterThan(0);
  await expectNothingOpen(rig);
});

test('over its hourly budget a payer is told when to come back before anything is sent, also by another process and after a restart', async ({
  rig,
}) => {
  const since = new Date();
  const payer = await newDelegatedPayer(rig, 'storageFlip');
  const answers: Answer[] = [];
  for (let tries = 0; tries < 8 && answers.at(-1)?.status !== 429; tries += 1) {
    answers.push(await failInBlock(rig, payer));
  }
  const refused = answers.at(-1) as Answer;
  const sent = await settlementsSince(rig, since);
  expect(sent.length).toBeLessThanOrEqual(4);
  expect(sent.reduce((sum, { gas }) => sum + gas, 0)).toBeLessThan(1_300_000);
  const expectOver = ({ status, headers, body }: Answer) => {
    expect([status, body.error?.code, body.error?.reason, body.error?.payment, body.error?.retry]).toEqual([
      429,
      'too_many_failed_settlements',
      'gas_budget_exceeded',
      'none',
      'later',
    ]);
    const retryAfter = Number(headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThan(3_000);
    expect(retryAfter).toBeLessThanOrEqual(3_600);
  };
  expectOver(refused);
  // Not by changing the wallet, nor by ending the delegation: the payer is known.
  await delegate(rig, payer, await deploy(rig, wallets.accept));
  expectOver(await ask(await sign(rig, payer)));
  const other = await startRig({ beside: rig });
  await other.start();
  expectOver(await ask(await sign(other, payer)));
  await other.close();
  await rig.kill();
  await rig.start();
  expectOver(await ask(await sign(rig, payer)));
  // The hour passes.
  await rig.query("UPDATE gas_in_vain SET at = at - interval '61 minutes' WHERE payer = $1", [payer.address]);
  expect((await ask(await sign(rig, payer))).status).toBe(200);
  expect((await settlementsSince(rig, since)).length).toBe(sent.length + 1);
  await expectNothingOpen(rig);
});

test('over the hourly budget of their code new payers are refused, and one that has paid before is served', async ({
  rig,
}) => {
  const to = await deploy(rig, wallets.storageFlip);
  const regular = await newDelegatedPayer(rig, 'storageFlip', to);
  expect((await ask(await sign(rig, regular))).status).toBe(200);
  const attacker = await newDelegatedPayer(rig, 'storageFlip', to);
  await failInBlock(rig, attacker);
  await rig.query('UPDATE gas_in_vain SET gas = 6000000 WHERE payer = $1', [attacker.address]);
  const newcomer = await ask(await sign(rig, await newDelegatedPayer(rig, 'storageFlip', to)));
  expect([newcomer.status, newcomer.body.error.code]).toEqual([429, 'too_many_failed_settlements']);
  expect((await ask(await sign(rig, regular))).status).toBe(200);
  // Another wallet with other code is not touched by it.
  expect((await ask(await sign(rig, await newDelegatedPayer(rig, 'accept')))).status).toBe(200);
});

test('killed after the block of a failed group, nobody stays unknown, and nobody is charged twice', async ({
  rig,
}) => {
  const attacker = await rig.newEvmPayer();
  const honest = await honestRequests(rig, 2);
  const attack = await sign(rig, attacker);
  const lock = await lockTable(rig.databaseUrl, 'settlement_transaction', 'INSERT INTO');
  const answers = [attack, ...honest].map((request) => ask(request).catch(() => null));
  await lock.reached();
  await delegate(rig, attacker, await deploy(rig, wallets.burner));
  const receipts = rig.base.hold('eth_getTransactionReceipt', 'after');
  await lock.release();
  await receipts.reached;
  await rig.kill();
  receipts.abandon();
  await Promise.all(answers);
  await rig.passTakeoverTime();
  await rig.start();
  for (const { payer } of honest) {
    await untilState(rig, payer, 'delivered');
    expect(await transfersOf(rig, payer)).toHaveLength(1);
  }
  await untilState(rig, attacker.address, 'refused');
  await expectNothingOpen(rig);
});

test('without a contract that keeps gas limits a hostile member fails its group, and the others are sent again at once', async () => {
  const chain = await startEvmChain({ chainId: 8453 });
  await rpcCall(chain.rpcUrl, 'anvil_setCode', [evmNetworks[0].interfaceMulticall, '0x']);
  const rig = await startRig({ baseRpcUrl: chain.rpcUrl });
  await rig.start();
  expect(rig.server().output()).toContain('no multicall contract with gas limits');
  const since = new Date();
  const attacker = await rig.newEvmPayer();
  const attack = await sign(rig, attacker);
  const honest = await honestRequests(rig, 3);
  const to = await deploy(rig, wallets.burner);
  const [failed, ...served] = await askTogether(rig, [attack, ...honest], () => delegate(rig, attacker, to));
  await expectServed(rig, honest, served);
  await expectRefused(rig, attack, failed, /invalid_exact_evm/);
  // The group that was reverted, and each honest payment by itself.
  expect((await settlementsSince(rig, since)).map(({ payments }) => payments)).toEqual([1, 4, 1, 1, 1]);
  expect(await bookedFor(rig, attacker.address)).toMatchObject([{ code: to.toLowerCase() }]);
  // Burners in one verification with others, where nothing limits the gas of each.
  const more = await honestRequests(rig, 3);
  const attacks = await twoBurners(rig);
  const answers = await Promise.all([...attacks, ...more].map((request) => ask(request)));
  await expectServed(rig, more, answers.slice(2));
  expect(answers.slice(0, 2).map(({ status }) => status)).toEqual([402, 402]);
  await expectNothingOpen(rig);
  await rig.close();
  await chain.stop();
});
