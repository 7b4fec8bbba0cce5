import type { FormEventHandler, ReactNode, Ref } from 'react';
import type { Problem } from '@/lib/services/forms/answers/check';
import type { RawAnswers } from '@/lib/services/forms/answers/fields';
import type { FormContent } from '@/lib/services/forms/form';
import { Field, type Register } from './fields';
import { type Speech, say } from './speech';
import { Summary } from './summary';

/** What a page says above the form when a post was not stored, beside problems with single answers. */
export type Notice = 'again' | 'tooOld' | 'alreadySent' | 'tooMany' | 'notReached';

/** Where the browser finds the form, and what it was rendered from. */
export const formElementId = 'form';
export const stateElementId = 'form-state';

/** Everything that the form is rendered from, on the server and, handed over as JSON, in the browser. */
export interface FormState {
  readonly content: Pick<FormContent, 'questions' | 'language' | 'submitLabel'>;
  readonly speech: Speech;
  /** Where the form posts to. */
  readonly action: string;
  readonly stamp: string;
  readonly values: RawAnswers;
  readonly problems: readonly Problem[];
  readonly notice: Notice | null;
}

/** What the browser adds. */
export interface Live {
  readonly register: Register;
  readonly onSubmit?: FormEventHandler<HTMLFormElement>;
  readonly summaryRef?: Ref<HTMLDivElement>;
  readonly isSending: boolean;
}

const still: Live = { register: () => ({}), isSending: false };

/** The form itself. Posts without a script; no hooks, see fields.tsx. */
export function FormView({ state, live = still }: { state: FormState; live?: Live }): ReactNode {
  const { content, speech, action, stamp, values, problems, notice } = state;
  return (
    <>
      <Problems state={state} summaryRef={live.summaryRef} key={notice ?? 'problems'} />
      <form method="post" action={action} noValidate onSubmit={live.onSubmit} acceptCharset="utf-8">
        <input type="hidden" name="stamp" value={stamp} />
        {content.questions.map((question) => (
          <Field
            key={question.id}
            question={question}
            values={values}
            problem={problems.find(({ questionId }) => questionId === question.id)}
            speech={speech}
            register={live.register}
          />
        ))}
        <Trap speech={speech} />
        <button type="submit" aria-disabled={live.isSending ? true : undefined}>
          {live.isSending ? (
            <span {...speech.mark}>{say(speech, 'sending')}</span>
          ) : (
            <span {...(content.submitLabel ? { dir: 'auto' } : speech.mark)}>
              {content.submitLabel ?? say(speech, 'send')}
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

/** What stands in the way, with links to the fields. */
function Problems({ state, summaryRef }: ProblemsProps): ReactNode {
  const { content, speech, problems, notice } = state;
  if (problems.length === 0 && !notice) return null;
  return (
    <Summary speech={speech} title={problems.length > 0 ? 'problemTitle' : 'noticeTitle'} boxRef={summaryRef}>
      {notice ? <p {...speech.mark}>{say(speech, notice)}</p> : null}
      {problems.length > 0 ? (
        <ul>
          {problems.map((problem) => (
            <li key={problem.questionId}>
              <a href={`#${problem.field}`}>
                <span dir="auto">{content.questions.find(({ id }) => id === problem.questionId)?.label}</span>
                {': '}
                <span {...speech.mark}>{say(speech, problem.word, { n: problem.bound ?? '' })}</span>
              </a>
            </li>
          ))}
        </ul>
      ) : null}
    </Summary>
  );
}

/** A field for programs that fill in everything. No person meets it, with or without a screen. */
function Trap({ speech }: { speech: Speech }): ReactNode {
  return (
    <div className="trap" aria-hidden="true">
      <label htmlFor="contact_me_by">{say(speech, 'trap')}</label>
      <input id="contact_me_by" name="contact_me_by" type="text" tabIndex={-1} autoComplete="off" />
    </div>
  );
}
