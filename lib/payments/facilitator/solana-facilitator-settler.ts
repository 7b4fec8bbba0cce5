import type { Offer, SolanaNetwork } from '@/lib/payments/network-offers';
import type { RpcNodes } from '@/lib/payments/rpc/network-rpcs';
import type { NetworkProblem, RemoteSolanaSettler } from '@/lib/payments/settlers';
import { SolanaLookup } from '@/lib/payments/solana/solana-lookup';
import type { Platform } from '@/lib/platform/platform';
import { FacilitatorSettler } from './facilitator-settler';
import type { RemoteFacilitator, Support } from './remote-facilitator';

/** A height that no chain has. */
const farFuture = 2n ** 63n;

/** Settles through a facilitator on Solana. Only the facilitator can simulate a payment, with its fee payer's signature. */
export class SolanaFacilitatorSettler
  extends FacilitatorSettler<SolanaNetwork>
  implements RemoteSolanaSettler
{
  readonly kind = 'solana_remote';
  #feePayer: string | null = null;

  constructor(app: Platform, offer: Offer<SolanaNetwork>, nodes: RpcNodes, remote: RemoteFacilitator) {
    super(app, offer, remote, new SolanaLookup(app, offer, nodes));
  }

  /** The account that pays the network fee, which the facilitator may change; null before the first check. */
  get feePayer(): string | null {
    return this.#feePayer;
  }

  protected extra(): Record<string, unknown> {
    return { feePayer: this.#feePayer };
  }

  /** It is found wherever it landed. Until the facilitator has had time, it has not expired, whatever a node that is behind says. */
  protected async sinceHeight(): Promise<bigint> {
    return farFuture;
  }

  protected accept({ feePayer }: Support): readonly NetworkProblem[] {
    this.#feePayer = feePayer;
    if (feePayer) return [];
    return [{ message: 'the facilitator reports no fee payer', advice: 'Use another facilitator.' }];
  }
}
