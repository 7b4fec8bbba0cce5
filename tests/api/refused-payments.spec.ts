import { expect, test } from '@playwright/test';
import type { PaymentPayload } from '@x402/core/types';
import { authorizationTypes } from '@x402/evm';
import type { PrivateKeyAccount } from 'viem/accounts';
import { balanceOf } from '../support/balances';
import { envelopeFor, paymentHeader } from '../support/buyer';
import { callsOf } from '../support/database';
import { aFile } from '../support/files';
import { newEvmPayer } from '../support/payers';
import { network } from '../support/stack';
import { uploadsUrl } from '../support/uploads';

interface Authorization {
  from: string;
  to: string;
  value: string;
  validAfter: string;
  validBefore: string;
  nonce: string;
}

const nowSeconds = () => Math.floor(Date.now() / 1000);
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

function post(envelope: unknown): Promise<Response> {
  const headers = paymentHeader(envelope as PaymentPayload);
  return fetch(uploadsUrl(), { method: 'POST', headers, body: aFile().body });
}

function authorizationOf(envelope: PaymentPayload): Authorization {
  return envelope.payload.authorization as Authorization;
}

/** Signs an authorization anew after a change, with any domain. */
async function signed(
  wallet: PrivateKeyAccount,
  envelope: PaymentPayload,
  change: Partial<Authorization>,
  domainChange: object = {},
): Promise<PaymentPayload> {
  const authorization = { ...authorizationOf(envelope), ...change };
  const signature = await wallet.signTypedData({
    domain: {
      name: 'USD Coin',
      version: '2',
      chainId: 8453,
      verifyingContract: network('base').usdc as `0x${string}`,
      ...domainChange,
    },
    types: { TransferWithAuthorization: [...authorizationTypes.TransferWithAuthorization] },
    primaryType: 'TransferWithAuthorization',
    message: {
      from: authorization.from as `0x${string}`,
      to: authorization.to as `0x${string}`,
      value: BigInt(authorization.value),
      validAfter: BigInt(authorization.validAfter),
      validBefore: BigInt(authorization.validBefore),
      nonce: authorization.nonce as `0x${string}`,
    },
  });
  return { ...envelope, payload: { authorization, signature } };
}

const accepting = (envelope: PaymentPayload, change: object): unknown => ({
  ...envelope,
  accepted: { ...envelope.accepted, ...change },
});
const paying = (envelope: PaymentPayload, change: object): unknown => ({
  ...envelope,
  payload: { ...envelope.payload, ...change },
});
const authorizing = (envelope: PaymentPayload, change: Partial<Authorization>): unknown =>
  paying(envelope, { authorization: { ...authorizationOf(envelope), ...change } });

type Tamper = (envelope: PaymentPayload, wallet: PrivateKeyAccount) => unknown;

const stranger = '0x000000000000000000000000000000000000dEaD';
const valueMismatch = 'invalid_exact_evm_payload_authorization_value_mismatch';
const validBefore = 'invalid_exact_evm_payload_authorization_valid_before';
const badSignature = 'invalid_exact_evm_signature';

const cases: readonly [string, Tamper, string][] = [
  ['version 1', (e) => ({ ...e, x402Version: 1 }), 'invalid_payload'],
  ['a network we do not offer', (e) => accepting(e, { network: 'eip155:1' }), 'invalid_network'],
  ['another network of ours', (e) => accepting(e, { network: 'eip155:137' }), badSignature],
  ['another scheme', (e) => accepting(e, { scheme: 'upto' }), 'unsupported_scheme'],
  ['another asset accepted', (e) => accepting(e, { asset: stranger }), 'invalid_payment_requirements'],
  ['another payee accepted', (e) => accepting(e, { payTo: stranger }), 'invalid_payment_requirements'],
  ['a lower price accepted', (e) => accepting(e, { amount: '1' }), 'invalid_payment_requirements'],
  ['a price of 5e3', (e) => accepting(e, { amount: '5e3' }), 'invalid_payment_requirements'],
  ['a hexadecimal price', (e) => accepting(e, { amount: '0x1388' }), 'invalid_payment_requirements'],
  [
    'a lied-about domain',
    (e) => accepting(e, { extra: { name: 'USDC', version: '2' } }),
    'invalid_payment_requirements',
  ],
  ['less than the price signed', (e, w) => signed(w, e, { value: '4999' }), valueMismatch],
  ['more than the price signed', (e, w) => signed(w, e, { value: '5001' }), valueMismatch],
  ['another payee signed', (e, w) => signed(w, e, { to: stranger }), 'invalid_exact_evm_recipient_mismatch'],
  ['a signature for another domain', (e, w) => signed(w, e, {}, { name: 'USDC' }), badSignature],
  ['a signature for another chain', (e, w) => signed(w, e, {}, { chainId: 137 }), badSignature],
  [
    'a signature for another token',
    (e, w) => signed(w, e, {}, { verifyingContract: stranger }),
    badSignature,
  ],
  ['an expired authorization', (e, w) => signed(w, e, { validBefore: `${nowSeconds() - 1}` }), validBefore],
  [
    'an authorization about to expire',
    (e, w) => signed(w, e, { validBefore: `${nowSeconds() + 10}` }),
    validBefore,
  ],
  ['an authorization for a century', (e, w) => signed(w, e, { validBefore: '4102444800' }), validBefore],
  [
    'an authorization that is not valid yet',
    (e, w) => signed(w, e, { validAfter: `${nowSeconds() + 200}` }),
    'invalid_exact_evm_payload_authorization_valid_after',
  ],
  ['an amount raised after signing', (e) => authorizing(e, { value: '4000' }), badSignature],
  ['a payer that did not sign', (e) => authorizing(e, { from: stranger }), badSignature],
  ['a leading zero', (e) => authorizing(e, { value: '05000' }), 'invalid_payload'],
  ['full-width digits', (e) => authorizing(e, { value: '５０００' }), 'invalid_payload'],
  ['a value beyond 256 bits', (e) => authorizing(e, { value: '9'.repeat(79) }), 'invalid_payload'],
  ['a short nonce', (e) => authorizing(e, { nonce: '0x12' }), 'invalid_payload'],
  ['no signature', (e) => paying(e, { signature: undefined }), 'invalid_payload'],
  ['a signature of zeros', (e) => paying(e, { signature: `0x${'00'.repeat(65)}` }), badSignature],
  ['a compact signature', (e) => paying(e, { signature: `0x${'11'.repeat(64)}` }), 'invalid_payload'],
  [
    'the high-s twin of the signature',
    (e) => paying(e, { signature: twin(e.payload.signature as string) }),
    badSignature,
  ],
  [
    'a Permit2 payload',
    (e) => ({ ...e, payload: { permit2Authorization: {}, signature: '0x' } }),
    'invalid_payload',
  ],
];

/** The other signature that plain ECDSA would accept for the same message. */
function twin(signature: string): string {
  const s = order - BigInt(`0x${signature.slice(66, 130)}`);
  const v = signature.endsWith('1b') ? '1c' : '1b';
  return signature.slice(0, 66) + s.toString(16).padStart(64, '0') + v;
}

for (const [words, tamper, reason] of cases) {
  test(`${words} is refused with a reason, uncharged, and the honest payment still works`, async () => {
    const wallet = await newEvmPayer();
    const envelope = await envelopeFor(uploadsUrl(), wallet, 'base');
    const refused = await post(await tamper(envelope, wallet));
    expect(refused.status).toBe(402);
    expect((await refused.json()).error).toBe(reason);
    expect(refused.headers.get('payment-required')).not.toBeNull();
    expect(await balanceOf(wallet, 'base')).toBe(10_000_000n);
    expect(await callsOf(wallet.address)).toBe(0);
    expect((await post(envelope)).status).toBe(200);
  });
}

test('too little money is refused with that reason, and the same payment works once the money is there', async () => {
  const wallet = await newEvmPayer(4_999n);
  const envelope = await envelopeFor(uploadsUrl(), wallet, 'arbitrum');
  const refused = await post(envelope);
  expect(refused.status).toBe(402);
  expect((await refused.json()).error).toBe('invalid_exact_evm_insufficient_balance');
  expect(await callsOf(wallet.address)).toBe(0);
  expect(await balanceOf(wallet, 'arbitrum')).toBe(4_999n);
});

test('v written as 0 or 1 is the same payment, not a second one', async () => {
  const wallet = await newEvmPayer();
  const envelope = await envelopeFor(uploadsUrl(), wallet, 'base');
  const signature = envelope.payload.signature as string;
  const variant = paying(envelope, {
    signature: signature.slice(0, -2) + (signature.endsWith('1b') ? '00' : '01'),
    authorization: { ...authorizationOf(envelope), from: wallet.address.toLowerCase() },
  });
  const body = aFile().body;
  const send = (one: unknown) =>
    fetch(uploadsUrl(), { method: 'POST', headers: paymentHeader(one as PaymentPayload), body });
  const [first, again] = [await send(envelope), await send(variant)];
  expect([first.status, again.status]).toEqual([200, 200]);
  expect(await again.text()).toBe(await first.text());
  expect(await balanceOf(wallet, 'base')).toBe(10_000_000n - 5_000n);
});

test('one nonce of two wallets is two payments', async () => {
  const [one, other] = await Promise.all([newEvmPayer(), newEvmPayer()]);
  const first = await envelopeFor(uploadsUrl(), one, 'base');
  const second = await envelopeFor(uploadsUrl(), other, 'base');
  const same = await signed(other, second, { nonce: authorizationOf(first).nonce });
  expect((await post(first)).status).toBe(200);
  expect((await post(same)).status).toBe(200);
});
