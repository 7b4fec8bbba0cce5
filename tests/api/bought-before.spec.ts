import {
  createSIWxClientExtension,
  type SIWxSigner,
  wrapFetchWithSIWx,
} from '@x402/extensions/sign-in-with-x';
import { wrapFetchWithPayment } from '@x402/fetch';
import { balanceOf } from '../support/balances';
import { challengeOf, officialClient, payingFetch, type Wallet } from '../support/buyer';
import { deployAt, ownedBy } from '../support/contract-wallets';
import { startAtomic } from '../support/expectations';
import { aFile } from '../support/files';
import { everyType, formsUrl } from '../support/forms';
import { mppClient } from '../support/mpp-buyer';
import { newEvmPayer, newSolanaPayer } from '../support/payers';
import { network, stack, type TestNetwork } from '../support/stack';
import { fullOnly, networkSample } from '../support/tiers';
import { uploadsUrl } from '../support/uploads';
import { askedIn, messageFor, signedHeader, signerFor, signMessage } from '../support/wallet-sign-in';
import { expect, test } from '../support/without-browser';

/** A wallet that has paid for a request signs in (x402's sign-in-with-x) and gets the response again. */

/** The official client, which signs in when a 402 offers it, and pays when that does not help. */
function signingBuyer(wallet: Wallet, on: TestNetwork['name']): typeof fetch {
  const signers = [wallet as unknown as SIWxSigner];
  const client = officialClient(wallet, on).registerExtension(createSIWxClientExtension({ signers }));
  return wrapFetchWithPayment(fetch, client) as typeof fetch;
}

const post = (url: string, body: string, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', body, headers });

/** Sends a request with a message that the wallet has signed for it, on a chain. */
async function signedIn(url: string, body: string, wallet: Wallet, chainId?: string, key?: string) {
  const asked = askedIn(await post(url, body));
  const header = signedHeader(await signMessage(messageFor(asked, wallet, chainId), wallet));
  return post(url, body, { ...header, ...(key === undefined ? {} : { 'Idempotency-Key': key }) });
}

/** Expects a 402 that asks for a payment, and says why the sign-in did not help. */
async function expectToPay(answer: Response, why: RegExp): Promise<void> {
  const { accepts, message } = await answer.json();
  expect([answer.status, accepts.length > 0]).toEqual([402, true]);
  expect(message).toMatch(why);
}

const notPaid = /^This wallet has not paid for this request/;

for (const [name, newWallet, on] of [
  ['an EVM wallet', newEvmPayer, 'base'],
  ['a Solana wallet', newSolanaPayer, 'solana-mainnet'],
] as const) {
  test(
    `${name} that signs in with the official client gets what it has paid for, and pays once`,
    networkSample(on),
    async () => {
      const wallet = await newWallet();
      const file = aFile();
      const first = await signingBuyer(wallet, on)(uploadsUrl(), { method: 'POST', body: file.body });
      expect(first.status, 'not bought before, so it is paid for').toBe(200);
      const again = await signingBuyer(wallet, on)(uploadsUrl(), { method: 'POST', body: file.body });
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
      for (const header of ['paid-call-id', 'payment-response'])
        expect(again.headers.get(header)).toBe(first.headers.get(header));
      expect(await again.json()).toEqual(await first.json());
      expect(await balanceOf(wallet, on)).toBe(startAtomic - 5_000n);
    },
  );
}

test(
  "the official client's other way to sign in works too, and for calls paid over MPP",
  fullOnly,
  async () => {
    const wallet = await newEvmPayer();
    const body = aFile().body;
    const paid = await mppClient(wallet, 'polygon').fetch(`${stack().apiUrl}/v1/mpp/uploads`, {
      method: 'POST',
      body,
    });
    const again = await wrapFetchWithSIWx(fetch, wallet)(uploadsUrl(), { method: 'POST', body });
    expect([again.status, await again.json()]).toEqual([200, await paid.json()]);
  },
);

test('a read token is repeated only with the key of its call', async () => {
  const wallet = await newEvmPayer();
  const body = JSON.stringify(everyType);
  const headers = { 'Idempotency-Key': 'key-of-the-form' };
  const bought = await payingFetch(wallet, 'base')(formsUrl(), { method: 'POST', body, headers });
  const { readToken, ...form } = await bought.json();
  expect(await (await signedIn(formsUrl(), body, wallet)).json()).toEqual(form);
  const withKey = await signedIn(formsUrl(), body, wallet, undefined, headers['Idempotency-Key']);
  expect(await withKey.json()).toEqual({ ...form, readToken });
  await expectToPay(await signedIn(formsUrl(), body, wallet, undefined, 'another-key'), notPaid);
});

test('another wallet, another request, or a message that is used or for another URL gets a 402', async () => {
  const [wallet, other] = await Promise.all([newEvmPayer(), newEvmPayer()]);
  const body = JSON.stringify(everyType);
  const bought = await payingFetch(wallet, 'base')(formsUrl(), { method: 'POST', body });
  expect(bought.status).toBe(200);
  await expectToPay(await signedIn(formsUrl(), body, other), notPaid);
  await expectToPay(await signedIn(formsUrl(), body.replace('Summer', 'Winter'), wallet), notPaid);
  await expectToPay(await signedIn(uploadsUrl(), aFile().body, wallet), notPaid);

  const signed = await signMessage(messageFor(askedIn(await post(formsUrl(), body)), wallet), wallet);
  await expectToPay(
    await post(uploadsUrl(), aFile().body, signedHeader(signed)),
    /^The message is for another URL/,
  );
  const posing = signedHeader({ ...signed, address: other.address });
  await expectToPay(await post(formsUrl(), body, posing), /^The signature of the message is not/);
  await expectToPay(
    await post(formsUrl(), body, { 'SIGN-IN-WITH-X': 'x' }),
    /^SIGN-IN-WITH-X must be base64/,
  );
  const twice = [1, 2].map(() => post(formsUrl(), body, signedHeader(signed)));
  const statuses = (await Promise.all(twice)).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([200, 402]);
  await expectToPay(await post(formsUrl(), body, signedHeader(signed)), /^The message has been used/);
});

test('deposits and renewals, which add up, are always paid for and offer no sign-in', async () => {
  for (const path of ['billing/deposits', 'uploads/up_000000000000000000000000/renew']) {
    const { extensions = {} } = await challengeOf(`${stack().apiUrl}/v1/${path}`);
    expect(Object.keys(extensions), path).not.toContain('sign-in-with-x');
  }
});

test('a contract wallet gets what was paid for on its own network', fullOnly, async () => {
  const owner = await newEvmPayer();
  const body = aFile().body;
  // The same address belongs to a key on base, where it has paid, and to somebody's contract on polygon.
  const bought = await payingFetch(owner, 'base')(uploadsUrl(), { method: 'POST', body });
  expect(bought.status).toBe(200);
  const stranger = await newEvmPayer();
  const contract = signerFor(await deployAt('polygon', ownedBy(stranger), owner.address), stranger);
  await expectToPay(await signedIn(uploadsUrl(), body, contract, network('polygon').caip2), notPaid);
  expect((await signedIn(uploadsUrl(), body, owner)).status).toBe(200);
});
