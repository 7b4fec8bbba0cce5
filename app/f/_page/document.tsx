import type { ReactNode } from 'react';
import { Brand } from '@/app/_page/brand';
import { TranslatedLegalLinks } from '@/app/_page/legal-links';
import { dayOf } from '@/app/_page/moment';
import { StyleLinks } from '@/app/_page/style-links';
import { TestBanner } from '@/app/_page/test-banner';
import { type Translation, translate } from '@/app/_page/translation';
import { WarningBanner } from '@/app/_page/warning-banner';
import type { Assets } from '@/lib/http/page-assets';
import type { HostedForm, ReadableForm } from '@/lib/services/forms/form';
import { formPath } from '@/lib/services/forms/form';
import { directionOf, type Word } from '@/lib/services/forms/words';
import { When } from './when';

/** The props of every page under /f. */
export interface Frame {
  readonly assets: Assets;
  readonly nonce: string;
  readonly translation: Translation;
}

export interface PageProps extends Frame {
  /** BCP 47 tag of the form's language, or of the page's own text if there is no form. */
  readonly language: string;
  readonly title: string;
  /** The form that can be reported here; null if there is none, or this page reports it. */
  readonly form: Pick<HostedForm, 'id' | 'readableUntil'> | null;
  readonly hasScript?: boolean;
  /** Whether the page asks for answers, and so has to warn, and to say who receives them. */
  readonly hasQuestions?: boolean;
  readonly children: ReactNode;
}

/** The layout of every page under /f. The warning comes before anything that the form's author wrote. */
export function Page({
  assets,
  nonce,
  translation,
  language,
  title,
  form,
  hasScript,
  hasQuestions,
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
        <meta name="description" content={translate(translation, 'banner')} />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <StyleLinks page="f" assets={assets} />
        {hasScript ? <script type="module" nonce={nonce} src={`/f/assets/${assets.script}`} /> : null}
      </head>
      <body>
        <TestBanner />
        <header {...translation.attributes}>
          <p className="brand">
            <Brand />
          </p>
          {hasQuestions ? <Warning translation={translation} /> : null}
        </header>
        <main>{children}</main>
        <footer {...translation.attributes}>
          {form && hasQuestions ? (
            <p>
              <When word="hosted" moment={dayOf(form.readableUntil, translation)} translation={translation} />
            </p>
          ) : null}
          {form ? (
            <p>
              <a href={`${formPath(form.id)}/report`}>{translate(translation, 'report')}</a>
            </p>
          ) : null}
          <p>
            <TranslatedLegalLinks translation={translation} />
          </p>
        </footer>
      </body>
    </html>
  );
}

/** A page that says something about a form, under the title of the form. */
export function FormMessage({
  frame,
  form,
  title,
  text,
  children,
}: {
  frame: Frame;
  form: ReadableForm;
  title: Word;
  text: Word;
  children: ReactNode;
}): ReactNode {
  const { translation } = frame;
  const heading = translate(translation, title);
  return (
    <Page {...frame} language={form.content.language} title={heading} form={form}>
      <p className="caption" dir="auto">
        {form.content.title}
      </p>
      <h1 {...translation.attributes}>{heading}</h1>
      <p {...translation.attributes}>{translate(translation, text)}</p>
      {children}
    </Page>
  );
}

function Warning({ translation }: Pick<Frame, 'translation'>): ReactNode {
  return (
    <WarningBanner>
      <span>
        <strong>
          <span className="hidden">{translate(translation, 'warning')}: </span>
          {translate(translation, 'banner')}
        </strong>{' '}
        {translate(translation, 'trust')}
      </span>
    </WarningBanner>
  );
}
