import type { getWallets } from '@wallet-standard/app';
import { fromBase64, toBase64 } from './bytes';
import { Stopped } from './stopped';

/** A wallet of the wallet standard. */
export type Wallet = ReturnType<ReturnType<typeof getWallets>['get']>[number];
type WalletAccount = Wallet['accounts'][number];

/** The features of the Solana wallet standard that pages use. Packages with these types bring all of web3.js. */
interface ConnectFeature {
  connect(options?: { readonly silent: boolean }): Promise<{ readonly accounts: readonly WalletAccount[] }>;
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

/** The cluster of a service's networks. It offers networks of one kind: main or test. */
export function clusterOf(networks: readonly string[]): SolanaCluster {
  return networks.includes('solana-devnet') ? 'solana:devnet' : 'solana:mainnet';
}

/** Whether a wallet can sign transactions of a cluster. */
export function signsForSolana({ chains, features }: Wallet, cluster: SolanaCluster): boolean {
  return chains.includes(cluster) && 'standard:connect' in features && 'solana:signTransaction' in features;
}

/** The accounts of the cluster that the wallet shows to the page; it may ask the person first. */
export async function connectToSolana(
  wallet: Wallet,
  cluster: SolanaCluster,
): Promise<readonly WalletAccount[]> {
  const { accounts } = await (wallet.features['standard:connect'] as ConnectFeature).connect();
  const fitting = accounts.filter(({ chains }) => chains.includes(cluster));
  if (accounts.length === 0) throw new Stopped('The wallet has no account.');
  return fitting.length > 0 ? fitting : accounts;
}

/**
 * Lets a wallet sign a transaction without sending it.
 * @param transaction base64
 * @returns base64
 */
export async function signOnSolana(
  wallet: Wallet,
  cluster: SolanaCluster,
  account: WalletAccount,
  transaction: string,
): Promise<string> {
  const signing = wallet.features['solana:signTransaction'] as SignTransactionFeature;
  const input = { account, transaction: fromBase64(transaction), chain: cluster };
  const [signed] = await signing.signTransaction(input);
  if (!signed) throw new Stopped('The wallet did not sign.');
  return toBase64(signed.signedTransaction);
}
