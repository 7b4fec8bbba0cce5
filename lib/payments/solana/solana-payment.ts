import { createHash } from 'node:crypto';
import { PublicKey, type VersionedTransaction } from '@solana/web3.js';
import type { Offer, SolanaNetwork } from '@/lib/payments/network-offers';
import type { Payment, SolanaSigned } from '@/lib/payments/payment';
import { findWalletCall, walletRefusal } from './smart-wallet';
import {
  associatedTokenAccount,
  blockhashLifeMs,
  findTransfer,
  hasSigned,
  parseTransaction,
  signersOf,
  type Transfer,
} from './solana-transaction';

const payeeAccounts = new Map<string, string>();

/** Our payee's associated token account, in base58. */
function payeeAccount({ payTo, asset }: Offer, program: PublicKey): string {
  const key = `${payTo} ${asset} ${program.toBase58()}`;
  const known = payeeAccounts.get(key);
  if (known !== undefined) return known;
  const account = associatedTokenAccount(new PublicKey(payTo), new PublicKey(asset), program).toBase58();
  payeeAccounts.set(key, account);
  return account;
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
  if (!transaction) return 'invalid_exact_svm_payload_transaction_could_not_be_decoded';
  if (transaction.message.staticAccountKeys[0]?.toBase58() !== terms.feePayer)
    return 'invalid_exact_svm_fee_payer_mismatch';
  const ofTransfer =
    payment.signed.signer === 'wallet'
      ? walletRefusal(transaction, offer.walletPrograms)
      : transferRefusal(findTransfer(transaction), offer);
  if (ofTransfer !== null) return ofTransfer;
  if (payment.payTo !== offer.payTo) return 'invalid_exact_svm_payload_recipient_mismatch';
  if (payment.amountAtomic !== terms.amountAtomic) return 'invalid_exact_svm_payload_amount_mismatch';
  return null;
}

function transferRefusal(transfer: Transfer | null, offer: Offer): string | null {
  if (!transfer) return 'invalid_exact_svm_payload_transaction_could_not_be_decoded';
  if (transfer.mint.toBase58() !== offer.asset) return 'invalid_exact_svm_payload_mint_mismatch';
  return isOwnAccount(transfer) ? null : 'invalid_exact_svm_payload_source_mismatch';
}

/**
 * Reads a Solana payment, and verifies the signatures: of the authority of its transfer, or of everybody who signs for a smart
 * wallet. Terms are not checked, because a payment must be recognized even long after it has expired.
 * @param acceptedAtomic the amount of the offer that the client accepted, in atomic USDC. It counts for smart wallets, whose
 * transactions do not say how much they pay
 * @returns null when it is neither a transaction with exactly one transfer, nor one of a smart wallet that could pay us
 */
export function recognizeSolanaPayment(
  offer: Offer<SolanaNetwork>,
  base64: string,
  acceptedAtomic: bigint,
  now: Date,
): Payment<SolanaSigned> | null {
  const transaction = parseTransaction(base64);
  if (!transaction) return null;
  const message = transaction.message.serialize();
  const transfer = findTransfer(transaction);
  // The fee payer, who comes first, has not signed yet.
  const signers = transfer ? [transfer.authority] : signersOf(transaction).slice(1);
  if (signers.length === 0 || !signers.every((key) => hasSigned(transaction, message, key))) return null;
  const terms = transfer ? termsOf(transfer, offer) : termsOfWallet(transaction, offer, acceptedAtomic);
  return (
    terms && {
      network: offer.network.name,
      asset: offer.asset,
      // The message without signatures, because anyone can alter the unsigned slot.
      authorization: createHash('sha256').update(message).digest('hex'),
      validBefore: new Date(now.getTime() + blockhashLifeMs),
      signed: { family: 'solana', transaction: base64, signer: transfer ? 'key' : 'wallet' },
      ...terms,
    }
  );
}

type Terms = Pick<Payment, 'payer' | 'payTo' | 'amountAtomic'>;

function termsOf({ authority, destination, program, amountAtomic }: Transfer, offer: Offer): Terms {
  const account = destination.toBase58();
  const payTo = account === payeeAccount(offer, program) ? offer.payTo : account;
  return { payer: authority.toBase58(), payTo, amountAtomic };
}

/** Whom a wallet pays instead of our payee cannot be read. */
const somebodyElse = 'somebody else';

function termsOfWallet(transaction: VersionedTransaction, offer: Offer, amountAtomic: bigint): Terms | null {
  const call = findWalletCall(transaction, offer.asset);
  if (!call) return null;
  const payTo = call.accounts.has(payeeAccount(offer, call.program)) ? offer.payTo : somebodyElse;
  return { payer: call.wallet.toBase58(), payTo, amountAtomic };
}
