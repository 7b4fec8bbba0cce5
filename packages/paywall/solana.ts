import { z } from 'zod';
import { RpcNodes } from '@/lib/payments/rpc/network-rpcs';
import * as solanaPayments from '@/lib/payments/solana/solana-payment';
import { SolanaSettler } from '@/lib/payments/solana/solana-settler';
import { solanaAddress, solanaKey } from '@/lib/platform/setting-rules';
import { networkOf, type OpenableNetwork, offerOf } from './network';
import type * as declared from './solana-types';
import type { SolanaOptions } from './solana-types';

const schema = z.strictObject({
  network: z.enum(['solana-mainnet', 'solana-devnet']),
  rpcUrls: z.array(z.url()).min(1),
  payTo: solanaAddress,
  settlementKey: solanaKey,
  usdc: solanaAddress.optional(),
});

/**
 * Takes payments in USDC on Solana.
 * @throws Error when an option is malformed
 */
export function solana(options: SolanaOptions): OpenableNetwork {
  const checked = schema.safeParse(options);
  if (checked.error) throw new Error(`solana: ${z.prettifyError(checked.error)}`);
  const { settlementKey, ...terms } = checked.data;
  const network = networkOf('solana', terms.network);
  const offer = offerOf(network, terms);
  return {
    name: network.name,
    isTest: network.isTest,
    solana: solanaPayments,
    open(app, journal) {
      const nodes = new RpcNodes(app, offer);
      return { ...offer, nodes, settler: new SolanaSettler(app, offer, nodes, settlementKey, journal) };
    },
  };
}

// What is declared to those who use the package is what it has.
({ solana }) satisfies Pick<typeof declared, 'solana'>;
