import type { ReactNode } from 'react';
import type { Question } from '@/lib/catalog/forms';
import type { Problem } from '@/lib/services/forms/answers/check';
import { fieldOf, otherFieldOf, otherValue, type RawAnswers } from '@/lib/services/forms/answers/fields';
import { inputPurpose } from './input-purpose';
import { type Speech, say } from './speech';

/**
 * One question as a person sees it. No hooks: the server renders these with what was sent, the browser with what
 * `register` of react-hook-form gives, and both come to the same markup.
 */

/** What the browser adds to an input: listeners and a reference. */
export type Register = (name: string) => object;

export interface FieldProps {
  readonly question: Question;
  readonly values: RawAnswers;
  readonly problem: Problem | undefined;
  readonly speech: Speech;
  readonly register: Register;
}

/** A question with its field, chosen by its type. */
export function Field(props: FieldProps): ReactNode {
  switch (props.question.type) {
    case 'choice':
    case 'multi_choice':
      return <Options {...props} />;
    default:
      return <Written {...props} />;
  }
}

function textOf(values: RawAnswers, name: string): string {
  const value = values[name] ?? '';
  return typeof value === 'string' ? value : (value[0] ?? '');
}

/** Ids of what describes a field, for aria-describedby. */
function describedBy(name: string, hasHint: boolean, problem: Problem | undefined): string | undefined {
  const ids = [hasHint ? `${name}-hint` : '', problem ? `${name}-error` : ''].filter(Boolean);
  return ids.length > 0 ? ids.join(' ') : undefined;
}

function Written({ question, values, problem, speech, register }: FieldProps): ReactNode {
  const name = fieldOf(question);
  const shared = {
    id: name,
    className: 'input',
    dir: 'auto',
    defaultValue: textOf(values, name),
    placeholder: question.placeholder,
    required: question.required,
    'aria-invalid': problem ? true : undefined,
    'aria-describedby': describedBy(name, Boolean(question.help), problem),
    ...register(name),
    name,
  };
  return (
    <div className={problem ? 'question wrong' : 'question'}>
      <label className="label" htmlFor={name}>
        <Label question={question} speech={speech} />
      </label>
      <Hint name={name} help={question.help} speech={speech} />
      <ErrorText name={name} problem={problem} speech={speech} />
      {question.type === 'long_text' ? (
        <textarea {...shared} rows={5} />
      ) : (
        <input {...shared} {...kindOf(question)} />
      )}
    </div>
  );
}

/** Numbers are typed as text: browsers empty a number field that they cannot read, and change it by scrolling. */
function kindOf(question: Question) {
  switch (question.type) {
    case 'email':
      return { type: 'email', autoComplete: 'email', spellCheck: false };
    case 'number':
      return { type: 'text', inputMode: question.integer ? ('numeric' as const) : ('decimal' as const) };
    default:
      return { type: 'text', autoComplete: inputPurpose(question.id) };
  }
}

function Options({ question, values, problem, speech, register }: FieldProps): ReactNode {
  const name = fieldOf(question);
  const isMany = question.type === 'multi_choice';
  const selection = isMany ? selectionHint(question, speech) : undefined;
  const chosen = values[name] ?? '';
  const isChosen = (value: string) =>
    typeof chosen === 'string' ? chosen === value : chosen.includes(value);
  const inputs = [...(question.options ?? []).map((text, index) => ({ text, value: String(index) }))].concat(
    question.allowOther ? [{ text: say(speech, 'other'), value: otherValue }] : [],
  );
  return (
    <fieldset
      className={problem ? 'question wrong' : 'question'}
      aria-describedby={describedBy(name, Boolean(question.help ?? selection), problem)}
    >
      <legend className="label">
        <Label question={question} speech={speech} />
      </legend>
      <Hint name={name} help={question.help} selection={selection} speech={speech} />
      <ErrorText name={name} problem={problem} speech={speech} />
      {inputs.map(({ text, value }, index) => (
        <div className="option" key={value}>
          <input
            id={index === 0 ? name : `${name}-${value}`}
            type={isMany ? 'checkbox' : 'radio'}
            value={value}
            defaultChecked={isChosen(value)}
            required={!isMany && question.required}
            {...register(name)}
            name={name}
          />
          <label htmlFor={index === 0 ? name : `${name}-${value}`}>
            <span {...(value === otherValue ? speech.mark : { dir: 'auto' })}>{text}</span>
          </label>
        </div>
      ))}
      {question.allowOther ? (
        <OtherText
          question={question}
          values={values}
          problem={problem}
          speech={speech}
          register={register}
        />
      ) : null}
    </fieldset>
  );
}

/** Always there, so that it can be filled in without a script. */
function OtherText({ question, values, problem, speech, register }: FieldProps): ReactNode {
  const name = otherFieldOf(question);
  const isWrong = problem?.field === name;
  return (
    <div className="other">
      <label htmlFor={name} {...speech.mark}>
        {say(speech, 'otherLabel')}
      </label>
      <input
        id={name}
        className="input"
        type="text"
        dir="auto"
        defaultValue={textOf(values, name)}
        autoComplete="off"
        aria-invalid={isWrong ? true : undefined}
        aria-describedby={isWrong ? `${fieldOf(question)}-error` : undefined}
        {...register(name)}
        name={name}
      />
    </div>
  );
}

function Label({ question, speech }: { question: Question; speech: Speech }): ReactNode {
  return (
    <>
      <span dir="auto">{question.label}</span>
      {question.required ? null : (
        <span className="optional" {...speech.mark}>
          {' '}
          ({say(speech, 'optional')})
        </span>
      )}
    </>
  );
}

interface HintProps {
  readonly name: string;
  readonly help: string | undefined;
  readonly selection?: string;
  readonly speech: Speech;
}

function Hint({ name, help, selection, speech }: HintProps): ReactNode {
  if (!help && !selection) return null;
  return (
    <div className="hint" id={`${name}-hint`}>
      {help ? <p dir="auto">{help}</p> : null}
      {selection ? <p {...speech.mark}>{selection}</p> : null}
    </div>
  );
}

function selectionHint({ minSelections = 0, maxSelections }: Question, speech: Speech): string {
  const hints = [
    minSelections > 1 ? say(speech, 'selectAtLeast', { n: minSelections }) : '',
    maxSelections ? say(speech, 'selectAtMost', { n: maxSelections }) : '',
  ].filter(Boolean);
  return hints.length > 0 ? hints.join(' ') : say(speech, 'selectAll');
}

function ErrorText({
  name,
  problem,
  speech,
}: Pick<FieldProps, 'problem' | 'speech'> & { name: string }): ReactNode {
  if (!problem) return null;
  return (
    <p className="error" id={`${name}-error`} {...speech.mark}>
      <span className="hidden">{say(speech, 'error')} </span>
      {say(speech, problem.word, { n: problem.bound ?? '' })}
    </p>
  );
}
