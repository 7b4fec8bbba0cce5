import type { ReactNode } from 'react';
import { Field } from '@/app/_page/field';
import { currentApp } from '@/lib/app/current';
import type { PageAnswer } from '@/lib/http/page-route';
import { newId } from '@/lib/platform/ids';
import type { OpenReport } from '@/lib/services/abuse-reports';
import { type ConsoleRequest, consoleAction, consolePage, may, seeOther, showPage } from './console-route';
import { FormToken } from './document';
import { Empty, Facts, Id, Moment } from './parts';
import { Summary } from './summary';

/** Serves reports of abuse. What a reporter wrote is shown only on request, which is logged. */

const shownMax = 100;

/** `GET /operator/reports`; `?find=` leads to a form or a file. */
export const showReports = consolePage(async (context) => {
  const wanted = context.url.searchParams.get('find') ?? '';
  if (wanted.trim() === '') return reportsPage(context, 200, {});
  const found = await currentApp().console.findContent(wanted);
  if (found) return seeOther(`/operator/${found.target.kind}s/${found.target.id}`);
  return reportsPage(context, 404, { problem: 'There is no form or file with this id or address.' });
});

/** `POST /operator/reports`: shows what a reporter wrote, or closes the report. */
export const decideReport = consoleAction('moderate', async (action) => {
  const { console } = currentApp();
  const id = action.fields.get('report') ?? '';
  const note = (action.fields.get('note') ?? '').trim().slice(0, 2_000);
  const record = { actor: action.operator, correlationId: newId('op') };
  if (!(await console.openReports(shownMax)).some((report) => report.id === id))
    return reportsPage(action, 404, { problem: 'This report is closed already.' });
  if (action.fields.get('step') === 'show') {
    const words = await console.showReport(id, record);
    return reportsPage(action, 200, { shown: { id, words: words ?? 'Nothing.' } });
  }
  if (note === '') return reportsPage(action, 400, { problem: 'Enter a reason for dismissing the report.' });
  await console.dismissReport(id, { ...record, note });
  return seeOther('/operator/reports');
});

interface Shown {
  readonly problem?: string;
  /** What the reporter of one report wrote. */
  readonly shown?: { readonly id: string; readonly words: string };
}

async function reportsPage(context: ConsoleRequest, status: number, shown: Shown): Promise<PageAnswer> {
  const reports = await currentApp().console.openReports(shownMax);
  const page = (
    <Reports
      reports={reports}
      formToken={context.formToken}
      canModerate={may(context, 'moderate')}
      {...shown}
    />
  );
  return showPage(context, 'Reports', page, status);
}

function Reports({
  reports,
  formToken,
  canModerate,
  problem,
  shown,
}: Shown & {
  readonly reports: readonly OpenReport[];
  readonly formToken: string;
  readonly canModerate: boolean;
}): ReactNode {
  return (
    <>
      <h1>Reports</h1>
      {problem === undefined ? null : <Summary title="Nothing was done" text={problem} />}
      <form method="get" action="/operator/reports" className="filters single">
        <Field id="find" label="Form or file, by its id or address">
          <input id="find" name="find" autoComplete="off" spellCheck={false} data-search />
        </Field>
        <button type="submit" className="secondary">
          Find
        </button>
      </form>
      <h2>Open reports of abuse</h2>
      {reports.length === 0 ? (
        <Empty>No open reports.</Empty>
      ) : (
        <ul className="items">
          {reports.map((report) => (
            <Report
              key={report.id}
              report={report}
              formToken={canModerate ? formToken : null}
              words={shown?.id === report.id ? shown.words : null}
            />
          ))}
        </ul>
      )}
    </>
  );
}

function Report({
  report: { id, target, reason, hasDetails, reportedAt },
  formToken,
  words,
}: {
  report: OpenReport;
  /** Null for somebody who may not decide about it. */
  formToken: string | null;
  words: string | null;
}): ReactNode {
  return (
    <li>
      <h3>
        A {target.kind} was reported: {reason}
      </h3>
      <Facts
        entries={[
          ['Report', <Id key="id" value={id} />],
          ['Reported', <Moment key="at" at={reportedAt} />],
          [
            'Content',
            <a key="target" href={`/operator/${target.kind}s/${target.id}`}>
              <Id value={target.id} />
            </a>,
          ],
          ...(words === null ? [] : [['The reporter wrote', words] as const]),
        ]}
      />
      <div className="actions">
        <a className="button secondary" href={`/operator/${target.kind}s/${target.id}`}>
          Review content
        </a>
        {formToken !== null && hasDetails && words === null ? (
          <form method="post" action="/operator/reports">
            <FormToken value={formToken} />
            <input type="hidden" name="report" value={id} />
            <input type="hidden" name="step" value="show" />
            <button type="submit" className="secondary">
              Show what the reporter wrote
            </button>
          </form>
        ) : null}
      </div>
      {formToken === null ? null : (
        <form method="post" action="/operator/reports" className="narrow">
          <FormToken value={formToken} />
          <input type="hidden" name="report" value={id} />
          <Field id={`note-${id}`} label="Reason for dismissing">
            <input id={`note-${id}`} name="note" maxLength={2_000} autoComplete="off" />
          </Field>
          <button type="submit" className="secondary">
            Dismiss
          </button>
        </form>
      )}
    </li>
  );
}
