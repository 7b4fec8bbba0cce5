import type { ReactNode } from 'react';
import type { Answer, FormStatus } from '@/lib/catalog/forms';
import { formPath, type HostedForm, type ReadableForm } from '@/lib/forms/form';
import { reportDetailsLengthMax, reportReasons } from '@/lib/forms/report';
import type { Assets } from '@/lib/http/page-assets';
import { momentOf, Page } from './document';
import { type FormState, FormView, formElementId, stateElementId } from './form-view';
import { type Speech, say } from './speech';

/** Every page that /f shows. */

interface Frame {
  readonly assets: Assets;
  readonly nonce: string;
  readonly speech: Speech;
}

/** The page of an open form, empty or with what was sent and could not be stored. */
export function FormPage({
  frame,
  form,
  state,
}: {
  frame: Frame;
  form: ReadableForm;
  state: FormState;
}): ReactNode {
  const { speech } = frame;
  const { title, description, language } = form.content;
  const isWrong = state.problems.length > 0;
  return (
    <Page
      {...frame}
      language={language}
      title={isWrong ? `${say(speech, 'error')} ${title}` : title}
      form={form}
      hasScript
    >
      <h1 dir="auto">{title}</h1>
      <p className="until" {...speech.mark}>
        {say(speech, 'openUntil', { date: momentOf(form.closesAt, speech) })}
      </p>
      {description ? (
        <p className="prose" dir="auto">
          {description}
        </p>
      ) : null}
      <div id={formElementId}>
        <FormView state={state} />
      </div>
      <script
        type="application/json"
        id={stateElementId}
        // biome-ignore lint/security/noDangerouslySetInnerHtml: JSON for our own script, with no way out of the element.
        dangerouslySetInnerHTML={{ __html: JSON.stringify(state).replaceAll('<', '\\u003c') }}
      />
    </Page>
  );
}

/** Thanks, in the author's words if there are any. */
export function ThanksPage({ frame, form }: { frame: Frame; form: ReadableForm }): ReactNode {
  const { speech } = frame;
  return (
    <Page {...frame} language={form.content.language} title={say(speech, 'thanksTitle')} form={form}>
      <h1 {...speech.mark}>{say(speech, 'thanksTitle')}</h1>
      <p className="prose" {...(form.content.thankYou ? { dir: 'auto' } : speech.mark)}>
        {form.content.thankYou ?? say(speech, 'thanks')}
      </p>
      <p className="until" dir="auto">
        {form.content.title}
      </p>
    </Page>
  );
}

/** A form that takes no more answers; what somebody sent too late is shown, so that it is not lost. */
export function OverPage({
  frame,
  form,
  status,
  unsent,
}: {
  frame: Frame;
  form: ReadableForm;
  status: Exclude<FormStatus, 'open'>;
  unsent: readonly { label: string; answer: Answer }[];
}): ReactNode {
  const { speech } = frame;
  const title = say(speech, status === 'full' ? 'fullTitle' : 'closedTitle');
  const words =
    status === 'full'
      ? say(speech, 'full')
      : say(speech, 'closed', { date: momentOf(form.closesAt, speech) });
  return (
    <Page {...frame} language={form.content.language} title={title} form={form}>
      <h1 {...speech.mark}>{title}</h1>
      <p {...speech.mark}>{words}</p>
      <p className="until" dir="auto">
        {form.content.title}
      </p>
      {unsent.length > 0 ? (
        <>
          <p {...speech.mark}>{say(speech, 'unsent')}</p>
          <dl>
            {unsent.map(({ label, answer }) => (
              <div key={label}>
                <dt dir="auto">{label}</dt>
                <dd dir="auto">{typeof answer === 'object' ? answer.join(', ') : answer}</dd>
              </div>
            ))}
          </dl>
        </>
      ) : null}
    </Page>
  );
}

/** A page that only says something. */
export function WordsPage({ frame, word }: { frame: Frame; word: 'gone' | 'missing' | 'failed' }): ReactNode {
  const { speech } = frame;
  const title = say(speech, `${word}Title`);
  return (
    <Page {...frame} language={speech.language} title={title} form={null}>
      <h1>{title}</h1>
      <p>{say(speech, word)}</p>
    </Page>
  );
}

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
        <div
          className="summary"
          role="alert"
          aria-labelledby="summary-title"
          tabIndex={-1}
          // biome-ignore lint/a11y/noAutofocus: after a post without a script the reader must land on what went wrong.
          autoFocus
        >
          <h2 id="summary-title">{say(speech, problem === 'tooMany' ? 'noticeTitle' : 'problemTitle')}</h2>
          <p>
            {problem === 'tooMany' ? (
              say(speech, 'tooMany')
            ) : (
              <a href={`#reason-${reportReasons[0]}`}>{say(speech, problem)}</a>
            )}
          </p>
        </div>
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
