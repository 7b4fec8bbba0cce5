import { randomBytes } from 'node:crypto';
import { createKeyPairSignerFromPrivateKeyBytes, type KeyPairSigner } from '@solana/kit';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { topUpUsdc } from '@/local/evm/funding';
import { rpcCall } from '@/local/json-rpc';
import { evmNetworkNames, network } from './stack';
import { openSmartWallet, type SolanaSmartWallet, walletProgram } from './wallet-program/wallet';

/**
 * A new wallet with 10 USDC, or `atomic`, on every EVM network or only on some. Each test creates its own, so no test sees
 * the payments of another.
 */
export async function newEvmPayer(
  atomic = 10_000_000n,
  on: readonly (typeof evmNetworkNames)[number][] = evmNetworkNames,
): Promise<PrivateKeyAccount> {
  const account = privateKeyToAccount(generatePrivateKey());
  if (atomic > 0n) {
    await Promise.all(
      on.map((name) => {
        const { rpcUrl, usdc } = network(name);
        return topUpUsdc(rpcUrl, usdc as `0x${string}`, [account.address], atomic, atomic);
      }),
    );
  }
  return account;
}

/** A new Solana wallet with 10 USDC, or `atomic`. */
export async function newSolanaPayer(atomic = 10_000_000n): Promise<KeyPairSigner> {
  const signer = await createKeyPairSignerFromPrivateKeyBytes(randomBytes(32));
  const { rpcUrl } = network('solana-mainnet');
  await rpcCall(rpcUrl, 'tuppence_setTokenBalance', [signer.address, atomic.toString()]);
  return signer;
}

/** A new Solana smart wallet with 10 USDC, or `atomic`, in its vault. By default its program is one that the server accepts. */
export function newSolanaSmartWallet({
  atomic = 10_000_000n,
  rpcUrl = network('solana-mainnet').rpcUrl,
  program = walletProgram,
} = {}): Promise<SolanaSmartWallet> {
  return openSmartWallet(rpcUrl, atomic, program);
}
