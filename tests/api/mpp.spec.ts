import { Challenge, Credential, Receipt } from 'mppx';
import type { PrivateKeyAccount } from 'viem/accounts';
import { readUsdcBalances } from '@/local/evm/funding';
import { aFile } from '../support/files';
import { mppClient } from '../support/mpp-buyer';
import { newEvmPayer } from '../support/payers';
import { evmNetworkNames, network, stack } from '../support/stack';
import { networkSample } from '../support/tiers';
import { expect, test } from '../support/without-browser';

type EvmName = (typeof evmNetworkNames)[number];

const uploadsUrl = () => `${stack().apiUrl}/v1/mpp/uploads`;
const json = { 'Content-Type': 'application/json' };

async function balanceOf(account: PrivateKeyAccount, on: EvmName): Promise<bigint> {
  const { rpcUrl, usdc } = network(on);
  const [balance] = await readUsdcBalances(rpcUrl, usdc as `0x${string}`, [account.address]);
  return balance ?? 0n;
}

/** The credential that the official client would send with a body, for the test to use. */
async function credentialFor(
  account: PrivateKeyAccount,
  body: string,
  on: EvmName = 'base',
): Promise<string> {
  const unpaid = await fetch(`${uploadsUrl()}?network=${on}`, { method: 'POST', headers: json, body });
  return mppClient(account, on).createCredential(unpaid);
}

function post(url: string, body: string, headers: Record<string, string>): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { ...json, ...headers }, body });
}

async function expectProblem(answer: Response, status: number, type: string, reason: string): Promise<void> {
  expect(answer.status).toBe(status);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(answer.headers.get('payment-receipt')).toBeNull();
  if (status === 402) expect(Challenge.fromResponseList(answer)).toHaveLength(3);
  expect(await answer.json()).toMatchObject({
    type: `https://paymentauth.org/problems/${type}`,
    status,
    reason,
    payment: 'none',
  });
}

test('an unpaid call gets a challenge for every EVM network, base first, bound to its body', async () => {
  const { body } = aFile();
  const answer = await post(uploadsUrl(), body, {});
  expect(answer.status).toBe(402);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('payment-required')).toBeNull();
  expect(await answer.clone().json()).toMatchObject({
    code: 'payment_required',
    payment: 'none',
    retry: 'pay',
    refunds: `${stack().apiUrl}/docs/refunds`,
  });
  const challenges = Challenge.fromResponseList(answer);
  const chains = challenges.map(({ request }) => (request.methodDetails as { chainId: number }).chainId);
  expect(chains).toEqual([8453, 137, 42161]);
  for (const challenge of challenges) {
    expect(challenge).toMatchObject({
      method: 'evm',
      intent: 'charge',
      realm: new URL(stack().apiUrl).hostname,
    });
    expect(challenge.digest).toMatch(/^sha-256=:[A-Za-z0-9+/]{43}=:$/);
    expect(challenge.request).toMatchObject({ amount: '5000' });
  }
});

for (const name of evmNetworkNames) {
  for (const key of [undefined, 'a-key-of-my-own']) {
    const words = key ? 'with an Idempotency-Key' : 'without an Idempotency-Key';
    test(`the official client buys an upload on ${name} ${words}`, networkSample(name), async () => {
      const account = await newEvmPayer();
      const { bytes, body } = aFile(500);
      const before = await balanceOf(account, name);
      const bought = await mppClient(account, name).fetch(uploadsUrl(), {
        method: 'POST',
        headers: key ? { ...json, 'Idempotency-Key': key } : json,
        body,
      });
      expect(bought.status).toBe(200);
      expect(before - (await balanceOf(account, name))).toBe(5_000n);
      const receipt = Receipt.fromResponse(bought);
      expect(receipt).toMatchObject({ method: 'evm', status: 'success' });
      expect(receipt.reference).toMatch(/^0x[0-9a-f]{64}$/);
      const slot = await bought.json();
      const put = await fetch(slot.uploadUrl, { method: 'PUT', headers: slot.uploadHeaders, body: bytes });
      expect(put.status).toBe(200);
    });
  }
}

for (const name of evmNetworkNames) {
  for (const withKeys of [false, true]) {
    const words = withKeys ? 'each under a key of its own' : 'without keys';
    test(
      `one official client buys six uploads at once on ${name}, ${words}`,
      networkSample(name),
      async () => {
        const account = await newEvmPayer();
        const client = mppClient(account, name);
        const answers = await Promise.all(
          Array.from({ length: 6 }, (_, index) =>
            client.fetch(uploadsUrl(), {
              method: 'POST',
              headers: withKeys ? { ...json, 'Idempotency-Key': `key-${index}` } : json,
              body: aFile().body,
            }),
          ),
        );
        expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
        const slots = await Promise.all(answers.map((answer) => answer.json()));
        expect(new Set(slots.map(({ id }) => id)).size).toBe(6);
        // mppx keeps receipt fields that its type does not name.
        const receipts = answers.map((answer) => Receipt.fromResponse(answer) as { challengeId?: string });
        const challengeIds = receipts.map(({ challengeId }) => challengeId);
        expect(new Set(challengeIds).size).toBe(6);
        expect(await balanceOf(account, name)).toBe(10_000_000n - 30_000n);
      },
    );
  }

  test(
    `one official client that sends six simultaneous requests under one key on ${name} buys one upload`,
    networkSample(name),
    async () => {
      const account = await newEvmPayer();
      const client = mppClient(account, name);
      const { body } = aFile();
      const init = { method: 'POST', headers: { ...json, 'Idempotency-Key': 'the-same' }, body };
      const answers = await Promise.all(Array.from({ length: 6 }, () => client.fetch(uploadsUrl(), init)));
      expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
      const slots = await Promise.all(answers.map((answer) => answer.json()));
      expect(new Set(slots.map(({ id }) => id)).size).toBe(1);
      expect(await balanceOf(account, name)).toBe(10_000_000n - 5_000n);
    },
  );
}

test('an upload bought over MPP is renewed and deleted by its payer, and by nobody else', async () => {
  const [owner, stranger] = await Promise.all([newEvmPayer(), newEvmPayer()]);
  const { body, bytes } = aFile();
  const mine = mppClient(owner, 'base');
  const slot = await (await mine.fetch(uploadsUrl(), { method: 'POST', headers: json, body })).json();
  const { id } = slot;
  await fetch(slot.uploadUrl, { method: 'PUT', headers: slot.uploadHeaders, body: bytes });
  const refused = await mppClient(stranger, 'base').fetch(`${uploadsUrl()}/${id}/renew`, { method: 'POST' });
  expect(refused.status).toBe(403);
  expect(await balanceOf(stranger, 'base')).toBe(10_000_000n);
  const renewed = await mine.fetch(`${uploadsUrl()}/${id}/renew`, { method: 'POST' });
  expect(await renewed.json()).toMatchObject({ id, renewalCount: 1 });
  const deleted = await mine.fetch(`${uploadsUrl()}/${id}`, { method: 'DELETE' });
  expect(await deleted.json()).toMatchObject({ id, status: 'deleted' });
});

test('a repeated credential gets the same response and is not charged again', async () => {
  const account = await newEvmPayer();
  const { body } = aFile();
  const Authorization = await credentialFor(account, body);
  const first = await post(uploadsUrl(), body, { Authorization });
  const again = await post(uploadsUrl(), body, { Authorization });
  expect([first.status, again.status]).toEqual([200, 200]);
  expect(again.headers.get('paid-call-id')).toBe(first.headers.get('paid-call-id'));
  expect(await again.text()).toBe(await first.text());
  expect(await balanceOf(account, 'base')).toBe(10_000_000n - 5_000n);
});

test('a credential rebuilt from public calldata under a challenge of the attacker gets nothing', async () => {
  const account = await newEvmPayer();
  const { body } = aFile();
  const Authorization = await credentialFor(account, body);
  expect((await post(uploadsUrl(), body, { Authorization })).status).toBe(200);
  const { payload } = Credential.deserialize(Authorization);
  const unpaid = await post(`${uploadsUrl()}?network=base`, body, {});
  const stolen = Credential.serialize(
    Credential.from({ challenge: Challenge.fromResponse(unpaid), payload }),
  );
  await expectProblem(
    await post(uploadsUrl(), body, { Authorization: stolen }),
    402,
    'verification-failed',
    'nonce_not_bound',
  );
});

test('a body changed between challenge and payment is refused, uncharged', async () => {
  const account = await newEvmPayer();
  const Authorization = await credentialFor(account, aFile().body);
  const answer = await post(uploadsUrl(), aFile().body, { Authorization });
  await expectProblem(answer, 402, 'verification-failed', 'body_digest_mismatch');
  expect(await balanceOf(account, 'base')).toBe(10_000_000n);
});

test('a credential for another operation of the same price is refused, uncharged', async () => {
  const account = await newEvmPayer();
  const { body } = aFile();
  const client = mppClient(account, 'base');
  const { id } = await (await client.fetch(uploadsUrl(), { method: 'POST', headers: json, body })).json();
  const unpaid = await fetch(`${uploadsUrl()}/${id}/renew`, { method: 'POST' });
  const Authorization = await client.createCredential(unpaid);
  const answer = await post(uploadsUrl(), aFile().body, { Authorization });
  await expectProblem(answer, 402, 'invalid-challenge', 'challenge_for_another_operation');
  expect(await balanceOf(account, 'base')).toBe(10_000_000n - 5_000n);
});

const forgeries: readonly [
  string,
  (credential: Credential.Credential) => Credential.Credential,
  string,
  string,
][] = [
  [
    'another id',
    (c) => rebuilt(c, { id: otherStart(c.challenge.id) }),
    'invalid-challenge',
    'challenge_not_ours',
  ],
  ['no id', (c) => rebuilt(c, { id: '' }), 'malformed-credential', 'malformed_credential'],
  ['another realm', (c) => rebuilt(c, { realm: 'evil.example' }), 'invalid-challenge', 'challenge_not_ours'],
  [
    'a longer life',
    (c) => rebuilt(c, { expires: '2030-01-01T00:00:00.000Z' }),
    'invalid-challenge',
    'challenge_not_ours',
  ],
  [
    'a lower price',
    (c) => rebuilt(c, { request: { ...c.challenge.request, amount: '1' } }),
    'invalid-challenge',
    'challenge_not_ours',
  ],
  ['no digest', (c) => rebuilt(c, { digest: undefined }), 'invalid-challenge', 'challenge_not_ours'],
  [
    'another source',
    (c) => ({ ...c, source: 'did:pkh:eip155:1:0x0' }),
    'verification-failed',
    'source_mismatch',
  ],
];

function otherStart(text: string): string {
  return `${text.startsWith('A') ? 'B' : 'A'}${text.slice(1)}`;
}

function rebuilt(credential: Credential.Credential, change: object): Credential.Credential {
  const challenge = Object.fromEntries(
    Object.entries({ ...credential.challenge, ...change }).filter(([, value]) => value !== undefined),
  );
  return { ...credential, challenge: challenge as Credential.Credential['challenge'] };
}

for (const [words, forge, type, reason] of forgeries) {
  test(`a credential with ${words} is refused, uncharged`, async () => {
    const account = await newEvmPayer();
    const { body } = aFile();
    const genuine = Credential.deserialize(await credentialFor(account, body));
    const answer = await post(uploadsUrl(), body, { Authorization: Credential.serialize(forge(genuine)) });
    await expectProblem(answer, 402, type, reason);
    expect(await balanceOf(account, 'base')).toBe(10_000_000n);
  });
}

test('two credentials in one request are refused with 400', async () => {
  const account = await newEvmPayer();
  const { body } = aFile();
  const Authorization = await credentialFor(account, body);
  const answer = await post(uploadsUrl(), body, { Authorization: `${Authorization}, ${Authorization}` });
  await expectProblem(answer, 400, 'malformed-credential', 'several_credentials');
});

for (const garbage of ['Payment', 'Payment !!!', 'Payment e30', `Payment ${'A'.repeat(9_000)}`]) {
  test(`an unreadable credential (${garbage.slice(0, 14)}) is refused with a problem document`, async () => {
    const answer = await post(uploadsUrl(), aFile().body, { Authorization: garbage });
    await expectProblem(answer, 402, 'malformed-credential', 'malformed_credential');
  });
}

test('invalid input is refused before the payment is checked, and the same wallet can pay for the corrected body', async () => {
  const account = await newEvmPayer();
  const bad = JSON.stringify({ mime: 'text/plain' });
  const refused = await post(uploadsUrl(), bad, { Authorization: await credentialFor(account, bad) });
  expect(refused.status).toBe(400);
  expect((await refused.json()).error.code).toBe('invalid_input');
  expect(await balanceOf(account, 'base')).toBe(10_000_000n);
});

test('thirty simultaneous identical requests are charged once and get the same response', async () => {
  const account = await newEvmPayer();
  const { body } = aFile();
  const Authorization = await credentialFor(account, body);
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => post(uploadsUrl(), body, { Authorization })),
  );
  const texts = new Set(await Promise.all(answers.map((answer) => answer.text())));
  expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(200));
  expect(texts.size).toBe(1);
  expect(await balanceOf(account, 'base')).toBe(10_000_000n - 5_000n);
});

test('an x402 payment buys nothing on an MPP path, nor an MPP credential on an x402 path', async () => {
  const account = await newEvmPayer();
  const { body } = aFile();
  const Authorization = await credentialFor(account, body);
  expect((await post(`${stack().apiUrl}/v1/uploads`, body, { Authorization })).status).toBe(402);
  expect((await post(uploadsUrl(), body, { 'PAYMENT-SIGNATURE': 'e30=' })).status).toBe(402);
  expect(await balanceOf(account, 'base')).toBe(10_000_000n);
});
