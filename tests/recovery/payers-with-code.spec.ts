import { setTimeout as sleep } from 'node:timers/promises';
import { startEvmChain } from '@/local/evm/chain';
import { rpcCall } from '@/local/json-rpc';
import { evmNetworks } from '@/local/networks';
import { lockSending } from '../support/database-lock';
import { expectLogged } from '../support/logged';
import { expect, test } from './fixtures';
import { callsOf, transfersOf, untilState } from './rig/found';
import { ask, sign } from './rig/requests';
import { startRig } from './rig/rig';
import {
  askTogether,
  bookedFor,
  expectNothingOpen,
  expectRefused,
  expectServed,
  forgetWastedGas,
  honestRequests,
  settlementsSince,
  twoBurners,
} from './rig/settlements';
import { until } from './rig/waiting';
import { delegate, deploy, newDelegatedPayer, type WalletCode, wallets } from './rig/wallets-with-code';

const hostile: readonly WalletCode[] = ['burner', 'returnBomb', 'gasPriceFlip'];

for (const code of hostile) {
  test(`a delegation to a ${code} set after the simulation fails only its own payment, and the rest of the batch is served`, async ({
    rig,
  }) => {
    const since = new Date();
    const attacker = await rig.newEvmPayer();
    const honest = await honestRequests(rig, 4);
    const attack = await sign(rig, attacker);
    const to = await deploy(rig, wallets[code]);
    const [failed, ...served] = await askTogether(rig, [attack, ...honest], () =>
      delegate(rig, attacker, to),
    );
    // A payment that had to wait for recovery would have the answer that its outcome is unknown.
    await expectServed(rig, honest, served);
    await expectRefused(rig, attack, failed);
    // The payment that held up the others, and their group. Nothing is sent again for the attacker.
    const settlements = await settlementsSince(rig, since);
    expect(settlements.map(({ payments }) => payments)).toEqual([1, 5]);
    expect(settlements[1]?.gas).toBeLessThan(420_000);
    const [booked, ...more] = await bookedFor(rig, attacker.address);
    expect(more).toEqual([]);
    expect(booked?.code).toBe(to.toLowerCase());
    expect(booked?.gas).toBeGreaterThan(80_000);
    expect(booked?.gas).toBeLessThanOrEqual(120_000);
    await expectNothingOpen(rig, since);
  });
}

for (const code of ['burner', 'returnBomb', 'gasPriceFlip', 'reject'] as const) {
  test(`a delegation to a ${code} set earlier is refused before anything is broadcast`, async ({ rig }) => {
    const since = new Date();
    const attack = await sign(rig, await newDelegatedPayer(rig, code));
    const honest = await honestRequests(rig, 3);
    const [failed, ...served] = await Promise.all([attack, ...honest].map((request) => ask(request)));
    await expectServed(rig, honest, served);
    await expectRefused(rig, attack, failed);
    expect(await callsOf(rig, attack.payer)).toEqual([]);
    const payments = (await settlementsSince(rig, since)).reduce((sum, one) => sum + one.payments, 0);
    expect(payments).toBe(3);
    await expectNothingOpen(rig, since);
  });
}

// Gas that other tests on the same rig have wasted would count, because all of them come from one address.
test.beforeEach(({ rig }) => forgetWastedGas(rig));

test('a payer whose delegate accepts is served, in its own transaction', async ({ rig }) => {
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
  await expectNothingOpen(rig, since);
});

test('gas burners verified in one batch with others neither fail nor delay them', async ({ rig }) => {
  const attacks = await twoBurners(rig);
  const honest = await honestRequests(rig, 7);
  // At most four verifications run at once. Requests that arrive while these are held up go into the fifth together.
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

test('an endless simulation of a payer with code delays nobody else', async ({ rig }) => {
  const slow = await sign(rig, await newDelegatedPayer(rig, 'accept'));
  // Only simulations for payers with code have a gas price.
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

test('after a kill behind the block of a failed batch, no call stays unknown and no payer is charged twice', async ({
  rig,
}) => {
  const since = new Date();
  const attacker = await rig.newEvmPayer();
  const honest = await honestRequests(rig, 2);
  const attack = await sign(rig, attacker);
  const lock = await lockSending(rig.databaseUrl);
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
  await expectNothingOpen(rig, since);
});

test('without a contract that enforces gas limits a hostile payment fails its batch, and the others are resent at once', async () => {
  const chain = await startEvmChain({ chainId: 8453 });
  await rpcCall(chain.rpcUrl, 'anvil_setCode', [evmNetworks[0].interfaceMulticall, '0x']);
  const rig = await startRig({ baseRpcUrl: chain.rpcUrl });
  await rig.start();
  await expectLogged(rig.server(), 'no multicall contract with gas limits');
  const since = new Date();
  const attacker = await rig.newEvmPayer();
  const attack = await sign(rig, attacker);
  const honest = await honestRequests(rig, 3);
  const to = await deploy(rig, wallets.burner);
  const [failed, ...served] = await askTogether(rig, [attack, ...honest], () => delegate(rig, attacker, to));
  await expectServed(rig, honest, served);
  await expectRefused(rig, attack, failed, /invalid_exact_evm/);
  // The payment that held up the others, the reverted group, and each honest payment on its own.
  expect((await settlementsSince(rig, since)).map(({ payments }) => payments)).toEqual([1, 4, 1, 1, 1]);
  expect(await bookedFor(rig, attacker.address)).toMatchObject([{ code: to.toLowerCase() }]);
  // Burners in one verification with others, which has no gas limit per payment.
  const more = await honestRequests(rig, 3);
  const attacks = await twoBurners(rig);
  const answers = await Promise.all([...attacks, ...more].map((request) => ask(request)));
  await expectServed(rig, more, answers.slice(2));
  expect(answers.slice(0, 2).map(({ status }) => status)).toEqual([402, 402]);
  await expectNothingOpen(rig, since);
  await rig.close();
  await chain.stop();
});
