import type { ReactNode } from 'react';
import type { SiteConfig } from '@/lib/discovery/site-config';
import { FirstCallSample } from './front/first-call';
import { Hero } from './front/hero';
import { HowPaymentWorks } from './front/payment';
import { Services } from './front/services';
import { WhereToStart } from './front/start';
import { WhyTrustIt } from './front/trust';

/** What the service is, what it costs and how to start. */
export function FrontPage({ site }: { site: SiteConfig }): ReactNode {
  return (
    <>
      <Hero site={site} />
      <FirstCallSample site={site} />
      <Services site={site} />
      <HowPaymentWorks />
      <WhyTrustIt sourceUrl={site.source.url} />
      <WhereToStart site={site} />
    </>
  );
}
