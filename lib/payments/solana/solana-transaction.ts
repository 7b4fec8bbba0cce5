import { createPublicKey, verify } from 'node:crypto';
import { ComputeBudgetProgram, PublicKey, VersionedTransaction } from '@solana/web3.js';

/** A transaction is at most one network packet. */
const transactionBytesMax = 1232;
export const tokenPrograms: ReadonlySet<string> = new Set([
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
]);
export const associatedTokenProgram = new PublicKey('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');
/** The layout of SPL Token's TransferChecked: its discriminator, the amount (u64, little endian) and the decimals. */
const transferChecked = { discriminator: 12, dataBytes: 10, amountOffset: 1 } as const;

/** The official scheme's reason for a transaction that the cluster rejects. */
export const simulationFailed = 'invalid_exact_svm_transaction_simulation_failed';

/** A generous upper bound on how long a blockhash is accepted. */
export const blockhashLifeMs = 120_000;
/**
 * A blockhash has expired this many blocks after the height at which a node accepted or built its transaction. It lives for
 * 150 blocks, and that node may have been behind the one that returned the blockhash.
 */
export const expiredAfterBlocks = 180n;

/** Parses a transaction; null when it is not a version 0 or legacy transaction in canonical form. */
export function parseTransaction(base64: string): VersionedTransaction | null {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length === 0 || bytes.length > transactionBytesMax || bytes.toString('base64') !== base64)
    return null;
  try {
    const transaction = VersionedTransaction.deserialize(bytes);
    // Trailing or overlong bytes would be a second form of the same payment.
    return Buffer.from(transaction.serialize()).equals(bytes) ? transaction : null;
  } catch {
    return null;
  }
}

/**
 * Whether an instruction uses the fee payer's account, which our signature would authorize. The scheme's specification
 * forbids that for every instruction, but its package checks only the transfer.
 */
export function involvesFeePayer({ message }: VersionedTransaction): boolean {
  return message.compiledInstructions.some(({ accountKeyIndexes }) => accountKeyIndexes.includes(0));
}

/** The prefix that node:crypto needs for a raw Ed25519 key (RFC 8410). */
const ed25519Prefix = Buffer.from('302a300506032b6570032100', 'hex');

/** The keys that have to sign a transaction; the first pays the fee. */
export function signersOf({ message }: VersionedTransaction): readonly PublicKey[] {
  return message.staticAccountKeys.slice(0, message.header.numRequiredSignatures);
}

/** Whether the transaction has a valid signature by `key`. */
export function hasSigned(transaction: VersionedTransaction, message: Uint8Array, key: PublicKey): boolean {
  const index = signersOf(transaction).findIndex((candidate) => candidate.equals(key));
  const signature = transaction.signatures[index];
  if (index < 0 || !signature) return false;
  const publicKey = createPublicKey({
    key: Buffer.concat([ed25519Prefix, key.toBuffer()]),
    format: 'der',
    type: 'spki',
  });
  return verify(null, message, publicKey, signature);
}

export interface Transfer {
  /** The token account that pays. */
  readonly source: PublicKey;
  readonly mint: PublicKey;
  /** The token account that receives. */
  readonly destination: PublicKey;
  /** The token program of both accounts. */
  readonly program: PublicKey;
  /** The wallet that signs for `source`: its owner, or a delegate. */
  readonly authority: PublicKey;
  readonly amountAtomic: bigint;
}

/** Reads the single transfer instruction; null when there is not exactly one. */
export function findTransfer({ message }: Pick<VersionedTransaction, 'message'>): Transfer | null {
  const { staticAccountKeys, compiledInstructions } = message;
  const transfers = compiledInstructions.filter(
    ({ programIdIndex, data }) =>
      tokenPrograms.has(staticAccountKeys[programIdIndex]?.toBase58() ?? '') &&
      data[0] === transferChecked.discriminator &&
      data.length === transferChecked.dataBytes,
  );
  const [transfer] = transfers;
  if (!transfer || transfers.length !== 1) return null;
  // The accounts of TransferChecked, in this order.
  const [source, mint, destination, authority] = transfer.accountKeyIndexes.map(
    (index) => staticAccountKeys[index],
  );
  const program = staticAccountKeys[transfer.programIdIndex];
  if (!source || !mint || !destination || !authority || !program) return null;
  return {
    source,
    mint,
    destination,
    authority,
    program,
    amountAtomic: Buffer.from(transfer.data).readBigUInt64LE(transferChecked.amountOffset),
  };
}

/** The token account that wallets use for an owner and a token. */
export function associatedTokenAccount(owner: PublicKey, mint: PublicKey, program: PublicKey): PublicKey {
  const seeds = [owner, program, mint].map((part) => part.toBuffer());
  return PublicKey.findProgramAddressSync(seeds, associatedTokenProgram)[0];
}

const lamportsPerSignature = 5_000n;
const microLamportsPerLamport = 1_000_000n;
/** The layouts of SetComputeUnitLimit (units, u32) and SetComputeUnitPrice (micro-lamports, u64), little endian. */
const setComputeUnitLimit = { discriminator: 2, dataBytes: 5 } as const;
const setComputeUnitPrice = { discriminator: 3, dataBytes: 9 } as const;

/**
 * What a transaction costs its fee payer once it is in a block, even if it fails: the base fee of each signature, and the
 * priority fee for all compute units that it requested (https://solana.com/docs/core/fees). A transaction without a limit of
 * its own has no priority fee here; the exact scheme requires a limit.
 * @returns lamports
 */
export function transactionFee({ message }: VersionedTransaction): bigint {
  const program = message.staticAccountKeys.findIndex((key) => key.equals(ComputeBudgetProgram.programId));
  const budget = message.compiledInstructions
    .filter(({ programIdIndex }) => programIdIndex === program)
    .map(({ data }) => Buffer.from(data));
  const find = ({ discriminator, dataBytes }: { discriminator: number; dataBytes: number }) =>
    budget.find((data) => data[0] === discriminator && data.length === dataBytes);
  const units = BigInt(find(setComputeUnitLimit)?.readUInt32LE(1) ?? 0);
  const price = find(setComputeUnitPrice)?.readBigUInt64LE(1) ?? 0n;
  const priority = (units * price + microLamportsPerLamport - 1n) / microLamportsPerLamport;
  return lamportsPerSignature * BigInt(message.header.numRequiredSignatures) + priority;
}
