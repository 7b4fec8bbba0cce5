import { wallet } from '@/lib/catalog';
import { refundsPage } from '@/lib/catalog/about';
import { testFields } from '@/lib/catalog/test-service';
import { toAtomic } from '@/lib/payments/money';
import { forAgents } from './contents';
import { offersOf } from './openapi/payment-info';
import { paidRoutes } from './paid-routes';
import type { SiteConfig } from './site-config';

/** The URLs of calls that are paid over x402, except those whose path has a parameter. */
function resources(site: SiteConfig): string[] {
  return x402Routes(site)
    .filter(({ path }) => !path.includes('{'))
    .map(({ path }) => site.publicUrl + path);
}

function x402Routes(site: SiteConfig) {
  return paidRoutes(forAgents(site).operations, site).filter(({ rail }) => rail === 'x402');
}

/** `/.well-known/x402`: the format of older readers. */
export function x402Resources(site: SiteConfig) {
  return { version: 1, ...testFields(site.isTest), resources: resources(site) };
}

/** `/.well-known/x402.json`: the same with prices. Live challenges take precedence over it. */
export function x402Manifest(site: SiteConfig) {
  return {
    ...x402Resources(site),
    x402Version: 2,
    scheme: 'exact',
    headers: {
      challenge: 'PAYMENT-REQUIRED',
      payment: ['PAYMENT-SIGNATURE', 'X-PAYMENT'],
      receipt: ['PAYMENT-RESPONSE', 'X-PAYMENT-RESPONSE'],
    },
    networks: offersOf('x402', site).map(({ network, asset, payTo }) => ({
      network: network.caip2,
      name: network.name,
      asset,
      payTo,
    })),
    routes: x402Routes(site).map(({ operation, method, path }) => ({
      operation: operation.id,
      method,
      path,
      description: operation.summary,
      price: { currency: 'USD', amount: operation.price },
      paymentFlow: site.flowOf(operation),
      amountUsdcAtomic: toAtomic(operation.price).toString(),
    })),
    refunds: {
      isAutomatic: false,
      uncharged:
        'A call that is refused, or whose paymentFlow is not upfront and that fails, is not charged.',
      request: site.publicUrl + wallet.requestRefund.path,
      signedBy: 'the wallet that paid (sign-in-with-x), once per call',
      policy: site.publicUrl + refundsPage,
    },
    openapi: `${site.publicUrl}/openapi-agents.json`,
  };
}
