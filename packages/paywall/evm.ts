import { getAddress, type Hex } from 'viem';
import { z } from 'zod';
import { EvmSettler } from '@/lib/payments/evm/evm-settler';
import type { SettlementJournal } from '@/lib/payments/journal';
import type { EvmNetwork } from '@/lib/payments/network-offers';
import type { AvailableOffer } from '@/lib/payments/network-registry';
import { networkTable } from '@/lib/payments/network-table';
import { RpcNodes } from '@/lib/payments/rpc/network-rpcs';
import type { ChainPlatform } from '@/lib/platform/platform';
import type { EvmOptions, PaywallNetwork } from './types';

/** A network as `evm` makes it. */
export interface OpenableNetwork extends PaywallNetwork {
  readonly name: EvmNetwork['name'];
  open(app: ChainPlatform, journal: SettlementJournal): AvailableOffer;
}

export function isOpenable(network: PaywallNetwork): network is OpenableNetwork {
  return 'open' in network;
}

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address: 0x and 40 hex characters')
  .transform((text) => getAddress(text));
const key = z.custom<Hex>(
  (value) => typeof value === 'string' && /^0x[0-9a-fA-F]{64}$/.test(value),
  'must be a private key: 0x and 64 hex characters',
);

const schema = z.strictObject({
  network: z.enum(['base', 'polygon', 'arbitrum', 'base-sepolia', 'polygon-amoy', 'arbitrum-sepolia']),
  rpcUrls: z.array(z.url()).min(1),
  payTo: address,
  settlementKeys: z.array(key).min(1),
  usdc: address.optional(),
  finalityBlocks: z.number().int().positive().optional(),
});

/**
 * Takes payments in USDC on an EVM network.
 * @throws Error when an option is malformed
 */
export function evm(options: EvmOptions): OpenableNetwork {
  const checked = schema.safeParse(options);
  if (checked.error) throw new Error(`evm: ${z.prettifyError(checked.error)}`);
  const { rpcUrls, payTo, settlementKeys, usdc, finalityBlocks } = checked.data;
  const network = networkOf(checked.data.network);
  const offer = {
    network,
    asset: usdc ?? getAddress(network.usdc),
    payTo,
    treasury: [payTo],
    rpcUrls,
    blocksUrl: null,
    finalityBlocks: finalityBlocks ?? network.finalityBlocks,
    walletPrograms: [],
  };
  return {
    name: network.name,
    isTest: network.isTest,
    open(app, journal) {
      const nodes = new RpcNodes(app, offer);
      return { ...offer, nodes, settler: new EvmSettler(app, offer, nodes, settlementKeys, journal) };
    },
  };
}

function networkOf(name: EvmNetwork['name']): EvmNetwork {
  const found = Object.values(networkTable)
    .flat()
    .find((one) => one.name === name);
  if (found?.family !== 'evm') throw new Error(`there is no EVM network ${name}`);
  return found;
}
