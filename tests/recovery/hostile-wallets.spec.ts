import { type Hex, serializeErc6492Signature } from 'viem';
import { setUsdcBalances } from '@/local/evm/funding';
import { rpcCall } from '@/local/json-rpc';
import { type EvmWallet, walletAt } from '../support/paying-wallets';
import { newSafe } from '../support/safe-wallets';
import { expect, test } from './fixtures';
import { callsOf, transfersOf, uploadsOf } from './rig/found';
import { fickle, fund, marker, newCodeWallet, refusing, withSignature } from './rig/hostile-wallets';
import { type Answer, ask, sign, type X402Request } from './rig/requests';
import type { Rig } from './rig/rig';
import {
  bookedFor,
  expectNothingOpen,
  expectRefused,
  expectServed,
  forgetWastedGas,
  honestRequests,
  settlementsSince,
} from './rig/settlements';
import { submitAsStranger, usdc } from './rig/strangers';
import { deploy, flip, wallets } from './rig/wallets-with-code';

/** Contract wallets that are designed to harm the service or other payers. */

const onBase = (rig: Rig, method: string, ...params: unknown[]) =>
  rpcCall(rig.chainUrl('base'), method, params);

/** Requests of honest payers of both kinds, which must not be affected. */
async function honestPayers(rig: Rig): Promise<X402Request[]> {
  const safe = await fund(rig, await newSafe(rig.chainUrl('base')));
  await safe.deploy();
  return [await sign(rig, safe), ...(await honestRequests(rig, 3))];
}

// Gas that other tests on the same rig have wasted would count, because all of them come from one address.
test.beforeEach(({ rig }) => forgetWastedGas(rig));

test('wallets that answer anything but yes are refused before anything is broadcast, and no honest payer notices', async ({
  rig,
}) => {
  const since = new Date();
  const burner = await deploy(rig, wallets.burner);
  const named = Object.entries(refusing);
  const attackers = await Promise.all(named.map(([, code]) => newCodeWallet(rig, code(burner))));
  const attacks = await Promise.all(attackers.map((attacker) => sign(rig, attacker)));
  const honest = await honestPayers(rig);
  const answers = await Promise.all([...attacks, ...honest].map((request) => ask(request)));
  expect(named.map(([name], index) => [name, answers[index]?.status])).toEqual(
    named.map(([name]) => [name, 402]),
  );
  for (const [index, attack] of attacks.entries()) await expectRefused(rig, attack, answers[index]);
  await expectServed(rig, honest, answers.slice(attacks.length));
  for (const { payer } of attacks) expect(await callsOf(rig, payer)).toEqual([]);
  const payments = (await settlementsSince(rig, since)).reduce((sum, one) => sum + one.payments, 0);
  expect(payments).toBe(honest.length);
  await expectNothingOpen(rig, since);
});

test('wallets that answer by what they see of the block pay once or not at all, at a bounded cost', async ({
  rig,
}) => {
  const since = new Date();
  const attackers = await Promise.all(Object.values(fickle).map((code) => newCodeWallet(rig, code)));
  const attacks = await Promise.all(attackers.map((attacker) => sign(rig, attacker)));
  const honest = await honestPayers(rig);
  const answers = await Promise.all([...attacks, ...honest].map((request) => ask(request)));
  await expectServed(rig, honest, answers.slice(attacks.length));
  for (const [index, { payer }] of attacks.entries()) {
    const name = Object.keys(fickle)[index];
    const isServed = answers[index]?.status === 200;
    const transfers = await transfersOf(rig, payer);
    const uploads = await uploadsOf(rig, payer);
    // 429 if the others had used up the budget of their address before.
    const refused = answers[index]?.status === 429 ? 429 : 402;
    expect([name, answers[index]?.status, transfers.length, uploads.length]).toEqual(
      isServed ? [name, 200, 1, 1] : [name, refused, 0, 0],
    );
    const gas = (await bookedFor(rig, payer)).reduce((sum, one) => sum + one.gas, 0);
    expect(gas).toBeLessThan(340_000);
  }
  await expectNothingOpen(rig, since);
});

const answering = (code: Hex) => (rig: Rig) => newCodeWallet(rig, code);
const replaceCode = (code: Hex) => (rig: Rig, request: X402Request) =>
  onBase(rig, 'anvil_setCode', request.payer, code);

interface Change {
  readonly wallet: (rig: Rig) => Promise<EvmWallet>;
  /** The change between the last simulation and the block. */
  readonly change: (rig: Rig, request: X402Request) => Promise<unknown>;
  readonly reason: RegExp;
  /** Whether the gas counts against the payer's code. */
  readonly isBlamed: boolean;
}

const failed = /invalid_exact_evm/;

const changes: Readonly<Record<string, Change>> = {
  'changes its mind': {
    wallet: answering(wallets.storageFlip),
    change: (rig, { payer }) => flip(rig, { address: payer as Hex }),
    reason: failed,
    isBlamed: true,
  },
  'is replaced by a burner': {
    wallet: answering(wallets.accept),
    change: replaceCode(wallets.burner),
    reason: failed,
    isBlamed: true,
  },
  'is replaced by one that returns a megabyte': {
    wallet: answering(wallets.accept),
    change: replaceCode(wallets.returnBomb),
    reason: failed,
    isBlamed: true,
  },
  'is gone': {
    wallet: answering(wallets.accept),
    change: replaceCode('0x'),
    reason: failed,
    isBlamed: true,
  },
  'has spent its money': {
    wallet: answering(wallets.accept),
    change: (rig, { payer }) =>
      setUsdcBalances(rig.chainUrl('base'), usdc, [{ owner: payer as Hex, amountAtomic: 0n }]),
    reason: /insufficient_balance/,
    isBlamed: false,
  },
};

/** Pays, and makes a change between the last simulation and the block. */
async function payDuring(
  rig: Rig,
  request: X402Request,
  change: (rig: Rig, request: X402Request) => Promise<unknown>,
): Promise<Answer> {
  const held = rig.base.hold('eth_sendRawTransaction', 'before', {
    params: ([raw]) => String(raw).includes(request.payer.slice(2).toLowerCase()),
  });
  const answer = ask(request);
  await held.reached;
  await change(rig, request);
  held.release();
  return answer;
}

for (const [what, { wallet, change, reason, isBlamed }] of Object.entries(changes)) {
  test(`a contract wallet that ${what} between simulation and block wastes only gas of its own queue, and is refused`, async ({
    rig,
  }) => {
    const since = new Date();
    const attack = await sign(rig, await wallet(rig));
    const honest = await honestPayers(rig);
    const attacked = payDuring(rig, attack, async (...args) => {
      // While the attack is held up, honest payments of both kinds are sent and served.
      await change(...args);
    });
    const served = await Promise.all(honest.map((request) => ask(request)));
    await expectServed(rig, honest, served);
    await expectRefused(rig, attack, await attacked, reason);
    const booked = await bookedFor(rig, attack.payer);
    expect(booked).toHaveLength(1);
    expect(booked[0]?.gas).toBeLessThan(340_000);
    expect(booked[0]?.code !== null).toBe(isBlamed);
    expect((await settlementsSince(rig, since)).filter(({ payments }) => payments > 1 + 3)).toEqual([]);
    await expectNothingOpen(rig, since);
  });
}

test('a payment of a contract wallet that a stranger submits first is paid once and served', async ({
  rig,
}) => {
  const since = new Date();
  const request = await sign(rig, await newCodeWallet(rig, wallets.accept));
  const answer = await payDuring(rig, request, () => submitAsStranger(rig, request));
  await expectServed(rig, [request], [answer]);
  await expectNothingOpen(rig, since);
});

test('nothing that an ERC-6492 wrapper names is ever called', async ({ rig }) => {
  const since = new Date();
  const trap = await deploy(rig, marker);
  const wrapped = (signature: Hex, data: Hex = '0xdeadbeef') =>
    serializeErc6492Signature({ address: trap, data, signature });
  const deployed = await newCodeWallet(rig, wallets.accept, wrapped('0x5a5a'));
  const absent = await newCodeWallet(rig, '0x', wrapped(`0x${'5a'.repeat(65)}`));
  const [paid, refused] = [await sign(rig, deployed), await sign(rig, absent)];
  const [served, told] = [await ask(paid), await ask(refused)];
  await expectServed(rig, [paid], [served]);
  expect([told.status, told.body.error]).toEqual([402, expect.stringMatching(/undeployed_smart_wallet/)]);
  expect(await callsOf(rig, refused.payer)).toEqual([]);

  const honest = await sign(rig, await newCodeWallet(rig, wallets.accept, '0x5a'));
  const magic = wrapped('0x5a').slice(-64);
  const whole = wrapped(`0x${'5a'.repeat(65)}`);
  const unreadable: Readonly<Record<string, readonly [Hex, string]>> = {
    'a wrapper in a wrapper': [wrapped(wrapped('0x5a')), 'invalid_exact_evm_signature'],
    'nothing but the mark of a wrapper': [`0x${magic}`, 'invalid_exact_evm_signature'],
    'a wrapper that is cut': [`0x${whole.slice(66)}`, 'invalid_exact_evm_signature'],
    'a wrapper that points beyond its end': [
      `0x${'00'.repeat(32)}${'ff'.repeat(64)}${magic}`,
      'invalid_exact_evm_signature',
    ],
    'a wrapper with a long factory call': [wrapped('0x5a', `0x${'5a'.repeat(3_072)}`), 'signature_too_long'],
    'a long signature in a wrapper': [wrapped(`0x${'5a'.repeat(2_049)}`), 'signature_too_long'],
    'a long signature': [`0x${'5a'.repeat(2_049)}`, 'signature_too_long'],
    'half a byte': ['0x5' as Hex, 'invalid_payload'],
  };
  for (const [what, [signature, reason]] of Object.entries(unreadable)) {
    const { status, body } = await ask(withSignature(honest, signature));
    expect([what, status, body.error]).toEqual([what, 402, expect.stringMatching(new RegExp(`^${reason}`))]);
  }
  expect(await callsOf(rig, honest.payer)).toEqual([]);
  // The longest signature that is accepted. Its gas suffices.
  const long = withSignature(honest, `0x${'5a'.repeat(2_048)}`);
  await expectServed(rig, [long], [await ask(long)]);
  expect(BigInt((await onBase(rig, 'eth_getStorageAt', trap, '0x0', 'latest')) as Hex)).toBe(0n);
  expect((await settlementsSince(rig, since)).map(({ payments }) => payments)).toEqual([1, 1]);
  await expectNothingOpen(rig, since);
});

test('a wallet that accepts every signature pays for anybody who uses it, each authorization once', async ({
  rig,
}) => {
  const since = new Date();
  const wallet = await newCodeWallet(rig, wallets.accept);
  const request = await sign(rig, wallet);
  const variants = ['0x', '0x01', `0x${'77'.repeat(65)}`, `0x${'78'.repeat(500)}`].map((signature) =>
    withSignature(request, signature as Hex),
  );
  const answers = await Promise.all([request, ...variants].map((one) => ask(one)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(await transfersOf(rig, wallet.address)).toHaveLength(1);
  expect(await uploadsOf(rig, wallet.address)).toHaveLength(1);
  await expectNothingOpen(rig, since);
});

test('contracts that are no wallets cannot be named as payers', async ({ rig }) => {
  const since = new Date();
  const named = [usdc, '0xcA11bde05977b3631167028862bE2a173976CA11', rig.payTo.evm] as const;
  const precompiled = [
    '0x0000000000000000000000000000000000000001',
    '0x0000000000000000000000000000000000000004',
  ] as const;
  for (const address of [...named, ...precompiled]) {
    const request = await sign(
      rig,
      walletAt(address, async () => `0x${'5a'.repeat(65)}`),
    );
    const { status, body } = await ask(request);
    expect([status, body.error]).toEqual([402, expect.stringMatching(/^invalid_exact_evm/)]);
  }
  expect(await settlementsSince(rig, since)).toEqual([]);
});
