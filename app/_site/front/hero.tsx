import type { ReactNode } from 'react';
import { allOf } from '@/app/_page/series';
import { forAgents } from '@/lib/discovery/contents';
import { offersOf } from '@/lib/discovery/openapi/payment-info';
import type { SiteConfig } from '@/lib/discovery/site-config';
import { toAtomic } from '@/lib/payments/money';
import { rangeOf } from '../price';

/** What it is, for whom, and what it costs to try. */
export function Hero({ site }: { site: SiteConfig }): ReactNode {
  const prices = forAgents(site)
    .operations.map(({ price }) => price)
    .sort((one, other) => Number(toAtomic(one) - toAtomic(other)));
  const networks = offersOf('x402', site).map(({ network }) => network.label);
  const hasStart = site.guides.some(({ name }) => name === 'getting-started');
  return (
    <div className="hero">
      <h1>Pay-per-call APIs for AI agents</h1>
      <p className="lead">
        Public file links, PDFs, web forms, web search, flights and airports: each is one HTTP request that an
        agent pays for from its own wallet.
      </p>
      <div className="hero-facts">
        <a className="button" href={hasStart ? '/docs/getting-started' : '/docs'}>
          Get started
        </a>
        <ul>
          <li>
            <b>{rangeOf(prices[0] ?? '0', prices.at(-1) ?? '0')}</b> <a href="#prices">per call</a>
          </li>
          <li>
            <b>No sign-up</b> and no API key
          </li>
          <li>
            <b>USDC</b> on {allOf.format(networks)}
          </li>
        </ul>
      </div>
    </div>
  );
}
