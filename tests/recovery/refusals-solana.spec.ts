import type { PublicKey } from '@solana/web3.js';
import { decodePaymentResponseHeader } from '@x402/core/http';
import { Client } from 'pg';
import { rpcCall } from '@/local/json-rpc';
import { challengeOf, paymentHeader } from '../support/buyer';
import { aFile } from '../support/files';
import { approveDelegate, handMade, newSolanaKeys, type Parts } from '../support/solana-envelopes';
import { expect, test } from './fixtures';
import { callsOf, transfersOf } from './rig/found';
import { sell } from './rig/refunds';
import { ask, sign } from './rig/requests';

/** Solana payments that are refused, cost more, or are known already. */

test('a Solana payment that a delegate of its owner signs is refused before anything is claimed', async ({
  rig,
}) => {
  const rpcUrl = rig.chainUrl('solana-mainnet');
  const [owner, delegate] = [
    await newSolanaKeys(10_000_000n, rpcUrl),
    await newSolanaKeys(10_000_000n, rpcUrl),
  ];
  await approveDelegate(owner, delegate.keypair.publicKey, 10_000_000n, rpcUrl);
  const approval = await transfersOf(rig, owner.signer.address);
  const url = `${rig.apiUrl}/v1/uploads`;
  const buy = async (from: PublicKey) => {
    const change = ({ transfers }: Parts) => {
      for (const transfer of transfers) transfer.from = from;
    };
    const envelope = await handMade(await challengeOf(url), delegate, change, rpcUrl);
    const answer = await fetch(url, {
      method: 'POST',
      headers: { ...paymentHeader(envelope), 'Content-Type': 'application/json' },
      body: aFile().body,
    });
    return [answer.status, (await answer.json()).error];
  };
  expect(await buy(owner.keypair.publicKey)).toEqual([402, 'invalid_exact_svm_payload_source_mismatch']);
  expect(await callsOf(rig, delegate.signer.address)).toEqual([]);
  expect(await transfersOf(rig, owner.signer.address)).toEqual(approval);
  // From the delegate's own account, the same payment is valid.
  expect(await buy(delegate.keypair.publicKey)).toEqual([200, undefined]);
  expect(await rig.audit()).toEqual([]);
});

test('the ledger books the cost of a Solana payment to the fee payer, with the priority fee that its payer chose', async ({
  rig,
}) => {
  const rpcUrl = rig.chainUrl('solana-mainnet');
  const payer = await newSolanaKeys(100_000n, rpcUrl);
  const url = `${rig.apiUrl}/v1/uploads`;
  const challenge = await challengeOf(url);
  const feePayers = challenge.accepts.map(({ extra }) => extra.feePayer).filter(Boolean);
  const lamports = async () => {
    const { value } = (await rpcCall(rpcUrl, 'getBalance', feePayers)) as { value: number };
    return value;
  };
  for (const [computePrice, computeUnits, fee] of [
    [1, 20_000, 10_001],
    [50_000, 100_000, 15_000],
  ] as const) {
    const envelope = await handMade(
      challenge,
      payer,
      (parts) => Object.assign(parts, { computePrice, computeUnits }),
      rpcUrl,
    );
    const before = await lamports();
    const { status, headers } = await fetch(url, {
      method: 'POST',
      headers: { ...paymentHeader(envelope), 'Content-Type': 'application/json' },
      body: aFile().body,
    });
    expect(status).toBe(200);
    const transaction = decodePaymentResponseHeader(headers.get('PAYMENT-RESPONSE') ?? '').transaction;
    expect(before - (await lamports())).toBe(fee);
    expect(
      await rig.query('SELECT fee_atomic::int AS fee FROM settlement_transaction WHERE hash = $1', [
        transaction,
      ]),
    ).toEqual([{ fee }]);
  }
});

test('a Solana payment that the ledger has for another payer is not claimed again', async ({ rig }) => {
  const call = await sell(rig, await rig.newSolanaPayer());
  const wallet = await rig.newSolanaPayer();
  const request = await sign(rig, wallet);
  const setAuthorization = async (authorization: string) => {
    const client = new Client({ connectionString: rig.databaseUrl });
    await client.connect();
    // Replica mode disables the triggers that protect the ledger.
    await client.query(`SET session_replication_role = replica;
      UPDATE paid_call SET "authorization" = '${authorization}' WHERE id = '${call.id}'`);
    await client.end();
  };
  await setAuthorization(request.authorization);
  const answer = await ask(request);
  expect([answer.status, answer.body.error]).toMatchObject([
    409,
    { code: 'payment_already_used', paidCallId: call.id },
  ]);
  expect(await callsOf(rig, wallet.address)).toEqual([]);
  expect(await transfersOf(rig, wallet.address)).toEqual([]);
  await setAuthorization(call.request.authorization);
  expect(await rig.audit()).toEqual([]);
});
