import { isEvmOffer, isSolanaOffer, type Offer } from '@/lib/payments/network-offers';
import type { AvailableOffer } from '@/lib/payments/network-registry';
import type { RpcNodes } from '@/lib/payments/rpc/network-rpcs';
import type { Platform } from '@/lib/platform/platform';
import { EvmFacilitatorSettler } from './evm-facilitator-settler';
import { facilitatorCredentials } from './facilitator-credentials';
import { RemoteFacilitator } from './remote-facilitator';
import { SolanaFacilitatorSettler } from './solana-facilitator-settler';

/** A network where a remote x402 facilitator settles instead of our own keys; null where none is set. */
export function openFacilitator(app: Platform, offer: Offer, nodes: RpcNodes): AvailableOffer | null {
  const { network } = offer;
  const url = app.settings.FACILITATOR_URL.get(network.setting);
  if (!url) return null;
  const remote = new RemoteFacilitator(app, network, url, facilitatorCredentials(app, network));
  if (isEvmOffer(offer))
    return { ...offer, settler: new EvmFacilitatorSettler(app, offer, nodes, remote), nodes };
  if (!isSolanaOffer(offer)) return null;
  return { ...offer, settler: new SolanaFacilitatorSettler(app, offer, nodes, remote), nodes };
}
