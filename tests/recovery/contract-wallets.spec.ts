import { randomUUID } from 'node:crypto';
import type { Hex } from 'viem';
import { delegateToMarking, deployOwnedWallet, type EvmWallet, walletAt } from '../support/paying-wallets';
import { loseRequest } from '../support/rpc-proxy';
import { newSafe } from '../support/safe-wallets';
import { expect, test } from './fixtures';
import { depositInto, openAccount } from './rig/accounts';
import { callsOf, transfersOf, uploadsOf } from './rig/found';
import { fund, newCodeWallet, withSignature } from './rig/hostile-wallets';
import { type Answer, ask, sign, signMpp, type X402Request } from './rig/requests';
import type { Rig } from './rig/rig';
import {
  bookedFor,
  expectNothingOpen,
  expectServed,
  honestRequests,
  settlementsSince,
} from './rig/settlements';
import { wallets } from './rig/wallets-with-code';

/** Payers whose signatures only their code on the chain can check (EIP-1271). */

async function deployedSafe(rig: Rig, ownerCount = 1, threshold = 1) {
  const safe = await fund(rig, await newSafe(rig.chainUrl('base'), ownerCount, threshold));
  await safe.deploy();
  return safe;
}

const kinds: Readonly<Record<string, (rig: Rig) => Promise<EvmWallet>>> = {
  'a Safe of one owner, whose signature is as long as that of a key': (rig) => deployedSafe(rig),
  'a Safe whose owner signs a message of its own': async (rig) => {
    const { address, owners, sign: signAs } = await deployedSafe(rig);
    return walletAt(address, (digest) => signAs(digest, owners, true));
  },
  'a Safe of three owners, of whom two sign': (rig) => deployedSafe(rig, 3, 2),
  'a Safe of twenty owners, of whom all sign': (rig) => deployedSafe(rig, 20, 20),
  'a Safe whose signature is wrapped as if it were not deployed': async (rig) =>
    (await deployedSafe(rig)).wrapping,
  "a wallet in the shape of Coinbase's, owned by a key": async (rig) =>
    fund(rig, await deployOwnedWallet(rig.chainUrl('base'), 'key')),
  "a wallet in the shape of Coinbase's, owned by a passkey": async (rig) =>
    fund(rig, await deployOwnedWallet(rig.chainUrl('base'), 'passkey')),
  'a key that delegates to code with signatures of its own form': async (rig) =>
    delegateToMarking(rig.chainUrl('base'), await rig.newEvmPayer()),
  'a wallet that wants no signature': (rig) => newCodeWallet(rig, wallets.accept, '0x'),
};

test('contract wallets of every kind pay, each in a transaction of its own, beside payers without code', async ({
  rig,
}) => {
  const since = new Date();
  const payers = await Promise.all(Object.values(kinds).map((make) => make(rig)));
  const requests = await Promise.all(payers.map((payer) => sign(rig, payer)));
  const honest = await honestRequests(rig, 3);
  const answers = await Promise.all([...requests, ...honest].map((request) => ask(request)));
  expect(Object.keys(kinds).map((kind, index) => [kind, answers[index]?.status])).toEqual(
    Object.keys(kinds).map((kind) => [kind, 200]),
  );
  await expectServed(rig, [...requests, ...honest], answers);
  for (const { payer } of requests) {
    const [hash] = await transfersOf(rig, payer);
    const sent = await rig.query('SELECT payments FROM settlement_transaction WHERE hash = $1', [hash]);
    expect(sent).toEqual([{ payments: 1 }]);
    expect(await bookedFor(rig, payer)).toEqual([]);
  }
  await expectNothingOpen(rig, since);
});

test('a Safe that is not deployed is told to deploy first, at no cost, and pays once it is', async ({
  rig,
}) => {
  const since = new Date();
  const safe = await fund(rig, await newSafe(rig.chainUrl('base'), 2, 2));
  for (const payer of [safe.wrapping, safe]) {
    const { status, body } = await ask(await sign(rig, payer));
    expect([status, body.error]).toEqual([402, 'invalid_exact_evm_payload_undeployed_smart_wallet']);
    expect(body.message).toContain('Deploy it first');
  }
  expect(await callsOf(rig, safe.address)).toEqual([]);
  expect(await settlementsSince(rig, since)).toEqual([]);
  await safe.deploy();
  const request = await sign(rig, safe.wrapping);
  await expectServed(rig, [request], [await ask(request)]);
  await expectNothingOpen(rig, since);
});

function expectReplay(answer: Answer, first: Answer): void {
  expect([answer.status, answer.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
  expect(answer.body).toEqual(first.body);
}

/** Expects nothing of the first answer, and nothing that leads to it. */
function expectClosed({ status, headers, body }: Answer, first: Answer, code: 409 | 402): void {
  expect(status).toBe(code);
  expect(headers.get('idempotent-replayed')).toBeNull();
  const text = JSON.stringify([body, ...headers.values()]);
  for (const secret of [first.body.id, first.headers.get('paid-call-id')]) expect(text).not.toContain(secret);
}

const withKey = (request: X402Request, key: string): X402Request => ({
  ...request,
  init: { ...request.init, headers: { ...request.init.headers, 'Idempotency-Key': key } },
});

test('the same payment of a contract wallet gets the stored response without a chain; a forged signature on it gets nothing', async ({
  rig,
}) => {
  const safe = await deployedSafe(rig, 3, 2);
  const request = await sign(rig, safe);
  const first = await ask(request);
  expect(first.status).toBe(200);
  rig.base.on('*', loseRequest);
  expectReplay(await ask(request), first);
  // A different signature must be checked by the wallet, which cannot be reached now.
  const forged = withSignature(request, `0x${'5a'.repeat(130)}`);
  const unclear = await ask(forged);
  expect([unclear.status, unclear.body.error.retry]).toEqual([503, 'same_request']);
  rig.clearWays();
  const refused = await ask(forged);
  expectClosed(refused, first, 409);
  expect(refused.body.error.code).toBe('payment_already_used');
  expect(await transfersOf(rig, safe.address)).toHaveLength(1);
  expect(await rig.query('SELECT FROM transfer_without_call WHERE payer = $1', [safe.address])).toEqual([]);
});

test("a new payment of a contract wallet under the same key gets the stored response, and one that is not the wallet's gets nothing", async ({
  rig,
}) => {
  const safe = await deployedSafe(rig, 2, 1);
  const key = randomUUID();
  const request = withKey(await sign(rig, safe), key);
  const first = await ask(request);
  expect(first.status).toBe(200);
  const { body } = request.init;
  const again = withKey(await sign(rig, safe, { body }), key);
  expectReplay(await ask(again), first);
  const stranger = await newSafe(rig.chainUrl('base'));
  const byStranger = walletAt(safe.address, (digest) => stranger.sign(digest, stranger.owners));
  expectClosed(await ask(withKey(await sign(rig, byStranger, { body }), key)), first, 402);
  expect(await transfersOf(rig, safe.address)).toHaveLength(1);
  expect(await uploadsOf(rig, safe.address)).toHaveLength(1);
});

test('two signatures of a wallet on one authorization, sent at once, are one payment', async ({ rig }) => {
  const since = new Date();
  const safe = await deployedSafe(rig, 3, 1);
  let digest: Hex = '0x';
  const listening = walletAt(safe.address, async (asked) => {
    digest = asked;
    return safe.sign(asked, safe.owners.slice(0, 1));
  });
  const request = await sign(rig, listening);
  const other = withSignature(request, await safe.sign(digest, safe.owners.slice(1, 2)));
  const answers = await Promise.all([request, other, request, other].map((one) => ask(one)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(new Set(answers.map(({ headers }) => headers.get('paid-call-id'))).size).toBe(1);
  expect(await transfersOf(rig, safe.address)).toHaveLength(1);
  await expectNothingOpen(rig, since);
});

test('a contract wallet owns what it bought, and pays into accounts', async ({ rig }) => {
  const since = new Date();
  const safe = await deployedSafe(rig);
  const bought = await ask(await sign(rig, safe));
  const renewal = { path: `/uploads/${bought.body.id}/renew` };
  expect((await ask(await sign(rig, await deployedSafe(rig), renewal))).status).toBe(403);
  expect(await ask(await sign(rig, safe, renewal))).toMatchObject({
    status: 200,
    body: { renewalCount: 1 },
  });
  const account = await openAccount(rig);
  expect((await ask(await depositInto(rig, account, safe))).status).toBe(200);
  const { balance } = await fetch(`${rig.apiUrl}/v1/account`, {
    headers: { Authorization: `Bearer ${account.token}` },
  }).then((answer) => answer.json());
  expect(balance).toBe('1');
  await expectNothingOpen(rig, since);
});

test('over MPP, whose signatures are those of keys, a contract wallet is told to pay over x402', async ({
  rig,
}) => {
  const safe = await deployedSafe(rig);
  const { status, body } = await ask(await signMpp(rig, safe));
  expect([status, body.reason]).toEqual([402, 'invalid_exact_evm_signature']);
  expect(body.detail).toContain('x402');
  expect(await callsOf(rig, safe.address)).toEqual([]);
});
