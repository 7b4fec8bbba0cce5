import { ComputeBudgetProgram, PublicKey, type VersionedTransaction } from '@solana/web3.js';
import type { Payment } from '@/lib/payments/payment';
import { associatedTokenAccount, type Transfer, tokenPrograms } from './solana-transaction';

// A smart wallet is an account that belongs to a program (Squads, Swig). No key signs for its money: the program moves it, in
// an instruction that calls the token program. Which wallet pays is read from the accounts of that instruction; whether it
// does is known only from a simulation, and then from the transaction in its block (docs/decisions/contract-wallets.md).

/** Deriving a token account takes a tenth of a millisecond, and each account may be the wallet. */
const accountsMax = 24;

/** The most that a transaction of a smart wallet may ask for: the defaults of the official scheme. */
export const smartWalletCaps = { computeUnits: 400_000, microLamports: 50_000 } as const;

/** Programs that an ordinary payment calls too: the compute budget, memos, and assertions that wallets add (Lighthouse). */
const auxiliaryPrograms = new Set([
  ComputeBudgetProgram.programId.toBase58(),
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95',
]);

/** The discriminator of SetComputeUnitLimit. */
const setComputeUnitLimit = 2;

/** The programs that a transaction calls, apart from auxiliary ones. */
export function walletProgramsOf({ message }: VersionedTransaction): string[] {
  const { staticAccountKeys, compiledInstructions } = message;
  const called = compiledInstructions.map(
    ({ programIdIndex }) => staticAccountKeys[programIdIndex]?.toBase58() ?? '',
  );
  return [...new Set(called)].filter((program) => !auxiliaryPrograms.has(program));
}

/** The accounts that a transaction hands to the programs that may move money. */
function accountsOf({ message }: VersionedTransaction): PublicKey[] {
  const { staticAccountKeys, compiledInstructions } = message;
  const indexes = compiledInstructions
    .filter(
      ({ programIdIndex }) => !auxiliaryPrograms.has(staticAccountKeys[programIdIndex]?.toBase58() ?? ''),
    )
    .flatMap(({ accountKeyIndexes }) => accountKeyIndexes);
  return [...new Set(indexes)].flatMap((index) => staticAccountKeys[index] ?? []);
}

/** A call of a smart wallet's program, as far as it can be read without asking the program. */
interface WalletCall {
  readonly wallet: PublicKey;
  /** The token account of the wallet. */
  readonly source: PublicKey;
  readonly mint: PublicKey;
  /** The token program. */
  readonly program: PublicKey;
  /** Every account that the program may work on, in base58. */
  readonly accounts: ReadonlySet<string>;
}

/**
 * Reads who would pay in a transaction of a smart wallet: the one account whose token account is there too. Whom and how much it
 * pays cannot be read.
 * @param asset the mint of the token
 * @returns null when it is not clear, or when accounts are in address lookup tables
 */
export function findWalletCall(transaction: VersionedTransaction, asset: string): WalletCall | null {
  const called = walletProgramsOf(transaction);
  const accounts = accountsOf(transaction);
  if (transaction.message.addressTableLookups.length > 0) return null;
  if (called.length === 0 || called.some((program) => tokenPrograms.has(program))) return null;
  const given = new Set(accounts.map((account) => account.toBase58()));
  if (accounts.length > accountsMax || !given.has(asset)) return null;
  const [program, ...others] = accounts.filter((account) => tokenPrograms.has(account.toBase58()));
  if (!program || others.length > 0) return null;
  const mint = new PublicKey(asset);
  const wallets = accounts.flatMap((wallet) => {
    const source = associatedTokenAccount(wallet, mint, program);
    return given.has(source.toBase58()) ? [{ wallet, source }] : [];
  });
  const [payer] = wallets;
  return payer && wallets.length === 1 ? { ...payer, mint, program, accounts: given } : null;
}

/**
 * Why a smart wallet's transaction is refused before it is simulated; null when it is not. Without a limit of its own, a
 * transaction may use as many compute units as its instructions are given by default, and we pay for them.
 */
export function walletRefusal(transaction: VersionedTransaction, allowed: readonly string[]): string | null {
  if (walletProgramsOf(transaction).some((program) => !allowed.includes(program)))
    return 'invalid_exact_svm_smart_wallet_program_not_allowed';
  const { staticAccountKeys, compiledInstructions } = transaction.message;
  const hasLimit = compiledInstructions.some(
    ({ programIdIndex, data }) =>
      staticAccountKeys[programIdIndex]?.equals(ComputeBudgetProgram.programId) &&
      data[0] === setComputeUnitLimit,
  );
  return hasLimit ? null : 'invalid_exact_svm_smart_wallet_malformed_compute_limit';
}

/** The transfer that a smart wallet's payment stands for. Needs no setting, which may have changed since. */
export function transferOfWallet(transaction: VersionedTransaction, payment: Payment): Transfer | null {
  const { payer, asset, payTo, amountAtomic } = payment;
  const call = findWalletCall(transaction, asset);
  if (call?.wallet.toBase58() !== payer) return null;
  const { wallet: authority, source, mint, program } = call;
  const destination = associatedTokenAccount(new PublicKey(payTo), mint, program);
  return { source, mint, destination, program, authority, amountAtomic };
}

/** A transfer that a program made in a simulation, as RPC nodes parse it. */
interface InnerTransfer {
  readonly source: string;
  readonly destination: string;
  readonly authority: string;
  readonly amount: string;
}

/** Whether exactly one inner transfer reaches the payee's account, and it is the one that the payment stands for. */
export function paysExactly(transfers: readonly InnerTransfer[], transfer: Transfer): boolean {
  const [paid, ...others] = transfers.filter(
    ({ destination }) => destination === transfer.destination.toBase58(),
  );
  return (
    paid?.source === transfer.source.toBase58() &&
    paid.authority === transfer.authority.toBase58() &&
    paid.amount === transfer.amountAtomic.toString() &&
    others.length === 0
  );
}
