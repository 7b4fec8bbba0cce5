import { Fragment, type ReactNode } from 'react';
import { currentApp } from '@/lib/app/current';
import { operatorDetails } from '@/lib/platform/public-operator';
import { type Translation, translate } from './translation';

/** The operator's own terms and privacy notice, or the pages that replace them. */
export function legalAddresses(): { readonly terms: string; readonly privacy: string } {
  const { termsUrl, privacyUrl } = operatorDetails(currentApp().settings);
  return { terms: termsUrl ?? '/terms', privacy: privacyUrl ?? '/privacy' };
}

/** Footer links to terms, privacy notice, contact and abuse. */
export function LegalLinks(): ReactNode {
  const { terms, privacy } = legalAddresses();
  return (
    <p>
      <a href={terms}>Terms</a> · <a href={privacy}>Privacy</a> · <a href="/contact">Contact</a> ·{' '}
      <a href="/abuse">Report abuse</a>
    </p>
  );
}

/** The same for a page in its reader's language, which has its own link for reports. The linked pages are in English. */
export function TranslatedLegalLinks({ translation }: { translation: Translation }): ReactNode {
  const { terms, privacy } = legalAddresses();
  const links = [
    ['terms', terms],
    ['privacy', privacy],
    ['contact', '/contact'],
  ] as const;
  return links.map(([word, href], at) => (
    <Fragment key={word}>
      {at === 0 ? null : ' · '}
      <a href={href} hrefLang={href.startsWith('/') ? 'en' : undefined}>
        {translate(translation, word)}
      </a>
    </Fragment>
  ));
}
