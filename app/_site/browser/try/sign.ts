import type { Wallet } from '@wallet-standard/base';
import { connectToSolana, type SolanaCluster, signOnSolana } from '@/app/_wallets/solana';
import { Stopped, walletStopped } from '@/app/_wallets/stopped';
import type { FoundWallet } from '@/app/_wallets/wallets';
import { signWithEvm } from '@/app/deposit/_browser/evm';
import type { Challenge } from '@/app/deposit/_browser/payment';

/** What is paid for: the server needs it to make a Solana transaction. */
export interface Purchase {
  readonly operation: string;
  /** USDC, decimal. */
  readonly amount: string;
  readonly networkLabel: string;
}

/** Lets a wallet sign the payment of a challenge. @returns the payload of an x402 payment */
export function sign(
  wallet: FoundWallet,
  cluster: SolanaCluster,
  challenge: Challenge,
  purchase: Purchase,
): Promise<object> {
  return wallet.family === 'evm'
    ? signWithEvm(wallet.provider, { label: purchase.networkLabel, chain: null }, challenge)
    : signWithSolana(wallet.wallet, cluster, purchase);
}

async function signWithSolana(wallet: Wallet, cluster: SolanaCluster, purchase: Purchase): Promise<object> {
  try {
    const [account] = await connectToSolana(wallet, cluster);
    if (!account) throw new Stopped('The wallet has no account to pay from.');
    const transaction = await transactionFor(purchase, account.address);
    return { transaction: await signOnSolana(wallet, cluster, account, transaction) };
  } catch (error) {
    throw walletStopped(error);
  }
}

/** The page may only connect to this service, so the service makes the transaction. */
async function transactionFor({ operation, amount }: Purchase, payer: string): Promise<string> {
  const response = await fetch('/try/solana', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ operation, payer, amount }),
  }).catch(() => null);
  if (!response?.ok) throw new Stopped('The payment could not be prepared. Try again in a moment.');
  return (await response.json()).transaction;
}
