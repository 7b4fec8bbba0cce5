import type { Wallet, WalletAccount } from '@wallet-standard/base';
import { fromBase64, toBase64 } from './bytes';
import type { Order } from './payment';
import { Stopped, walletStopped } from './stopped';

/** The features of the Solana wallet standard that the page uses. Packages with these types bring all of web3.js. */
interface ConnectFeature {
  connect(): Promise<{ readonly accounts: readonly WalletAccount[] }>;
}
interface SignTransactionFeature {
  signTransaction(input: {
    account: WalletAccount;
    transaction: Uint8Array;
    chain: string;
  }): Promise<readonly { readonly signedTransaction: Uint8Array }[]>;
}

/** A cluster in the wallet standard. */
export type SolanaCluster = 'solana:mainnet' | 'solana:devnet';

/** Whether a wallet can sign transactions of a cluster. */
export function signsForSolana({ chains, features }: Wallet, cluster: SolanaCluster): boolean {
  return chains.includes(cluster) && 'standard:connect' in features && 'solana:signTransaction' in features;
}

/** Lets a wallet sign an x402 payment on Solana (scheme exact). The server made the unsigned transaction. */
export async function signWithSolana(
  wallet: Wallet,
  cluster: SolanaCluster,
  { accountId, amount }: Order,
): Promise<object> {
  try {
    const { accounts } = await (wallet.features['standard:connect'] as ConnectFeature).connect();
    const account = accounts.find(({ chains }) => chains.includes(cluster)) ?? accounts[0];
    if (!account) throw new Stopped('The wallet has no account to pay from.');
    const transaction = fromBase64(await transactionFor(accountId, { payer: account.address, amount }));
    const signing = wallet.features['solana:signTransaction'] as SignTransactionFeature;
    const [signed] = await signing.signTransaction({ account, transaction, chain: cluster });
    if (!signed) throw new Stopped('The wallet did not sign the payment.');
    return { transaction: toBase64(signed.signedTransaction) };
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
