import type { ReactNode } from 'react';
import { ReportForm, reportWords } from '@/app/_page/report-form';
import { type ReportFault, reportProblem } from '@/app/_page/report-problem';
import { ProblemList } from '@/app/_page/summary-box';
import { type Translation, translate } from '@/app/_page/translation';
import { formPath, type HostedForm, type ReadableForm } from '@/lib/services/forms/form';
import { reportReasons } from '@/lib/services/forms/report-form';
import { type Frame, Page } from './document';
import { Summary } from './summary';

export interface ReportState {
  readonly reason: string;
  readonly details: string;
  /** Why the report was not accepted, if it was sent. */
  readonly problem: ReportFault | 'tooMany' | null;
}

/** The page where people report a form. */
export function ReportPage({
  frame,
  form,
  state,
}: {
  frame: Frame;
  form: ReadableForm;
  state: ReportState;
}): ReactNode {
  const { translation } = frame;
  const { reason, details, problem } = state;
  const words = { secrets: 'secrets', pretends: 'pretends', harm: 'harm', other: 'otherReason' } as const;
  const title = translate(translation, 'report');
  const question = translate(translation, 'reportReason');
  const fault = problem === 'tooMany' ? null : problem;
  const wrong = fault ? reportProblem(fault, question, reportReasons, translation) : null;
  return (
    <Page
      {...frame}
      language={translation.language}
      title={wrong ? `${translate(translation, 'error')} ${title}` : title}
      form={null}
    >
      {problem ? (
        <Summary translation={translation} title={wrong ? 'problemTitle' : 'noticeTitle'}>
          {wrong ? (
            <ProblemList problems={[{ text: wrong.message, field: wrong.inputId }]} />
          ) : (
            <p>{translate(translation, 'tooMany')}</p>
          )}
        </Summary>
      ) : null}
      <Caption form={form} />
      <h1>{title}</h1>
      <p>{translate(translation, 'reportIntro')}</p>
      <ReportForm
        question={question}
        reasons={reportReasons.map((code) => [code, translate(translation, words[code])])}
        words={reportWords(translation)}
        problem={wrong}
        reason={reason}
        details={details}
      />
      <BackLink form={form} translation={translation} />
    </Page>
  );
}

/** The page after a report. */
export function ReportedPage({ frame, form }: { frame: Frame; form: ReadableForm }): ReactNode {
  const { translation } = frame;
  return (
    <Page
      {...frame}
      language={translation.language}
      title={translate(translation, 'reportedTitle')}
      form={null}
    >
      <Caption form={form} />
      <h1>{translate(translation, 'reportedTitle')}</h1>
      <p>{translate(translation, 'reported')}</p>
    </Page>
  );
}

/** The title of the form. The page is in its reader's language, so the title does not decide where its line begins. */
function Caption({ form: { content } }: { form: ReadableForm }): ReactNode {
  return (
    <p className="caption">
      <bdi lang={content.language}>{content.title}</bdi>
    </p>
  );
}

function BackLink({
  form,
  translation,
}: {
  form: Pick<HostedForm, 'id'>;
  translation: Translation;
}): ReactNode {
  return (
    <p>
      <a href={formPath(form.id)}>{translate(translation, 'back')}</a>
    </p>
  );
}
