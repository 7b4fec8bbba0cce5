import { Mppx } from 'mppx/client';
import { charge } from 'mppx/evm/client';
import type { PrivateKeyAccount } from 'viem/accounts';
import { type evmNetworkNames, network } from './stack';

/** The chain of an EVM network, from its CAIP-2 name. */
function chainIdOf(name: (typeof evmNetworkNames)[number]): number {
  return Number(network(name).caip2.split(':')[1]);
}

/** The official MPP client, unmodified: `fetch` that pays on one network. */
export function mppClient(account: PrivateKeyAccount, on: (typeof evmNetworkNames)[number]) {
  const chainId = chainIdOf(on);
  return Mppx.create({
    polyfill: false,
    methods: [
      charge({
        account,
        authorization: { name: 'USD Coin', version: '2' },
        currencies: [network(on).usdc as `0x${string}`],
        decimals: 6,
        maxAmount: '1',
        networks: [chainId],
      }),
    ],
    orderChallenges: (challenges) =>
      challenges.filter(({ challenge }) => {
        const { methodDetails } = challenge.request as { methodDetails?: { chainId?: number } };
        return methodDetails?.chainId === chainId;
      }),
  });
}
