import type { ComponentType, FormEventHandler, ReactNode, Ref } from 'react';
import type { Moment } from '@/app/_page/moment';
import { fillSlots } from '@/app/_page/sentence';
import { type Translation, translate } from '@/app/_page/translation';
import type { Problem } from '@/lib/services/forms/answers/check-answers';
import type { RawAnswers } from '@/lib/services/forms/answers/fields';
import type { FormContent } from '@/lib/services/forms/form';
import { Field, type Register } from './fields';
import { type LengthCountProps, NoCount } from './length-count';
import { ProblemMessage } from './problem-message';
import { Summary } from './summary';
import { When } from './when';

/** Why a response was not stored, other than problems with single answers. */
export type Notice = 'again' | 'tooOld' | 'alreadySent' | 'tooMany' | 'notReached';

/** IDs of the elements with the form and its state. */
export const formElementId = 'form';
export const stateElementId = 'form-state';

/** The state that the form is rendered from, on the server and, passed as JSON, in the browser. */
export interface FormState {
  readonly content: Pick<FormContent, 'title' | 'description' | 'questions' | 'language' | 'submitLabel'>;
  readonly openUntil: Moment;
  readonly translation: Translation;
  /** The URL that the form posts to. */
  readonly action: string;
  readonly stamp: string;
  readonly values: RawAnswers;
  readonly problems: readonly Problem[];
  readonly notice: Notice | null;
  /** Who the link is for that the page was opened with. */
  readonly recipient?: string;
  /** Whether the link has filled in answers that nobody has sent yet. */
  readonly isPrefilled?: boolean;
}

/** What the browser adds to the form. */
export interface Live {
  readonly register: Register;
  readonly onSubmit?: FormEventHandler<HTMLFormElement>;
  readonly summaryRef?: Ref<HTMLDivElement>;
  readonly isSending: boolean;
  /** The count below a text area. */
  readonly LengthCount: ComponentType<LengthCountProps>;
}

const serverRendered: Live = { register: () => ({}), isSending: false, LengthCount: NoCount };

/** The form. Works without a script, so it has no hooks; see fields.tsx. */
export function FormView({ state, live = serverRendered }: { state: FormState; live?: Live }): ReactNode {
  const { content, translation, action, stamp, values, problems, notice } = state;
  return (
    <>
      <Problems state={state} summaryRef={live.summaryRef} key={notice ?? 'problems'} />
      <Heading state={state} />
      <form method="post" action={action} noValidate onSubmit={live.onSubmit} acceptCharset="utf-8">
        <input type="hidden" name="stamp" value={stamp} />
        {content.questions.map((question) => (
          <Field
            key={question.id}
            question={question}
            values={values}
            problem={problems.find(({ questionId }) => questionId === question.id)}
            translation={translation}
            register={live.register}
            LengthCount={live.LengthCount}
          />
        ))}
        <Honeypot translation={translation} />
        <button type="submit" aria-disabled={live.isSending ? true : undefined}>
          {live.isSending ? (
            <span {...translation.attributes}>{translate(translation, 'sending')}</span>
          ) : (
            <span {...(content.submitLabel ? { dir: 'auto' } : translation.attributes)}>
              {content.submitLabel ?? translate(translation, 'send')}
            </span>
          )}
        </button>
      </form>
    </>
  );
}

interface ProblemsProps {
  readonly state: FormState;
  readonly summaryRef?: Ref<HTMLDivElement>;
}

/** Lists the problems, with links to the fields. */
function Problems({ state, summaryRef }: ProblemsProps): ReactNode {
  const { content, translation, problems, notice } = state;
  if (problems.length === 0 && !notice) return null;
  return (
    <Summary
      translation={translation}
      title={problems.length > 0 ? 'problemTitle' : 'noticeTitle'}
      boxRef={summaryRef}
    >
      {notice ? <p {...translation.attributes}>{translate(translation, notice)}</p> : null}
      {problems.length > 0 ? (
        <ul>
          {content.questions.map((question) => {
            const problem = problems.find(({ questionId }) => questionId === question.id);
            return problem ? (
              <li key={question.id}>
                <a href={`#${problem.field}`} {...translation.attributes}>
                  <ProblemMessage problem={problem} question={question} translation={translation} />
                </a>
              </li>
            ) : null;
          })}
        </ul>
      ) : null}
    </Summary>
  );
}

/** The form's title, end and description, below the problems, which come first on the page. */
function Heading({ state }: { state: FormState }): ReactNode {
  const { content, openUntil, translation } = state;
  return (
    <>
      <h1 dir="auto">{content.title}</h1>
      <p className="until" {...translation.attributes}>
        <When word="openUntil" moment={openUntil} translation={translation} />
      </p>
      {content.description ? (
        <p className="prose" dir="auto">
          {content.description}
        </p>
      ) : null}
      <LinkNote state={state} />
    </>
  );
}

/** What the link of the page does, so that nobody sends a name or an answer unawares. */
function LinkNote({ state: { recipient, isPrefilled, translation } }: { state: FormState }): ReactNode {
  if (recipient === undefined && !isPrefilled) return null;
  return (
    <div className="link-note" {...translation.attributes}>
      {recipient === undefined ? null : (
        <p>
          {fillSlots(translate(translation, 'personalLink'), {
            recipient: (
              <bdi translate="no">
                <strong>{recipient}</strong>
              </bdi>
            ),
          })}
        </p>
      )}
      {isPrefilled ? <p>{translate(translation, 'prefilled')}</p> : null}
    </div>
  );
}

/** A hidden field for spam programs, which fill in everything. People and screen readers do not see it. */
function Honeypot({ translation }: { translation: Translation }): ReactNode {
  return (
    <div className="trap" aria-hidden="true">
      <label htmlFor="contact_me_by">{translate(translation, 'trap')}</label>
      <input id="contact_me_by" name="contact_me_by" type="text" tabIndex={-1} autoComplete="off" />
    </div>
  );
}
