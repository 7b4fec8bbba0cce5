import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { Mppx } from 'mppx/client';
import { charge } from 'mppx/evm/client';
import { McpClient } from 'mppx/mcp/client';
import type { PrivateKeyAccount } from 'viem/accounts';
import { type evmNetworkNames, network } from './stack';

/** The chain ID of an EVM network, from its CAIP-2 name. */
function chainIdOf(name: (typeof evmNetworkNames)[number]): number {
  return Number(network(name).caip2.split(':')[1]);
}

/** Options for the official MPP clients to pay on one network. */
function payingOn(account: PrivateKeyAccount, on: (typeof evmNetworkNames)[number]) {
  const chainId = chainIdOf(on);
  return {
    methods: [
      charge({
        account,
        authorization: { name: 'USD Coin', version: '2' },
        currencies: [network(on).usdc as `0x${string}`],
        decimals: 6,
        maxAmount: '1',
        networks: [chainId],
      }),
    ] as const,
    orderChallenges: <Candidate extends { challenge: { request: unknown } }>(
      challenges: readonly Candidate[],
    ) =>
      challenges.filter(({ challenge }) => {
        const { methodDetails } = challenge.request as { methodDetails?: { chainId?: number } };
        return methodDetails?.chainId === chainId;
      }),
  };
}

/** The official MPP client, unmodified: `fetch` that pays on one network. */
export function mppClient(account: PrivateKeyAccount, on: (typeof evmNetworkNames)[number]) {
  return Mppx.create({ polyfill: false, ...payingOn(account, on) });
}

/** The official MCP client, paying with the official MPP client. */
export function payingMcpClient(
  client: Client,
  account: PrivateKeyAccount,
  on: (typeof evmNetworkNames)[number],
) {
  return McpClient.wrap(client, payingOn(account, on));
}
