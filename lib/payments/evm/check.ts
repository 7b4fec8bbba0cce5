import { formatEther, type Hex, isAddressEqual } from 'viem';
import type { Platform } from '@/lib/platform/platform';
import { usdcDomainSeparator } from './authorization';
import type { EvmChain } from './chain';
import { tokenAbi } from './token';

/** Gas for about a thousand settlements: enough to continue, low enough to warn in time. */
const gasBalanceMin = 10n ** 14n;

/**
 * Checks before the network is offered that the RPC serves the right chain and token, and that a key can pay for gas.
 * @param signers the keys that may pay for gas here; empty where others settle
 */
export async function checkEvmNetwork(
  app: Platform,
  chain: EvmChain,
  signers: readonly Hex[],
): Promise<string[]> {
  const { network, payTo } = chain.offer;
  const problems: string[] = [];
  const chainId = await chain.client.getChainId();
  if (chainId !== network.chainId) {
    return [`the RPC serves chain ${chainId}, not ${network.chainId}`];
  }
  const [separator, batcher] = await Promise.all([
    chain.client
      .readContract({ address: chain.token, abi: tokenAbi, functionName: 'DOMAIN_SEPARATOR' })
      .catch(() => null),
    chain.findBatcher(),
  ]);
  if (separator !== usdcDomainSeparator(chain.offer)) {
    problems.push(`the token at ${chain.token} does not report the EIP-712 domain of USD Coin, version 2`);
  }
  if (!batcher) problems.push('there is neither an interface multicall nor a Multicall3');
  if (isAddressEqual(payTo as Hex, '0x0000000000000000000000000000000000000000')) {
    problems.push('PAY_TO_EVM is the zero address');
  }
  problems.push(...(await gasProblems(app, chain, signers)));
  return problems;
}

/** A network is offered while one of our keys can pay for gas. Each one that cannot is logged. */
async function gasProblems(app: Platform, chain: EvmChain, signers: readonly Hex[]): Promise<string[]> {
  const balances = await Promise.all(
    signers.map(async (signer) => ({ signer, balance: await chain.client.getBalance({ address: signer }) })),
  );
  const poor = balances
    .filter(({ balance }) => balance < gasBalanceMin)
    .map(({ signer, balance }) => `the settlement key ${signer} holds ${formatEther(balance)} of gas money`);
  if (poor.length === signers.length) return poor;
  if (poor.length > 0)
    app.log.error({ network: chain.offer.network.name, problems: poor }, 'gas money runs out');
  return [];
}
