import { z } from 'zod';
import { questionTypes } from './form-rules';

/** What a form asks: the schema of a question, and the limits of forms. */

/** These limits are also in docs/forms.md. */
export const formLimits = {
  questionsMax: 20,
  responsesMax: 100,
  openDays: 30,
  /** How long responses stay readable after closesAt. */
  readableDays: 7,
  titleLengthMax: 120,
  descriptionLengthMax: 2_000,
  labelLengthMax: 300,
  helpLengthMax: 300,
  placeholderLengthMax: 120,
  submitLabelLengthMax: 60,
  thankYouLengthMax: 1_000,
  optionsMin: 2,
  /** A single box to check, such as a consent. */
  severalOptionsMin: 1,
  optionsMax: 50,
  optionLengthMax: 200,
  textLengthMax: 500,
  longTextLengthMax: 5_000,
  pageMax: 100,
  waitSecondsMax: 60,
  /** A longer wait is answered after this, because many proxies end a request after 60 seconds. */
  waitAnsweredSeconds: 55,
} as const;

/** Text for people: well-formed, visible, and without characters that hide or reorder text. */
export const shown = (lengthMax: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(lengthMax)
    .refine((text) => !/[^\P{Cc}\t\n\r]|[\u202a-\u202e]|\p{Surrogate}/u.test(text), {
      error: 'must be well-formed text without control characters',
    })
    .refine((text) => /[^\p{C}\p{Z}\p{M}\s]/u.test(text), { error: 'must have a visible character' });
const bound = z.number().min(-1e15).max(1e15).optional();
const count = (max: number) => z.number().int().min(0).max(max).optional();
/** The question types that a field is for, as the start of its description. */
const forText = 'For text types:';
const forChoice = 'For choice types:';

const questionId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/, {
  error: 'must be 1 to 40 letters, digits, - or _, starting with a letter or digit',
});

export const question = z.strictObject({
  id: questionId.optional().meta({ description: 'Key of the answer. Default: q1, q2 …', examples: ['meal'] }),
  type: z.enum(questionTypes).describe('Type of answer.'),
  label: shown(formLimits.labelLengthMax).meta({ description: 'The question.', examples: ['Your name'] }),
  help: shown(formLimits.helpLengthMax)
    .optional()
    .meta({ description: 'Hint below the question.', examples: ['As on your badge.'] }),
  required: z.boolean().default(false).describe('Whether the question must be answered.'),
  placeholder: shown(formLimits.placeholderLengthMax)
    .optional()
    .meta({
      description: 'Shown in the empty field. Not for choice types.',
      examples: ['Ada Lovelace'],
    }),
  minLength: count(formLimits.longTextLengthMax).meta({
    description: `${forText} minimum length of the answer.`,
    examples: [2],
  }),
  maxLength: z
    .number()
    .int()
    .min(1)
    .max(formLimits.longTextLengthMax)
    .optional()
    .meta({
      description: `${forText} maximum length of the answer, up to ${formLimits.textLengthMax} for text and ${formLimits.longTextLengthMax} for long_text.`,
      examples: [200],
    }),
  min: bound.meta({ description: 'For number: minimum.', examples: [0] }),
  max: bound.meta({ description: 'For number: maximum.', examples: [10] }),
  integer: z.boolean().optional().describe('For number: allow only whole numbers.'),
  options: z
    .array(shown(formLimits.optionLengthMax))
    .min(formLimits.severalOptionsMin)
    .max(formLimits.optionsMax)
    .optional()
    .meta({
      description: `${forChoice} the options, all different, at least two for choice. Required.`,
      examples: [['Soup', 'Salad']],
    }),
  allowOther: z.boolean().optional().describe(`${forChoice} let people enter their own option.`),
  minSelections: count(formLimits.optionsMax + 1).meta({
    description: 'For multi_choice: minimum number of selections.',
    examples: [1],
  }),
  maxSelections: z
    .number()
    .int()
    .min(1)
    .max(formLimits.optionsMax + 1)
    .optional()
    .meta({ description: 'For multi_choice: maximum number of selections.', examples: [2] }),
});

/** A question of a stored form. It always has an ID, and only the fields of its type. */
export const storedQuestion = question.extend({ id: questionId.describe('Key of the answer in `answers`.') });

export type Question = Readonly<z.output<typeof storedQuestion>>;
