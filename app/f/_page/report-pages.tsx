import type { ReactNode } from 'react';
import { ReportForm } from '@/app/_page/report-form';
import { formPath, type HostedForm, type ReadableForm } from '@/lib/services/forms/form';
import { reportReasons } from '@/lib/services/forms/report';
import { type Frame, Page } from './document';
import { Summary } from './summary';
import { type Translation, translate } from './translation';

export interface ReportState {
  readonly reason: string;
  readonly details: string;
  /** Why the report was not accepted, if it was sent. */
  readonly problem: 'chooseOne' | 'tooMany' | null;
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
  return (
    <Page {...frame} language={translation.language} title={translate(translation, 'report')} form={form}>
      <h1>{translate(translation, 'report')}</h1>
      <p className="until" dir="auto" lang={form.content.language}>
        {form.content.title}
      </p>
      <p>{translate(translation, 'reportIntro')}</p>
      {problem ? (
        <Summary translation={translation} title={problem === 'tooMany' ? 'noticeTitle' : 'problemTitle'}>
          <p>
            {problem === 'tooMany' ? (
              translate(translation, 'tooMany')
            ) : (
              <a href={`#reason-${reportReasons[0]}`}>{translate(translation, problem)}</a>
            )}
          </p>
        </Summary>
      ) : null}
      <ReportForm
        question={translate(translation, 'reportReason')}
        reasons={reportReasons.map((code) => [code, translate(translation, words[code])])}
        words={{
          details: translate(translation, 'details'),
          optional: translate(translation, 'optional'),
          send: translate(translation, 'sendReport'),
        }}
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
      form={form}
    >
      <h1>{translate(translation, 'reportedTitle')}</h1>
      <p>{translate(translation, 'reported')}</p>
      <BackLink form={form} translation={translation} />
    </Page>
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
