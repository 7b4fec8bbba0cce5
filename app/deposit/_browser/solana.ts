import type { Wallet } from '@wallet-standard/base';
import { connectToSolana, type SolanaCluster, signOnSolana } from '@/app/_wallets/solana';
import { Stopped, walletStopped } from '@/app/_wallets/stopped';
import type { Order } from './payment';

/** Lets a wallet sign an x402 payment on Solana (scheme exact). The server made the unsigned transaction. */
export async function signWithSolana(
  wallet: Wallet,
  cluster: SolanaCluster,
  { accountId, amount }: Order,
): Promise<object> {
  try {
    const [account] = await connectToSolana(wallet, cluster);
    if (!account) throw new Stopped('The wallet has no account to pay from.');
    const transaction = await transactionFor(accountId, { payer: account.address, amount });
    return { transaction: await signOnSolana(wallet, cluster, account, transaction) };
  } catch (error) {
    throw walletStopped(error);
  }
}

async function transactionFor(accountId: string, input: { payer: string; amount: string }): Promise<string> {
  const response = await fetch(`/deposit/${accountId}/solana`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(input),
  }).catch(() => null);
  if (!response?.ok) throw new Stopped('The payment could not be prepared. Try again in a moment.');
  return (await response.json()).transaction;
}
