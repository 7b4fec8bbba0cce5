import { about, refundsPage } from '@/lib/catalog/about';
import type { Operation } from '@/lib/catalog/operation';
import type { Platform } from '@/lib/platform/platform';
import { type PaymentFlow, paymentFlowOf } from '@/lib/platform/upstream/availability';

/** Who sells, and on what terms beside the price, as challenges say it. */
export interface Seller {
  /** Printable ASCII, at most 32 characters: catalogs reject other names. */
  readonly name: string;
  /** The origin of the resources. */
  readonly publicUrl: string;
  /** The page about refunds; left out where there is none. */
  readonly refunds?: string;
  /** When calls of an operation are charged. */
  flowOf(operation: Operation): PaymentFlow;
  /** Whether a wallet that has paid for a request may sign in for its answer. */
  readonly takesSignIns: boolean;
}

/** What challenges say about the service. */
export function sellerOf(app: Pick<Platform, 'settings'>): Seller {
  const { PUBLIC_URL: publicUrl } = app.settings;
  return {
    name: about.name,
    publicUrl,
    refunds: publicUrl + refundsPage,
    flowOf: (operation) => paymentFlowOf(app, operation),
    takesSignIns: true,
  };
}
