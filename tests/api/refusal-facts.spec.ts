import { randomUUID } from 'node:crypto';
import { decodePaymentRequiredHeader } from '@x402/core/http';
import { Credential } from 'mppx';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { openAccount } from '../support/accounts';
import { envelopeFor, payingFetch, paymentHeader } from '../support/buyer';
import { expectChallenge, expectError, expectUntouched } from '../support/expectations';
import { aFile } from '../support/files';
import { withAccepted } from '../support/lies';
import { mppClient } from '../support/mpp-buyer';
import { newEvmPayer, newSolanaPayer } from '../support/payers';
import { stack } from '../support/stack';
import { uploadsUrl } from '../support/uploads';
import { expect, test } from '../support/without-browser';

/** What a payer learns about a payment that is refused, or that was sent to the wrong path. */

const mppUrl = () => `${stack().apiUrl}/v1/mpp/uploads`;
const json = { 'Content-Type': 'application/json' };

test('a wallet without money is told over x402 which wallet to fund, on which network and for how much', async () => {
  const wallet = privateKeyToAccount(generatePrivateKey());
  const envelope = await envelopeFor(uploadsUrl(), wallet, 'polygon');
  const init = { method: 'POST', headers: paymentHeader(envelope), body: aFile().body };
  const answer = await fetch(uploadsUrl(), init);
  expect(await answer.clone().json()).toMatchObject({ payment: 'none', retry: 'stop' });
  const facts = await expectChallenge(answer, 'invalid_exact_evm_insufficient_balance');
  expect(facts).toMatchObject({ payer: wallet.address, network: 'eip155:137', price: '0.005' });
  expect(facts.message).toBe(
    `The wallet ${wallet.address} holds less than 0.005 USDC on Polygon. Send USDC to it on this network, then send the same request again. Nothing was charged.`,
  );
  // The page that the response links to explains the reason.
  const page = await (await fetch(facts.docs)).text();
  expect(page).toContain(`id="${new URL(facts.docs).hash.slice(1)}"`);
  // The official client still understands it.
  const official = await payingFetch(wallet, 'polygon')(uploadsUrl(), { method: 'POST', body: aFile().body });
  expect([official.status, (await official.json()).error]).toEqual([
    402,
    'invalid_exact_evm_insufficient_balance',
  ]);
});

test('a Solana wallet without money is told to fund it', async () => {
  const wallet = await newSolanaPayer(100n);
  const envelope = await envelopeFor(uploadsUrl(), wallet, 'solana-mainnet');
  const answer = await fetch(uploadsUrl(), {
    method: 'POST',
    headers: paymentHeader(envelope),
    body: aFile().body,
  });
  expect(await answer.clone().json()).toMatchObject({ retry: 'stop' });
  const facts = await expectChallenge(
    answer,
    'invalid_exact_svm_transaction_simulation_failed_insufficient_balance',
  );
  expect(facts.message).toContain(`The wallet ${wallet.address} holds less than 0.005 USDC on Solana.`);
});

test('a wallet without money gets the same facts over MPP', async () => {
  const wallet = privateKeyToAccount(generatePrivateKey());
  const answer = await mppClient(wallet, 'base').fetch(mppUrl(), {
    method: 'POST',
    headers: json,
    body: aFile().body,
  });
  expect(answer.status).toBe(402);
  expect(await answer.json()).toMatchObject({
    reason: 'invalid_exact_evm_insufficient_balance',
    detail: expect.stringContaining(wallet.address),
    payment: 'none',
    retry: 'stop',
    docs: `${stack().apiUrl}/docs/errors#invalid_exact_evm_insufficient_balance`,
    payer: wallet.address,
    network: 'eip155:8453',
    price: '0.005',
  });
});

test('a client that writes addresses in lower case is served', async () => {
  const wallet = await newEvmPayer();
  const honest = await envelopeFor(uploadsUrl(), wallet, 'base');
  const { asset, payTo } = honest.accepted;
  const envelope = withAccepted(honest, { asset: asset.toLowerCase(), payTo: payTo.toLowerCase() });
  const answer = await fetch(uploadsUrl(), {
    method: 'POST',
    headers: paymentHeader(envelope),
    body: aFile().body,
  });
  expect(answer.status).toBe(200);
});

test('an invalid body is told before a payment that cannot be used, on both rails', async () => {
  const wallet = await newEvmPayer();
  const { body } = aFile();
  const unpaid = await fetch(`${mppUrl()}?network=base`, { method: 'POST', headers: json, body: '{}' });
  const signed = await mppClient(wallet, 'base').createCredential(unpaid);
  const credential = Credential.deserialize<Record<string, unknown>>(signed);
  const signature = `0x${'11'.repeat(64)}1b`;
  const broken = { ...credential, payload: { ...credential.payload, signature } };
  const headers = { ...json, Authorization: Credential.serialize(broken as typeof credential) };
  await expectError(await fetch(mppUrl(), { method: 'POST', headers, body: '{}' }), 'invalid_input');
  const valid = await fetch(mppUrl(), { method: 'POST', headers, body });
  expect([valid.status, (await valid.json()).reason]).toEqual([402, 'invalid_exact_evm_signature']);
  const honest = await envelopeFor(uploadsUrl(), wallet, 'base');
  const elsewhere = paymentHeader(withAccepted(honest, { network: 'eip155:1' }));
  await expectError(
    await fetch(uploadsUrl(), { method: 'POST', headers: elsewhere, body: '{}' }),
    'invalid_input',
  );
  await expectUntouched(wallet, 'base');
});

test('a token or a payment at the path of another rail is told where it belongs', async () => {
  const { body } = aFile();
  const { token } = await openAccount();
  const bearer = { Authorization: `Bearer ${token}` };
  const x402 = await fetch(uploadsUrl(), { method: 'POST', headers: bearer, body });
  const { message, accepts } = await x402.json();
  expect([x402.status, accepts.length > 0]).toEqual([402, true]);
  expect(message).toContain('Authorization: Bearer is for /v1/account/uploads');
  expect(decodePaymentRequiredHeader(x402.headers.get('payment-required') ?? '')).toMatchObject({
    x402Version: 2,
  });
  const wallet = await newEvmPayer();
  const payment = paymentHeader(await envelopeFor(uploadsUrl(), wallet, 'base'));
  const mpp = await fetch(mppUrl(), { method: 'POST', headers: payment, body });
  expect([mpp.status, (await mpp.json()).detail]).toEqual([
    402,
    expect.stringContaining('PAYMENT-SIGNATURE is for /v1/uploads'),
  ]);
  const account = await fetch(`${stack().apiUrl}/v1/account/uploads`, {
    method: 'POST',
    headers: { ...payment, 'Idempotency-Key': randomUUID() },
    body,
  });
  const { issues } = await expectError(account, 'account_token_required');
  expect(issues).toEqual([{ path: 'PAYMENT-SIGNATURE', rule: 'is for /v1/uploads' }]);
  await expectUntouched(wallet, 'base');
});
