import type { ReactNode } from 'react';
import { forAgents } from '@/lib/discovery/contents';
import { offersOf } from '@/lib/discovery/openapi/payment-info';
import type { SiteConfig } from '@/lib/discovery/site-config';
import { toAtomic } from '@/lib/payments/money';

const names = new Intl.ListFormat('en', { type: 'conjunction' });

/** What it is, for whom, and what it costs to try. */
export function Hero({ site }: { site: SiteConfig }): ReactNode {
  const prices = forAgents(site)
    .operations.map(({ price }) => price)
    .sort((one, other) => Number(toAtomic(one) - toAtomic(other)));
  const networks = offersOf('x402', site).map(({ network }) => network.label);
  return (
    <div className="hero">
      <h1>Pay-per-call APIs for AI agents</h1>
      <p className="lead">
        Public file links, PDFs, web forms, web search, flights and airports: each is one HTTP request that an
        agent pays for from its own wallet.
      </p>
      <dl className="hero-facts">
        <div>
          <dt>A call costs</dt>
          <dd>
            ${prices[0]} to ${prices.at(-1)}
          </dd>
        </div>
        <div>
          <dt>To try it</dt>
          <dd>${prices[0]} and no sign-up</dd>
        </div>
        <div>
          <dt>Paid in</dt>
          <dd>USDC on {names.format(networks)}</dd>
        </div>
      </dl>
      <p className="hero-actions">
        <a className="button" href="#first">
          Make a call
        </a>
        <a href="#prices">All services and prices</a>
      </p>
    </div>
  );
}
