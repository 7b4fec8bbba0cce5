import path from 'node:path';
import { expect, test } from '@playwright/test';
import { createKeyPairSignerFromBytes } from '@solana/kit';
import {
  ComputeBudgetProgram,
  Connection,
  Keypair,
  PublicKey,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import type { PaymentRequirements } from '@x402/core/types';
import { toFacilitatorSvmSigner } from '@x402/svm';
import { ExactSvmScheme } from '@x402/svm/exact/facilitator';
import { rpcCall } from '@/local/json-rpc';
import { solanaNetwork } from '@/local/networks';
import { type SolanaRuntime, startSolanaRuntime } from '@/local/solana/runtime';
import { findAssociatedTokenAddress, tokenProgram } from '@/local/solana/token-account';
import {
  type behaviors,
  deployWalletProgram,
  openSmartWallet,
  type SolanaSmartWallet,
  setBehavior,
  walletInstruction,
  walletProgram,
} from '../support/wallet-program/wallet';
import { makeTemporaryFolder, toPaymentPayload } from './support';

// The tests share a chain.

const mint = solanaNetwork.usdc;
const computeUnits = 100_000;

let solana: SolanaRuntime;
let connection: Connection;
let feePayer: Keypair;

test.beforeAll(async () => {
  solana = await startSolanaRuntime();
  await deployWalletProgram(solana.rpcUrl);
  connection = new Connection(solana.rpcUrl, 'confirmed');
  feePayer = Keypair.generate();
  await rpcCall(solana.rpcUrl, 'requestAirdrop', [feePayer.publicKey.toBase58(), 1_000_000_000]);
});
test.afterAll(() => solana.stop());

/** A new payee whose token account exists. */
async function newPayee(): Promise<string> {
  const payee = Keypair.generate().publicKey.toBase58();
  await rpcCall(solana.rpcUrl, 'tuppence_setTokenBalance', [payee, '0']);
  return payee;
}

async function balanceOf(owner: string): Promise<string> {
  const account = await findAssociatedTokenAddress(owner, mint);
  return (await connection.getTokenAccountBalance(new PublicKey(account), 'processed')).value.amount;
}

async function signed(
  instruction: TransactionInstruction,
  signers: readonly Keypair[],
): Promise<VersionedTransaction> {
  const message = new TransactionMessage({
    payerKey: feePayer.publicKey,
    recentBlockhash: (await connection.getLatestBlockhash()).blockhash,
    instructions: [ComputeBudgetProgram.setComputeUnitLimit({ units: computeUnits }), instruction],
  }).compileToV0Message();
  const transaction = new VersionedTransaction(message);
  transaction.sign([feePayer, ...signers]);
  return transaction;
}

/** A wallet's signed transaction that pays `amount` to a new payee. */
async function newPayment(wallet: SolanaSmartWallet, amount = 5_000n) {
  const to = await newPayee();
  const instruction = await walletInstruction(wallet, { mint, to, amount });
  return { to, transaction: await signed(instruction, [wallet.member]) };
}

/** Simulates a transaction without web3.js, which changes the answer. */
async function simulate(transaction: VersionedTransaction, config = {}, rpcUrl = solana.rpcUrl) {
  const wire = Buffer.from(transaction.serialize()).toString('base64');
  const answer = await rpcCall(rpcUrl, 'simulateTransaction', [
    wire,
    { encoding: 'base64', innerInstructions: true, commitment: 'confirmed', ...config },
  ]);
  return answer as { value: { err: unknown; innerInstructions: unknown; unitsConsumed: number } };
}

async function land(transaction: VersionedTransaction): Promise<string> {
  const signature = await connection.sendTransaction(transaction, { skipPreflight: true });
  await rpcCall(solana.rpcUrl, 'tuppence_advanceSlots', [2]);
  return signature;
}

/** What a node tells of the transfer from a wallet to a payee that its program caused. */
async function parsedTransfer(wallet: SolanaSmartWallet, to: string, amount: bigint) {
  return {
    program: 'spl-token',
    programId: tokenProgram,
    parsed: {
      type: 'transferChecked',
      info: {
        source: await findAssociatedTokenAddress(wallet.address, mint),
        mint,
        destination: await findAssociatedTokenAddress(to, mint),
        authority: wallet.address,
        tokenAmount: {
          amount: String(amount),
          decimals: 6,
          uiAmount: Number(amount) / 1e6,
          uiAmountString: String(Number(amount) / 1e6),
        },
      },
    },
    stackHeight: 2,
  };
}

const outcomes: readonly {
  behavior: keyof typeof behaviors;
  error: unknown;
  transfers: readonly bigint[];
}[] = [
  { behavior: 'pays', error: null, transfers: [5_001n] },
  { behavior: 'doesNothing', error: null, transfers: [] },
  { behavior: 'fails', error: { Custom: 7 }, transfers: [] },
  { behavior: 'paysHalf', error: null, transfers: [2_500n] },
  { behavior: 'paysTwice', error: null, transfers: [5_001n, 5_001n] },
  { behavior: 'computesForever', error: 'ProgramFailedToComplete', transfers: [] },
];
for (const { behavior, error, transfers } of outcomes) {
  test(`a test wallet whose behavior is "${behavior}" does that in a simulation and on the chain`, async () => {
    const wallet = await openSmartWallet(solana.rpcUrl, 1_000_000n);
    await setBehavior(wallet, behavior);
    const { to, transaction } = await newPayment(wallet, 5_001n);
    const { value } = await simulate(transaction);
    const expected = error === null ? null : { InstructionError: [1, error] };
    expect(value.err).toEqual(expected);
    const parsed = await Promise.all(transfers.map((amount) => parsedTransfer(wallet, to, amount)));
    expect(value.innerInstructions).toEqual(parsed.length > 0 ? [{ index: 1, instructions: parsed }] : []);
    expect(await balanceOf(to)).toBe('0');

    const signature = await land(transaction);
    const status = await connection.getSignatureStatus(signature);
    expect(status.value?.err).toEqual(expected);
    const paid = transfers.reduce((sum, amount) => sum + amount, 0n);
    expect(await balanceOf(to)).toBe(String(paid));
    expect(await balanceOf(wallet.address)).toBe(String(1_000_000n - paid));
    if (behavior === 'computesForever') expect(value.unitsConsumed).toBe(computeUnits);
    else expect(value.unitsConsumed).toBeLessThan(25_000);
  });
}

test('the official facilitator verifies and settles the payment of a smart wallet', async () => {
  const wallet = await openSmartWallet(solana.rpcUrl, 1_000_000n);
  const payTo = await newPayee();
  const requirements: PaymentRequirements = {
    scheme: 'exact',
    network: solanaNetwork.caip2 as `${string}:${string}`,
    asset: mint,
    amount: '5000',
    payTo,
    maxTimeoutSeconds: 60,
    extra: { feePayer: feePayer.publicKey.toBase58() },
  };
  const unsigned = async (amount: bigint) => {
    const transaction = await signed(await walletInstruction(wallet, { mint, to: payTo, amount }), [
      wallet.member,
    ]);
    transaction.signatures[0]?.fill(0);
    const payload = { transaction: Buffer.from(transaction.serialize()).toString('base64') };
    return toPaymentPayload(requirements, { x402Version: 2, payload });
  };
  const signer = toFacilitatorSvmSigner(await createKeyPairSignerFromBytes(feePayer.secretKey), {
    defaultRpcUrl: solana.rpcUrl,
  });
  const facilitator = new ExactSvmScheme(signer, undefined, {
    enableSmartWalletVerification: true,
    smartWalletAllowedPrograms: [walletProgram],
  });
  expect(await facilitator.verify(await unsigned(4_999n), requirements)).toMatchObject({
    isValid: false,
    invalidReason: 'invalid_exact_svm_smart_wallet_transfer_mismatch',
  });
  const payment = await unsigned(5_000n);
  expect(await facilitator.verify(payment, requirements)).toEqual({ isValid: true, payer: wallet.address });
  expect(await facilitator.settle(payment, requirements)).toMatchObject({
    success: true,
    payer: wallet.address,
  });
  expect(await balanceOf(payTo)).toBe('5000');
});

test('a transaction of a smart wallet shows its inner transfer and the token balances before and after it', async () => {
  const wallet = await openSmartWallet(solana.rpcUrl, 1_000_000n);
  const { to, transaction } = await newPayment(wallet);
  const signature = await land(transaction);
  const config = { maxSupportedTransactionVersion: 0 };
  const keys = transaction.message.staticAccountKeys.map((key) => key.toBase58());
  const source = keys.indexOf(await findAssociatedTokenAddress(wallet.address, mint));
  const destination = keys.indexOf(await findAssociatedTokenAddress(to, mint));

  for (const encoding of ['json', 'base64', 'jsonParsed']) {
    const answer = await rpcCall(solana.rpcUrl, 'getTransaction', [
      signature,
      { ...config, encoding, commitment: 'confirmed' },
    ]);
    const { meta } = answer as { meta: Record<string, unknown> };
    const balance = (accountIndex: number, owner: string, amount: string) =>
      expect.objectContaining({
        accountIndex,
        owner,
        mint,
        uiTokenAmount: expect.objectContaining({ amount, decimals: 6 }),
      });
    expect(meta.preTokenBalances).toEqual(
      expect.arrayContaining([balance(source, wallet.address, '1000000'), balance(destination, to, '0')]),
    );
    expect(meta.postTokenBalances).toEqual(
      expect.arrayContaining([balance(source, wallet.address, '995000'), balance(destination, to, '5000')]),
    );
    const compiled = {
      programIdIndex: keys.indexOf(tokenProgram),
      accounts: [source, keys.indexOf(mint), destination, keys.indexOf(wallet.address)],
      data: expect.any(String),
      stackHeight: 2,
    };
    const instruction = encoding === 'jsonParsed' ? await parsedTransfer(wallet, to, 5_000n) : compiled;
    expect(meta.innerInstructions, encoding).toEqual([{ index: 1, instructions: [instruction] }]);
  }
});

test("a test wallet pays only with its member's signature, and only from the member's vault", async () => {
  const wallet = await openSmartWallet(solana.rpcUrl, 1_000_000n);
  const to = await newPayee();
  const errorOf = async (change: (instruction: TransactionInstruction) => void, by = wallet) => {
    const instruction = await walletInstruction(by, { mint, to, amount: 5_000n });
    change(instruction);
    const isSigned = instruction.keys[1]?.isSigner === true;
    const { value } = await simulate(await signed(instruction, isSigned ? [by.member] : []));
    return (value.err as { InstructionError: [number, unknown] } | null)?.InstructionError[1] ?? null;
  };
  expect(await errorOf(() => undefined)).toBeNull();
  expect(
    await errorOf(({ keys }) => {
      if (keys[1]) keys[1].isSigner = false;
    }),
  ).toBe('MissingRequiredSignature');
  const thief = { ...wallet, member: Keypair.generate() };
  // By chance, the other member's seeds with this bump are no valid address at all.
  expect(await errorOf(() => undefined, thief)).toMatch(/PrivilegeEscalation|ProgramFailedToComplete/);
  expect(await errorOf(({ keys }) => keys.pop())).toBe('NotEnoughAccountKeys');
  expect(
    await errorOf((instruction) => {
      instruction.data = Buffer.concat([instruction.data, Buffer.from([6])]);
    }),
  ).toBe('InvalidInstructionData');
  // Further accounts change nothing, also if they repeat others.
  expect(
    await errorOf(({ keys }) => {
      keys.push({ pubkey: feePayer.publicKey, isSigner: true, isWritable: true }, ...keys.slice(0, 3));
    }),
  ).toBeNull();
  expect(await balanceOf(to)).toBe('0');
});

test('a vault without enough tokens pays nothing', async () => {
  const wallet = await openSmartWallet(solana.rpcUrl, 4_999n);
  const { to, transaction } = await newPayment(wallet);
  await setBehavior(wallet, 'paysHalf');
  expect((await simulate(transaction)).value.err).toBeNull();
  await setBehavior(wallet, 'pays');
  expect((await simulate(transaction)).value.err).toEqual({ InstructionError: [1, { Custom: 1 }] });
  await land(transaction);
  expect(await balanceOf(to)).toBe('0');
});

test('a rollback takes back what a smart wallet paid, and its transaction can land again', async () => {
  const wallet = await openSmartWallet(solana.rpcUrl, 1_000_000n);
  const { to, transaction } = await newPayment(wallet);
  const signature = await land(transaction);
  expect(await balanceOf(to)).toBe('5000');
  expect(await rpcCall(solana.rpcUrl, 'tuppence_rollback', [signature])).toEqual([signature]);
  expect([await balanceOf(to), await balanceOf(wallet.address)]).toEqual(['0', '1000000']);
  await setBehavior(wallet, 'doesNothing');
  expect(await land(transaction)).toBe(signature);
  expect((await connection.getSignatureStatus(signature)).value?.err).toBeNull();
  expect(await balanceOf(to)).toBe('0');
});

test('a program that was deployed still runs after a restart of the chain', async () => {
  const { folder, remove } = makeTemporaryFolder();
  const statePath = path.join(folder, 'solana.json');
  const first = await startSolanaRuntime({ statePath });
  await rpcCall(first.rpcUrl, 'requestAirdrop', [feePayer.publicKey.toBase58(), 1_000_000_000]);
  const wallet = await openSmartWallet(first.rpcUrl, 1_000_000n);
  await first.stop();
  const second = await startSolanaRuntime({ statePath });
  const instruction = await walletInstruction(wallet, { mint, to: wallet.address, amount: 5_000n });
  const transaction = await signed(instruction, [wallet.member]);
  const { value } = await simulate(transaction, { replaceRecentBlockhash: true }, second.rpcUrl);
  expect(value).toMatchObject({ err: null, innerInstructions: [{ index: 1 }] });
  const program = await new Connection(second.rpcUrl).getAccountInfo(new PublicKey(walletProgram));
  expect(program?.executable).toBe(true);
  await second.stop();
  remove();
});
