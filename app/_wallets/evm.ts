import type { EIP1193Provider } from 'mipd';
import { isDeclined, Stopped } from './stopped';

/** What pages ask of an EVM wallet (EIP-1193). */

/** The accounts that the wallet shows to the page; it may ask the person first. */
export async function connect(provider: EIP1193Provider): Promise<readonly `0x${string}`[]> {
  const accounts = await provider.request({ method: 'eth_requestAccounts' });
  if (accounts.length === 0) throw new Stopped('The wallet has no account.');
  return accounts;
}

/** Wallets sign typed data, and send transactions, only for the chain that they are on. */
export async function switchTo(provider: EIP1193Provider, chainId: number, label: string): Promise<void> {
  if (await isOn(provider, chainId)) return;
  const wanted = `0x${chainId.toString(16)}` as const;
  try {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: wanted }] });
  } catch (error) {
    if (isDeclined(error)) throw error;
    throw new Stopped(`The wallet does not have the network ${label}. Add it in the wallet and try again.`);
  }
  if (await isOn(provider, chainId)) return;
  throw new Stopped(`The wallet is on another network. Switch it to ${label} and try again.`);
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
