import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKeyPairSignerFromPrivateKeyBytes, getBase58Encoder, type KeyPairSigner } from '@solana/kit';
import {
  AddressLookupTableAccount,
  ComputeBudgetProgram,
  Keypair,
  PublicKey,
  Transaction,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import type { PaymentPayload, PaymentRequired } from '@x402/core/types';
import { rpcCall } from '@/local/json-rpc';
import { findAssociatedTokenAddress } from '@/local/solana/token-account';
import { network } from './stack';
import { type SolanaSmartWallet, walletInstruction } from './wallet-program/wallet';

const on = 'solana-mainnet';
const tokenProgram = new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
const memoProgram = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');

/** The test program needs less than half of it. */
const smartWalletUnits = 40_000;

/** A Solana wallet in the forms that the official client and a hand-made transaction need. */
export interface SolanaPayer {
  readonly signer: KeyPairSigner;
  readonly keypair: Keypair;
}

export async function newSolanaKeys(atomic = 10_000_000n, rpcUrl = network(on).rpcUrl): Promise<SolanaPayer> {
  const seed = randomBytes(32);
  const keypair = Keypair.fromSeed(seed);
  await rpcCall(rpcUrl, 'tuppence_setTokenBalance', [keypair.publicKey.toBase58(), atomic.toString()]);
  return { signer: await createKeyPairSignerFromPrivateKeyBytes(seed), keypair };
}

/** The parts of a hand-made payment. By default they have the values of the official client. */
export interface Parts {
  feePayer: PublicKey;
  blockhash: string;
  computeUnits: number;
  computePrice: number;
  transfers: TransferParts[];
  more: TransactionInstruction[];
  lookupTables: AddressLookupTableAccount[];
}

export interface TransferParts {
  /** The wallet whose tokens are moved. */
  from: PublicKey;
  /** The wallet that signs for them: `from`, or its delegate. */
  authority: PublicKey;
  mint: PublicKey;
  to: PublicKey;
  amount: bigint;
  decimals: number;
}

/** A Solana payment for a challenge, changed by `change`, in the official client's envelope. */
export async function handMade(
  challenge: PaymentRequired,
  { keypair }: Pick<SolanaPayer, 'keypair'>,
  change: (parts: Parts) => void = () => undefined,
  rpcUrl = network(on).rpcUrl,
): Promise<PaymentPayload> {
  const { caip2 } = network(on);
  const accepted = challenge.accepts.find((one) => one.network === caip2);
  if (!accepted) throw new Error('Solana is not offered');
  const latest = (await rpcCall(rpcUrl, 'getLatestBlockhash')) as { value: { blockhash: string } };
  const parts: Parts = {
    feePayer: new PublicKey(String(accepted.extra.feePayer)),
    blockhash: latest.value.blockhash,
    computeUnits: 20_000,
    computePrice: 1,
    transfers: [
      {
        from: keypair.publicKey,
        authority: keypair.publicKey,
        mint: new PublicKey(accepted.asset),
        to: new PublicKey(accepted.payTo),
        amount: BigInt(accepted.amount),
        decimals: 6,
      },
    ],
    more: [memo(randomBytes(16).toString('hex'))],
    lookupTables: [],
  };
  change(parts);
  const message = new TransactionMessage({
    payerKey: parts.feePayer,
    recentBlockhash: parts.blockhash,
    instructions: [
      ComputeBudgetProgram.setComputeUnitLimit({ units: parts.computeUnits }),
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: parts.computePrice }),
      ...(await Promise.all(parts.transfers.map(transfer))),
      ...parts.more,
    ],
  }).compileToV0Message(parts.lookupTables);
  const transaction = new VersionedTransaction(message);
  const signers = message.staticAccountKeys.slice(0, message.header.numRequiredSignatures);
  if (signers.some((key) => key.equals(keypair.publicKey))) transaction.sign([keypair]);
  return envelope(challenge, accepted, transaction);
}

/**
 * A smart wallet's payment for a challenge: its program moves the tokens. Otherwise it is made as the official client makes
 * payments.
 * @param change what differs: the amount, other accounts of the wallet's instruction, or parts of the transaction
 */
export async function smartWalletPayment(
  challenge: PaymentRequired,
  wallet: SolanaSmartWallet,
  change: {
    amount?: bigint;
    instruction?: (instruction: TransactionInstruction) => void;
    parts?: (parts: Parts) => void;
  } = {},
): Promise<PaymentPayload> {
  const accepted = challenge.accepts.find(({ network: name }) => name === network(on).caip2);
  if (!accepted) throw new Error('Solana is not offered');
  const instruction = await walletInstruction(wallet, {
    mint: accepted.asset,
    to: accepted.payTo,
    amount: change.amount ?? BigInt(accepted.amount),
  });
  change.instruction?.(instruction);
  const make = (parts: Parts): void => {
    parts.computeUnits = smartWalletUnits;
    parts.transfers = [];
    parts.more = [instruction, ...parts.more];
    change.parts?.(parts);
  };
  return handMade(challenge, { keypair: wallet.member }, make, wallet.rpcUrl);
}

function envelope(
  { resource, extensions }: PaymentRequired,
  accepted: PaymentPayload['accepted'],
  transaction: VersionedTransaction,
): PaymentPayload {
  const payload = { transaction: Buffer.from(transaction.serialize()).toString('base64') };
  return { x402Version: 2, payload, accepted, resource, extensions };
}

/** The same envelope with its transaction changed after it was signed. */
export function altered(
  honest: PaymentPayload,
  change: (transaction: VersionedTransaction) => void,
): PaymentPayload {
  const bytes = Buffer.from(String(honest.payload.transaction), 'base64');
  const transaction = VersionedTransaction.deserialize(bytes);
  change(transaction);
  return { ...honest, payload: { transaction: Buffer.from(transaction.serialize()).toString('base64') } };
}

/**
 * Submits an envelope's transaction, signed by its fee payer, without going through the service, and waits for its slot.
 * @param feePayerKey base58 of 64 bytes
 */
export async function submitTransaction(
  { payload }: Pick<PaymentPayload, 'payload'>,
  feePayerKey: string,
  rpcUrl = network(on).rpcUrl,
): Promise<string> {
  const transaction = VersionedTransaction.deserialize(Buffer.from(String(payload.transaction), 'base64'));
  transaction.sign([Keypair.fromSecretKey(new Uint8Array(getBase58Encoder().encode(feePayerKey)))]);
  const raw = Buffer.from(transaction.serialize()).toString('base64');
  return send(raw, rpcUrl);
}

/** Lets another wallet spend tokens of an owner, who pays the fee. */
export async function approveDelegate(
  { keypair }: SolanaPayer,
  delegate: PublicKey,
  atomic: bigint,
  rpcUrl: string,
): Promise<void> {
  const owner = keypair.publicKey;
  await rpcCall(rpcUrl, 'requestAirdrop', [owner.toBase58(), 1_000_000_000]);
  const latest = (await rpcCall(rpcUrl, 'getLatestBlockhash')) as { value: { blockhash: string } };
  // SPL Token's Approve: its discriminator and the amount.
  const data = Buffer.alloc(9);
  data[0] = 4;
  data.writeBigUInt64LE(atomic, 1);
  const transaction = new Transaction({ feePayer: owner, recentBlockhash: latest.value.blockhash }).add({
    programId: tokenProgram,
    keys: [
      {
        pubkey: await tokenAccountOf(owner, new PublicKey(network(on).usdc)),
        isSigner: false,
        isWritable: true,
      },
      { pubkey: delegate, isSigner: false, isWritable: false },
      { pubkey: owner, isSigner: true, isWritable: false },
    ],
    data,
  });
  transaction.sign(keypair);
  await send(transaction.serialize().toString('base64'), rpcUrl);
}

/** Sends a signed transaction, and waits for its slot. */
async function send(raw: string, rpcUrl: string): Promise<string> {
  const signature = String(
    await rpcCall(rpcUrl, 'sendTransaction', [raw, { encoding: 'base64', skipPreflight: true }]),
  );
  for (;;) {
    const statuses = (await rpcCall(rpcUrl, 'getSignatureStatuses', [[signature]])) as {
      value: ({ confirmationStatus: string } | null)[];
    };
    const status = statuses.value[0]?.confirmationStatus;
    if (status === 'confirmed' || status === 'finalized') return signature;
    await sleep(50);
  }
}

export function memo(text: string): TransactionInstruction {
  return new TransactionInstruction({ programId: memoProgram, keys: [], data: Buffer.from(text) });
}

async function tokenAccountOf(owner: PublicKey, mint: PublicKey): Promise<PublicKey> {
  return new PublicKey(await findAssociatedTokenAddress(owner.toBase58(), mint.toBase58()));
}

async function transfer({
  from,
  authority,
  mint,
  to,
  amount,
  decimals,
}: TransferParts): Promise<TransactionInstruction> {
  const data = Buffer.alloc(10);
  data[0] = 12;
  data.writeBigUInt64LE(amount, 1);
  data[9] = decimals;
  return new TransactionInstruction({
    programId: tokenProgram,
    keys: [
      { pubkey: await tokenAccountOf(from, mint), isSigner: false, isWritable: true },
      { pubkey: mint, isSigner: false, isWritable: false },
      { pubkey: await tokenAccountOf(to, mint), isSigner: false, isWritable: true },
      { pubkey: authority, isSigner: true, isWritable: false },
    ],
    data,
  });
}

/** A lookup table with one address, which no cluster has. */
export function lookupTableWith(address: PublicKey): AddressLookupTableAccount {
  return new AddressLookupTableAccount({
    key: Keypair.generate().publicKey,
    state: {
      deactivationSlot: 2n ** 64n - 1n,
      lastExtendedSlot: 0,
      lastExtendedSlotStartIndex: 0,
      addresses: [address],
    },
  });
}
