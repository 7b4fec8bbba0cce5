import { encodeFunctionData, type Hex, pad, parseAbi } from 'viem';
import { setUsdcBlocked, setUsdcPaused } from '@/local/evm/funding';
import { rpcCall } from '@/local/json-rpc';
import { challengeOf } from '../support/buyer';
import { expectLogged } from '../support/logged';
import { network } from '../support/stack';
import { checkingTimings } from '../support/timings';
import { expect, test as recoveryTest } from './fixtures';
import { callsOf, transfersOf } from './rig/found';
import { newCodeWallet } from './rig/hostile-wallets';
import { type Answer, ask, sign, signMpp } from './rig/requests';
import { type Rig, startRig } from './rig/rig';
import { until } from './rig/waiting';
import { newDelegatedPayer, wallets } from './rig/wallets-with-code';

/** What stops every payment on a network: a paused token, a payee on its block list, new code at its address. */

/** A server on a base and a Solana of its own, because a pause would stop every other test. */
let shop: Rig;
let usdc: string;

const test = recoveryTest.extend<{ rig: Rig }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern
  rig: async ({}, use) => {
    const rig = shop;
    await rig.ready();
    await use(rig);
    rig.clearWays();
  },
});

test.describe.configure({ mode: 'default' });
test.setTimeout(120_000);

test.beforeAll(async () => {
  usdc = network('base').usdc;
  shop = await startRig({
    networks: ['base', 'solana-mainnet'],
    hasOwnBase: true,
    hasOwnSolana: true,
    timings: checkingTimings,
  });
});

test.afterAll(() => shop.close());

const readiness = async (rig: Rig) => (await fetch(`${rig.apiUrl}/health/ready`)).json();
const isOffered = async (rig: Rig, name: string) => (await readiness(rig)).networks[name] === true;

/** Expects that nothing was charged, and that the caller is told to come again. */
function expectLater({ status, headers, body }: Answer): void {
  expect([status, body.error?.code, body.error?.payment, body.error?.retry]).toEqual([
    503,
    'service_unavailable',
    'none',
    'later',
  ]);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
}

/** Expects that a network is withdrawn with a reason, and that only the other one is offered. */
async function expectWithdrawn(rig: Rig, name: string, reason: string): Promise<void> {
  const ready = await readiness(rig);
  expect(ready.networks[name]).toBe(false);
  expect(ready.tokenProblems[name]).toEqual([expect.stringContaining(reason)]);
  await expectLogged(rig.server(), /"level":50.*this network is not offered/);
  await expectLogged(rig.server(), reason);
  const { accepts } = await challengeOf(`${rig.apiUrl}/v1/uploads`);
  expect(accepts.map((one) => one.network)).not.toContain(network(name as 'base').caip2);
}

const comesBack = (rig: Rig, name: string) => until(`${name} again`, () => isOffered(rig, name));

test('the first payment that fails on a paused token withdraws the network, gets 503 on each rail, and is charged once when the pause is over', async ({
  rig,
}) => {
  const requests = [
    await sign(rig, await rig.newEvmPayer()),
    await signMpp(rig, await rig.newEvmPayer()),
    await sign(rig, await newDelegatedPayer(rig, 'accept')),
    await sign(rig, await newCodeWallet(rig, wallets.accept)),
  ];
  await setUsdcPaused(rig.chainUrl('base'), usdc, true);
  for (const request of requests) expectLater(await ask(request));
  await expectWithdrawn(rig, 'base', 'is paused');
  for (const { payer } of requests) expect(await callsOf(rig, payer)).toEqual([]);
  await setUsdcPaused(rig.chainUrl('base'), usdc, false);
  await comesBack(rig, 'base');
  expect((await readiness(rig)).tokenProblems).toBeUndefined();
  for (const request of requests) {
    expect((await ask(request)).status).toBe(200);
    expect(await transfersOf(rig, request.payer)).toHaveLength(1);
  }
});

test('a payee on the block list of the token withdraws the network, and its payers get 503', async ({
  rig,
}) => {
  const request = await sign(rig, await rig.newEvmPayer());
  await setUsdcBlocked(rig.chainUrl('base'), usdc, rig.payTo.evm, true);
  expectLater(await ask(request));
  await expectWithdrawn(rig, 'base', `${rig.payTo.evm} is on the block list`);
  await setUsdcBlocked(rig.chainUrl('base'), usdc, rig.payTo.evm, false);
  await comesBack(rig, 'base');
  expect((await ask(request)).status).toBe(200);
});

test('the check at intervals finds a paused token before any payment fails', async ({ rig }) => {
  await setUsdcPaused(rig.chainUrl('base'), usdc, true);
  await until('the withdrawal', async () => !(await isOffered(rig, 'base')));
  await expectWithdrawn(rig, 'base', 'is paused');
  await setUsdcPaused(rig.chainUrl('base'), usdc, false);
  await comesBack(rig, 'base');
});

test('a payer on the block list gets 402 with a reason of its own, and the network stays offered', async ({
  rig,
}) => {
  const wallet = await rig.newEvmPayer();
  const [request, overMpp] = [await sign(rig, wallet), await signMpp(rig, wallet)];
  await setUsdcBlocked(rig.chainUrl('base'), usdc, wallet.address, true);
  const answer = await ask(request);
  expect([answer.status, answer.body.error]).toEqual([402, 'payer_blocked']);
  const problem = await ask(overMpp);
  expect([problem.status, problem.body.reason]).toEqual([402, 'payer_blocked']);
  expect(await isOffered(rig, 'base')).toBe(true);
  expect((await ask(await sign(rig, await rig.newEvmPayer()))).status).toBe(200);
  await setUsdcBlocked(rig.chainUrl('base'), usdc, wallet.address, false);
  expect((await ask(request)).status).toBe(200);
});

test('a wallet that reverts in the words of a pause or a block list cannot withdraw the network', async ({
  rig,
}) => {
  for (const text of ['Pausable: paused', 'Blacklistable: account is blacklisted']) {
    const revert = encodeFunctionData({ abi: parseAbi(['function Error(string)']), args: [text] });
    const answer = await ask(await sign(rig, await newCodeWallet(rig, revertingWith(revert))));
    expect(answer.status).toBe(402);
  }
  expect(await isOffered(rig, 'base')).toBe(true);
});

test('a token that is paused between the check of a payment and its block gets its payer 503, and nothing is charged', async ({
  rig,
}) => {
  const request = await sign(rig, await rig.newEvmPayer());
  const held = rig.base.hold('eth_sendRawTransaction', 'before');
  const answer = ask(request);
  await held.reached;
  await setUsdcPaused(rig.chainUrl('base'), usdc, true);
  held.release();
  expectLater(await answer);
  await expectWithdrawn(rig, 'base', 'is paused');
  expectLater(await ask(request));
  expect(await transfersOf(rig, request.payer)).toEqual([]);
  await setUsdcPaused(rig.chainUrl('base'), usdc, false);
  await comesBack(rig, 'base');
  expect((await ask(request)).status).toBe(200);
  expect(await transfersOf(rig, request.payer)).toHaveLength(1);
  expect(await rig.audit()).toEqual([]);
});

test('new code at the token that signs for another domain, or takes no authorizations, withdraws the network', async ({
  rig,
}) => {
  const chainUrl = rig.chainUrl('base');
  const slot = '0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3';
  const before = await rpcCall(chainUrl, 'eth_getStorageAt', [usdc, slot, 'latest']);
  const upgradeTo = async (code: Hex) => {
    const address: Hex = '0x00000000000000000000000000000000C12c1eFF';
    await rpcCall(chainUrl, 'anvil_setCode', [address, code]);
    await rpcCall(chainUrl, 'anvil_setStorageAt', [usdc, slot, pad(address)]);
    await rpcCall(chainUrl, 'evm_mine');
  };
  for (const [code, reason] of [
    // Reverts without data.
    ['0x60006000fd', 'does not report the EIP-712 domain'],
    // Returns zero, whatever is asked.
    ['0x60206000f3', 'does not report the EIP-712 domain'],
  ] as const) {
    const request = await sign(rig, await rig.newEvmPayer());
    await upgradeTo(code);
    expectLater(await ask(request));
    await expectWithdrawn(rig, 'base', reason);
    await rpcCall(chainUrl, 'anvil_setStorageAt', [usdc, slot, before]);
    await rpcCall(chainUrl, 'evm_mine');
    await comesBack(rig, 'base');
  }
});

for (const [state, reason] of [
  ['frozen', 'is frozen'],
  ['closed', 'has no USDC account'],
] as const) {
  test(`the payee's account on Solana, ${state}, withdraws the network, and its payers get 503`, async ({
    rig,
  }) => {
    const setState = (to: string) =>
      rpcCall(rig.chainUrl('solana-mainnet'), 'tuppence_setTokenAccountState', [rig.payTo.solana, to]);
    const request = await sign(rig, await rig.newSolanaPayer());
    await setState(state);
    expectLater(await ask(request));
    await expectWithdrawn(rig, 'solana-mainnet', reason);
    if (state === 'frozen') await setState('initialized');
    else await rpcCall(rig.chainUrl('solana-mainnet'), 'tuppence_setTokenBalance', [rig.payTo.solana, '0']);
    await comesBack(rig, 'solana-mainnet');
    expect((await ask(request)).status).toBe(200);
  });
}

test('a payer whose account on Solana is frozen gets 402 with a reason of its own', async ({ rig }) => {
  const wallet = await rig.newSolanaPayer();
  const request = await sign(rig, wallet);
  await rpcCall(rig.chainUrl('solana-mainnet'), 'tuppence_setTokenAccountState', [wallet.address, 'frozen']);
  const answer = await ask(request);
  expect([answer.status, answer.body.error]).toEqual([402, 'payer_blocked']);
  expect(await isOffered(rig, 'solana-mainnet')).toBe(true);
});

/** Code that reverts with this data. */
function revertingWith(data: Hex): Hex {
  const bytes = data.length / 2 - 1;
  // Copies what follows these 12 bytes into memory, and reverts with it.
  const size = bytes.toString(16).padStart(4, '0');
  return `0x61${size}600e60003961${size}6000fd${data.slice(2)}`;
}
