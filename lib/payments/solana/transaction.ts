import { createHash, createPublicKey, verify } from 'node:crypto';
import { type PublicKey, VersionedTransaction } from '@solana/web3.js';
import type { Offer, SolanaNetwork } from '@/lib/payments/networks';
import type { Payment, SolanaSigned } from '@/lib/payments/payment';

/** A transaction is at most one network packet. */
const transactionBytesMax = 1232;
const tokenPrograms = new Set([
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
]);
/** SPL Token's TransferChecked: its number, then the amount (u64, little endian) and the decimals. */
const transferChecked = { discriminator: 12, dataBytes: 10, amountOffset: 1 } as const;

/** Slots for which a blockhash is accepted, and a generous slot time: an upper bound of a transaction's life. */
export const blockhashLifeSlots = 150;
export const blockhashLifeMs = 120_000;

/** Parses wire bytes; null when they are not a version 0 or legacy transaction in canonical form. */
export function parseTransaction(base64: string): VersionedTransaction | null {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length === 0 || bytes.length > transactionBytesMax || bytes.toString('base64') !== base64)
    return null;
  try {
    const transaction = VersionedTransaction.deserialize(bytes);
    // Trailing or overlong bytes would be a second spelling of the same payment.
    return Buffer.from(transaction.serialize()).equals(bytes) ? transaction : null;
  } catch {
    return null;
  }
}

/**
 * Whether an instruction names the account that pays the fees, which our signature would then speak for. The scheme's
 * specification forbids it for every instruction; its package looks at the transfer alone.
 */
export function involvesFeePayer({ message }: VersionedTransaction): boolean {
  return message.compiledInstructions.some(({ accountKeyIndexes }) => accountKeyIndexes.includes(0));
}

/** The raw-key wrapper that node:crypto wants (RFC 8410). */
const ed25519Prefix = Buffer.from('302a300506032b6570032100', 'hex');

/** Whether `key` signed the message in the slot where the transaction keeps its signature. */
function hasSigned(transaction: VersionedTransaction, message: Uint8Array, key: PublicKey): boolean {
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
  /** The token account that is drawn on. */
  readonly source: PublicKey;
  /** The wallet that it belongs to. */
  readonly owner: PublicKey;
  readonly amountAtomic: bigint;
}

/** Whose tokens move, from where and how many, from the one transfer instruction; null when there is not exactly one. */
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
  // Accounts of TransferChecked: source, mint, destination, owner.
  const [sourceIndex = -1, , destinationIndex = -1, ownerIndex = -1] = transfer.accountKeyIndexes;
  const source = staticAccountKeys[sourceIndex];
  const owner = staticAccountKeys[ownerIndex];
  if (!source || !owner || !staticAccountKeys[destinationIndex]) return null;
  return {
    source,
    owner,
    amountAtomic: Buffer.from(transfer.data).readBigUInt64LE(transferChecked.amountOffset),
  };
}

/**
 * Reads a signed Solana payment: whose tokens it moves, proven by that wallet's signature. Judges nothing else; the
 * layout, the payee and the fees are checked by the official scheme before it is charged.
 * @returns null when it is no transaction, has no single transfer, or the owner did not sign
 */
export function recogniseSolanaPayment(
  offer: Offer<SolanaNetwork>,
  signed: SolanaSigned,
  now: Date,
): Payment<SolanaSigned> | null {
  const transaction = parseTransaction(signed.transaction);
  const transfer = transaction && findTransfer(transaction);
  if (!transaction || !transfer) return null;
  const message = transaction.message.serialize();
  if (!hasSigned(transaction, message, transfer.owner)) return null;
  return {
    network: offer.network.name,
    asset: offer.asset,
    payer: transfer.owner.toBase58(),
    // The message, not the wire bytes: anyone can alter the unsigned slot (reference: x402 section 6).
    authorization: createHash('sha256').update(message).digest('hex'),
    amountAtomic: transfer.amountAtomic,
    payTo: offer.payTo,
    validBefore: new Date(now.getTime() + blockhashLifeMs),
    signed,
  };
}
