import type { ReactNode } from 'react';
import { HandedOver } from '@/app/_page/handed-over';
import type { Answer, FormStatus } from '@/lib/catalog/forms';
import type { ReadableForm } from '@/lib/services/forms/form';
import { type Frame, momentOf, Page } from './document';
import { type FormState, FormView, formElementId, stateElementId } from './form-view';
import { say } from './speech';

/** The pages of a form for those who fill it in. */

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
      <HandedOver id={stateElementId} json={state} />
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
