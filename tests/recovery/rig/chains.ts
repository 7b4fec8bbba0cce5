import { startEvmChain } from '@/local/evm/chain';
import { rpcCall } from '@/local/json-rpc';
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy';
import { network, type TestNetwork } from '../../support/stack';
import { newSolanaSeller, startSolana } from './own-solana';
import type { RigOptions } from './rig';

export type NetworkName = TestNetwork['name'];

/** A chain of a rig. */
export interface RigChain {
  readonly name: NetworkName;
  /** The chain itself. */
  readonly url: string;
  readonly proxy: RpcProxy;
  readonly fromBlock: number;
  /** The key that pays Solana's fees; null on EVM networks. */
  readonly feePayerKey: string | null;
}

/** The chains of a rig, each behind a proxy. Functions that stop them are added to `ends`. */
export function reachChains(
  networks: readonly NetworkName[],
  options: RigOptions,
  payToSolana: string,
  ends: (() => Promise<unknown>)[],
): Promise<RigChain[]> {
  const { beside, baseRpcUrl, sendsSynchronously } = options;
  return Promise.all(
    networks.map(async (name) => {
      const isSolana = name === 'solana-mainnet';
      const url =
        (await startOwnChain(name, options, ends)) ??
        beside?.chainUrl(name) ??
        (name === 'base' ? baseRpcUrl : undefined) ??
        network(name).rpcUrl;
      const proxy = await startRpcProxy(url, { sendsSynchronously });
      ends.unshift(() => proxy.close());
      const fromBlock = isSolana ? 0 : Number(await rpcCall(url, 'eth_blockNumber'));
      // Instances of one service share the fee payer, because their challenges name it.
      const shared = beside?.serverEnv.SETTLEMENT_KEY_SOLANA;
      const feePayerKey = isSolana ? (shared ?? (await newSolanaSeller(url, payToSolana))) : null;
      return { name, url, proxy, fromBlock, feePayerKey };
    }),
  );
}

/** Starts the chain of a network that the rig has to itself. @returns its URL, or undefined for a chain that it shares */
async function startOwnChain(
  name: NetworkName,
  { hasOwnBase, hasOwnSolana }: RigOptions,
  ends: (() => Promise<unknown>)[],
): Promise<string | undefined> {
  if (name === 'solana-mainnet' && hasOwnSolana) return startSolana(ends);
  if (name !== 'base' || !hasOwnBase) return undefined;
  const chain = await startEvmChain({ chainId: 8453 });
  ends.push(() => chain.stop());
  return chain.rpcUrl;
}

export function evmChains(chains: readonly RigChain[]): RigChain[] {
  return chains.filter(({ name }) => name !== 'solana-mainnet');
}
