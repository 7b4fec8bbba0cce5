import { isDisguised } from './letters';

/** What people read of a form. */
export interface FormText {
  readonly title: string;
  readonly description?: string;
  readonly submitLabel?: string;
  readonly thankYou?: string;
  readonly questions: readonly QuestionText[];
}

export interface QuestionText {
  readonly label: string;
  readonly help?: string;
  readonly placeholder?: string;
  readonly options?: readonly string[];
}

export interface Field {
  readonly path: string;
  readonly text: string;
  /** `free`: part of a question that is answered in words of one's own. `choice`: of one with options. */
  readonly part: 'free' | 'choice' | 'frame';
  /** Whether its characters look like others than they are. */
  readonly isDisguised: boolean;
}

type Written = Omit<Field, 'isDisguised'>;

/** Every text of a form with the path by which errors name it. */
export function fieldsOf(form: FormText): Field[] {
  const fields = [
    ...frame('title', form.title),
    ...frame('description', form.description),
    ...form.questions.flatMap(fieldsOfQuestion),
    ...frame('submitLabel', form.submitLabel),
    ...frame('thankYou', form.thankYou),
  ];
  return fields.map(({ path, text: written, part }) => {
    const text = asShown(written);
    return { path, text, part, isDisguised: isDisguised(text) };
  });
}

const frame = (path: string, text: string | undefined): Written[] =>
  text ? [{ path, text, part: 'frame' }] : [];

function fieldsOfQuestion(question: QuestionText, index: number): Written[] {
  const part = question.options?.length ? 'choice' : 'free';
  const names = ['label', 'help', 'placeholder'] as const;
  return [
    ...names.map(
      (name) => ({ path: `questions.${index}.${name}`, text: question[name] ?? '', part }) as const,
    ),
    ...(question.options ?? []).map(
      (text, option) => ({ path: `questions.${index}.options.${option}`, text, part }) as const,
    ),
  ].filter(({ text }) => text !== '');
}

/** A text as browsers show it: what follows U+202E runs backwards. */
function asShown(text: string): string {
  if (!text.includes('\u202e')) return text;
  return text.replace(/\u202e([^\u202c\u2069\n]*)/g, (_, turned: string) =>
    Array.from(turned).reverse().join(''),
  );
}

/**
 * The rows of fields in which a phrase may go on from one field to the next, as someone reads them: the form from top to
 * bottom, its labels, helps and placeholders, each label with its placeholder. Options are alternatives, nobody reads
 * them as one phrase.
 */
export function rowsOf(fields: readonly Field[]): Field[][] {
  const inReach = fields.filter(({ path }) => !path.includes('.options.'));
  const named = (...names: string[]) =>
    inReach.filter(({ path }) => names.includes(path.slice(path.lastIndexOf('.') + 1)));
  const rows = [inReach, named('title', 'label'), named('help'), named('placeholder')];
  return [...rows, ...pairsOf(named('label', 'placeholder'))].filter(({ length }) => length > 1);
}

function pairsOf(fields: readonly Field[]): Field[][] {
  return fields.map((field, at) => {
    const next = fields[at + 1];
    return next?.path.endsWith('placeholder') ? [field, next] : [];
  });
}
