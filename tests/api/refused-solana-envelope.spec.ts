import { Keypair } from '@solana/web3.js';
import type { PaymentPayload } from '@x402/core/types';
import { rpcCall } from '@/local/json-rpc';
import { balanceOf } from '../support/balances';
import { envelopeFor, paymentHeader } from '../support/buyer';
import { expectChallenge, expectUntouched, startAtomic } from '../support/expectations';
import { aFile } from '../support/files';
import { withAccepted } from '../support/lies';
import { newSolanaPayer } from '../support/payers';
import { altered } from '../support/solana-envelopes';
import { network } from '../support/stack';
import { uploadsUrl } from '../support/uploads';
import { expect, test } from '../support/without-browser';

const on = 'solana-mainnet';
const stranger = Keypair.generate();

function post(envelope: PaymentPayload, body: string): Promise<Response> {
  return fetch(uploadsUrl(), { method: 'POST', headers: paymentHeader(envelope), body });
}

/** Envelopes around an honest transaction, or around part of one. */
const envelopes: readonly (readonly [string, RegExp, (honest: PaymentPayload) => PaymentPayload])[] = [
  [
    'accepts another fee payer',
    /^invalid_payment_requirements$/,
    (honest) =>
      withAccepted(honest, {
        extra: { ...honest.accepted.extra, feePayer: stranger.publicKey.toBase58() },
      }),
  ],
  [
    'accepts another payee',
    /^invalid_payment_requirements$/,
    (honest) => withAccepted(honest, { payTo: stranger.publicKey.toBase58() }),
  ],
  [
    'accepts another price',
    /^invalid_payment_requirements$/,
    (honest) => withAccepted(honest, { amount: '4999' }),
  ],
  [
    'accepts another token',
    /^invalid_payment_requirements$/,
    (honest) => withAccepted(honest, { asset: stranger.publicKey.toBase58() }),
  ],
  ['claims to be on Base', /^invalid_payload$/, (honest) => withAccepted(honest, { network: 'eip155:8453' })],
  [
    'is not signed',
    /could_not_be_decoded/,
    (honest) =>
      altered(honest, ({ signatures }) => {
        signatures[1]?.fill(0);
      }),
  ],
  [
    'was changed after it was signed',
    /could_not_be_decoded/,
    (honest) =>
      altered(honest, ({ message }) => {
        message.recentBlockhash = stranger.publicKey.toBase58();
      }),
  ],
  [
    'is not base64',
    /could_not_be_decoded/,
    (honest) => ({ ...honest, payload: { transaction: 'nichts für ungut' } }),
  ],
  ['is empty', /could_not_be_decoded/, (honest) => ({ ...honest, payload: { transaction: '' } })],
  [
    'is longer than a packet',
    /could_not_be_decoded/,
    (honest) => ({
      ...honest,
      payload: { transaction: `${honest.payload.transaction}`.replace(/=*$/, '') + 'A'.repeat(2_000) },
    }),
  ],
  ['is a number', /^invalid_payload$/, (honest) => ({ ...honest, payload: { transaction: 7 } })],
];

test('changed Solana payments are refused uncharged with a reason, and the honest payment still works', async () => {
  const signer = await newSolanaPayer();
  const honest = await envelopeFor(uploadsUrl(), signer, on);
  const { body } = aFile();
  for (const [what, reason, lie] of envelopes)
    await expectChallenge(await post(lie(honest), body), reason, what);
  await expectUntouched(signer, on);
  expect((await post(honest, body)).status).toBe(200);
  expect(await balanceOf(signer, on)).toBe(startAtomic - 5_000n);
});

test('a Solana wallet with too little money is refused, and the same payment works once it has enough', async () => {
  const wallet = await newSolanaPayer(4_999n);
  const envelope = await envelopeFor(uploadsUrl(), wallet, on);
  const { body } = aFile();
  await expectChallenge(await post(envelope, body), /^[a-z_]*simulation[a-z_]*$/);
  await expectUntouched(wallet, on, 4_999n);
  await rpcCall(network(on).rpcUrl, 'tuppence_setTokenBalance', [wallet.address, '5000']);
  expect((await post(envelope, body)).status).toBe(200);
  expect(await balanceOf(wallet, on)).toBe(0n);
});

test('garbage in the signature slot of the fee payer does not make a Solana payment another one', async () => {
  const signer = await newSolanaPayer();
  const honest = await envelopeFor(uploadsUrl(), signer, on);
  const twin = altered(honest, ({ signatures }) => {
    signatures[0]?.fill(7);
  });
  const { body } = aFile();
  const answers = [await post(twin, body), await post(honest, body)];
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(answers[1]?.headers.get('paid-call-id')).toBe(answers[0]?.headers.get('paid-call-id'));
  expect(await balanceOf(signer, on)).toBe(startAtomic - 5_000n);
});
