import type { ReactNode } from 'react';
import { JsonScript } from '@/app/_page/json-script';
import { momentOf } from '@/app/_page/moment';
import { RequestReference } from '@/app/_page/request-reference';
import { type Translation, translate } from '@/app/_page/translation';
import { about } from '@/lib/catalog/about';
import type { Answer, FormStatus } from '@/lib/catalog/forms';
import type { ReadableForm } from '@/lib/services/forms/form';
import { FormMessage, type Frame, Page } from './document';
import { type FormState, FormView, formElementId, stateElementId } from './form-view';
import { When } from './when';

/** The pages of a form for people who fill it in. */

/** The page of an open form, empty or with answers that could not be stored. */
export function FormPage({
  frame,
  form,
  state,
}: {
  frame: Frame;
  form: ReadableForm;
  state: FormState;
}): ReactNode {
  const { translation } = frame;
  const { title, language } = form.content;
  const isWrong = state.problems.length > 0;
  return (
    <Page
      {...frame}
      language={language}
      title={isWrong ? `${translate(translation, 'error')} ${title}` : title}
      form={form}
      hasScript
      hasQuestions
    >
      <div id={formElementId}>
        <FormView state={state} />
      </div>
      <JsonScript id={stateElementId} json={state} />
    </Page>
  );
}

/** The page of a closed form. It shows answers that were sent too late, so that they are not lost. */
export function ClosedPage({
  frame,
  form,
  status,
  unsent,
}: {
  frame: Frame;
  form: ReadableForm;
  status: Exclude<FormStatus, 'open'>;
  unsent: readonly WrittenAnswer[];
}): ReactNode {
  const { translation } = frame;
  const title = translate(translation, status === 'full' ? 'fullTitle' : 'closedTitle');
  return (
    <Page {...frame} language={form.content.language} title={title} form={form} hasScript>
      <p className="caption" dir="auto">
        {form.content.title}
      </p>
      <h1 {...translation.attributes}>{title}</h1>
      <p {...translation.attributes}>
        {status === 'full' ? (
          translate(translation, 'full')
        ) : (
          <When word="closed" moment={momentOf(form.closesAt, translation)} translation={translation} />
        )}
      </p>
      <p {...translation.attributes}>{translate(translation, 'overNext')}</p>
      <Unsent unsent={unsent} translation={translation} />
    </Page>
  );
}

/** The page of a link to a form that was cut off or changed. It shows answers that were sent from it. */
export function BrokenLinkPage({
  frame,
  form,
  unsent,
}: {
  frame: Frame;
  form: ReadableForm;
  unsent: readonly WrittenAnswer[];
}): ReactNode {
  return (
    <FormMessage frame={frame} form={form} title="linkBrokenTitle" text="linkBroken">
      <Unsent unsent={unsent} translation={frame.translation} />
    </FormMessage>
  );
}

interface WrittenAnswer {
  readonly label: string;
  readonly answer: Answer;
}

/** Answers that were not stored, so that people can keep them. */
function Unsent({
  unsent,
  translation,
}: {
  unsent: readonly WrittenAnswer[];
  translation: Translation;
}): ReactNode {
  if (unsent.length === 0) return null;
  return (
    <>
      <p {...translation.attributes}>
        <strong>{translate(translation, 'unsent')}</strong>
      </p>
      <dl className="answers">
        {unsent.map(({ label, answer }) => (
          <div key={label}>
            <dt dir="auto">{label}</dt>
            <dd dir="auto">{typeof answer === 'object' ? answer.join(', ') : answer}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

/** A page with only a message. */
export function MessagePage({
  frame,
  word,
  requestId,
}: {
  frame: Frame;
  word: 'gone' | 'missing' | 'failed';
  /** Of a request that failed. */
  requestId?: string;
}): ReactNode {
  const { translation } = frame;
  const title = translate(translation, `${word}Title`);
  return (
    <Page {...frame} language={translation.language} title={`${title} · ${about.name}`} form={null}>
      <h1>{title}</h1>
      <p>{translate(translation, word)}</p>
      {requestId === undefined ? null : <RequestReference id={requestId} />}
    </Page>
  );
}
