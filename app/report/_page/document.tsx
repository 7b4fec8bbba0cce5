import type { ReactNode } from 'react';
import { ReportForm } from '@/app/_page/report-form';
import { StyleLinks } from '@/app/_page/style-links';
import { SummaryBox } from '@/app/_page/summary-box';
import { TestBanner } from '@/app/_page/test-banner';
import type { Assets } from '@/lib/http/page-assets';
import { directionOf } from '@/lib/services/forms/words';
import { fileReportReasons } from '@/lib/services/uploads/report';
import type { ReportText } from './words';

/** The layout of the pages where people report a file. They have no script. */
export function ReportDocument({
  assets,
  language,
  title,
  children,
}: {
  assets: Assets;
  language: string;
  title: string;
  children: ReactNode;
}): ReactNode {
  return (
    <html lang={language} dir={directionOf(language)}>
      <head>
        <meta charSet="utf-8" />
        <title>{title}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex, nofollow" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="data:," />
        <StyleLinks page="f" assets={assets} />
      </head>
      <body>
        <TestBanner />
        <main>
          <h1>{title}</h1>
          {children}
        </main>
      </body>
    </html>
  );
}

/** What was sent and not accepted. */
export interface Draft {
  readonly reason: string;
  readonly details: string;
  readonly problem: 'chooseOne' | 'tooMany' | null;
}

/** The form to report a file. */
export function FileReport({ text, draft }: { text: ReportText; draft: Draft }): ReactNode {
  const { own, shared } = text;
  const { reason, details, problem } = draft;
  return (
    <>
      <p>{own.intro}</p>
      {problem === null ? null : (
        <SummaryBox title={shared.problemTitle}>
          <p>
            {problem === 'tooMany' ? (
              own.tooMany
            ) : (
              <a href={`#reason-${fileReportReasons[0]}`}>{shared.chooseOne}</a>
            )}
          </p>
        </SummaryBox>
      )}
      <ReportForm
        question={own.question}
        reasons={fileReportReasons.map((code) => [code, code === 'other' ? shared.otherReason : own[code]])}
        words={{ details: shared.details, optional: shared.optional, send: shared.sendReport }}
        reason={reason}
        details={details}
      />
    </>
  );
}
