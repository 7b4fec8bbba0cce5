import { Keypair, type PublicKey, SystemProgram } from '@solana/web3.js';
import type { PaymentPayload } from '@x402/core/types';
import { balanceOf } from '../support/balances';
import { challengeOf, envelopeFor, paymentHeader } from '../support/buyer';
import { expectChallenge, expectUntouched, startAtomic } from '../support/expectations';
import { aFile } from '../support/files';
import { handMade, lookupTableWith, memo, newSolanaKeys, type Parts } from '../support/solana-envelopes';
import { uploadsUrl } from '../support/uploads';
import { expect, test } from '../support/without-browser';

const on = 'solana-mainnet';
const stranger = Keypair.generate();

function post(envelope: PaymentPayload, body: string): Promise<Response> {
  return fetch(uploadsUrl(), { method: 'POST', headers: paymentHeader(envelope), body });
}

/** Changes the only transfer of an honest payment. */
const transfers = (change: Partial<Parts['transfers'][number]>) => (parts: Parts) => {
  parts.transfers = parts.transfers.map((transfer) => ({ ...transfer, ...change }));
};

/** Transactions that the payer signs, each with one thing that we did not ask for. */
const transactions: readonly (readonly [string, RegExp, (parts: Parts, payer: PublicKey) => void])[] = [
  ['moves another token', /mint/, transfers({ mint: stranger.publicKey })],
  ['pays somebody else', /recipient|destination/, transfers({ to: stranger.publicKey })],
  ['pays less', /amount_mismatch/, transfers({ amount: 4_999n })],
  ['pays more', /amount_mismatch/, transfers({ amount: 5_001n })],
  ['pays nothing', /amount_mismatch/, transfers({ amount: 0n })],
  ['says other decimals', /^[a-z_]*simulation[a-z_]*$|decimals/, transfers({ decimals: 9 })],
  [
    'moves money twice',
    /could_not_be_decoded|instructions/,
    (parts) => {
      parts.transfers = parts.transfers.flatMap((transfer) => [transfer, transfer]);
      parts.more = [];
    },
  ],
  [
    'has no transfer',
    /could_not_be_decoded/,
    (parts) => {
      parts.transfers = [];
    },
  ],
  [
    'runs another program as well',
    /instruction|program/,
    (parts, payer) => {
      parts.more = [SystemProgram.transfer({ fromPubkey: payer, toPubkey: stranger.publicKey, lamports: 1 })];
    },
  ],
  [
    "spends the fee payer's lamports",
    /instruction|fee_payer/,
    (parts) => {
      const theft = { fromPubkey: parts.feePayer, toPubkey: stranger.publicKey, lamports: 1_000_000 };
      parts.more = [SystemProgram.transfer(theft)];
    },
  ],
  [
    "moves the fee payer's own tokens",
    /could_not_be_decoded/,
    (parts) => transfers({ from: parts.feePayer, authority: parts.feePayer })(parts),
  ],
  [
    'names the fee payer in an instruction',
    /fee_payer|instruction/,
    (parts) => {
      const note = memo('hello');
      note.keys.push({ pubkey: parts.feePayer, isSigner: true, isWritable: true });
      parts.more = [note];
    },
  ],
  [
    'hides accounts in a lookup table',
    /^[a-z_]+alt_resolution_not_available$/,
    (parts) => {
      const note = memo('hello');
      note.keys.push({ pubkey: stranger.publicKey, isSigner: false, isWritable: false });
      parts.more = [note];
      parts.lookupTables = [lookupTableWith(stranger.publicKey)];
    },
  ],
  [
    'offers too high a priority fee',
    /compute_price|priority|compute/,
    (parts) => {
      parts.computePrice = 5_000_001;
    },
  ],
  [
    'asks for too much computing',
    /compute/,
    (parts) => {
      parts.computeUnits = 1_400_000;
    },
  ],
  [
    'wants another fee payer',
    /fee_payer|could_not_be_decoded/,
    (parts) => {
      parts.feePayer = stranger.publicKey;
    },
  ],
  [
    'is its own fee payer',
    /fee_payer/,
    (parts, payer) => {
      parts.feePayer = payer;
    },
  ],
  [
    'names a blockhash that the chain does not know or has forgotten',
    /^[a-z_]*simulation[a-z_]*$/,
    (parts) => {
      parts.blockhash = Keypair.generate().publicKey.toBase58();
    },
  ],
  [
    'has more than a memo at its end',
    /instructions/,
    (parts) => {
      parts.more = Array.from({ length: 6 }, (_, index) => memo(`note ${index}`));
    },
  ],
];

test('a payment built by hand like that of the official client is accepted', async () => {
  const payer = await newSolanaKeys();
  const envelope = await handMade(await challengeOf(uploadsUrl()), payer);
  const answer = await post(envelope, aFile().body);
  expect(answer.status, await answer.text()).toBe(200);
  expect(await balanceOf(payer.signer, on)).toBe(startAtomic - 5_000n);
});

test('Solana payments with other instructions are refused with a reason, and charge nothing', async () => {
  const payer = await newSolanaKeys();
  const challenge = await challengeOf(uploadsUrl());
  for (const [what, reason, change] of transactions) {
    const envelope = await handMade(challenge, payer, (parts) => change(parts, payer.keypair.publicKey));
    await expectChallenge(await post(envelope, aFile().body), reason, what);
  }
  await expectUntouched(payer.signer, on);
  const honest = await envelopeFor(uploadsUrl(), payer.signer, on);
  expect((await post(honest, aFile().body)).status).toBe(200);
});
