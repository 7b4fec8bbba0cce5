import type { ReactNode } from 'react';
import { type Translation, translate } from '@/app/_page/translation';
import type { Question } from '@/lib/catalog/form-questions';
import type { Answer } from '@/lib/catalog/forms';
import type { ReadableForm } from '@/lib/services/forms/form';
import type { SentCopy } from '@/lib/services/forms/sent-copy';
import { type Frame, Page } from './document';
import { dayOf, momentOf, When } from './when';

/** The page after sending: the author's text, and for the person who sent it a reference and a copy. */
export function ConfirmationPage({
  frame,
  form,
  copy,
}: {
  frame: Frame;
  form: ReadableForm;
  copy: SentCopy | null;
}): ReactNode {
  const { translation } = frame;
  const { title, thankYou, language } = form.content;
  return (
    <Page
      {...frame}
      language={language}
      title={translate(translation, 'thanksTitle')}
      form={form}
      isHostingTold
    >
      <h1 {...translation.attributes}>{translate(translation, 'thanksTitle')}</h1>
      <p className="until" dir="auto">
        {title}
      </p>
      <p className="prose" {...(thankYou ? { dir: 'auto' } : translation.attributes)}>
        {thankYou ?? translate(translation, 'thanks')}
      </p>
      <p {...translation.attributes}>
        <When word="hosted" moment={dayOf(form.readableUntil, translation)} translation={translation} />
      </p>
      {copy ? <Copy questions={form.content.questions} copy={copy} translation={translation} /> : null}
    </Page>
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
    <>
      <dl className="receipt">
        <dt {...translation.attributes}>{translate(translation, 'reference')}</dt>
        <dd>
          <bdi translate="no">{copy.reference}</bdi>
        </dd>
        <dt {...translation.attributes}>{translate(translation, 'sentAt')}</dt>
        <dd {...translation.attributes}>
          <time dateTime={sent.iso}>{sent.words}</time>
        </dd>
      </dl>
      <h2 {...translation.attributes}>{translate(translation, 'sentCopy')}</h2>
      <p className="hint" {...translation.attributes}>
        {translate(translation, 'copyKept')}
      </p>
      <dl className="answers">
        {questions.map((question) => (
          <div key={question.id}>
            <dt dir="auto">{question.label}</dt>
            <Answered answer={copy.answers[question.id]} translation={translation} />
          </div>
        ))}
      </dl>
    </>
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
