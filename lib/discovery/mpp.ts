import { Types } from 'mppx/evm';
import { about } from '@/lib/catalog/about';
import { withNotice } from '@/lib/catalog/test-service';
import { toAtomic, usdcDecimals } from '@/lib/payments/money';
import { forAgents } from './contents';
import { offersOf } from './openapi/payment-info';
import { paidRoutes, withColons } from './paid-routes';
import type { SiteConfig } from './site-config';

/**
 * `/.well-known/mpp.json`: this service in the format of the MPP services registry, whose schema allows no other fields. An
 * endpoint names one currency; the challenge offers every network.
 */
export function mppDocument(site: SiteConfig) {
  const offers = offersOf('mpp', site);
  const { operations, freeOperations } = forAgents(site);
  const [first] = offers;
  const { paymentMethod: method, chargeIntent: intent } = Types;
  const offered = paidRoutes(operations, site).filter(({ rail }) => rail === 'mpp');
  return {
    version: 1,
    services: [
      {
        id: about.name.toLowerCase(),
        name: about.name,
        serviceUrl: site.publicUrl,
        description: `${withNotice(site.isTest, about.summary)} MPP draft-2026-05.`,
        integration: 'first-party',
        status: 'active',
        docs: {
          homepage: `${site.publicUrl}/`,
          llmsTxt: `${site.publicUrl}/llms.txt`,
          openapi: `${site.publicUrl}/openapi-agents.json`,
          apiReference: `${site.publicUrl}/docs/reference`,
        },
        methods: { [method]: { intents: [intent], assets: offers.map(({ asset }) => asset) } },
        endpoints: [
          ...offered.map(({ operation, path }) => ({
            method: operation.method,
            path: withColons(path),
            description: operation.summary,
            payment: {
              intent,
              method,
              amount: toAtomic(operation.price).toString(),
              currency: first?.asset,
              decimals: usdcDecimals,
              unitType: 'request',
              description: `${operation.price} USDC on ${offers.map(({ network }) => network.name).join(', ')}`,
            },
          })),
          ...freeOperations.map((operation) => ({
            method: operation.method,
            path: withColons(operation.path),
            description: operation.summary,
            payment: null,
          })),
        ],
      },
    ],
  };
}
