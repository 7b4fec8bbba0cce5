import { randomBytes } from 'node:crypto';
import { createKeyPairSignerFromPrivateKeyBytes, type KeyPairSigner } from '@solana/kit';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { startEvmChain } from '@/local/evm/chain';
import { topUpGas, topUpUsdc } from '@/local/evm/funding';
import { rpcCall } from '@/local/json-rpc';
import { evmTestNetworks, solanaClusters } from '@/local/networks';
import { startSolanaRuntime } from '@/local/solana/runtime';
import { newSolanaSeller, newSolanaWallet } from '../recovery/rig/own-solana';

/** Local chains with the ids of the test networks. */
export interface TestChains {
  readonly evmPayer: PrivateKeyAccount;
  readonly solanaPayer: KeyPairSigner;
  readonly solanaRpcUrl: string;
  /** The settings of a server that accepts payments on these chains. */
  readonly serverEnv: Record<string, string>;
  stop(): Promise<unknown>;
}

/** Starts all four chains, with a funded payer and settlement keys. */
export async function startTestChains(): Promise<TestChains> {
  const evmPayer = privateKeyToAccount(generatePrivateKey());
  const settlementKey = generatePrivateKey();
  const payees = {
    evm: privateKeyToAccount(generatePrivateKey()).address,
    solana: newSolanaWallet().address,
  };
  const solanaPayer = await createKeyPairSignerFromPrivateKeyBytes(randomBytes(32));
  const funds = 10_000_000n;
  const [solana, ...chains] = await Promise.all([
    startSolanaRuntime({ cluster: 'solana-devnet' }),
    ...evmTestNetworks.map(async ({ chainId, rpcSetting, usdc }) => {
      const chain = await startEvmChain({ chainId });
      await topUpUsdc(chain.rpcUrl, usdc, [evmPayer.address], funds, funds);
      await topUpGas(chain.rpcUrl, privateKeyToAccount(settlementKey).address, 10n ** 20n);
      return { ...chain, rpcSetting };
    }),
  ]);
  await rpcCall(solana.rpcUrl, 'tuppence_setTokenBalance', [solanaPayer.address, funds.toString()]);
  return {
    evmPayer,
    solanaPayer,
    solanaRpcUrl: solana.rpcUrl,
    serverEnv: {
      NETWORKS: 'test',
      ...Object.fromEntries(chains.map(({ rpcSetting, rpcUrl }) => [rpcSetting, rpcUrl])),
      [solanaClusters['solana-devnet'].rpcSetting]: solana.rpcUrl,
      PAY_TO_EVM: payees.evm,
      PAY_TO_SOLANA: payees.solana,
      SETTLEMENT_KEYS_EVM: settlementKey,
      SETTLEMENT_KEY_SOLANA: await newSolanaSeller(solana.rpcUrl, payees.solana),
    },
    stop: () => Promise.all([solana, ...chains].map((chain) => chain.stop())),
  };
}
