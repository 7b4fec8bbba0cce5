import type { OtherName } from '@/lib/catalog/other-paths';
import type { ApiRequest } from '@/lib/http/api-message';
import type { FreeAnswer } from '@/lib/http/free-call';
import type { HttpApp, WatchRequest } from '@/lib/http/http-app';
import type { Check } from '@/lib/operator/audit/audit-session';
import type { Command } from '@/lib/operator/commands/command';
import type { OperatorFeature } from '@/lib/operator/operator-app';
import type { Offer } from '@/lib/payments/network-offers';
import type { AvailableOffer, NetworkRegistry } from '@/lib/payments/network-registry';
import type { PaymentFeature } from '@/lib/payments/payment-feature';
import type { RpcNodes } from '@/lib/payments/rpc/network-rpcs';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Platform } from '@/lib/platform/platform';

/** An optional way to pay, with all that it adds to the app. */
export interface OpenedFeature extends PaymentFeature, OperatorFeature {
  /** Answers requests to its paths, by their names in the catalog. */
  readonly routes: Readonly<
    Partial<Record<OtherName, (app: HttpApp, request: ApiRequest) => Promise<FreeAnswer>>>
  >;
}

/** An optional feature. */
export interface Feature {
  readonly commands: readonly Command[];
  readonly auditChecks: readonly Check[];
  /** Opens it, even where it is off, because it may have served earlier calls. */
  open(app: Platform & WithDatabase, networks: NetworkRegistry): OpenedFeature;
}

/** Sets what follows requests, if its settings want it. */
export type OpenObserver = (app: Platform) => Promise<void>;

/** Opens what watches requests; null if its settings do not want it. */
export type OpenWatcher = (app: Platform) => WatchRequest | null;

/** Opens a network where a remote server settles; null where none is set. */
export type OpenRemote = (app: Platform, offer: Offer, nodes: RpcNodes) => AvailableOffer | null;
