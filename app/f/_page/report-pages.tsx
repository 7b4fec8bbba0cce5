import type { ReactNode } from 'react';
import { formPath, type HostedForm, type ReadableForm } from '@/lib/services/forms/form';
import { reportDetailsLengthMax, reportReasons } from '@/lib/services/forms/report';
import { type Frame, Page } from './document';
import { type Speech, say } from './speech';
import { Summary } from './summary';

export interface ReportState {
  readonly reason: string;
  readonly details: string;
  /** Why the report was not taken, if it was sent. */
  readonly problem: 'chooseOne' | 'tooMany' | null;
}

/** Where people say that a form does harm. */
export function ReportPage({
  frame,
  form,
  state,
}: {
  frame: Frame;
  form: ReadableForm;
  state: ReportState;
}): ReactNode {
  const { speech } = frame;
  const { reason, details, problem } = state;
  const words = { secrets: 'secrets', pretends: 'pretends', harm: 'harm', other: 'otherReason' } as const;
  return (
    <Page {...frame} language={speech.language} title={say(speech, 'report')} form={form}>
      <h1>{say(speech, 'report')}</h1>
      <p className="until" dir="auto" lang={form.content.language}>
        {form.content.title}
      </p>
      <p>{say(speech, 'reportIntro')}</p>
      {problem ? (
        <Summary speech={speech} title={problem === 'tooMany' ? 'noticeTitle' : 'problemTitle'}>
          <p>
            {problem === 'tooMany' ? (
              say(speech, 'tooMany')
            ) : (
              <a href={`#reason-${reportReasons[0]}`}>{say(speech, problem)}</a>
            )}
          </p>
        </Summary>
      ) : null}
      <form method="post" noValidate acceptCharset="utf-8">
        <fieldset className="question">
          <legend className="label">{say(speech, 'reportReason')}</legend>
          {reportReasons.map((value) => (
            <div className="option" key={value}>
              <input
                id={`reason-${value}`}
                type="radio"
                name="reason"
                value={value}
                defaultChecked={reason === value}
              />
              <label htmlFor={`reason-${value}`}>{say(speech, words[value])}</label>
            </div>
          ))}
        </fieldset>
        <div className="question">
          <label className="label" htmlFor="details">
            {say(speech, 'details')} <span className="optional">({say(speech, 'optional')})</span>
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
        <button type="submit">{say(speech, 'sendReport')}</button>
      </form>
      <BackLink form={form} speech={speech} />
    </Page>
  );
}

/** Said after a report. */
export function ReportedPage({ frame, form }: { frame: Frame; form: ReadableForm }): ReactNode {
  const { speech } = frame;
  return (
    <Page {...frame} language={speech.language} title={say(speech, 'reportedTitle')} form={form}>
      <h1>{say(speech, 'reportedTitle')}</h1>
      <p>{say(speech, 'reported')}</p>
      <BackLink form={form} speech={speech} />
    </Page>
  );
}

function BackLink({ form, speech }: { form: Pick<HostedForm, 'id'>; speech: Speech }): ReactNode {
  return (
    <p>
      <a href={formPath(form.id)}>{say(speech, 'back')}</a>
    </p>
  );
}
