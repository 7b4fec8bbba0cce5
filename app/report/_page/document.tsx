import type { ReactNode } from 'react';
import { reportDetailsLengthMax } from '@/lib/db/abuse-reports';
import type { Assets } from '@/lib/http/page-assets';
import { fileReportReasons } from '@/lib/services/uploads/report';

/** The layout of the pages where people report a file. They have no script. */
export function ReportDocument({
  assets,
  title,
  children,
}: {
  assets: Assets;
  title: string;
  children: ReactNode;
}): ReactNode {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <title>{title}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href={`/f/assets/${assets.style}`} />
      </head>
      <body>
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
  readonly problem: string | null;
}

/** The form to report a file. */
export function ReportForm({ draft }: { draft: Draft }): ReactNode {
  const { reason, details, problem } = draft;
  return (
    <>
      <p>The operator of this service looks at every report and can remove the file.</p>
      {problem === null ? null : (
        <div className="summary" role="alert">
          <p>{problem}</p>
        </div>
      )}
      <form method="post" noValidate acceptCharset="utf-8">
        <fieldset className="question">
          <legend className="label">What is wrong with the file?</legend>
          {Object.entries(fileReportReasons).map(([value, words]) => (
            <div className="option" key={value}>
              <input
                id={`reason-${value}`}
                type="radio"
                name="reason"
                value={value}
                defaultChecked={reason === value}
              />
              <label htmlFor={`reason-${value}`}>{words}</label>
            </div>
          ))}
        </fieldset>
        <div className="question">
          <label className="label" htmlFor="details">
            Details <span className="optional">(optional)</span>
          </label>
          <textarea
            id="details"
            name="details"
            className="input"
            rows={4}
            dir="auto"
            maxLength={reportDetailsLengthMax}
            defaultValue={details}
          />
        </div>
        <button type="submit">Send the report</button>
      </form>
    </>
  );
}
