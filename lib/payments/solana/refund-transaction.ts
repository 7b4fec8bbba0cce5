import {
  type Connection,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { usdcDecimals } from '@/lib/payments/money';
import type { Offer, SolanaNetwork } from '@/lib/payments/networks';
import type { RefundTransfer } from '@/lib/payments/refund-transfer';
import { associatedTokenAccount, associatedTokenProgram } from './transaction';

const memoProgram = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
/** CreateIdempotent of the associated token program: does nothing when the account exists. */
const createIdempotent = Buffer.from([1]);
/** TransferChecked of the token program. */
const transferCheckedDiscriminator = 12;

/**
 * Makes the transaction that the treasury's wallet signs for a refund: it opens the recipient's token account if that is
 * gone, transfers the amount, and names the refund in a memo. The wallet pays its fee.
 * @returns base64
 */
export async function refundTransaction(
  connection: Connection,
  offer: Offer<SolanaNetwork>,
  { recipient, amountAtomic }: RefundTransfer,
  refundId: string,
): Promise<string> {
  const mint = new PublicKey(offer.asset);
  const treasury = new PublicKey(offer.payTo);
  const payee = new PublicKey(recipient);
  const [program, { blockhash }] = await Promise.all([
    tokenProgramOf(connection, mint),
    connection.getLatestBlockhash(),
  ]);
  const from = associatedTokenAccount(treasury, mint, program);
  const to = associatedTokenAccount(payee, mint, program);
  const account = (pubkey: PublicKey, { isSigner = false, isWritable = false } = {}) => ({
    pubkey,
    isSigner,
    isWritable,
  });
  const amount = Buffer.alloc(8);
  amount.writeBigUInt64LE(amountAtomic);
  const instructions = [
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
  const message = new TransactionMessage({ payerKey: treasury, recentBlockhash: blockhash, instructions });
  const transaction = new VersionedTransaction(message.compileToV0Message());
  return Buffer.from(transaction.serialize()).toString('base64');
}

/** The token program that a token belongs to. */
export async function tokenProgramOf(connection: Connection, mint: PublicKey): Promise<PublicKey> {
  const account = await connection.getAccountInfo(mint);
  if (!account) throw new Error('the token does not exist on this cluster');
  return account.owner;
}
