import type { ReactNode } from 'react';
import type { Assets } from '@/lib/http/page-assets';
import type { HostedForm } from '@/lib/services/forms/form';
import { formPath } from '@/lib/services/forms/form';
import { directionOf } from '@/lib/services/forms/words';
import { type Speech, say } from './speech';

/** What every page under /f is given. */
export interface Frame {
  readonly assets: Assets;
  readonly nonce: string;
  readonly speech: Speech;
}

export interface PageProps extends Frame {
  /** BCP 47 tag of what the page is about: the form, or the page's own words where there is none. */
  readonly language: string;
  readonly title: string;
  /** Null where there is no form (any more). */
  readonly form: Pick<HostedForm, 'id' | 'readableUntil'> | null;
  readonly hasScript?: boolean;
  readonly children: ReactNode;
}

/** The frame of every page under /f. The warning comes first, before anything that the form's author wrote. */
export function Page({
  assets,
  nonce,
  speech,
  language,
  title,
  form,
  hasScript,
  children,
}: PageProps): ReactNode {
  return (
    <html lang={language} dir={directionOf(language)}>
      <head>
        <meta charSet="utf-8" />
        <title>{title}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex, nofollow" />
        <meta name="color-scheme" content="light dark" />
        <meta name="description" content={say(speech, 'banner')} />
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href={`/f/assets/${assets.style}`} />
        {hasScript ? <script type="module" nonce={nonce} src={`/f/assets/${assets.script}`} /> : null}
      </head>
      <body>
        <header {...speech.mark}>
          <p className="banner">
            <span className="sign" aria-hidden="true">
              !
            </span>
            <strong>
              <span className="hidden">{say(speech, 'warning')}: </span>
              {say(speech, 'banner')}
            </strong>
          </p>
        </header>
        <main>{children}</main>
        {form ? (
          <footer {...speech.mark}>
            <p>{say(speech, 'hosted', { date: dateOf(form.readableUntil, speech) })}</p>
            <p>
              <a href={`${formPath(form.id)}/report`}>{say(speech, 'report')}</a>
              {' · '}
              <span translate="no">Tuppence</span>
            </p>
          </footer>
        ) : null}
      </body>
    </html>
  );
}

/** A day in the language of the page's own words. */
function dateOf(date: Date, { language }: Speech): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(date);
}

/** A moment in the language of the page's own words; in UTC, because where the reader is is not known. */
export function momentOf(date: Date, { language }: Speech): string {
  const format = { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' } as const;
  return `${new Intl.DateTimeFormat(language, format).format(date)} (UTC)`;
}
