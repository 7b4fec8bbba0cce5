import {
  type EvmNetwork,
  isSolanaOffer,
  type NetworkName,
  type Offer,
  type SolanaNetwork,
} from './network-offers';
import type { SettlementLocation } from './payment';
import type { RpcNodes } from './rpc/network-rpcs';
import type { EvmNetworkSettler, SolanaNetworkSettler } from './settlers';

export interface AvailableEvmOffer extends Offer<EvmNetwork> {
  readonly settler: EvmNetworkSettler;
  readonly nodes: RpcNodes;
}

interface AvailableSolanaOffer extends Offer<SolanaNetwork> {
  readonly settler: SolanaNetworkSettler;
  readonly nodes: RpcNodes;
}

/** A network on which payments are accepted, with its settler. */
export type AvailableOffer = AvailableEvmOffer | AvailableSolanaOffer;

/**
 * The networks of this process and whether each can be offered right now. A network that fails its check is left out of
 * challenges, but payments made on it earlier are still recognized.
 */
export class NetworkRegistry {
  readonly #offers: ReadonlyMap<SettlementLocation, AvailableOffer>;
  readonly #problems = new Map<SettlementLocation, readonly string[]>();
  /** Fee payers are part of the challenges on Solana. A remote settler may change its own. */
  readonly #feePayers = new Map<NetworkName, string | null>();
  #version = 0;

  constructor(offers: readonly AvailableOffer[]) {
    this.#offers = new Map(offers.map((offer) => [offer.network.name, offer]));
  }

  /** Increases whenever the offered networks change, so that prepared challenges can be renewed. */
  get version(): number {
    return this.#version;
  }

  all(): readonly AvailableOffer[] {
    return [...this.#offers.values()];
  }

  /** The networks that go into challenges, in the order of the table. */
  offered(): readonly AvailableOffer[] {
    return this.all().filter(({ network }) => this.isOffered(network.name));
  }

  isOffered(name: SettlementLocation): boolean {
    return this.#offers.has(name) && (this.#problems.get(name) ?? []).length === 0;
  }

  /** @returns null for a network that is not configured, and for account payments */
  byName(name: SettlementLocation): AvailableOffer | null {
    return this.#offers.get(name) ?? null;
  }

  byCaip2(caip2: string): AvailableOffer | null {
    return this.all().find(({ network }) => network.caip2 === caip2) ?? null;
  }

  /** Makes prepared challenges be renewed, because what a feature adds to them has changed. */
  renewChallenges(): void {
    this.#version += 1;
  }

  problems(name: NetworkName): readonly string[] {
    return this.#problems.get(name) ?? [];
  }

  /** Records the outcome of a check; an empty list offers the network again. */
  report(name: NetworkName, problems: readonly string[]): void {
    const wasOffered = this.isOffered(name);
    const offer = this.byName(name);
    const feePayer = offer && isSolanaOffer(offer) ? offer.settler.feePayer : null;
    const isSame = this.#feePayers.get(name) === feePayer;
    this.#problems.set(name, problems);
    this.#feePayers.set(name, feePayer);
    if (this.isOffered(name) !== wasOffered || !isSame) this.#version += 1;
  }
}
