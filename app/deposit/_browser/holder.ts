import { connect, connectedAccounts } from '@/app/_wallets/evm';
import { connectToSolana, type SolanaCluster } from '@/app/_wallets/solana';
import type { FoundWallet } from '@/app/_wallets/wallets';

/** A wallet's account, and what it holds. */
export interface Holder {
  readonly address: string;
  /** USDC by network, decimal; null where nobody knows, and empty when the service could not be asked. */
  readonly holdings: Readonly<Record<string, string | null>>;
}

/**
 * The address of a wallet that pays.
 * @param asks whether the wallet may ask the person
 * @returns null when the wallet shows none
 */
export async function addressOf(
  wallet: FoundWallet,
  cluster: SolanaCluster,
  asks: boolean,
): Promise<string | null> {
  if (wallet.family === 'evm') {
    const accounts = await (asks ? connect(wallet.provider) : connectedAccounts(wallet.provider));
    return accounts[0] ?? null;
  }
  const known = asks ? await connectToSolana(wallet.wallet, cluster) : wallet.wallet.accounts;
  return known[0]?.address ?? null;
}

/** What the service says about the account and a wallet. */
export interface Figures {
  readonly balance: string;
  readonly holdings: Holder['holdings'];
}

/** @returns null when the service does not say */
export async function readFigures(accountId: string, wallet: string): Promise<Figures | null> {
  const response = await fetch(`/deposit/${accountId}/holdings`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ wallet }),
  }).catch(() => null);
  return response?.ok ? response.json().catch(() => null) : null;
}
