import { legalPaths } from '@/lib/discovery/legal';
import type { SiteConfig } from '@/lib/discovery/site-config';
import { Guide } from '../guide';
import type { Page } from '../page';
import { abuseText } from './abuse';
import { contactText } from './contact';
import { type LegalFacts, legalFacts } from './facts';
import { privacyText } from './privacy';
import { termsText } from './terms';

/** The pages about terms, privacy, contact and abuse. */

interface LegalPage {
  readonly title: string;
  readonly description: string;
  readonly text: (facts: LegalFacts) => string;
}

const pages: Readonly<Record<(typeof legalPaths)[number], LegalPage>> = {
  '/terms': {
    title: 'Terms of service',
    description: 'Prices, payments, refunds, and what is not allowed.',
    text: termsText,
  },
  '/privacy': {
    title: 'Privacy',
    description: 'What is stored, for how long, and who receives it.',
    text: privacyText,
  },
  '/contact': {
    title: 'Contact',
    description: 'Who runs this service, and how to get help or report a vulnerability.',
    text: contactText,
  },
  '/abuse': {
    title: 'Report abuse',
    description: 'How to report a form or a file, and what happens then.',
    text: abuseText,
  },
};

/** The page of a path; null if it is none of these. */
export function legalPage(path: string, site: SiteConfig): Page | null {
  const known = legalPaths.find((one) => one === path);
  if (!known) return null;
  const { title, description, text } = pages[known];
  const markdown = () => text(legalFacts(site));
  const body = () => (
    <div className="legal">
      <Guide name={known.slice(1)} text={markdown()} />
    </div>
  );
  return { title, description, body, markdown };
}
