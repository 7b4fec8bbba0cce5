import type { ReactNode } from 'react';
import { Brand } from '@/app/_page/brand';
import { TranslatedLegalLinks } from '@/app/_page/legal-links';
import { ReportForm, reportWords } from '@/app/_page/report-form';
import { type ReportFault, reportProblem } from '@/app/_page/report-problem';
import { StyleLinks } from '@/app/_page/style-links';
import { ProblemList, SummaryBox } from '@/app/_page/summary-box';
import { TestBanner } from '@/app/_page/test-banner';
import { about } from '@/lib/catalog/about';
import type { Assets } from '@/lib/http/page-assets';
import { directionOf } from '@/lib/services/forms/words';
import { fileReportReasons, type Reportable } from '@/lib/services/uploads/report-file';
import type { ReportText } from './words';

/** The layout of the pages where people report a file. They have no script. */
export function ReportDocument({
  assets,
  text: { own, shared: words, language },
  title,
  children,
}: {
  assets: Assets;
  text: ReportText;
  title: string;
  children: ReactNode;
}): ReactNode {
  return (
    <html lang={language} dir={directionOf(language)}>
      <head>
        <meta charSet="utf-8" />
        <title>{`${title} · ${about.name}`}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex, nofollow" />
        <meta name="color-scheme" content="light dark" />
        <meta name="description" content={own.intro} />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <StyleLinks page="f" assets={assets} />
      </head>
      <body>
        <TestBanner />
        <header>
          <p className="brand">
            <Brand />
          </p>
        </header>
        <main>{children}</main>
        <footer>
          <p>
            <TranslatedLegalLinks translation={{ words, language, locale: language, attributes: {} }} />
          </p>
        </footer>
      </body>
    </html>
  );
}

/** What was sent and not accepted. */
export interface Draft {
  readonly reason: string;
  readonly details: string;
  readonly problem: ReportFault | 'tooMany' | null;
}

/** Whether a field of the form has to be corrected. */
export function isWrong({ problem }: Draft): boolean {
  return problem !== null && problem !== 'tooMany';
}

/** The form to report a file. */
export function FileReport({
  text,
  file,
  draft,
}: {
  text: ReportText;
  /** The name of the file, which its sender chose, and its link. */
  file: Pick<Reportable, 'name' | 'url'>;
  draft: Draft;
}): ReactNode {
  const { own, shared, language } = text;
  const { reason, details, problem } = draft;
  const translation = { words: shared, language, locale: language, attributes: {} };
  const fault = problem === 'tooMany' ? null : problem;
  const wrong = fault ? reportProblem(fault, own.question, fileReportReasons, translation) : null;
  return (
    <>
      {problem === null ? null : (
        <SummaryBox title={shared.problemTitle}>
          {wrong ? (
            <ProblemList problems={[{ text: wrong.message, field: wrong.inputId }]} />
          ) : (
            <p>{own.tooMany}</p>
          )}
        </SummaryBox>
      )}
      <h1>{own.title}</h1>
      <p>{own.intro}</p>
      <dl className="answers">
        <div>
          <dt>{own.file}</dt>
          <dd>
            <bdi translate="no">{file.name}</bdi>
          </dd>
        </div>
        <div>
          <dt>{own.link}</dt>
          <dd>
            <code dir="ltr" translate="no">
              {file.url}
            </code>
          </dd>
        </div>
      </dl>
      <ReportForm
        question={own.question}
        reasons={fileReportReasons.map((code) => [code, code === 'other' ? shared.otherReason : own[code]])}
        words={reportWords(translation)}
        problem={wrong}
        reason={reason}
        details={details}
      />
    </>
  );
}
