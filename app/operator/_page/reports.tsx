import type { ReactNode } from 'react';
import { describing, Field } from '@/app/_page/field';
import { currentApp } from '@/lib/app/current';
import type { PageAnswer } from '@/lib/http/page-route';
import { reportReasonWords } from '@/lib/operator/moderation/report-words';
import { newId } from '@/lib/platform/ids';
import type { OpenReport } from '@/lib/services/abuse-reports';
import { type ConsoleRequest, consoleAction, consolePage, may, seeOther, showPage } from './console-route';
import { FormToken } from './document';
import { noteOf } from './note-field';
import { Ago, AsOf, Empty, PageHead } from './parts';
import { stateWords } from './state-tag';
import { errorsOf, type Problem, Summary } from './summary';

/**
 * Serves reports of abuse. What a reporter wrote is shown only on request, which is logged; titles of forms and names of files are
 * shown to those who decide about them.
 */

const shownMax = 100;

/** `GET /operator/reports`; `?find=` leads to a form or a file. */
export const showReports = consolePage(async (context) => {
  const wanted = context.url.searchParams.get('find') ?? '';
  if (wanted.trim() === '') return reportsPage(context, 200, {});
  const found = await currentApp().console.findContent(wanted);
  if (found) return seeOther(`/operator/${found.target.kind}s/${found.target.id}`);
  const problems = [{ field: 'find', text: 'There is no form or file with this ID or address.' }];
  return reportsPage(context, 404, { problems, wanted });
});

/** `POST /operator/reports`: shows what a reporter wrote, or closes the report. */
export const decideReport = consoleAction('moderate', async (action) => {
  const { console } = currentApp();
  const id = action.fields.get('report') ?? '';
  const note = noteOf(action.fields, 2_000);
  const record = { actor: action.operator, correlationId: newId('op') };
  if (!(await console.openReports(shownMax)).some((report) => report.id === id))
    return reportsPage(action, 404, { problems: [{ text: 'This report is closed already.' }] });
  if (action.fields.get('step') === 'show') {
    const words = await console.showReport(id, record);
    return reportsPage(action, 200, { shown: { id, words: words ?? 'Nothing.' } });
  }
  if (note === '') {
    const problems = [{ field: `note-${id}`, text: 'Enter a reason for dismissing the report.' }];
    return reportsPage(action, 400, { problems });
  }
  await console.dismissReport(id, { ...record, note });
  return seeOther('/operator/reports');
});

interface Shown {
  readonly problems?: readonly Problem[];
  /** The ID or address that was looked for and not found. */
  readonly wanted?: string;
  /** What the reporter of one report wrote. */
  readonly shown?: { readonly id: string; readonly words: string };
}

async function reportsPage(context: ConsoleRequest, status: number, shown: Shown): Promise<PageAnswer> {
  const { console, clock } = currentApp();
  const reports = await console.openReports(shownMax);
  const canModerate = may(context, 'moderate');
  const page = (
    <Reports
      reports={reports}
      titles={canModerate ? await console.readTitles(reports.map(({ target }) => target)) : {}}
      now={clock.now()}
      formToken={canModerate ? context.formToken : null}
      {...shown}
    />
  );
  const isWrong = status === 404 && shown.wanted !== undefined;
  return showPage(context, isWrong ? 'Error: Reports' : 'Reports', page, status);
}

interface ReportsProps extends Shown {
  readonly reports: readonly OpenReport[];
  /** The titles of forms and names of files, by ID; those that are gone have none. */
  readonly titles: Readonly<Record<string, string>>;
  readonly now: number;
  /** Null for someone who may not decide about reports. */
  readonly formToken: string | null;
}

function Reports({ reports, titles, now, formToken, problems = [], wanted, shown }: ReportsProps): ReactNode {
  const errors = errorsOf(problems);
  return (
    <>
      <PageHead title="Reports">
        <AsOf now={now} />
      </PageHead>
      <Summary title="Nothing was done" problems={problems} />
      <h2>Open reports of abuse, oldest first</h2>
      {reports.length === 0 ? (
        <Empty>No open reports.</Empty>
      ) : (
        <ul className="items">
          {reports.map((report) => (
            <Report
              key={report.id}
              report={report}
              title={titles[report.target.id] ?? null}
              now={now}
              formToken={formToken}
              words={shown?.id === report.id ? shown.words : null}
              error={errors[`note-${report.id}`]}
            />
          ))}
        </ul>
      )}
      <h2>Find a form or a file</h2>
      <form method="get" action="/operator/reports" className="filters single">
        <Field id="find" label="ID or address" error={errors.find}>
          <input
            id="find"
            name="find"
            defaultValue={wanted}
            autoComplete="off"
            spellCheck={false}
            {...describing('find', { error: errors.find })}
          />
        </Field>
        <button type="submit" className="secondary">
          Find
        </button>
      </form>
    </>
  );
}

interface ReportProps extends Pick<ReportsProps, 'now' | 'formToken'> {
  readonly report: OpenReport;
  readonly title: string | null;
  /** What the reporter wrote, once someone has looked at it. */
  readonly words: string | null;
  /** Why it was not dismissed. */
  readonly error: string | undefined;
}

function Report({ report, title, now, formToken, words, error }: ReportProps): ReactNode {
  const { id, target, reason, hasDetails, reportedAt } = report;
  const page = `/operator/${target.kind}s/${target.id}`;
  return (
    <li>
      <h3>
        <a href={page}>{title ?? (target.kind === 'form' ? 'A form' : 'A file')}</a>
      </h3>
      <p>
        {reportReasonWords[reason] ?? stateWords(reason)}{' '}
        <span className="quiet">
          {target.kind === 'form' ? 'Form' : 'File'}, reported <Ago at={reportedAt} now={now} />
        </span>
      </p>
      {words === null ? null : (
        <blockquote>
          <p>{words}</p>
        </blockquote>
      )}
      <div className="actions">
        <a className="button secondary" href={page}>
          Review
        </a>
        {formToken !== null && hasDetails && words === null ? (
          <form method="post" action="/operator/reports">
            <FormToken value={formToken} />
            <input type="hidden" name="report" value={id} />
            <input type="hidden" name="step" value="show" />
            <button type="submit" className="tertiary">
              Show what the reporter wrote
            </button>
          </form>
        ) : null}
        {formToken === null ? null : <Dismissal id={id} formToken={formToken} error={error} />}
      </div>
    </li>
  );
}

function Dismissal({
  id,
  formToken,
  error,
}: {
  id: string;
  formToken: string;
  error: string | undefined;
}): ReactNode {
  const field = `note-${id}`;
  return (
    <details open={error !== undefined}>
      <summary>Dismiss</summary>
      <form method="post" action="/operator/reports" className="narrow">
        <FormToken value={formToken} />
        <input type="hidden" name="report" value={id} />
        <Field id={field} label="Reason for dismissing" error={error}>
          <input
            id={field}
            name="note"
            maxLength={2_000}
            autoComplete="off"
            {...describing(field, { error })}
          />
        </Field>
        <button type="submit" className="secondary">
          Dismiss
        </button>
      </form>
    </details>
  );
}
