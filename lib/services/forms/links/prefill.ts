import { formLimits, type Question, shown } from '@/lib/catalog/form-questions';
import type { Answer } from '@/lib/catalog/forms';
import {
  type CheckedForm,
  checkAnswers,
  decimalSign,
  type FaultWord,
  type Problem,
} from '@/lib/services/forms/answers/check-answers';
import { fieldOf, otherFieldOf, otherValue, type RawAnswers } from '@/lib/services/forms/answers/fields';

/** Fills a form in with answers that its creator gives, as a person would, and checks them by the same rules. */

/** Why an answer cannot be filled in, for its creator. */
export interface PrefillFault {
  readonly questionId: string;
  readonly rule: string;
}

export interface Prefill {
  /** The fields of the page. */
  readonly values: RawAnswers;
  /** What the page says about them. */
  readonly problems: readonly Problem[];
  readonly faults: readonly PrefillFault[];
}

/** Text of any length that does not hide or reorder what is around it. */
const visibleText = shown(formLimits.longTextLengthMax);

/** The fields for some answers by question ID. Answers that no field can hold are left out and are faults. */
export function prefill(form: CheckedForm, answers: Readonly<Record<string, Answer>>): Prefill {
  const faults: PrefillFault[] = [];
  const values: [string, string | readonly string[]][] = [];
  const filled: Question[] = [];
  for (const [questionId, answer] of Object.entries(answers)) {
    const question = form.questions.find(({ id }) => id === questionId);
    const rule = question ? faultOf(question, answer) : 'is not the ID of a question of this form';
    if (question && rule === null) {
      filled.push(question);
      values.push(...Object.entries(fieldsFor(question, answer, form.language)));
    } else {
      faults.push({ questionId, rule: rule ?? '' });
    }
  }
  const raw = Object.fromEntries(values);
  const checked = checkAnswers({ questions: filled, language: form.language }, raw);
  const problems = checked.ok ? [] : checked.problems;
  for (const problem of problems) {
    const question = filled.find(({ id }) => id === problem.questionId);
    if (question) faults.push({ questionId: question.id, rule: ruleOf(problem, question) });
  }
  return { values: raw, problems, faults };
}

/** Why an answer has no field; null if it has one. */
function faultOf({ type, options = [], allowOther, integer }: Question, answer: Answer): string | null {
  const texts = typeof answer === 'number' ? [] : [answer].flat();
  if (!texts.every((text) => visibleText.safeParse(text).success)) return 'must be visible, well-formed text';
  switch (type) {
    case 'number':
      return typeof answer === 'object' ? 'must be a number' : numberFault(answer, integer);
    case 'choice':
      if (typeof answer !== 'string') return 'must be one option, as text';
      break;
    case 'multi_choice':
      if (typeof answer === 'number') return 'must be a list of options';
      break;
    default:
      return typeof answer === 'string' ? null : 'must be text';
  }
  const own = new Set(texts.filter((text) => !options.includes(text)));
  if (own.size > 0 && !allowOther) return 'must be the options of the question, exactly as they are';
  return own.size > 1 ? 'must have at most one answer that is not an option' : null;
}

/** Why a number would be read as another one than was meant. A text is read as if a person had typed it. */
function numberFault(answer: string | number, integer = false): string | null {
  if (typeof answer === 'string') return null;
  if (integer && !Number.isInteger(answer)) return wholeRule;
  return Number(plainNumber(answer)) === answer ? null : digitsRule;
}

const wholeRule = 'must be a whole number';
const digitsRule = 'must be a number of at most 15 digits';

function fieldsFor(question: Question, answer: Answer, language: string): RawAnswers {
  const field = fieldOf(question);
  if (typeof answer === 'number') return { [field]: writeNumber(answer, language) };
  if (question.type !== 'choice' && question.type !== 'multi_choice')
    return { [field]: [answer].flat()[0] ?? '' };
  const { options = [] } = question;
  const indexes = [answer].flat().map((text) => options.indexOf(text));
  const own = [answer].flat().find((text) => !options.includes(text));
  const chosen = [...new Set(indexes.map((index) => (index === -1 ? otherValue : String(index))))];
  return {
    [field]: question.type === 'choice' ? (chosen[0] ?? '') : chosen,
    ...(own === undefined ? {} : { [otherFieldOf(question)]: own }),
  };
}

/** A number with all its digits, as people write it in a language, so that it is read as it was meant. */
function writeNumber(number: number, language: string): string {
  return plainNumber(number).replace('.', decimalSign(language));
}

/** All digits of a number, without an exponent. */
function plainNumber(number: number): string {
  return new Intl.NumberFormat('en', { useGrouping: false, maximumFractionDigits: 20 }).format(number);
}

/** The rule that an answer breaks, in the words of errors for programs. */
function ruleOf({ word, bound }: Problem, { min, max }: Question): string {
  const rules: Readonly<Record<FaultWord, string>> = {
    required: 'must not be empty',
    chooseOne: 'must be one option',
    chooseSome: 'must have an option',
    tooShort: `must have at least ${bound} characters`,
    tooLong: `must have at most ${bound} characters`,
    notEmail: 'must be an email address',
    notNumber: digitsRule,
    notWhole: wholeRule,
    tooSmall: `must be at least ${bound}`,
    tooLarge: `must be at most ${bound}`,
    outOfRange: `must be from ${min} to ${max}`,
    selectMore: `must have at least ${bound} options`,
    selectFewer: `must have at most ${bound} options`,
    notAnOption: 'must be an option of the question',
    otherMissing: 'must not be empty',
    otherUnclear: 'must be one option',
  };
  return rules[word];
}
