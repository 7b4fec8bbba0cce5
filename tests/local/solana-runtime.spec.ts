import path from 'node:path';
import { expect, test } from '@playwright/test';
import { createKeyPairSignerFromBytes, getBase58Encoder } from '@solana/kit';
import {
  Connection,
  Keypair,
  PublicKey,
  SendTransactionError,
  SystemProgram,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import type { PaymentRequirements } from '@x402/core/types';
import { toFacilitatorSvmSigner } from '@x402/svm';
import { ExactSvmScheme as ClientScheme } from '@x402/svm/exact/client';
import { ExactSvmScheme as FacilitatorScheme } from '@x402/svm/exact/facilitator';
import { rpcBatch, rpcCall } from '@/local/json-rpc';
import { solanaNetwork } from '@/local/networks';
import { type SolanaRuntime, startSolanaRuntime } from '@/local/solana/runtime';
import { findAssociatedTokenAddress } from '@/local/solana/token-account';
import { makeTemporaryFolder, toPaymentPayload } from './support';

// The tests share a chain.

const usdc = solanaNetwork.usdc;

async function fund(rpcUrl: string, owner: Keypair, lamports = 1_000_000_000) {
  await rpcCall(rpcUrl, 'requestAirdrop', [owner.publicKey.toBase58(), lamports]);
}

/** A signed transfer to a new account, with a fresh blockhash. The default amount makes the account rent-exempt. */
async function makeTransfer(connection: Connection, from: Keypair, lamports = 1_000_000) {
  const { blockhash } = await connection.getLatestBlockhash();
  const message = new TransactionMessage({
    payerKey: from.publicKey,
    recentBlockhash: blockhash,
    instructions: [
      SystemProgram.transfer({
        fromPubkey: from.publicKey,
        toPubkey: Keypair.generate().publicKey,
        lamports,
      }),
    ],
  }).compileToV0Message();
  const transaction = new VersionedTransaction(message);
  transaction.sign([from]);
  return transaction;
}

async function refusalOf(send: Promise<unknown>): Promise<string> {
  const error = await send.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(SendTransactionError);
  return (error as SendTransactionError).message;
}

test.describe('a running chain', () => {
  let solana: SolanaRuntime;
  let connection: Connection;
  let payer: Keypair;
  test.beforeAll(async () => {
    solana = await startSolanaRuntime();
    connection = new Connection(solana.rpcUrl, 'confirmed');
    payer = Keypair.generate();
    await fund(solana.rpcUrl, payer);
  });
  test.afterAll(() => solana.stop());

  test('the official client pays and the official facilitator settles', async () => {
    const feePayer = Keypair.generate();
    const seller = Keypair.generate().publicKey.toBase58();
    await fund(solana.rpcUrl, feePayer);
    await rpcBatch(solana.rpcUrl, [
      ['tuppence_setTokenBalance', [payer.publicKey.toBase58(), '10000']],
      ['tuppence_setTokenBalance', [seller, 0]],
    ]);
    const requirements: PaymentRequirements = {
      scheme: 'exact',
      network: solanaNetwork.caip2 as `${string}:${string}`,
      asset: usdc,
      amount: '5000',
      payTo: seller,
      maxTimeoutSeconds: 60,
      extra: { feePayer: feePayer.publicKey.toBase58() },
    };
    const client = new ClientScheme(await createKeyPairSignerFromBytes(payer.secretKey), {
      rpcUrl: solana.rpcUrl,
    });
    const payload = toPaymentPayload(requirements, await client.createPaymentPayload(2, requirements));
    const signer = toFacilitatorSvmSigner(await createKeyPairSignerFromBytes(feePayer.secretKey), {
      defaultRpcUrl: solana.rpcUrl,
    });
    const facilitator = new FacilitatorScheme(signer);
    expect(await facilitator.verify(payload, requirements)).toMatchObject({ isValid: true });
    const settled = await facilitator.settle(payload, requirements);
    expect(settled).toMatchObject({ success: true, payer: payer.publicKey.toBase58() });

    const sellerAccount = await findAssociatedTokenAddress(seller, usdc);
    const balance = await connection.getTokenAccountBalance(new PublicKey(sellerAccount));
    expect(balance.value).toMatchObject({ amount: '5000', decimals: 6, uiAmountString: '0.005' });

    await rpcCall(solana.rpcUrl, 'tuppence_advanceSlots', [40]);
    const status = await connection.getSignatureStatus(settled.transaction);
    expect(status.value).toMatchObject({ confirmationStatus: 'finalized', err: null, confirmations: null });
    const found = await connection.getTransaction(settled.transaction, {
      commitment: 'finalized',
      maxSupportedTransactionVersion: 0,
    });
    expect(found?.meta).toMatchObject({ err: null, fee: 10_001 });
    // The fee that the runtime charged equals the recorded fee.
    expect((found?.meta?.preBalances[0] ?? 0) - (found?.meta?.postBalances[0] ?? 0)).toBe(10_001);
    const amounts = found?.meta?.postTokenBalances?.map(({ uiTokenAmount }) => uiTokenAmount.amount).sort();
    expect(amounts).toEqual(['5000', '5000']);
    const listed = await connection.getSignaturesForAddress(new PublicKey(sellerAccount));
    expect(listed[0]).toMatchObject({ signature: settled.transaction, confirmationStatus: 'finalized' });
    const parsed = await connection.getParsedTransaction(settled.transaction, {
      maxSupportedTransactionVersion: 0,
    });
    expect(parsed?.transaction.message.accountKeys[0]?.pubkey.toBase58()).toBe(feePayer.publicKey.toBase58());
  });

  test('rejects expired and unknown blockhashes as a validator does', async () => {
    const transaction = await makeTransfer(connection, payer);
    const blockhash = transaction.message.recentBlockhash;
    expect((await connection.isBlockhashValid(blockhash)).value).toBe(true);
    await rpcCall(solana.rpcUrl, 'tuppence_advanceSlots', [155]);
    expect((await connection.isBlockhashValid(blockhash)).value).toBe(false);
    expect(await refusalOf(connection.sendTransaction(transaction))).toContain('Blockhash not found');
    const simulated = await connection.simulateTransaction(transaction);
    expect(simulated.value.err).toBe('BlockhashNotFound');
    const replaced = await connection.simulateTransaction(transaction, { replaceRecentBlockhash: true });
    expect(replaced.value.err).toBeNull();
    // Without preflight, the node accepts it and nothing happens.
    const signature = await connection.sendTransaction(transaction, { skipPreflight: true });
    expect(
      (await connection.getSignatureStatus(signature, { searchTransactionHistory: true })).value,
    ).toBeNull();
  });

  test('runs a message only once', async () => {
    const transaction = await makeTransfer(connection, payer);
    const signature = await connection.sendTransaction(transaction);
    const before = await connection.getBalance(payer.publicKey);
    expect(await connection.sendTransaction(transaction, { skipPreflight: true })).toBe(signature);
    expect(await refusalOf(connection.sendTransaction(transaction))).toContain('already been processed');
    expect((await connection.simulateTransaction(transaction)).value.err).toBe('AlreadyProcessed');
    expect(await connection.getBalance(payer.publicKey)).toBe(before);
  });

  test('rejects a transaction with an invalid signature', async () => {
    const transaction = await makeTransfer(connection, payer);
    transaction.signatures[0]?.fill(1);
    expect(await refusalOf(connection.sendTransaction(transaction))).toContain(
      'signature verification failure',
    );
    expect((await connection.simulateTransaction(transaction)).value.err).toBeNull();
    await expect(connection.simulateTransaction(transaction, { sigVerify: true })).rejects.toThrow(
      'verification',
    );
    const before = await connection.getBalance(payer.publicKey);
    await connection.sendTransaction(transaction, { skipPreflight: true });
    expect(await connection.getBalance(payer.publicKey)).toBe(before);
  });

  test('includes a failing transfer in a block and charges its fee when preflight is off', async () => {
    const transaction = await makeTransfer(connection, payer, 10_000_000_000);
    expect(await refusalOf(connection.sendTransaction(transaction))).toContain('custom program error: 0x1');
    const before = await connection.getBalance(payer.publicKey);
    const signature = await connection.sendTransaction(transaction, { skipPreflight: true });
    const status = await connection.getSignatureStatus(signature);
    expect(status.value?.err).toEqual({ InstructionError: [0, { Custom: 1 }] });
    expect(before - (await connection.getBalance(payer.publicKey))).toBe(5_000);
  });

  test('rolls back a transaction whose fork lost, and accepts it again', async () => {
    const transaction = await makeTransfer(connection, payer);
    const before = await connection.getBalance(payer.publicKey);
    const signature = await connection.sendTransaction(transaction);
    const { value } = await connection.getSignatureStatus(signature);
    const slot = value?.slot ?? 0;
    await expect(connection.getBlockSignatures(slot, 'finalized')).rejects.toThrow('Block not available');
    await rpcCall(solana.rpcUrl, 'tuppence_advanceSlots', [40]);
    expect((await connection.getBlockSignatures(slot, 'finalized')).signatures).toContain(signature);
    expect(await rpcCall(solana.rpcUrl, 'tuppence_rollback', [signature])).toEqual([signature]);
    expect((await connection.getBlockSignatures(slot, 'finalized')).signatures).not.toContain(signature);
    expect(await connection.getBalance(payer.publicKey)).toBe(before);
    expect((await connection.getSignatureStatus(signature)).value).toBeNull();
    expect(await connection.sendTransaction(transaction)).toBe(signature);
  });

  test('supports the calls that clients make first', async () => {
    expect(await connection.getGenesisHash()).toMatch(/^5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/);
    expect(await connection.getVersion()).toHaveProperty('solana-core');
    expect(await connection.getMinimumBalanceForRentExemption(165)).toBe(2_039_280);
    const mint = await connection.getParsedAccountInfo(new PublicKey(usdc));
    expect(mint.value?.data).toMatchObject({ program: 'spl-token', parsed: { info: { decimals: 6 } } });
    const owned = await connection.getParsedTokenAccountsByOwner(payer.publicKey, {
      mint: new PublicKey(usdc),
    });
    expect(owned.value.length).toBeLessThanOrEqual(1);
    const { message } = await makeTransfer(connection, payer);
    expect((await connection.getFeeForMessage(message)).value).toBe(5_000);
    expect((await connection.getEpochInfo()).epoch).toBe(0);
    await expect(rpcCall(solana.rpcUrl, 'getNothing')).rejects.toThrow('Method not found');
    expect(getBase58Encoder().encode((await connection.getLatestBlockhash()).blockhash)).toHaveLength(32);
  });
});

test('a chain keeps its balances, history and blockhashes after a restart', async () => {
  const { folder, remove } = makeTemporaryFolder();
  const statePath = path.join(folder, 'solana.json');
  const payer = Keypair.generate();
  const first = await startSolanaRuntime({ statePath });
  await fund(first.rpcUrl, payer);
  const connection = new Connection(first.rpcUrl, 'confirmed');
  const unsent = await makeTransfer(connection, payer);
  const sent = await makeTransfer(connection, payer);
  const signature = await connection.sendTransaction(sent);
  const balance = await connection.getBalance(payer.publicKey);
  await first.stop();

  const second = await startSolanaRuntime({ statePath });
  const again = new Connection(second.rpcUrl, 'confirmed');
  expect(await again.getBalance(payer.publicKey)).toBe(balance);
  const status = await again.getSignatureStatus(signature, { searchTransactionHistory: true });
  expect(status.value?.err).toBeNull();
  expect(await refusalOf(again.sendTransaction(sent))).toContain('already been processed');
  await again.sendTransaction(unsent);
  await second.stop();
  remove();
});
