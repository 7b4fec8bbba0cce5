import type { ReactNode } from 'react';
import { reportDetailsLengthMax } from '@/lib/db/abuse-reports';
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
      <form method="post" noValidate acceptCharset="utf-8">
        <fieldset className="question">
          <legend className="label">{translate(translation, 'reportReason')}</legend>
          {reportReasons.map((value) => (
            <div className="option" key={value}>
              <input
                id={`reason-${value}`}
                type="radio"
                name="reason"
                value={value}
                defaultChecked={reason === value}
              />
              <label htmlFor={`reason-${value}`}>{translate(translation, words[value])}</label>
            </div>
          ))}
        </fieldset>
        <div className="question">
          <label className="label" htmlFor="details">
            {translate(translation, 'details')}{' '}
            <span className="optional">({translate(translation, 'optional')})</span>
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
        <button type="submit">{translate(translation, 'sendReport')}</button>
      </form>
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
