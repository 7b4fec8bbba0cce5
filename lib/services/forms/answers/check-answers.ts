import * as z from 'zod/mini';
import type { Question } from '@/lib/catalog/form-questions';
import type { Answer } from '@/lib/catalog/forms';
import { fieldOf, otherFieldOf, otherValue, type RawAnswers } from './fields';

/** Reads numbers as people write them. Runs on the server and in the browser. */

/** A larger whole number has no exact value as a number of JSON. */
const exactMax = 999_999_999_999_999;
const significantMax = 15;
/** No number that people write is longer. A post may be a megabyte long, and reading each digit takes time. */
const numberLengthMax = 1_000;

/** The value of a decimal digit of any script. Unicode has them in runs of ten, from zero to nine. */
function digitOf(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let start = code;
  while (/^\p{Nd}$/u.test(String.fromCodePoint(start - 1))) start -= 1;
  return String((code - start) % 10);
}

/**
 * Parses a number; NaN when the text is not one, or has more digits than a number keeps. A separator is interpreted in the only
 * possible way: `3,5` and `3.5` have decimals, `1 000`, `1,000.5`, `1.000,5` and `10,00,000` have groups. `1,000` alone depends
 * on the language.
 * @param isWhole whether only whole numbers are valid, so that a separator can only group
 */
function readNumber(text: string, language: string, isWhole: boolean): number {
  // `5²` is not 52.
  if (text.length > numberLengthMax || /\p{No}/u.test(text)) return Number.NaN;
  const [, sign = '', digits = ''] = /^([+-]?)\s*([\d.,'][\d.,\s']*)$/u.exec(withPlainSigns(text)) ?? [];
  // A number may end with its decimal sign.
  const plain = withoutGroups(digits.replace(/(?<=\d)[.,]$/, '$&0'), decimalSign(language), isWhole);
  if (plain === null) return Number.NaN;
  const number = Number(`${sign}${plain}`);
  if (!isKept(plain, number)) return Number.NaN;
  return Math.max(-Number.MAX_VALUE, Math.min(number, Number.MAX_VALUE));
}

/** Digits and signs of all scripts and keyboards as those of ASCII. Word processors turn hyphens and apostrophes into others. */
function withPlainSigns(text: string): string {
  return text
    .replaceAll(/[\u2018\u2019\u02bc\u2032\u00b4`]/g, "'")
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/(?![0-9])\p{Nd}/gu, digitOf)
    .replaceAll(/[\u2010-\u2015\u2212]/g, '-')
    .replaceAll('٫', '.')
    .replaceAll(/[٬،]/g, ',')
    .trim();
}

/** Whether a number keeps all digits of its text. One that is too large anyway is told so. */
function isKept(plain: string, number: number): boolean {
  const [whole = '', fraction = ''] = plain.replace(/^0+(?=\d)/, '').split('.');
  const digits = `${whole}${fraction.replace(/(?<!0)0+$/, '')}`.replace(/^0+/, '');
  return digits.length <= significantMax || Math.abs(number) > exactMax;
}

/** The sign before the decimals of a number in a language. */
export function decimalSign(language: string): '.' | ',' {
  const parts = new Intl.NumberFormat(language, { numberingSystem: 'latn' }).formatToParts(1.5);
  return parts.find(({ type }) => type === 'decimal')?.value === ',' ? ',' : '.';
}

/** Groups as in India: `12,50,000`. */
const lakhs = /^\d{1,2}(,\d{2})+,\d{3}$/;

/** Digits with a decimal point; null when the separators are invalid. */
function withoutGroups(digits: string, decimal: '.' | ',', isWhole: boolean): string | null {
  const spaced = digits.replace(/(?<=\d)[\s'](?=\d{3}(?!\d))/gu, '');
  if (/^\d+$/.test(spaced)) return spaced;
  const isGrouped = (sign: string, text: string) =>
    (new RegExp(`^\\d{1,3}(\\${sign}\\d{3})+$`).test(text) || (sign === ',' && lakhs.test(text))) &&
    !text.startsWith('0');
  for (const sign of ['.', ','] as const) {
    const group = sign === '.' ? ',' : '.';
    const [whole = '', fraction, ...more] = spaced.split(sign);
    if (more.length > 0 || fraction === undefined || !/^\d+$/.test(fraction)) continue;
    if (isGrouped(group, whole)) return `${whole.replaceAll(group, '')}.${fraction}`;
    // One separator before three digits is ambiguous.
    if (isGrouped(sign, spaced) && (isWhole || sign !== decimal)) continue;
    if (/^\d*$/.test(whole)) return `${whole || '0'}.${fraction}`;
  }
  for (const sign of ['.', ',']) if (isGrouped(sign, spaced)) return spaced.replaceAll(sign, '');
  return null;
}

/**
 * Validation rules, built from a form's questions. The server enforces them, and the browser checks the same rules
 * earlier.
 */

/** Why an answer is invalid. The texts are in lib/services/forms/words. */
export type FaultWord =
  | 'required'
  | 'chooseOne'
  | 'chooseSome'
  | 'tooShort'
  | 'tooLong'
  | 'notEmail'
  | 'notNumber'
  | 'notWhole'
  | 'tooSmall'
  | 'tooLarge'
  | 'outOfRange'
  | 'selectMore'
  | 'selectFewer'
  | 'notAnOption'
  | 'otherMissing'
  | 'otherUnclear';

/** A problem with one answer. */
export interface Problem {
  readonly questionId: string;
  /** The field to focus. */
  readonly field: string;
  readonly word: FaultWord;
  /** The limit that was exceeded. */
  readonly bound?: number;
}

export type Checked =
  | { readonly ok: true; readonly answers: Readonly<Record<string, Answer>> }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** The parts of a form that the rules need. */
export interface CheckedForm {
  readonly questions: readonly Question[];
  readonly language: string;
}

const emailLengthMax = 254;
/**
 * An address with letters of any script before the @ and in the domain (RFC 6531). What comes before the @ may be quoted
 * (RFC 5321, 4.1.2).
 */
const emailAddress =
  /^(?:"(?:[^"\\\p{Cc}]|\\[ -~]){1,62}"|(?!\.)(?!.*\.\.)[\p{L}\p{M}\p{N}.!#$%&'*+/=?^_`{|}~-]{1,64}(?<!\.))@(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?\.)+(?!\d+$)[\p{L}\p{N}][\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}]$/u;
const otherLengthMax = 200;
/** Four times the longest answer. A number here, because the schemas of the catalog are too large for the page's script. */
const tidiedLengthMax = 20_000;

/** Validates the fields, and returns the answers by question id or the first problem of each question. */
export function checkAnswers(form: CheckedForm, raw: RawAnswers): Checked {
  const read = form.questions.map((question) => [question.id, readAnswer(question, raw, form.language)]);
  const shape = Object.fromEntries(form.questions.map((question) => [question.id, ruleFor(question)]));
  const parsed = z.safeParse(z.object(shape), Object.fromEntries(read));
  const unclear = form.questions.filter((question) => isOtherUnclear(question, raw));
  if (parsed.success && unclear.length === 0) {
    // The rules return only answers, and undefined for questions without one.
    const answers = Object.entries(parsed.data).filter(([, answer]) => answer !== undefined);
    return { ok: true, answers: Object.fromEntries(answers) as Record<string, Answer> };
  }
  const problems = form.questions.flatMap((question) => {
    if (unclear.includes(question)) {
      return [{ questionId: question.id, field: otherFieldOf(question), word: 'otherUnclear' as const }];
    }
    const issue = parsed.error?.issues.find(({ path }) => path[0] === question.id);
    return issue ? [problemOf(question, issue)] : [];
  });
  return { ok: false, problems };
}

/** Whether an option is selected and a text is written for "other" as well, so that one of them would be dropped. */
function isOtherUnclear(question: Question, raw: RawAnswers): boolean {
  const sent = raw[fieldOf(question)] ?? '';
  const isOption = typeof sent === 'string' && sent !== '' && sent !== otherValue;
  return question.type === 'choice' && isOption && readOther(question, raw) !== '';
}

/** The length of a text as the rules count it. */
export function writtenLength(text: string): number {
  return tidy(text).length;
}

/** The unvalidated answers by question. */
export function writtenAnswers(
  form: CheckedForm,
  raw: RawAnswers,
): { label: string; answer: string | string[] }[] {
  return form.questions.flatMap((question) => {
    const sent = raw[fieldOf(question)] ?? '';
    const read = question.type === 'number' ? sent : readAnswer(question, raw, form.language);
    const other = isOtherUnclear(question, raw) ? readOther(question, raw) : [];
    const texts = [read ?? [], other]
      .flat()
      .filter((text): text is string => typeof text === 'string' && text !== '');
    return texts.length > 0 ? [{ label: question.label, answer: texts }] : [];
  });
}

function problemOf(question: Question, issue: z.core.$ZodIssue): Problem {
  // Every rule below has a word as its message.
  const word = issue.message as FaultWord;
  const bound =
    issue.code === 'too_small'
      ? Number(issue.minimum)
      : issue.code === 'too_big'
        ? Number(issue.maximum)
        : undefined;
  const isAboutOther = word === 'otherMissing' || (issue.path.length > 1 && word === 'tooLong');
  return {
    questionId: question.id,
    field:
      isAboutOther || (word === 'tooLong' && question.type === 'choice')
        ? otherFieldOf(question)
        : fieldOf(question),
    word,
    bound,
  };
}

/** The tidied answer to a question; undefined when there is none. */
function readAnswer(question: Question, raw: RawAnswers, language: string): unknown {
  const sent = raw[fieldOf(question)] ?? '';
  const text = tidy(typeof sent === 'string' ? sent : '');
  switch (question.type) {
    case 'text':
      return text.replaceAll('\n', ' ') || undefined;
    case 'email':
      return readEmail(text.replaceAll('\n', ' ')) || undefined;
    case 'long_text':
      return text || undefined;
    case 'number':
      return text ? readNumber(text, language, question.integer === true) : undefined;
    case 'choice':
      return typeof sent === 'string' ? readChoice(question, raw, sent) : null;
    case 'multi_choice': {
      // A post may repeat a value thousands of times.
      const values = [...new Set(typeof sent === 'string' ? [sent] : sent)];
      const chosen = new Set(values.filter(Boolean).map((value) => readChoice(question, raw, value) ?? null));
      // A text for "other" counts even if its box is not checked.
      const other = readOther(question, raw);
      if (other && !values.includes(otherValue)) chosen.add(other);
      return chosen.size > 0 ? [...chosen] : undefined;
    }
  }
}

/**
 * The address in what people paste: a `mailto:` link, an address with a name (RFC 5322, 3.4), or the end of a sentence. Full-width
 * letters, dots of other scripts (UTS 46) and characters without width come from phones and from web pages.
 */
function readEmail(text: string): string {
  const plain = text
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll('。', '.')
    .replaceAll(/[‘’]/g, "'")
    .trim()
    .replace(/[.,;]$/, '');
  const [, address = plain] = /^[^<>]*<([^<>]+)>$/.exec(plain) ?? [];
  return address.trim().replace(/^mailto:([^?]*).*$/is, '$1');
}

/** The option at an index; null for an invalid index, the text for "other". */
function readChoice(question: Question, raw: RawAnswers, value: string): string | null | undefined {
  if (value === '') return readOther(question, raw) || undefined;
  if (value === otherValue && question.allowOther) return readOther(question, raw);
  return (/^\d{1,2}$/.test(value) ? question.options?.[Number(value)] : null) ?? null;
}

function readOther(question: Question, raw: RawAnswers): string {
  const text = question.allowOther ? raw[otherFieldOf(question)] : '';
  return tidy(typeof text === 'string' ? text : '').replaceAll('\n', ' ');
}

/**
 * Unifies line breaks and removes characters that databases cannot store or readers cannot see. They come along when
 * people paste from documents, and an error would name a character that they cannot see. A text too long for any
 * question is left as it is, because tidying takes time and a post may be a megabyte long.
 */
function tidy(text: string): string {
  if (text.length > tidiedLengthMax) return text;
  return text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/\p{Surrogate}/gu, '\ufffd')
    .replaceAll(/[^\P{Cc}\t\n]/gu, '')
    .trim();
}

function ruleFor(question: Question) {
  const rule = answeredRule(question);
  return question.required ? rule : z.optional(rule);
}

function answeredRule(question: Question) {
  const text = z.string({ error: 'required' });
  const hasRange = question.min !== undefined && question.max !== undefined;
  switch (question.type) {
    case 'text':
    case 'long_text':
      return text.check(
        z.minLength(question.minLength ?? 0, { error: 'tooShort' }),
        z.maxLength(question.maxLength ?? Number.MAX_SAFE_INTEGER, { error: 'tooLong' }),
      );
    case 'email':
      return text.check(
        z.maxLength(emailLengthMax, { error: 'tooLong' }),
        z.email({ pattern: emailAddress, error: 'notEmail' }),
      );
    case 'number':
      return z
        .number({ error: ({ input }) => (input === undefined ? 'required' : 'notNumber') })
        .check(
          ...(question.integer ? [z.multipleOf(1, { error: 'notWhole' })] : []),
          z.gte(question.min ?? -exactMax, { error: hasRange ? 'outOfRange' : 'tooSmall' }),
          z.lte(question.max ?? exactMax, { error: hasRange ? 'outOfRange' : 'tooLarge' }),
        );
    case 'choice':
      return optionRule;
    case 'multi_choice':
      return z
        .array(optionRule, { error: 'chooseSome' })
        .check(
          z.minLength(question.minSelections ?? 0, { error: 'selectMore' }),
          z.maxLength(question.maxSelections ?? Number.MAX_SAFE_INTEGER, { error: 'selectFewer' }),
        );
  }
}

/** The text of an option or for "other". Options are never empty and never longer. */
const optionRule = z
  .string({ error: ({ input }) => (input === undefined ? 'chooseOne' : 'notAnOption') })
  .check(z.minLength(1, { error: 'otherMissing' }), z.maxLength(otherLengthMax, { error: 'tooLong' }));
