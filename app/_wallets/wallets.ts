import { getWallets } from '@wallet-standard/app';
import { createStore, type EIP6963ProviderDetail } from 'mipd';
import { type SolanaCluster, signsForSolana, type Wallet } from './solana';

/** A wallet in this browser that can pay on networks of a family. */
export type FoundWallet = { readonly id: string; readonly name: string; readonly icon: string } & (
  | { readonly family: 'evm'; readonly provider: EIP6963ProviderDetail['provider'] }
  | { readonly family: 'solana'; readonly wallet: Wallet }
);

/**
 * Finds wallets. EVM wallets announce themselves (EIP-6963), and Solana wallets register (wallet standard), both at any time.
 * @param cluster the Solana cluster that payments are made on
 * @param changed called with all wallets, at once and after every change
 */
export function watchWallets(
  cluster: SolanaCluster,
  changed: (wallets: readonly FoundWallet[]) => void,
): void {
  const evm = createStore();
  const solana = getWallets();
  const notify = () =>
    changed([
      ...evm.getProviders().map(ofEvm),
      ...solana
        .get()
        .filter((wallet) => signsForSolana(wallet, cluster))
        .map(ofSolana),
    ]);
  evm.subscribe(notify);
  solana.on('register', notify);
  solana.on('unregister', notify);
  notify();
}

function ofEvm({ info, provider }: EIP6963ProviderDetail): FoundWallet {
  return { id: `evm:${info.uuid}`, name: shownName(info.name), icon: info.icon, family: 'evm', provider };
}

/** The standard has no IDs, and two wallets may have the same name. */
function ofSolana(wallet: Wallet, index: number, all: readonly Wallet[]): FoundWallet {
  const nth = all.slice(0, index).filter(({ name }) => name === wallet.name).length;
  const id = `solana:${wallet.name}:${nth}`;
  return { id, name: shownName(wallet.name), icon: wallet.icon, family: 'solana', wallet };
}

const nameLengthMax = 40;

/**
 * A name as it is shown. Any extension may announce any name, so control characters, such as those that reverse text,
 * are removed, and long names are cut.
 */
function shownName(name: string): string {
  const characters = [...name.replaceAll(/\p{C}/gu, '').trim()];
  return characters.slice(0, nameLengthMax).join('') || 'Wallet without a name';
}
