import { checkEvmNetwork } from '@/lib/payments/evm/check-evm-network';
import { EvmChain } from '@/lib/payments/evm/evm-chain';
import { configuredOffers, isEvmOffer, isSolanaOffer } from '@/lib/payments/network-offers';
import { RpcNodes } from '@/lib/payments/rpc/network-rpcs';
import { SolanaLookup } from '@/lib/payments/solana/solana-lookup';
import { type FaultyNode, startFaultyNode } from '../support/faulty-node';
import { testPlatform } from '../support/platform';
import { expect, test } from '../support/without-browser';

/** Which of a network's RPCs serve its chain. The nodes here know nothing else, so other problems are found too. */

async function withNodes(
  results: readonly ((method: string) => unknown)[],
  work: (nodes: readonly FaultyNode[], urls: string) => Promise<void>,
): Promise<void> {
  const nodes = await Promise.all(results.map(startFaultyNode));
  try {
    await work(nodes, nodes.map(({ url }) => url).join(','));
  } finally {
    for (const node of nodes) await node.close();
  }
}

async function baseProblems(urls: string): Promise<string[]> {
  const app = testPlatform({ BASE_RPC_URL: urls });
  const offer = configuredOffers(app.settings).find(isEvmOffer);
  if (!offer) throw new Error('Base is not configured');
  return (await checkEvmNetwork(app, new EvmChain(app, offer), [])).map(({ message }) => message);
}

async function solanaProblems(urls: string): Promise<string[]> {
  const payee = '11111111111111111111111111111112';
  const app = testPlatform({ SOLANA_RPC_URL: urls, PAY_TO_SOLANA: payee });
  const offer = configuredOffers(app.settings).find(isSolanaOffer);
  if (!offer) throw new Error('Solana is not configured');
  const problems = await new SolanaLookup(app, offer, new RpcNodes(app, offer)).check();
  return problems.map(({ message }) => message);
}

const onChain = (chainId: string) => () => chainId;

const onCluster = (genesisHash: string) => (method: string) =>
  method === 'getGenesisHash' ? genesisHash : { context: { slot: 1 }, value: [] };
const mainnet = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const devnet = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';

test('an RPC of another chain is named by its number, whichever it is', async () => {
  await withNodes([onChain('0x2105'), onChain('0x1')], async (_, urls) => {
    expect(await baseProblems(urls)).toEqual(['RPC 2 of 2 serves chain 1, not 8453']);
  });
  await withNodes([onCluster(mainnet), onCluster(devnet)], async (_, urls) => {
    expect(await solanaProblems(urls)).toContain('RPC 2 of 2 serves another cluster');
  });
});

test('an RPC that cannot be asked for its chain is no problem while another one can', async () => {
  await withNodes([onChain('0x2105'), onChain('0x2105')], async ([first], urls) => {
    for (const how of ['status-500', 'garbage'] as const) {
      first?.behave(how);
      expect((await baseProblems(urls)).join()).not.toContain('serves chain');
    }
  });
  await withNodes([onCluster(mainnet), onCluster(mainnet)], async ([first], urls) => {
    first?.behave('status-500');
    expect((await solanaProblems(urls)).join()).not.toContain('cluster');
  });
});

test('a network none of whose RPCs can be asked for its chain fails its check', async () => {
  await withNodes([onChain('0x2105'), onChain('0x2105')], async (nodes, urls) => {
    for (const node of nodes) node.behave('status-500');
    await expect(baseProblems(urls)).rejects.toThrow(/HTTP request failed/);
  });
  await withNodes([onCluster(mainnet)], async ([only], urls) => {
    only?.behave('status-500');
    await expect(solanaProblems(urls)).rejects.toThrow();
  });
});
