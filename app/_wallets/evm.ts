import type { EIP1193Provider } from 'mipd';
import { isDeclined, Stopped } from './stopped';

/** The requests that pages make to an EVM wallet (EIP-1193). */

/** The accounts that the wallet shows to the page; it may ask the person first. */
export async function connect(provider: EIP1193Provider): Promise<readonly `0x${string}`[]> {
  const accounts = await provider.request({ method: 'eth_requestAccounts' });
  if (accounts.length === 0) throw new Stopped('The wallet has no account.');
  return accounts;
}

/** The accounts that the wallet shows to the page without asking anybody. */
export async function connectedAccounts(provider: EIP1193Provider): Promise<readonly `0x${string}`[]> {
  return provider.request({ method: 'eth_accounts' }).catch(() => []);
}

/** A network in the form in which it is added to a wallet (EIP-3085). */
export interface WalletChain {
  readonly chainId: `0x${string}`;
  readonly chainName: string;
  readonly nativeCurrency: { readonly name: string; readonly symbol: string; readonly decimals: number };
  readonly rpcUrls: readonly string[];
  readonly blockExplorerUrls: readonly string[];
}

/**
 * Wallets sign typed data, and send transactions, only for the chain that they are on.
 * @param chain is added to a wallet that does not have it; null where it is not known
 */
export async function switchTo(
  provider: EIP1193Provider,
  chainId: number,
  label: string,
  chain: WalletChain | null = null,
): Promise<void> {
  if (await isOn(provider, chainId)) return;
  try {
    const wanted = `0x${chainId.toString(16)}` as const;
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: wanted }] });
  } catch (error) {
    if (isDeclined(error)) throw error;
    if (chain === null || !isUnknownChain(error)) throw lacksNetwork(label);
    await addChain(provider, chain, label);
  }
  if (await isOn(provider, chainId)) return;
  throw new Stopped(`The wallet is on another network. Switch it to ${label} and try again.`);
}

async function addChain(provider: EIP1193Provider, chain: WalletChain, label: string): Promise<void> {
  try {
    const params = { ...chain, rpcUrls: [...chain.rpcUrls], blockExplorerUrls: [...chain.blockExplorerUrls] };
    await provider.request({ method: 'wallet_addEthereumChain', params: [params] });
    // Some wallets add the chain without switching to it.
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: chain.chainId }] });
  } catch (error) {
    throw isDeclined(error) ? error : lacksNetwork(label);
  }
}

const lacksNetwork = (label: string) =>
  new Stopped(`The wallet does not have the network ${label}. Add it in the wallet and try again.`);

/** The code for a chain that the wallet does not have; some wallets wrap it (EIP-3326). */
function isUnknownChain(error: unknown): boolean {
  const { code, data } = (typeof error === 'object' && error !== null ? error : {}) as {
    code?: unknown;
    data?: { originalError?: { code?: unknown } };
  };
  return code === 4902 || data?.originalError?.code === 4902;
}

async function isOn(provider: EIP1193Provider, chainId: number): Promise<boolean> {
  return Number(await provider.request({ method: 'eth_chainId' })) === chainId;
}

/** @param typed EIP-712 */
export function signTypedData(
  provider: EIP1193Provider,
  from: `0x${string}`,
  typed: object,
): Promise<`0x${string}`> {
  return provider.request({ method: 'eth_signTypedData_v4', params: [from, JSON.stringify(typed)] });
}

/** Lets the wallet send a transaction. @returns its hash */
export function sendTransaction(
  provider: EIP1193Provider,
  transaction: { from: `0x${string}`; to: `0x${string}`; data: `0x${string}` },
  chainId: number,
): Promise<`0x${string}`> {
  const params = { ...transaction, value: '0x0', chainId: `0x${chainId.toString(16)}` } as const;
  return provider.request({ method: 'eth_sendTransaction', params: [params] });
}
