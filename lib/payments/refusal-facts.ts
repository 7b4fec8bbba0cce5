import { messageOf, reasonOf } from '@/lib/catalog/errors/payment-reasons';
import type { Operation } from '@/lib/catalog/operation';
import type { NetworkRegistry } from './network-registry';
import type { Rejection } from './rail';

/** What a 402 says about a refused payment, in addition to the protocol's own fields. */
interface RefusalFacts {
  readonly message: string;
  /** The page that explains the reason. */
  readonly docs: string;
  readonly payer?: string;
  /** CAIP-2. */
  readonly network?: string;
  /** USDC, decimal. */
  readonly price: string;
}

/** The facts about a refused payment: the reason in words, and the wallet, network and amount that it is about. */
export function refusalFacts(
  { price }: Operation,
  { reason, payment }: Rejection,
  networks: Pick<NetworkRegistry, 'byName'>,
  publicUrl: string,
): RefusalFacts {
  const network = payment && networks.byName(payment.network)?.network;
  const words = messageOf(reasonOf(reason), { wallet: payment?.payer, price, network: network?.label });
  return {
    message: `${words} Nothing was charged.`,
    docs: `${publicUrl}/docs/errors#${reason}`,
    ...(payment ? { payer: payment.payer } : {}),
    ...(network ? { network: network.caip2 } : {}),
    price,
  };
}
