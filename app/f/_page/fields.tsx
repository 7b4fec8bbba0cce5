import type { ComponentType, ReactNode } from 'react';
import { Option } from '@/app/_page/field';
import { type Translation, translate } from '@/app/_page/translation';
import type { Question } from '@/lib/catalog/form-questions';
import type { Problem } from '@/lib/services/forms/answers/check-answers';
import { fieldOf, otherFieldOf, otherValue, type RawAnswers } from '@/lib/services/forms/answers/fields';
import { type LengthCountProps, lengthCountId } from './length-count';
import { limitHint } from './limit-hint';
import { ProblemMessage } from './problem-message';

/** Widths that the style has, in digits. */
const widths = [2, 3, 4, 5, 10, 20] as const;

/** Room for a fraction where the number need not be whole. */
const fractionDigits = 3;

/** A class for a field as wide as its answer (GOV.UK, text input: fixed width inputs); undefined for all of the room. */
function widthClass(question: Question): string | undefined {
  if (question.type === 'number') return numberWidth(question);
  if (question.type !== 'text') return undefined;
  const purpose = inputPurpose(question);
  const longest = purpose === 'postal-code' ? 10 : purpose === 'tel' ? 20 : Number.POSITIVE_INFINITY;
  const length = Math.min(question.maxLength ?? longest, longest);
  return length <= 10 ? 'digits-10' : length <= 20 ? 'digits-20' : undefined;
}

/** For ten digits if the numbers have no limits. */
function numberWidth({ min, max, integer }: Question): string {
  if (min === undefined || max === undefined) return 'digits-10';
  const digits = Math.max(...[min, max].map((bound) => String(bound).length));
  const needed = integer ? digits : digits + fractionDigits;
  return `digits-${widths.find((width) => width >= needed) ?? widths.at(-1)}`;
}

/**
 * Autocomplete tokens (WCAG 2.2, 1.3.5) by question ID or label. `first_name`, `firstName` and `First name` are the same.
 */
const purposes: Readonly<Record<string, string>> = {
  name: 'name',
  fullname: 'name',
  yourname: 'name',
  firstname: 'given-name',
  givenname: 'given-name',
  lastname: 'family-name',
  familyname: 'family-name',
  surname: 'family-name',
  nickname: 'nickname',
  phone: 'tel',
  tel: 'tel',
  telephone: 'tel',
  phonenumber: 'tel',
  yourphonenumber: 'tel',
  mobile: 'tel',
  mobilenumber: 'tel',
  mobilephone: 'tel',
  company: 'organization',
  organisation: 'organization',
  organization: 'organization',
  jobtitle: 'organization-title',
  street: 'street-address',
  address: 'street-address',
  streetaddress: 'street-address',
  city: 'address-level2',
  town: 'address-level2',
  postalcode: 'postal-code',
  postcode: 'postal-code',
  zip: 'postal-code',
  zipcode: 'postal-code',
  country: 'country-name',
  birthday: 'bday',
  website: 'url',
};

const plainName = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** Whether a question has the ID of its position, which says nothing about it. */
const isNumbered = (id: string) => /^q\d+$/.test(id);

/** The autocomplete token for a question; undefined if there is none. Without an ID of its own, its label says what it asks for. */
function inputPurpose({ id, label }: Question): string | undefined {
  return purposes[plainName(isNumbered(id) ? label : id)];
}

/** A label about someone else's address. */
const ofOthers =
  /['’]s\b|\bof (?:your|the|an?)\b|\b(?:their|his|her|manager|partner|guest|friend|referee|emergency)\b/i;

/** The browser offers the reader's own address only for a question that is not about someone else: not for `managerEmail`. */
function emailPurpose({ id, label }: Question): string | undefined {
  const isOwn = isNumbered(id)
    ? !ofOthers.test(label)
    : /^(your|my|contact|work)?e?mail(address)?$/.test(plainName(id));
  return isOwn ? 'email' : undefined;
}

/**
 * The field of a question. It has no hooks: the server renders it with the sent answers, the browser with react-hook-form's
 * `register`, and both produce the same markup.
 */

/** The listeners and reference that the browser adds to an input. */
export type Register = (name: string) => object;

export interface FieldProps {
  readonly question: Question;
  readonly values: RawAnswers;
  readonly problem: Problem | undefined;
  readonly translation: Translation;
  readonly register: Register;
  readonly LengthCount: ComponentType<LengthCountProps>;
}

/** A question with its field, chosen by its type. */
export function Field(props: FieldProps): ReactNode {
  switch (props.question.type) {
    case 'choice':
    case 'multi_choice':
      return <OptionsField {...props} />;
    default:
      return <TextField {...props} />;
  }
}

function textOf(values: RawAnswers, name: string): string {
  const value = values[name] ?? '';
  return typeof value === 'string' ? value : (value[0] ?? '');
}

/** IDs of the elements that describe a field, for aria-describedby. */
function describedBy(
  name: string,
  hasHint: boolean,
  problem: Problem | undefined,
  hasCount = false,
): string | undefined {
  const ids = [
    hasHint ? `${name}-hint` : '',
    problem ? `${name}-error` : '',
    hasCount ? lengthCountId(name) : '',
  ].filter(Boolean);
  return ids.length > 0 ? ids.join(' ') : undefined;
}

function TextField({ question, values, problem, translation, register, LengthCount }: FieldProps): ReactNode {
  const name = fieldOf(question);
  const limits = limitHint(question, translation);
  const countedTo = question.type === 'long_text' ? question.maxLength : undefined;
  const described = describedBy(name, Boolean(question.help ?? limits), problem, countedTo !== undefined);
  const shared = {
    id: name,
    className: widthClass(question),
    dir: 'auto',
    defaultValue: textOf(values, name),
    placeholder: question.placeholder,
    'aria-invalid': problem ? true : undefined,
    'aria-describedby': described,
    ...register(name),
    name,
  };
  return (
    <div className={problem ? 'field wrong' : 'field'}>
      <label htmlFor={name}>
        <Label question={question} translation={translation} />
      </label>
      <Hint name={name} help={question.help} limits={limits} translation={translation} />
      <ErrorText question={question} problem={problem} translation={translation} />
      {question.type === 'long_text' ? (
        <textarea {...shared} rows={5} />
      ) : (
        <input {...shared} {...inputPropsFor(question)} />
      )}
      {countedTo === undefined ? null : (
        <LengthCount name={name} maxLength={countedTo} translation={translation} />
      )}
    </div>
  );
}

/** Numbers use a text field: browsers clear number fields they cannot parse, and change them on scrolling. */
function inputPropsFor(question: Question) {
  switch (question.type) {
    case 'email':
      return { type: 'email', autoComplete: emailPurpose(question), spellCheck: false };
    case 'number':
      return { type: 'text', inputMode: question.integer ? ('numeric' as const) : ('decimal' as const) };
    default: {
      const autoComplete = inputPurpose(question);
      return autoComplete === 'tel' ? { type: 'tel', autoComplete } : { type: 'text', autoComplete };
    }
  }
}

/** From so many options on they stand in columns, unless one is too long for half of a phone. */
const manyOptions = 15;
const shortOption = 20;

function OptionsField({ question, values, problem, translation, register }: FieldProps): ReactNode {
  const name = fieldOf(question);
  const isMany = question.type === 'multi_choice';
  const limits = limitHint(question, translation);
  const chosen = values[name] ?? '';
  const isChosen = (value: string) =>
    typeof chosen === 'string' ? chosen === value : chosen.includes(value);
  const inputs = [...(question.options ?? []).map((text, index) => ({ text, value: String(index) }))].concat(
    question.allowOther ? [{ text: translate(translation, 'other'), value: otherValue }] : [],
  );
  const isInColumns = inputs.length >= manyOptions && inputs.every(({ text }) => text.length <= shortOption);
  return (
    <fieldset
      className={problem ? 'field wrong' : 'field'}
      aria-describedby={describedBy(name, Boolean(question.help ?? limits), problem)}
    >
      <legend>
        <Label question={question} translation={translation} />
      </legend>
      <Hint name={name} help={question.help} limits={limits} translation={translation} />
      <ErrorText question={question} problem={problem} translation={translation} />
      <div className={isInColumns ? 'columns' : undefined}>
        {inputs.map(({ text, value }, index) => (
          <Option
            key={value}
            id={index === 0 ? name : `${name}-${value}`}
            type={isMany ? 'checkbox' : 'radio'}
            value={value}
            defaultChecked={isChosen(value)}
            {...register(name)}
            name={name}
          >
            <span {...(value === otherValue ? translation.attributes : { dir: 'auto' })}>{text}</span>
          </Option>
        ))}
      </div>
      {question.allowOther ? (
        <OtherText
          question={question}
          values={values}
          problem={problem}
          translation={translation}
          register={register}
        />
      ) : null}
    </fieldset>
  );
}

/** The style sheet shows it while its option is chosen or it holds a text, so that no text is sent unseen. */
function OtherText({
  question,
  values,
  problem,
  translation,
  register,
}: Omit<FieldProps, 'LengthCount'>): ReactNode {
  const name = otherFieldOf(question);
  const isWrong = problem?.field === name;
  return (
    <div className="other">
      <label htmlFor={name} {...translation.attributes}>
        {translate(translation, 'otherLabel')}
      </label>
      <input
        id={name}
        type="text"
        dir="auto"
        defaultValue={textOf(values, name)}
        // For the style sheet, which finds an empty field by its placeholder.
        placeholder=" "
        autoComplete="off"
        aria-invalid={isWrong ? true : undefined}
        aria-describedby={isWrong ? `${fieldOf(question)}-error` : undefined}
        {...register(name)}
        name={name}
      />
    </div>
  );
}

function Label({ question, translation }: { question: Question; translation: Translation }): ReactNode {
  return (
    <>
      <span dir="auto">{question.label}</span>
      {question.required ? null : (
        <span className="optional" {...translation.attributes}>
          {' '}
          ({translate(translation, 'optional')})
        </span>
      )}
    </>
  );
}

interface HintProps {
  readonly name: string;
  readonly help: string | undefined;
  readonly limits: string | undefined;
  readonly translation: Translation;
}

function Hint({ name, help, limits, translation }: HintProps): ReactNode {
  if (!help && !limits) return null;
  return (
    <div className="hint" id={`${name}-hint`}>
      {help ? <p dir="auto">{help}</p> : null}
      {limits ? <p {...translation.attributes}>{limits}</p> : null}
    </div>
  );
}

function ErrorText({
  question,
  problem,
  translation,
}: Pick<FieldProps, 'question' | 'problem' | 'translation'>): ReactNode {
  if (!problem) return null;
  return (
    <p className="error" id={`${fieldOf(question)}-error`} {...translation.attributes}>
      <span className="hidden">{translate(translation, 'error')} </span>
      <ProblemMessage problem={problem} question={question} translation={translation} isAtField />
    </p>
  );
}
