import { createHash, createPublicKey, verify } from 'node:crypto';
import { ComputeBudgetProgram, PublicKey, VersionedTransaction } from '@solana/web3.js';
import type { Offer, SolanaNetwork } from '@/lib/payments/network-offers';
import type { Payment, SolanaSigned } from '@/lib/payments/payment';

/** A transaction is at most one network packet. */
const transactionBytesMax = 1232;
const tokenPrograms = new Set([
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

/** Whether the transaction has a valid signature by `key`. */
export function hasSigned(transaction: VersionedTransaction, message: Uint8Array, key: PublicKey): boolean {
  const { header, staticAccountKeys } = transaction.message;
  const index = staticAccountKeys.findIndex((candidate) => candidate.equals(key));
  const signature = transaction.signatures[index];
  if (index < 0 || index >= header.numRequiredSignatures || !signature) return false;
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
export function findTransfer(transaction: VersionedTransaction): Transfer | null {
  const { staticAccountKeys, compiledInstructions } = transaction.message;
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

const payeeAccounts = new Map<string, string>();

/** Whether a transfer goes to our payee's associated token account. */
function paysPayee({ payTo, asset }: Offer, { destination, program }: Transfer): boolean {
  const key = `${payTo} ${asset} ${program.toBase58()}`;
  let account = payeeAccounts.get(key);
  if (account === undefined) {
    account = associatedTokenAccount(new PublicKey(payTo), new PublicKey(asset), program).toBase58();
    payeeAccounts.set(key, account);
  }
  return destination.toBase58() === account;
}

/**
 * Whether a transfer takes the money from its signer's own associated token account. A delegate signs for someone else's
 * account: the money would belong to one wallet and the call to another.
 */
function isOwnAccount({ source, authority, mint, program }: Transfer): boolean {
  return source.equals(associatedTokenAccount(authority, mint, program));
}

/**
 * Checks a payment against the offer without asking the cluster: token, account of the payer, payee, exact amount and fee
 * payer. The official scheme checks the rest of the transaction's layout later.
 * @returns a reason code, or null when it is valid
 */
export function solanaRefusal(
  payment: Payment<SolanaSigned>,
  offer: Offer<SolanaNetwork>,
  terms: { amountAtomic: bigint; feePayer: string | null },
): string | null {
  const transaction = parseTransaction(payment.signed.transaction);
  const transfer = transaction && findTransfer(transaction);
  if (!transaction || !transfer) return 'invalid_exact_svm_payload_transaction_could_not_be_decoded';
  if (transaction.message.staticAccountKeys[0]?.toBase58() !== terms.feePayer)
    return 'invalid_exact_svm_fee_payer_mismatch';
  if (transfer.mint.toBase58() !== offer.asset) return 'invalid_exact_svm_payload_mint_mismatch';
  if (!isOwnAccount(transfer)) return 'invalid_exact_svm_payload_source_mismatch';
  if (payment.payTo !== offer.payTo) return 'invalid_exact_svm_payload_recipient_mismatch';
  if (payment.amountAtomic !== terms.amountAtomic) return 'invalid_exact_svm_payload_amount_mismatch';
  return null;
}

/**
 * Reads a signed Solana payment, and verifies that the authority of its transfer signed it. Terms are not checked, because a
 * payment must be recognized even long after it has expired.
 * @returns null when it is not a transaction with exactly one transfer, signed by its authority
 */
export function recognizeSolanaPayment(
  offer: Offer<SolanaNetwork>,
  signed: SolanaSigned,
  now: Date,
): Payment<SolanaSigned> | null {
  const transaction = parseTransaction(signed.transaction);
  const transfer = transaction && findTransfer(transaction);
  if (!transaction || !transfer) return null;
  const message = transaction.message.serialize();
  if (!hasSigned(transaction, message, transfer.authority)) return null;
  return {
    network: offer.network.name,
    asset: offer.asset,
    payer: transfer.authority.toBase58(),
    // The message without signatures, because anyone can alter the unsigned slot.
    authorization: createHash('sha256').update(message).digest('hex'),
    amountAtomic: transfer.amountAtomic,
    payTo: paysPayee(offer, transfer) ? offer.payTo : transfer.destination.toBase58(),
    validBefore: new Date(now.getTime() + blockhashLifeMs),
    signed,
  };
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
