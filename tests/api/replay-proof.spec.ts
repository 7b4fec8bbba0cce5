import { Keypair } from '@solana/web3.js';
import type { PaymentPayload } from '@x402/core/types';
import { authorizationTypes } from '@x402/evm';
import { Credential } from 'mppx';
import type { Hex } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { balanceOf } from '../support/balances';
import { challengeOf, envelopeFor, paymentHeader } from '../support/buyer';
import { startAtomic } from '../support/expectations';
import { type Authorization, authorizationOf, domainOf, resign, withAccepted } from '../support/lies';
import { mppClient } from '../support/mpp-buyer';
import { newEvmPayer } from '../support/payers';
import { theForms } from '../support/seller';
import { forEachSeller } from '../support/sellers';
import { handMade, newSolanaKeys, type Parts } from '../support/solana-envelopes';
import { stack } from '../support/stack';
import { expect, test } from '../support/without-browser';

/** An attacker who knows the key and the body of a paid call, and has something else that its payer once signed. */

const key = 'known-to-an-observer';
const somebody = privateKeyToAccount(generatePrivateKey()).address;
const seconds = (ahead: number) => String(Math.floor(Date.now() / 1000) + ahead);

type Payment = Readonly<Record<string, string>>;

/** The answer to a paid call, and what is secret in it. */
interface Bought {
  readonly text: string;
  readonly secrets: readonly string[];
}

async function expectClosed(answer: Response, { secrets }: Bought): Promise<void> {
  const text = await answer.text();
  expect(answer.status, text).toBe(402);
  for (const secret of secrets) expect(text).not.toContain(secret);
  expect(answer.headers.get('idempotent-replayed')).toBeNull();
}

async function expectOpen(answer: Response, { text }: Bought): Promise<void> {
  expect([answer.status, answer.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
  expect(await answer.text()).toBe(text);
}

/** Other authorizations that a payer may have signed, at any time, for anyone. */
const authorizationsFor = (price: bigint): readonly (readonly [string, () => Partial<Authorization>])[] => [
  ['to another payee', () => ({ to: somebody })],
  ['to another payee, long expired', () => ({ to: somebody, validBefore: seconds(-86_400) })],
  ['of less', () => ({ value: String(price - 1n) })],
  ['of more', () => ({ value: String(price + 1n) })],
  ['of another amount, expired', () => ({ value: String(price / 2n), validBefore: seconds(-60) })],
  ['that has expired', () => ({ validBefore: seconds(-1) })],
  ['that is not valid yet', () => ({ validAfter: seconds(120) })],
  ['that is valid for a year', () => ({ validBefore: seconds(31_536_000) })],
];

/** Transactions that the payer has signed and that do not pay us. */
const transactions: readonly (readonly [string, (parts: Parts, payer: Keypair) => void])[] = [
  ['pays somebody else', transfer({ to: Keypair.generate().publicKey })],
  ['moves another token', transfer({ mint: Keypair.generate().publicKey })],
  ['pays less', transfer({ amount: theForms.price - 1n })],
  ['pays more', transfer({ amount: theForms.price + 1n })],
  [
    'pays its own fees, so that it may be on the chain long since',
    (parts, payer) => {
      parts.feePayer = payer.publicKey;
    },
  ],
];

function transfer(change: Partial<Parts['transfers'][number]>) {
  return (parts: Parts) => {
    parts.transfers = parts.transfers.map((one) => ({ ...one, ...change }));
  };
}

async function credentialFor(wallet: PrivateKeyAccount, url: string, text?: string): Promise<string> {
  const unpaid = await fetch(`${url}?network=base`, { method: 'POST', body: text });
  return mppClient(wallet, 'base').createCredential(unpaid);
}

/** The same credential with a different authorization, signed by its wallet. */
async function resignMpp(
  header: string,
  wallet: PrivateKeyAccount,
  change: Partial<Authorization>,
): Promise<string> {
  const credential = Credential.deserialize<Authorization & { signature: Hex }>(header);
  const payload = { ...credential.payload, ...change };
  const { from, to, value, validAfter, validBefore, nonce } = payload;
  const signature = await wallet.signTypedData({
    domain: domainOf('base'),
    types: { TransferWithAuthorization: [...authorizationTypes.TransferWithAuthorization] },
    primaryType: 'TransferWithAuthorization',
    message: {
      from,
      to,
      nonce,
      value: BigInt(value),
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
    },
  });
  return Credential.serialize({ ...credential, payload: { ...payload, signature } });
}

forEachSeller((seller) => {
  // The same in every request of these tests.
  const body = seller.newBody();

  function post(url: string, payment: Payment): Promise<Response> {
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': key, ...payment };
    return fetch(url, { method: 'POST', headers, body });
  }

  async function bought(url: string, payment: Payment): Promise<Bought> {
    const answer = await post(url, payment);
    const text = await answer.text();
    expect(answer.status, text).toBe(200);
    return { text, secrets: seller.secretsIn(text) };
  }

  for (const on of (['base', 'polygon'] as const).filter((one) => seller.networks.includes(one))) {
    test(`no authorization on ${on} that would not pay for it gets the response of a call paid on base`, async () => {
      const wallet = await newEvmPayer();
      const form = await bought(seller.url, paymentHeader(await envelopeFor(seller.url, wallet, 'base')));
      const honest = await envelopeFor(seller.url, wallet, on);
      for (const [what, change] of authorizationsFor(seller.price)) {
        const old = await resign(honest, wallet, on, { authorization: change() });
        await test.step(what, async () => expectClosed(await post(seller.url, paymentHeader(old)), form));
      }
      // An authorization that would pay for the call opens the stored response, and is not submitted.
      await expectOpen(await post(seller.url, paymentHeader(honest)), form);
      expect(await balanceOf(wallet, 'base')).toBe(startAtomic - seller.price);
      if (seller.networks.includes('polygon')) expect(await balanceOf(wallet, 'polygon')).toBe(startAtomic);
    });
  }

  test('a second authorization with the paid nonce, for another payee or amount, gets nothing', async () => {
    const wallet = await newEvmPayer();
    const paid = await envelopeFor(seller.url, wallet, 'base');
    const form = await bought(seller.url, paymentHeader(paid));
    for (const change of [
      { to: somebody },
      { value: String(seller.price - 1n) },
      { to: somebody, validBefore: seconds(-60) },
    ]) {
      const twin = await resign(paid, wallet, 'base', { authorization: change });
      await expectClosed(await post(seller.url, paymentHeader(twin)), form);
    }
    await expectOpen(await post(seller.url, paymentHeader(paid)), form);
  });

  test('an authorization for terms that we did not offer gets nothing', async () => {
    const wallet = await newEvmPayer();
    const form = await bought(seller.url, paymentHeader(await envelopeFor(seller.url, wallet, 'base')));
    const honest = await envelopeFor(seller.url, wallet, 'base');
    for (const accepted of [
      { payTo: somebody },
      { amount: String(seller.price - 1n) },
      { asset: somebody },
    ]) {
      await expectClosed(await post(seller.url, paymentHeader(withAccepted(honest, accepted))), form);
    }
  });

  test('a payment that bought another call gets only the response of that call, even with the same body', async () => {
    const wallet = await newEvmPayer();
    const other = await envelopeFor(seller.url, wallet, 'base');
    const form = await bought(seller.url, paymentHeader(await envelopeFor(seller.url, wallet, 'base')));
    const headers = { ...paymentHeader(other), 'Idempotency-Key': 'another-key' };
    expect((await fetch(seller.url, { method: 'POST', headers, body })).status).toBe(200);
    const answer = await post(seller.url, paymentHeader(other));
    expect(answer.status).toBe(409);
    const text = await answer.text();
    for (const secret of form.secrets) expect(text).not.toContain(secret);
  });

  test('no transaction that would not pay for it gets the response of a call paid on Solana', async () => {
    test.skip(!seller.networks.includes('solana-mainnet'), 'the examples take payments on Base alone');
    const payer = await newSolanaKeys();
    const challenge = await challengeOf(seller.url);
    const form = await bought(seller.url, paymentHeader(await handMade(challenge, payer)));
    for (const [what, change] of transactions) {
      const old: PaymentPayload = await handMade(challenge, payer, (parts) => change(parts, payer.keypair));
      await test.step(what, async () => expectClosed(await post(seller.url, paymentHeader(old)), form));
    }
    await expectOpen(await post(seller.url, paymentHeader(await handMade(challenge, payer))), form);
    expect(await balanceOf(payer.signer, 'solana-mainnet')).toBe(startAtomic - seller.price);
  });

  test('no credential that would not pay for it gets the response of a call paid over MPP', async () => {
    const wallet = await newEvmPayer();
    const form = await bought(seller.mppUrl, {
      Authorization: await credentialFor(wallet, seller.mppUrl, body),
    });
    const honest = await credentialFor(wallet, seller.mppUrl, body);
    for (const [what, change] of authorizationsFor(seller.price)) {
      const old = await resignMpp(honest, wallet, change());
      await test.step(what, async () =>
        expectClosed(await post(seller.mppUrl, { Authorization: old }), form),
      );
    }
    // The examples sell one call.
    if (seller === theForms) {
      const forAnother = await credentialFor(wallet, `${stack().apiUrl}/v1/mpp/neural/search`);
      await expectClosed(await post(seller.mppUrl, { Authorization: forAnother }), form);
    }
    const forAnotherBody = await credentialFor(wallet, seller.mppUrl, '{}');
    await expectClosed(await post(seller.mppUrl, { Authorization: forAnotherBody }), form);
    await expectOpen(await post(seller.mppUrl, { Authorization: honest }), form);
    expect(await balanceOf(wallet, 'base')).toBe(startAtomic - seller.price);
  });

  test('an x402 authorization for another payee does not get the response of an MPP call, nor the other way around', async () => {
    const wallet = await newEvmPayer();
    const form = await bought(seller.mppUrl, {
      Authorization: await credentialFor(wallet, seller.mppUrl, body),
    });
    const envelope = await envelopeFor(seller.url, wallet, 'base');
    const forSomebody = await resign(envelope, wallet, 'base', { authorization: { to: somebody } });
    await expectClosed(await post(seller.url, paymentHeader(forSomebody)), form);
    expect(authorizationOf(envelope).from).toBe(wallet.address);
    await expectOpen(await post(seller.url, paymentHeader(envelope)), form);
  });
}, theForms);
