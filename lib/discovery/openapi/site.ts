import type { Offer } from '@/lib/payments/networks';

/** The public URL and the offered networks, which come from the settings. */
export interface Site {
  /** Origin without a trailing slash. */
  readonly publicUrl: string;
  readonly offers: readonly Offer[];
}
