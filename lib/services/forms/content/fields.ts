import { isDisguised } from './characters';

/** The texts of a form that people see. */
export interface FormText {
  readonly title: string;
  readonly description?: string;
  readonly submitLabel?: string;
  readonly thankYou?: string;
  readonly questions: readonly QuestionText[];
}

interface QuestionText {
  readonly label: string;
  readonly help?: string;
  readonly placeholder?: string;
  readonly options?: readonly string[];
}

export interface Field {
  readonly path: string;
  readonly text: string;
  /** `open`: part of a question answered in words. `choice`: part of a question with options. `form`: around them. */
  readonly context: 'open' | 'choice' | 'form';
  /** Whether it has characters that look like others, so that both readings have to be searched. */
  readonly isDisguised: boolean;
}

/** Every text of a form that is not empty, with the path that names it in errors. */
export function fieldsOf(form: FormText): Field[] {
  const texts = [
    textAt('title', form.title, 'form'),
    textAt('description', form.description, 'form'),
    ...form.questions.flatMap(textsOfQuestion),
    textAt('submitLabel', form.submitLabel, 'form'),
    textAt('thankYou', form.thankYou, 'form'),
  ];
  return texts
    .filter(({ text }) => text !== '')
    .map(({ path, text: stored, context }) => {
      const text = asRead(stored);
      return { path, text, context, isDisguised: isDisguised(text) };
    });
}

function textsOfQuestion({ label, help, placeholder, options = [] }: QuestionText, index: number) {
  const context = options.length > 0 ? 'choice' : 'open';
  const path = `questions.${index}`;
  return [
    textAt(`${path}.label`, label, context),
    textAt(`${path}.help`, help, context),
    textAt(`${path}.placeholder`, placeholder, context),
    ...options.map((option, at) => textAt(`${path}.options.${at}`, option, context)),
  ];
}

const textAt = (path: string, text = '', context: Field['context']) => ({ path, text, context });

/** A sign for the word: `Card #`, `# on your card`, but not `#1` or `#party`. */
const numberSign = /[#＃](?![\p{L}\p{N}_-])/gu;

/**
 * A text as people read it: what follows a right-to-left override (U+202E) runs backwards on the screen, and a number sign is the
 * word `number`.
 */
function asRead(text: string): string {
  const named = /[#＃]/.test(text) ? text.replace(numberSign, ' number ') : text;
  if (!named.includes('\u202e')) return named;
  return named.replace(/\u202e([^\u202c\u2069\n]*)/g, (_, overridden: string) =>
    Array.from(overridden).reverse().join(''),
  );
}

/**
 * The sequences of fields across which a phrase may run, as people read a form: everything from top to bottom, then
 * title and labels, the helps, the placeholders, and each label with its placeholder. Options are alternatives, so
 * nobody reads them as one phrase.
 */
export function rowsOf(fields: readonly Field[]): Field[][] {
  const inSequence = fields.filter(({ path }) => !path.includes('.options.'));
  const named = (...names: string[]) =>
    inSequence.filter(({ path }) => names.includes(path.slice(path.lastIndexOf('.') + 1)));
  const rows = [inSequence, named('title', 'label'), named('help'), named('placeholder')];
  return [...rows, ...pairsOf(named('label', 'placeholder'))].filter(({ length }) => length > 1);
}

function pairsOf(fields: readonly Field[]): Field[][] {
  return fields.flatMap((field, at) => {
    const next = fields[at + 1];
    return next?.path.endsWith('placeholder') ? [[field, next]] : [];
  });
}
