import { toAtomic } from '@/lib/payments/money';
import { forAgents } from './contents';
import { offersOf } from './openapi/payment-info';
import type { Place } from './place';
import { soldRoutes } from './routes-of';

/** The fixed addresses at which something is sold over x402. A path with an id in it is no address until it is filled in. */
function resources(site: Place): string[] {
  return x402Routes(site)
    .filter(({ path }) => !path.includes('{'))
    .map(({ path }) => site.publicUrl + path);
}

function x402Routes(site: Place) {
  return soldRoutes(forAgents(site).operations, site).filter(({ rail }) => rail === 'x402');
}

/** `/.well-known/x402`: what older readers take. */
export function x402Resources(site: Place) {
  return { version: 1, resources: resources(site) };
}

/** `/.well-known/x402.json`: the same, and what each costs. Live challenges win over it. */
export function x402Manifest(site: Place) {
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
      amountUsdcAtomic: toAtomic(operation.price).toString(),
    })),
    openapi: `${site.publicUrl}/openapi-agents.json`,
  };
}
