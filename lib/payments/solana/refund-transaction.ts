import {
  type Connection,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { usdcDecimals } from '@/lib/payments/money';
import type { Offer, SolanaNetwork } from '@/lib/payments/network-offers';
import type { RefundTransfer } from '@/lib/payments/refund-transfer';
import { associatedTokenAccount, associatedTokenProgram, findTransfer } from './solana-transaction';

const memoProgram = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
/** CreateIdempotent of the associated token program: does nothing when the account exists. */
const createIdempotent = Buffer.from([1]);
/** AdvanceNonceAccount of the system program. */
const advanceNonce = Buffer.from([4, 0, 0, 0]);
/** TransferChecked of the token program. */
const transferCheckedDiscriminator = 12;

/**
 * Builds the transaction that the treasury's wallet signs for a refund: it creates the recipient's token account if that no
 * longer exists, transfers the amount, and names the refund in a memo. The wallet pays the network fee.
 * @returns base64
 */
export async function refundTransaction(
  connection: Connection,
  offer: Offer<SolanaNetwork>,
  transfer: RefundTransfer,
  refundId: string,
): Promise<string> {
  const [program, { blockhash }] = await Promise.all([
    tokenProgramOf(connection, new PublicKey(offer.asset)),
    connection.getLatestBlockhash(),
  ]);
  const message = new TransactionMessage({
    payerKey: new PublicKey(offer.payTo),
    recentBlockhash: blockhash,
    instructions: refundInstructions(offer, transfer, refundId, program),
  });
  const transaction = new VersionedTransaction(message.compileToV0Message());
  return Buffer.from(transaction.serialize()).toString('base64');
}

/**
 * Whether a signed transaction is the refund and nothing else in it moves our token. Wallets add instructions, such as one
 * for a higher fee. Ours must all be there, in order. A transaction with a durable nonce instead of a blockhash is rejected,
 * because it never expires.
 */
export function isRefund(
  signed: VersionedTransaction,
  offer: Offer<SolanaNetwork>,
  transfer: RefundTransfer,
  refundId: string,
  program: PublicKey,
): boolean {
  const { message } = signed;
  const treasury = new PublicKey(offer.payTo);
  if (message.addressTableLookups.length > 0 || findTransfer(signed) === null) return false;
  if (!message.staticAccountKeys[0]?.equals(treasury)) return false;
  const { instructions } = TransactionMessage.decompile(message);
  if (instructions.some(isNonceAdvance)) return false;
  const given = instructions.map(summaryOf);
  const wanted = refundInstructions(offer, transfer, refundId, program).map(summaryOf);
  const kept = given.filter((instruction) => wanted.includes(instruction));
  return JSON.stringify(kept) === JSON.stringify(wanted);
}

function isNonceAdvance({ programId, data }: TransactionInstruction): boolean {
  return programId.equals(SystemProgram.programId) && data.subarray(0, 4).equals(advanceNonce);
}

/** Equal for instructions that are the same. Whether an account is writable is a property of the whole transaction. */
function summaryOf({ programId, keys, data }: TransactionInstruction): string {
  const accounts = keys.map(({ pubkey }) => pubkey.toBase58());
  return [programId.toBase58(), ...accounts, data.toString('hex')].join(' ');
}

function refundInstructions(
  offer: Offer<SolanaNetwork>,
  { recipient, amountAtomic }: RefundTransfer,
  refundId: string,
  program: PublicKey,
): TransactionInstruction[] {
  const mint = new PublicKey(offer.asset);
  const treasury = new PublicKey(offer.payTo);
  const payee = new PublicKey(recipient);
  const from = associatedTokenAccount(treasury, mint, program);
  const to = associatedTokenAccount(payee, mint, program);
  const account = (pubkey: PublicKey, { isSigner = false, isWritable = false } = {}) => ({
    pubkey,
    isSigner,
    isWritable,
  });
  const amount = Buffer.alloc(8);
  amount.writeBigUInt64LE(amountAtomic);
  return [
    new TransactionInstruction({
      programId: associatedTokenProgram,
      keys: [
        account(treasury, { isSigner: true, isWritable: true }),
        account(to, { isWritable: true }),
        account(payee),
        account(mint),
        account(SystemProgram.programId),
        account(program),
      ],
      data: createIdempotent,
    }),
    new TransactionInstruction({
      programId: program,
      keys: [
        account(from, { isWritable: true }),
        account(mint),
        account(to, { isWritable: true }),
        account(treasury, { isSigner: true }),
      ],
      data: Buffer.concat([Buffer.from([transferCheckedDiscriminator]), amount, Buffer.from([usdcDecimals])]),
    }),
    new TransactionInstruction({
      programId: memoProgram,
      keys: [account(treasury, { isSigner: true })],
      data: Buffer.from(refundId),
    }),
  ];
}

/** The token program that a token belongs to. */
export async function tokenProgramOf(connection: Connection, mint: PublicKey): Promise<PublicKey> {
  const account = await connection.getAccountInfo(mint);
  if (!account) throw new Error('the token does not exist on this cluster');
  return account.owner;
}
