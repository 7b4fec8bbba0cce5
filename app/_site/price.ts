import { keptFailures } from '@/lib/catalog/errors/codes';
import type { FreeOperation } from '@/lib/catalog/free-operation';
import type { Operation } from '@/lib/catalog/operation';
import { isPaid } from '@/lib/discovery/remote-tools';
import type { SiteConfig } from '@/lib/discovery/site-config';

/** What a call costs, as every page for people says it: `0.005 USDC`, `1 to 500 USDC` or `Free`. */
export function priceOf(call: Operation | FreeOperation): string {
  if (!isPaid(call)) return 'Free';
  const { variablePrice: range, price } = call;
  return range ? rangeOf(range.min, range.max) : `${price} USDC`;
}

/** What several calls cost: `0.001 to 0.05 USDC`. */
export function rangeOf(min: string, max: string): string {
  return `${min} to ${max} USDC`;
}

/** When a call is charged, and what that means if it fails; nothing for free calls. */
export function chargeWords(call: Operation | FreeOperation, { flowOf }: Pick<SiteConfig, 'flowOf'>): string {
  if (!isPaid(call)) return '';
  if (flowOf(call) === 'authorization') return 'A call that fails costs nothing.';
  return call.errors.some((code) => keptFailures.includes(code))
    ? 'You are charged before the provider is called: if it rejects the request or fails, the payment is kept.'
    : 'You are charged first. If the work fails, it is retried.';
}
