import type { NetworkRegistry } from './network-registry';
import type { SettlementLocation, Settler } from './payment';
import type { ChallengingRail, PrepaidRail } from './rail';

/** How an app is paid: its networks, its rails and what charges the payments. */
export interface Payments {
  readonly networks: NetworkRegistry;
  readonly rails: {
    readonly x402: ChallengingRail;
    readonly mpp: ChallengingRail;
    readonly account: PrepaidRail;
  };
  /** What charges payments made at a place; null where none are made any more. */
  settlerAt(place: SettlementLocation): Settler | null;
  /** The same; null also where payments are not taken for the moment. */
  openSettlerAt(place: SettlementLocation): Settler | null;
}
