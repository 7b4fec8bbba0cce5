import type { PublicKey } from '@solana/web3.js';
import { decodePaymentResponseHeader } from '@x402/core/http';
import { Client } from 'pg';
import { rpcCall } from '@/local/json-rpc';
import { challengeOf, paymentHeader } from '../support/buyer';
import { aFile } from '../support/files';
import {
  approveDelegate,
  handMade,
  newSolanaKeys,
  type Parts,
  submitTransaction,
} from '../support/solana-envelopes';
import { expect, test } from './fixtures';
import { callsOf, transfersOf } from './rig/found';
import { sell } from './rig/refunds';
import { aForm, withKey } from './rig/refused-forms';
import { type Answer, ask, sign } from './rig/requests';
import type { Rig } from './rig/rig';
import { until } from './rig/waiting';

/** Refused Solana payments. Until the blockhash expires, anyone who has seen the transaction can still submit it. */

/** Two Solana payments from an account that can cover only one of them: the second is refused. */
async function refuseOnSolana(rig: Rig) {
  const solana = rig.proxy('solana-mainnet');
  const wallet = await rig.newSolanaPayer(10_000n);
  const first = await sign(rig, wallet, aForm);
  const request = withKey(await sign(rig, wallet, aForm), 'mine');
  const asked = solana.count('getTokenAccountBalance');
  const held = solana.hold('sendTransaction', 'before', { times: 1 });
  const paid = ask(first);
  await held.reached;
  const answer = ask(request);
  await until('a look at the balance', async () => solana.count('getTokenAccountBalance') > asked);
  held.release();
  expect((await paid).status).toBe(200);
  const refused = await answer;
  expect([refused.status, refused.body.error]).toEqual([402, 'insufficient_funds']);
  const refillSolana = () =>
    rpcCall(rig.chainUrl('solana-mainnet'), 'tuppence_setTokenBalance', [wallet.address, '10000']);
  return { wallet, request, refillSolana };
}

async function expectSecondFormOnce(rig: Rig, answer: Answer, payer: string): Promise<void> {
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  expect(answer.body.readToken).toMatch(/^frt_/);
  expect((await callsOf(rig, payer)).map(({ state }) => state)).toEqual(['delivered', 'delivered']);
  expect(await transfersOf(rig, payer)).toHaveLength(2);
  expect(await rig.audit()).toEqual([]);
}

test('the same request submits a refused Solana payment once the money is back, and only once', async ({
  rig,
}) => {
  const { wallet, request, refillSolana } = await refuseOnSolana(rig);
  expect((await ask(request)).status).toBe(402);
  await refillSolana();
  const [answer, other] = await Promise.all([ask(request), ask(request)]);
  await expectSecondFormOnce(rig, answer, wallet.address);
  expect(other.body).toEqual(answer.body);
});

test('a refused Solana payment that is later submitted elsewhere is found by the same request, and by a fresh one under its key', async ({
  rig,
}) => {
  const { wallet, request, refillSolana } = await refuseOnSolana(rig);
  await refillSolana();
  // Anyone who has the transaction with both signatures can submit it.
  const { SETTLEMENT_KEY_SOLANA = '' } = rig.serverEnv;
  await submitTransaction(request.envelope, SETTLEMENT_KEY_SOLANA, rig.chainUrl('solana-mainnet'));
  const fresh = withKey(await sign(rig, wallet, aForm), 'mine');
  const answer = await ask(fresh);
  await expectSecondFormOnce(rig, answer, wallet.address);
  expect((await ask(request)).body).toEqual(answer.body);
});

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
