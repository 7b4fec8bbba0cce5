import type { Page } from '@playwright/test';
import {
  getBase64EncodedWireTransaction,
  getBase64Encoder,
  getTransactionDecoder,
  type KeyPairSigner,
  partiallySignTransaction,
} from '@solana/kit';
import { createWalletClient, type Hex, http } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { base } from 'viem/chains';
import type { EvmWallet as ContractWallet } from './paying-wallets';

/** Wallets as browser extensions provide them to pages; their keys stay in the test. */

export interface EvmWallet {
  /** The requests to it, in order. */
  readonly asked: string[];
  /** The last typed data that it signed. */
  typedData?: { domain: object; message: Record<string, string> };
  declines: boolean;
  /** The requests that it declines when `declines` is not set. */
  declined: readonly string[];
  /** Claims to have switched to the requested chain without doing so. */
  staysOnItsChain: boolean;
  /** Whether the page may see its account without asking. */
  isConnected: boolean;
  /** Chains that the wallet does not know until they are added. */
  readonly unknownChains: Set<number>;
}

interface EvmWalletOptions {
  /** The node that transactions are sent to. Without one, the wallet sends none. */
  readonly rpcUrl?: string;
  readonly name?: string;
  /** Called before each request to sign or send. */
  readonly asking?: (method: string) => Promise<void>;
}

const icon =
  'data:image/svg+xml,%3Csvg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"%3E%3Ccircle cx="4" cy="4" r="4" fill="%23a35c2e"/%3E%3C/svg%3E';

/** Announces itself through EIP-6963, starts on chain 1, signs typed data and sends transactions. */
export async function injectEvmWallet(
  page: Page,
  account: PrivateKeyAccount | ContractWallet,
  { rpcUrl, name = 'Test Wallet', asking }: EvmWalletOptions = {},
): Promise<EvmWallet> {
  const wallet: EvmWallet = {
    asked: [],
    declines: false,
    declined: [],
    staysOnItsChain: false,
    isConnected: false,
    unknownChains: new Set(),
  };
  const declined = { error: { code: 4001, message: 'User rejected the request.' } };
  let chainId = 1;
  await page.exposeFunction('testEvmWallet', async (method: string, params: readonly unknown[]) => {
    wallet.asked.push(method);
    if (method === 'eth_accounts') return { result: wallet.isConnected ? [account.address] : [] };
    if (method === 'eth_requestAccounts') {
      if (wallet.declined.includes(method)) return declined;
      wallet.isConnected = true;
      return { result: [account.address] };
    }
    if (method === 'wallet_addEthereumChain') {
      wallet.unknownChains.delete(Number((params[0] as { chainId: string }).chainId));
      return { result: null };
    }
    if (method === 'eth_chainId') return { result: `0x${chainId.toString(16)}` };
    if (method === 'wallet_switchEthereumChain') {
      const { chainId: wanted } = params[0] as { chainId: string };
      if (wallet.unknownChains.has(Number(wanted)))
        return { error: { code: 4902, message: 'Unrecognized chain ID.' } };
      if (!wallet.staysOnItsChain) chainId = Number(wanted);
      return { result: null };
    }
    await asking?.(method);
    if (wallet.declines || wallet.declined.includes(method)) return declined;
    if (method === 'eth_sendTransaction' && rpcUrl !== undefined && 'signTransaction' in account) {
      const transaction = params[0] as { chainId: string; from: string; to: Hex; data: Hex };
      if (Number(transaction.chainId) !== chainId || transaction.from !== account.address)
        return { error: { code: -32602, message: 'wrong chain or account' } };
      const client = createWalletClient({ account, chain: base, transport: http(rpcUrl) });
      const { to, data } = transaction;
      // A fixed gas limit, so that even a transaction that would revert is sent.
      return { result: await client.sendTransaction({ to, data, gas: 200_000n }) };
    }
    if (method !== 'eth_signTypedData_v4') return { error: { code: 4200, message: 'unsupported' } };
    const typed = JSON.parse(String(params[1]));
    // A wallet signs only for the chain that it is on.
    if (typed.domain.chainId !== chainId) return { error: { code: -32603, message: 'wrong chain' } };
    wallet.typedData = typed;
    const { EIP712Domain, ...types } = typed.types;
    return { result: await account.signTypedData({ ...typed, types }) };
  });
  await page.addInitScript(`(() => {
    const request = async ({ method, params = [] }) => {
      const { result, error } = await window.testEvmWallet(method, params);
      if (error) throw Object.assign(new Error(error.message), { code: error.code });
      return result;
    };
    const detail = Object.freeze({
      info: { uuid: '350670db-19fa-4704-a166-e52e178b59d2', name: ${JSON.stringify(name)}, icon: ${JSON.stringify(icon)}, rdns: 'test.wallet' },
      provider: { request, on() {}, removeListener() {} },
    });
    const announce = () => window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }));
    window.addEventListener('eip6963:requestProvider', announce);
    announce();
  })()`);
  return wallet;
}

/** Registers through the Wallet Standard, and signs Solana transactions. */
export async function injectSolanaWallet(page: Page, signer: KeyPairSigner): Promise<void> {
  await page.exposeFunction('testSolanaWallet', async (base64: string) => {
    const transaction = getTransactionDecoder().decode(getBase64Encoder().encode(base64));
    return getBase64EncodedWireTransaction(await partiallySignTransaction([signer.keyPair], transaction));
  });
  await page.addInitScript(`(() => {
    const chains = ['solana:mainnet'];
    const account = { address: ${JSON.stringify(signer.address)}, publicKey: new Uint8Array(32), chains, features: ['solana:signTransaction'] };
    const toBase64 = (bytes) => btoa(String.fromCharCode(...bytes));
    const fromBase64 = (text) => Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
    const wallet = {
      version: '1.0.0',
      name: 'Test Sun Wallet',
      icon: ${JSON.stringify(icon)},
      chains,
      accounts: [],
      features: {
        'standard:connect': { version: '1.0.0', connect: async () => ({ accounts: [account] }) },
        'solana:signTransaction': {
          version: '1.0.0',
          supportedTransactionVersions: ['legacy', 0],
          signTransaction: async ({ transaction }) => [
            { signedTransaction: fromBase64(await window.testSolanaWallet(toBase64(transaction))) },
          ],
        },
      },
    };
    const register = (api) => api.register(wallet);
    window.dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: register }));
    window.addEventListener('wallet-standard:app-ready', ({ detail }) => register(detail));
  })()`);
}
