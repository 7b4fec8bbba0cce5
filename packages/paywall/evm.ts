import { getAddress, type Hex } from 'viem';
import { z } from 'zod';
import { EvmSettler } from '@/lib/payments/evm/evm-settler';
import { RpcNodes } from '@/lib/payments/rpc/network-rpcs';
import { networkOf, type OpenableNetwork, offerOf } from './network';
import type { EvmOptions } from './types';

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
  const { settlementKeys, finalityBlocks, ...terms } = checked.data;
  const network = networkOf('evm', terms.network);
  const usual = offerOf(network, terms);
  const offer = { ...usual, finalityBlocks: finalityBlocks ?? usual.finalityBlocks };
  return {
    name: network.name,
    isTest: network.isTest,
    solana: null,
    open(app, journal) {
      const nodes = new RpcNodes(app, offer);
      return { ...offer, nodes, settler: new EvmSettler(app, offer, nodes, settlementKeys, journal) };
    },
  };
}
