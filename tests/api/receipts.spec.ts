import { createHash } from 'node:crypto';
import { decodePaymentRequiredHeader } from '@x402/core/http';
import {
  decodeSignedOffers,
  extractOffersFromPaymentRequired,
  extractReceiptFromResponse,
  findAcceptsObjectFromSignedOffer,
  type JWSSignedReceipt,
  verifyOfferSignatureJWS,
  verifyReceiptMatchesOffer,
  verifyReceiptSignatureJWS,
} from '@x402/extensions/offer-receipt';
import { importJWK, jwtVerify } from 'jose';
import { Receipt } from 'mppx';
import { operations } from '@/lib/catalog';
import { accountWith, buySlotFrom } from '../support/accounts';
import { envelopeFor, payingFetch, paymentHeader } from '../support/buyer';
import { sql } from '../support/database';
import { expectError } from '../support/expectations';
import { aFile } from '../support/files';
import { mppClient } from '../support/mpp-buyer';
import { newEvmPayer, newSolanaPayer } from '../support/payers';
import { network, stack } from '../support/stack';
import { buyFile, uploadsUrl } from '../support/uploads';
import { expect, test } from '../support/without-browser';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const url = (path: string) => `${stack().apiUrl}${path}`;
const receiptOf = async (id: string) => (await fetch(url(`/v1/paid-calls/${id}/receipt`))).json();

/** The receipt that the official client finds in a response. */
function receiptIn(answer: Response): JWSSignedReceipt {
  const receipt = extractReceiptFromResponse(answer);
  if (receipt?.format !== 'jws') throw new Error('no signed receipt');
  return receipt;
}

for (const on of ['base', 'solana-mainnet'] as const) {
  test(`the official verifier finds the key of a receipt on ${on}, and what it states`, async () => {
    const wallet = on === 'base' ? await newEvmPayer() : await newSolanaPayer();
    const { body } = aFile();
    const answer = await payingFetch(wallet, on)(uploadsUrl(), { method: 'POST', body });
    const paidCallId = answer.headers.get('paid-call-id') ?? '';
    const { transaction } = await (await fetch(url(`/v1/paid-calls/${paidCallId}`))).json();
    const stated = await verifyReceiptSignatureJWS(receiptIn(answer));
    expect(stated).toEqual({
      version: 1,
      network: network(on).caip2,
      resourceUrl: uploadsUrl(),
      payer: wallet.address,
      issuedAt: expect.any(Number),
      transaction,
      operation: 'uploads.create',
      paidCallId,
      amount: '5000',
      asset: expect.any(String),
      payTo: expect.any(String),
      requestDigest: sha256(`POST /v1/uploads\n${body}`),
      answerStatus: 200,
      answerDigest: sha256(await answer.text()),
    });
    expect(Math.abs(stated.issuedAt - Date.now() / 1000)).toBeLessThan(120);
  });
}

test('a replay has the same receipt, and the call gives it again', async () => {
  const envelope = await envelopeFor(uploadsUrl(), await newEvmPayer(), 'base');
  const { body } = aFile();
  const send = () => fetch(uploadsUrl(), { method: 'POST', headers: paymentHeader(envelope), body });
  const [first, again] = [await send(), await send()];
  expect(receiptIn(again)).toEqual(receiptIn(first));
  const paidCallId = first.headers.get('paid-call-id') ?? '';
  expect(await receiptOf(paidCallId)).toEqual({
    paidCallId,
    receipt: receiptIn(first).signature,
    keys: url('/.well-known/did.json'),
  });
});

test('a call that does not exist has no receipt, and neither has a refused payment', async () => {
  await expectError(
    await fetch(url('/v1/paid-calls/pc_000000000000000000000000/receipt')),
    'paid_call_not_found',
  );
  const poor = await newEvmPayer(0n);
  const envelope = await envelopeFor(uploadsUrl(), poor, 'base');
  const refused = await fetch(uploadsUrl(), {
    method: 'POST',
    headers: paymentHeader(envelope),
    body: aFile().body,
  });
  expect(refused.status).toBe(402);
  expect(extractReceiptFromResponse(refused)).toBeUndefined();
});

test('the receipt of a call is erased with its answer', async () => {
  const answer = await payingFetch(await newEvmPayer(), 'base')(uploadsUrl(), {
    method: 'POST',
    body: aFile().body,
  });
  const id = answer.headers.get('paid-call-id') ?? '';
  await sql('UPDATE paid_call SET answer = NULL, payment = NULL WHERE id = $1', [id]);
  await expectError(await fetch(url(`/v1/paid-calls/${id}/receipt`)), 'receipt_not_found');
});

test('a receipt of which any part was changed does not verify', async () => {
  const answer = await payingFetch(await newEvmPayer(), 'base')(uploadsUrl(), {
    method: 'POST',
    body: aFile().body,
  });
  const { signature } = receiptIn(answer);
  const [head = '', payload = '', signed = ''] = signature.split('.');
  const stated = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const forged = Buffer.from(JSON.stringify({ ...stated, amount: '1' })).toString('base64url');
  const flipped = (signed.startsWith('A') ? 'B' : 'A') + signed.slice(1);
  for (const changed of [`${head}.${forged}.${signed}`, `${head}.${payload}.${flipped}`]) {
    await expect(verifyReceiptSignatureJWS({ format: 'jws', signature: changed })).rejects.toThrow();
  }
});

test('the keys are published as a JSON Web Key Set as well, which any JOSE library can use', async () => {
  const answer = await payingFetch(await newEvmPayer(), 'base')(uploadsUrl(), {
    method: 'POST',
    body: aFile().body,
  });
  const published = await fetch(url('/.well-known/jwks.json'));
  expect(published.headers.get('content-type')).toBe('application/jwk-set+json');
  const { keys } = await published.json();
  const key = await importJWK(keys[0], 'EdDSA');
  const { payload } = await jwtVerify(receiptIn(answer).signature, key);
  expect(payload).toMatchObject({ operation: 'uploads.create', answerStatus: 200 });
});

test('over MPP the receipt is a member of Payment-Receipt', async () => {
  const payer = await newEvmPayer();
  const { body } = aFile();
  const answer = await mppClient(payer, 'polygon').fetch(url('/v1/mpp/uploads'), { method: 'POST', body });
  const { signedReceipt } = Receipt.fromResponse(answer) as { signedReceipt?: string };
  const stated = await verifyReceiptSignatureJWS({ format: 'jws', signature: signedReceipt ?? '' });
  expect(stated).toMatchObject({
    network: network('polygon').caip2,
    resourceUrl: url('/v1/mpp/uploads'),
    payer: payer.address,
    requestDigest: sha256(`POST /v1/mpp/uploads\n${body}`),
    answerDigest: sha256(await answer.text()),
  });
});

test('from a prepaid account the receipt has a header of its own', async () => {
  const account = await accountWith('1');
  const answer = await buySlotFrom(account);
  const signature = answer.headers.get('paid-call-receipt') ?? '';
  expect(await verifyReceiptSignatureJWS({ format: 'jws', signature })).toMatchObject({
    network: 'account',
    payer: account.accountId,
    transaction: '',
    answerDigest: sha256(await answer.text()),
  });
});

test('the receipt of a call with a path parameter names the path that was paid for', async () => {
  const wallet = await newEvmPayer();
  const { id } = await buyFile(wallet, 'base');
  const answer = await payingFetch(wallet, 'base')(`${uploadsUrl()}/${id}/renew`, { method: 'POST' });
  expect(await verifyReceiptSignatureJWS(receiptIn(answer))).toMatchObject({
    resourceUrl: `${uploadsUrl()}/${id}/renew`,
    requestDigest: sha256(`POST /v1/uploads/${id}/renew\n`),
  });
});

test('a 402 has a signed offer when it is asked for, and the receipt of its payment matches it', async () => {
  const wallet = await newEvmPayer();
  const { caip2 } = network('arbitrum');
  const asked = `${uploadsUrl()}?offer=arbitrum`;
  const challenge = decodePaymentRequiredHeader(
    (await fetch(asked, { method: 'POST' })).headers.get('payment-required') ?? '',
  );
  const [signed] = extractOffersFromPaymentRequired(challenge);
  if (signed?.format !== 'jws') throw new Error('no signed offer');
  const promised = await verifyOfferSignatureJWS(signed);
  expect(promised).toMatchObject({
    version: 1,
    resourceUrl: uploadsUrl(),
    scheme: 'exact',
    network: caip2,
    amount: '5000',
  });
  expect(Math.abs(promised.validUntil - 300 - Date.now() / 1000)).toBeLessThan(120);
  expect(findAcceptsObjectFromSignedOffer(signed, challenge.accepts)).toMatchObject({ network: caip2 });

  const answer = await payingFetch(wallet, 'arbitrum')(asked, { method: 'POST', body: aFile().body });
  expect(answer.status).toBe(200);
  const [offer] = decodeSignedOffers([signed]);
  if (!offer) throw new Error('the offer was not decoded');
  expect(verifyReceiptMatchesOffer(receiptIn(answer), offer, [wallet.address])).toBe(true);
});

test('every 402 with a signed offer fits into a header of 8 KiB', async () => {
  for (const { method, paths, example } of operations) {
    const path = Object.entries(example.params).reduce(
      (filled, [name, value]) => filled.replace(`{${name}}`, String(value)),
      paths.x402,
    );
    for (const { name } of stack().networks) {
      const answer = await fetch(url(`${path}?offer=${name}`), { method });
      expect(answer.status, path).toBe(402);
      const header = answer.headers.get('payment-required') ?? '';
      expect(extractOffersFromPaymentRequired(decodePaymentRequiredHeader(header))).toHaveLength(1);
      expect(header.length, path).toBeLessThan(8 * 1024);
    }
  }
});

test('an offer on a network that is not offered is refused by name', async () => {
  const answer = await fetch(`${uploadsUrl()}?offer=bitcoin`, { method: 'POST' });
  const { issues } = await expectError(answer, 'invalid_input');
  expect(issues).toEqual([
    { path: 'offer', rule: 'must be a network that is offered now: base, polygon, arbitrum, solana-mainnet' },
  ]);
});
