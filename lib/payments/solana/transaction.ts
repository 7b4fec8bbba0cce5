import { createHash, createPublicKey, verify } from 'node:crypto';
import { PublicKey, VersionedTransaction } from '@solana/web3.js';
import type { Offer, SolanaNetwork } from '@/lib/payments/networks';
import type { Payment, SolanaSigned } from '@/lib/payments/payment';

/** A transaction is at most one network packet. */
const transactionBytesMax = 1232;
const tokenPrograms = new Set([
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
]);
const associatedTokenProgram = new PublicKey('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');
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
  readonly mint: PublicKey;
  /** The token account that is paid. */
  readonly destination: PublicKey;
  /** The program that keeps both accounts. */
  readonly program: PublicKey;
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
  // Accounts of TransferChecked, in this order.
  const [source, mint, destination, owner] = transfer.accountKeyIndexes.map(
    (index) => staticAccountKeys[index],
  );
  const program = staticAccountKeys[transfer.programIdIndex];
  if (!source || !mint || !destination || !owner || !program) return null;
  return {
    source,
    mint,
    destination,
    owner,
    program,
    amountAtomic: Buffer.from(transfer.data).readBigUInt64LE(transferChecked.amountOffset),
  };
}

const payeeAccounts = new Map<string, string>();

/** Whether a transfer goes to the token account of our payee: the associated one, as the scheme has it. */
function paysPayee({ payTo, asset }: Offer, { destination, program }: Transfer): boolean {
  const key = `${payTo} ${asset} ${program.toBase58()}`;
  let account = payeeAccounts.get(key);
  if (account === undefined) {
    const seeds = [new PublicKey(payTo), program, new PublicKey(asset)].map((part) => part.toBuffer());
    account = PublicKey.findProgramAddressSync(seeds, associatedTokenProgram)[0].toBase58();
    payeeAccounts.set(key, account);
  }
  return destination.toBase58() === account;
}

/**
 * Whether a payment is for this offer, as far as can be told without asking the cluster: token, payee, exact amount, and
 * the account that pays the fees, whose signature it waits for. The official scheme checks all of its layout later.
 * @returns a reason code, or null when nothing is wrong
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
  if (payment.payTo !== offer.payTo) return 'invalid_exact_svm_payload_recipient_mismatch';
  if (payment.amountAtomic !== terms.amountAtomic) return 'invalid_exact_svm_payload_amount_mismatch';
  return null;
}

/**
 * Reads a signed Solana payment: whose tokens it moves, proven by that wallet's signature, how many and to whom. Judges
 * nothing, because a payment must be recognized long after it has become unusable.
 * @returns null when it is no transaction, has no single transfer, or the owner did not sign
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
  if (!hasSigned(transaction, message, transfer.owner)) return null;
  return {
    network: offer.network.name,
    asset: offer.asset,
    payer: transfer.owner.toBase58(),
    // The message, not the wire bytes: anyone can alter the unsigned slot.
    authorization: createHash('sha256').update(message).digest('hex'),
    amountAtomic: transfer.amountAtomic,
    payTo: paysPayee(offer, transfer) ? offer.payTo : transfer.destination.toBase58(),
    validBefore: new Date(now.getTime() + blockhashLifeMs),
    signed,
  };
}
