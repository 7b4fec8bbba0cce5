import { createHash, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import {
  ComputeBudgetProgram,
  Keypair,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { solanaNetwork } from '@/local/networks';
import { walletProgram } from '../../support/wallet-program/wallet';
import { associatedAddressOf, associatedTokenProgram } from './accounts';
import { vaultOf } from './wallet-program';

const tokenProgram = new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
const memoProgram = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');

const wallets = new Map<string, Keypair>();

/** A wallet that always has the same key. */
export function walletOf(name: string): Keypair {
  const known = wallets.get(name) ?? Keypair.fromSeed(createHash('sha256').update(name).digest());
  wallets.set(name, known);
  return known;
}

/** The bytes that precede the 32 secret bytes of an Ed25519 key in PKCS #8 (RFC 8410). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');
const keys = new Map<Keypair, KeyObject>();

/** Signs in native code, which is many times faster than the JavaScript of a wallet. */
function signatureOf(message: Uint8Array, wallet: Keypair): Uint8Array {
  const secret = Buffer.concat([pkcs8Prefix, wallet.secretKey.subarray(0, 32)]);
  const key = keys.get(wallet) ?? createPrivateKey({ key: secret, format: 'der', type: 'pkcs8' });
  keys.set(wallet, key);
  return sign(null, message, key);
}

/** The token account of a wallet. */
export function tokenAccountOf(owner: PublicKey, mint: string = solanaNetwork.usdc): PublicKey {
  return new PublicKey(associatedAddressOf(owner.toBase58(), mint));
}

export interface TransferParts {
  readonly from: Keypair;
  readonly to: PublicKey;
  readonly atomic: bigint;
  readonly feePayer: Keypair;
  readonly blockhash: string;
  readonly mint?: string;
  readonly decimals?: number;
  readonly memo?: string;
  /** Who signs for the tokens; `from` if left out. */
  readonly authority?: Keypair;
  readonly computeUnits?: number;
  readonly microLamportsPerUnit?: number;
  readonly isSourceReadOnly?: boolean;
  /** Creates the token account of the recipient, if it is missing. */
  readonly opensAccount?: boolean;
  /** Who signs; by default everybody who has to. */
  readonly signers?: readonly Keypair[];
}

/** A transfer of tokens with the layout of the exact scheme: compute budget, TransferChecked, memo. */
export function transferOf(parts: TransferParts): VersionedTransaction {
  const { from, to, atomic, feePayer, mint = solanaNetwork.usdc, authority = from } = parts;
  const data = Buffer.alloc(10);
  data[0] = 12;
  data.writeBigUInt64LE(atomic, 1);
  data[9] = parts.decimals ?? 6;
  const transfer = new TransactionInstruction({
    programId: tokenProgram,
    keys: [
      { pubkey: tokenAccountOf(from.publicKey, mint), isSigner: false, isWritable: !parts.isSourceReadOnly },
      { pubkey: new PublicKey(mint), isSigner: false, isWritable: false },
      { pubkey: tokenAccountOf(to, mint), isSigner: false, isWritable: true },
      { pubkey: authority.publicKey, isSigner: true, isWritable: false },
    ],
    data,
  });
  const memo = new TransactionInstruction({
    programId: memoProgram,
    keys: [],
    data: Buffer.from(parts.memo ?? ''),
  });
  return signed(
    feePayer,
    parts.blockhash,
    [
      ComputeBudgetProgram.setComputeUnitLimit({ units: parts.computeUnits ?? 20_000 }),
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: parts.microLamportsPerUnit ?? 1 }),
      ...(parts.opensAccount ? [openAccount(feePayer.publicKey, to, mint)] : []),
      transfer,
      ...(parts.memo === undefined ? [] : [memo]),
    ],
    parts.signers ?? [feePayer, authority],
  );
}

export interface WalletTransferParts
  extends Pick<TransferParts, 'to' | 'atomic' | 'feePayer' | 'blockhash' | 'memo' | 'signers'> {
  /** The member of the wallet that pays. */
  readonly from: Keypair;
  readonly computeUnits?: number;
  readonly microLamportsPerUnit?: number;
  /** Further accounts that the program gets. */
  readonly more?: readonly PublicKey[];
}

/** The account whose first byte says what the wallet of a member does. */
export function settingsOf(member: PublicKey): PublicKey {
  return walletOf(`settings of ${member.toBase58()}`).publicKey;
}

/** A payment by the smart wallet of a member: compute budget, a call of the wallet's program, memo. */
export function walletTransferOf(parts: WalletTransferParts): VersionedTransaction {
  const { from, to, atomic, feePayer } = parts;
  const { vault, bump } = vaultOf(from.publicKey);
  const data = Buffer.alloc(9);
  data[0] = bump;
  data.writeBigUInt64LE(atomic, 1);
  const account = (pubkey: PublicKey, isWritable = false) => ({ pubkey, isSigner: false, isWritable });
  const payment = new TransactionInstruction({
    programId: new PublicKey(walletProgram),
    keys: [
      account(settingsOf(from.publicKey)),
      { ...account(from.publicKey), isSigner: true },
      account(vault),
      account(tokenAccountOf(vault), true),
      account(new PublicKey(solanaNetwork.usdc)),
      account(tokenAccountOf(to), true),
      account(tokenProgram),
      ...(parts.more ?? []).map((one) => account(one)),
    ],
    data,
  });
  const memo = new TransactionInstruction({
    programId: memoProgram,
    keys: [],
    data: Buffer.from(parts.memo ?? ''),
  });
  return signed(
    feePayer,
    parts.blockhash,
    [
      ComputeBudgetProgram.setComputeUnitLimit({ units: parts.computeUnits ?? 60_000 }),
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: parts.microLamportsPerUnit ?? 1 }),
      payment,
      ...(parts.memo === undefined ? [] : [memo]),
    ],
    parts.signers ?? [feePayer, from],
  );
}

/** CreateIdempotent of the associated token program. */
function openAccount(
  payer: PublicKey,
  owner: PublicKey,
  mint: string = solanaNetwork.usdc,
): TransactionInstruction {
  return new TransactionInstruction({
    programId: new PublicKey(associatedTokenProgram),
    keys: [
      { pubkey: payer, isSigner: true, isWritable: true },
      { pubkey: tokenAccountOf(owner, mint), isSigner: false, isWritable: true },
      { pubkey: owner, isSigner: false, isWritable: false },
      { pubkey: new PublicKey(mint), isSigner: false, isWritable: false },
      { pubkey: SystemProgram.programId, isSigner: false, isWritable: false },
      { pubkey: tokenProgram, isSigner: false, isWritable: false },
    ],
    data: Buffer.from([1]),
  });
}

/** A transaction with these instructions, and the signatures of those signers that it needs. */
function signed(
  feePayer: Keypair,
  blockhash: string,
  instructions: TransactionInstruction[],
  signers: readonly Keypair[],
): VersionedTransaction {
  const message = new TransactionMessage({
    payerKey: feePayer.publicKey,
    recentBlockhash: blockhash,
    instructions,
  }).compileToV0Message();
  const transaction = new VersionedTransaction(message);
  signBy(transaction, signers);
  return transaction;
}

/** Adds the signatures of those wallets that have to sign a transaction. */
export function signBy(transaction: VersionedTransaction, signers: readonly Keypair[]): void {
  const { message } = transaction;
  const needed = message.staticAccountKeys.slice(0, message.header.numRequiredSignatures);
  const bytes = message.serialize();
  for (const wallet of signers)
    if (needed.some((key) => key.equals(wallet.publicKey)))
      transaction.addSignature(wallet.publicKey, signatureOf(bytes, wallet));
}
