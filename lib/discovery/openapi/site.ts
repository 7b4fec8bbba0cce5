import type { Offer } from '@/lib/payments/networks';

/** Where the service is reached and on which networks it is paid: what documents say that the catalog does not know. */
export interface Site {
  /** Origin, without a slash at the end. */
  readonly publicUrl: string;
  readonly offers: readonly Offer[];
}
