import { getWallets } from '@wallet-standard/app';
import type { Wallet } from '@wallet-standard/base';
import { createStore, type EIP6963ProviderDetail } from 'mipd';
import { signsForSolana } from './solana';

/** A wallet in this browser that can pay on networks of a family. */
export type FoundWallet = { readonly id: string; readonly name: string; readonly icon: string } & (
  | { readonly family: 'evm'; readonly provider: EIP6963ProviderDetail['provider'] }
  | { readonly family: 'solana'; readonly wallet: Wallet }
);

/**
 * Finds wallets: those for EVM networks announce themselves (EIP-6963), those for Solana register (wallet standard); both
 * may do so at any time.
 * @param changed is told all wallets, at once and whenever there are others
 */
export function watchWallets(changed: (wallets: readonly FoundWallet[]) => void): void {
  const evm = createStore();
  const solana = getWallets();
  const tell = () =>
    changed([...evm.getProviders().map(ofEvm), ...solana.get().filter(signsForSolana).map(ofSolana)]);
  evm.subscribe(tell);
  solana.on('register', tell);
  solana.on('unregister', tell);
  tell();
}

function ofEvm({ info, provider }: EIP6963ProviderDetail): FoundWallet {
  return { id: `evm:${info.uuid}`, name: info.name, icon: info.icon, family: 'evm', provider };
}

function ofSolana(wallet: Wallet): FoundWallet {
  return { id: `solana:${wallet.name}`, name: wallet.name, icon: wallet.icon, family: 'solana', wallet };
}
