import { formatEther, type Hex } from 'viem';
import type { NetworkProblem } from '@/lib/payments/settlers';
import type { ChainPlatform } from '@/lib/platform/platform';
import type { EvmChain } from './evm-chain';
import { tokenProblems } from './token-problems';

/** Gas for about a thousand settlements: enough to continue, low enough to warn in time. */
const gasBalanceMin = 10n ** 14n;

/**
 * Checks before the network is offered that the RPC serves the right chain and token, and that a key can pay for gas.
 * @param signers the keys that may pay for gas here; empty where others settle
 */
export async function checkEvmNetwork(
  app: ChainPlatform,
  chain: EvmChain,
  signers: readonly Hex[],
): Promise<NetworkProblem[]> {
  // An RPC that does not answer is waited for here, and not by the other checks.
  const found = contractAndGasProblems(app, chain, signers);
  found.catch(() => undefined);
  const others = await otherChains(chain);
  return others.length > 0 ? others : found;
}

/** Every RPC is asked, so that one that nothing else asks is known to work when it is needed. */
async function otherChains(chain: EvmChain): Promise<NetworkProblem[]> {
  const { network } = chain.offer;
  const chainIds = await chain.chainIds();
  const others = chainIds.flatMap((chainId, index) =>
    chainId === null || chainId === network.chainId ? [] : [{ chainId, number: index + 1 }],
  );
  return others.map(({ chainId, number }) => ({
    message: `RPC ${number} of ${chainIds.length} serves chain ${chainId}, not ${network.chainId}`,
    advice: `Set ${network.setting}_RPC_URL to RPCs of ${network.name}.`,
  }));
}

async function contractAndGasProblems(
  app: ChainPlatform,
  chain: EvmChain,
  signers: readonly Hex[],
): Promise<NetworkProblem[]> {
  const { network } = chain.offer;
  const { setting } = network;
  const problems: NetworkProblem[] = [];
  const [ofToken, batcher] = await Promise.all([tokenProblems(chain), chain.findBatcher()]);
  problems.push(...ofToken);
  if (!batcher) {
    problems.push({
      message: 'there is neither an interface multicall nor a Multicall3',
      advice: `Set ${setting}_RPC_URL to an RPC that serves the whole state of ${network.name}.`,
    });
  }
  problems.push(...(await gasProblems(app, chain, signers)));
  return problems;
}

/** A network is offered while one of our keys can pay for gas. Each one that cannot is logged. */
async function gasProblems(
  app: ChainPlatform,
  chain: EvmChain,
  signers: readonly Hex[],
): Promise<NetworkProblem[]> {
  const balances = await Promise.all(
    signers.map(async (signer) => ({ signer, balance: await chain.client.getBalance({ address: signer }) })),
  );
  const poor = balances
    .filter(({ balance }) => balance < gasBalanceMin)
    .map(({ signer, balance }) => ({
      message: `the settlement key ${signer} holds ${formatEther(balance)} of gas money`,
      advice: `Send it money for gas on ${chain.offer.network.name}.`,
    }));
  if (poor.length === signers.length) return poor;
  if (poor.length > 0) {
    const problems = poor.map(({ message }) => message);
    app.log.error({ network: chain.offer.network.name, problems }, 'a settlement key is low on gas');
  }
  return [];
}
