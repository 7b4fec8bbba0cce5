import type { ReactNode } from 'react';
import { dayOf, momentOf } from '@/app/_page/moment';
import { type Translation, translate } from '@/app/_page/translation';
import type { Question } from '@/lib/catalog/form-questions';
import type { Answer } from '@/lib/catalog/forms';
import { formPath, type ReadableForm } from '@/lib/services/forms/form';
import type { SentCopy } from '@/lib/services/forms/sent-copy';
import { FormMessage, type Frame, Page } from './document';
import { When } from './when';

interface ConfirmationProps {
  readonly frame: Frame;
  readonly form: ReadableForm;
  readonly copy: SentCopy;
}

/** The page after sending: a reference, the author's text, and a copy for the person who sent it. */
export function ConfirmationPage({ frame, form, copy }: ConfirmationProps): ReactNode {
  const { translation } = frame;
  const { title, thankYou, language, questions } = form.content;
  return (
    <Page {...frame} language={language} title={translate(translation, 'thanksTitle')} form={form} hasScript>
      <div className="panel" {...translation.attributes}>
        <h1>{translate(translation, 'thanksTitle')}</h1>
        <p>
          {translate(translation, 'reference')}
          <br />
          <bdi className="code" translate="no">
            {copy.reference}
          </bdi>
        </p>
      </div>
      <p className="caption" dir="auto">
        {title}
      </p>
      <p className="prose" {...(thankYou ? { dir: 'auto' } : translation.attributes)}>
        {thankYou ?? translate(translation, 'thanks')}
      </p>
      <p {...translation.attributes}>
        <When word="hosted" moment={dayOf(form.readableUntil, translation)} translation={translation} />
      </p>
      <Copy questions={questions} copy={copy} translation={translation} />
    </Page>
  );
}

/** The page for everyone else, and after an hour. Only a post shows that answers were sent, so it does not say that. */
export function NoCopyPage({ frame, form }: Omit<ConfirmationProps, 'copy'>): ReactNode {
  const { translation } = frame;
  return (
    <FormMessage frame={frame} form={form} title="noCopyTitle" text="noCopy">
      <p {...translation.attributes}>
        <a href={formPath(form.id)}>{translate(translation, 'back')}</a>
      </p>
    </FormMessage>
  );
}

function Copy({
  questions,
  copy,
  translation,
}: {
  questions: readonly Question[];
  copy: SentCopy;
  translation: Translation;
}): ReactNode {
  const sent = momentOf(copy.submittedAt, translation);
  return (
    <section>
      <h2 {...translation.attributes}>{translate(translation, 'sentCopy')}</h2>
      <p className="hint" {...translation.attributes}>
        {translate(translation, 'copyKept')}
      </p>
      <button type="button" className="secondary print" {...translation.attributes}>
        {translate(translation, 'print')}
      </button>
      <dl className="answers">
        <div>
          <dt {...translation.attributes}>{translate(translation, 'sentAt')}</dt>
          <dd {...translation.attributes}>
            <time dateTime={sent.iso}>{sent.words}</time>
          </dd>
        </div>
        {questions.map((question) => (
          <div key={question.id}>
            <dt dir="auto">{question.label}</dt>
            <Answered answer={copy.answers[question.id]} translation={translation} />
          </div>
        ))}
      </dl>
    </section>
  );
}

function Answered({ answer, translation }: { answer?: Answer; translation: Translation }): ReactNode {
  if (answer === undefined) {
    return (
      <dd className="optional" {...translation.attributes}>
        {translate(translation, 'unanswered')}
      </dd>
    );
  }
  return (
    <dd dir="auto">
      {typeof answer === 'number'
        ? new Intl.NumberFormat(translation.locale).format(answer)
        : [answer].flat().join(', ')}
    </dd>
  );
}
