import { z } from 'zod';
import { formLimits, question, shown, storedQuestion } from './form-questions';
import { findFormFaults, type QuestionType } from './form-rules';
import { freeOperation } from './free-operation';
import { noParams, operation } from './operation';

const timestamp = z.iso.datetime({ offset: true });

const formRequest = z
  .strictObject({
    title: shown(formLimits.titleLengthMax).meta({
      description: 'Heading of the form.',
      examples: ['Team lunch'],
    }),
    description: shown(formLimits.descriptionLengthMax)
      .optional()
      .meta({ description: 'Plain text below the title.', examples: ['Order by noon.'] }),
    questions: z.array(question).min(1).max(formLimits.questionsMax).describe('The questions, in order.'),
    closesAt: timestamp.optional().meta({
      description: `When the form closes, up to ${formLimits.openDays} days ahead. Default: ${formLimits.openDays} days.`,
      examples: ['2026-12-24T12:00:00Z'],
    }),
    submitLabel: shown(formLimits.submitLabelLengthMax)
      .optional()
      .meta({ description: 'Text on the submit button.', examples: ['Order'] }),
    thankYou: shown(formLimits.thankYouLengthMax)
      .optional()
      .meta({ description: 'Plain text shown after the form is sent.', examples: ['See you at noon.'] }),
    language: z
      .string()
      .max(35)
      .refine(isLanguage, { error: 'must be a BCP 47 language tag' })
      .default('en')
      .meta({
        description: 'Language of the form, a BCP 47 tag.',
        examples: ['en', 'pt-BR'],
      }),
  })
  .superRefine((form, context) => {
    for (const { path, rule } of findFormFaults(form, formLimits)) {
      context.addIssue({ code: 'custom', path: [...path], message: rule });
    }
  });

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

const formStatus = z.enum(['open', 'closed', 'full']);

/** What responses say about a form. */
export const formFields = {
  title: z.string().describe('Heading of the form.'),
  status: formStatus.describe('Whether it takes responses: `full` means that maxResponses is reached.'),
  closesAt: timestamp.describe('When the form stops taking responses.'),
  responseCount: z.number().int().describe('Number of responses so far, deleted ones included.'),
  maxResponses: z.number().int().describe('Number of responses after which the form is full.'),
};

const readableUntil = timestamp.describe('When the form and its responses are deleted.');

const createdForm = z.strictObject({
  id: z.string().describe('The form ID.'),
  url: z.url().describe('The link to send to people.'),
  readToken: z
    .string()
    .describe('Secret token that reads the responses. Replayed only with the same Idempotency-Key.'),
  responsesUrl: z.url().describe('Where to read the responses, with Authorization: Bearer <readToken>.'),
  closesAt: formFields.closesAt,
  readableUntil,
  maxResponses: formFields.maxResponses,
  status: formFields.status,
});

export const create = operation({
  id: 'forms.create',
  category: 'forms',
  priceName: 'form',
  method: 'POST',
  paths: { x402: '/v1/forms', mpp: '/v1/mpp/forms', account: '/v1/account/forms' },
  price: '0.01',
  title: 'Create a form',
  summary: `Create a web form of up to ${formLimits.questionsMax} questions that people fill in without an account, and read the responses as JSON or CSV with a secret read token. Open for up to ${formLimits.openDays} days and ${formLimits.responsesMax} responses. Forms that ask for passwords, codes or bank details are rejected.`,
  params: noParams,
  body: formRequest,
  takesBody: true,
  // 20 questions of 50 options of 200 characters, in any script.
  bodyBytesMax: 1_048_576,
  output: createdForm,
  secretOutputs: ['readToken'],
  minimalBody: { title: 'Team lunch', questions: [{ type: 'text', label: 'Your name' }] },
  errors: [
    'form_invalid',
    'form_forbidden_content',
    'body_too_large',
    'form_settlement_unknown',
    'form_effect_pending',
  ],
  codes: {
    invalidInput: 'form_invalid',
    settlementUnknown: 'form_settlement_unknown',
    deliveryPending: 'form_effect_pending',
  },
  example: {
    params: {},
    body: {
      title: 'Team lunch',
      questions: [
        { type: 'text', label: 'Your name', required: true },
        { type: 'choice', label: 'What would you like?', options: ['Soup', 'Salad'] },
      ],
    },
    output: {
      id: 'fm_7Yd2kTq0BvXn4sWc9LzRj3Hp',
      url: 'https://api.example.com/f/fm_7Yd2kTq0BvXn4sWc9LzRj3Hp',
      readToken: 'frt_Zm9ybSByZWFkIHRva2VuIG9mIHRoZSBleGFtcGxlIGhlcmU',
      responsesUrl: 'https://api.example.com/v1/forms/fm_7Yd2kTq0BvXn4sWc9LzRj3Hp/responses',
      closesAt: '2026-12-31T00:00:00.000Z',
      readableUntil: '2027-01-07T00:00:00.000Z',
      maxResponses: formLimits.responsesMax,
      status: 'open',
    },
  },
});

/** The query of a request that reads responses. */
export const responsesQuery = z.strictObject({
  cursor: z
    .string()
    .regex(/^r\d{1,9}$/, { error: 'must be the nextCursor of an earlier response' })
    .default('r0')
    .meta({ description: 'nextCursor of the previous page.', examples: ['r100'] }),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(formLimits.pageMax)
    .default(formLimits.pageMax)
    .meta({ description: 'Number of responses on a page.', examples: [50] }),
  wait: z.coerce
    .number()
    .min(0)
    .max(formLimits.waitSecondsMax)
    .default(0)
    .meta({
      description: 'Seconds to wait for the next response if there is none after the cursor.',
      examples: [60],
    }),
  bom: z
    .enum(['true', 'false'])
    .default('false')
    .describe('Whether CSV starts with a byte order mark, so that Excel reads it as UTF-8.'),
});

const answer = z.union([z.string(), z.number(), z.array(z.string()).readonly()]);

/** What readers of responses learn about the form. */
export const readFormFields = {
  id: z.string().describe('The form ID.'),
  ...formFields,
  deletedCount: z.number().int().describe('Number of responses that were deleted.'),
  readableUntil,
};

/** The mark that a deleted response leaves. */
export const deletedResponse = z.strictObject({
  id: z.string().meta({ description: 'The response ID.', examples: ['fr_5Kq8mTz2WvBn7sXc4LdRj9Hp'] }),
  deletedAt: timestamp.meta({
    description: 'When it was deleted, in UTC.',
    examples: ['2026-12-02T00:00:00.000Z'],
  }),
});

/** The path parameter of everything that concerns one form. */
export const formId = z
  .string()
  .meta({ description: 'The form ID.', examples: ['fm_7Yd2kTq0BvXn4sWc9LzRj3Hp'] });

/** What the examples about one form say of it. */
export const exampleForm = {
  id: 'fm_7Yd2kTq0BvXn4sWc9LzRj3Hp',
  title: 'Team lunch',
  status: 'open',
  closesAt: '2026-12-31T00:00:00.000Z',
  readableUntil: '2027-01-07T00:00:00.000Z',
  maxResponses: formLimits.responsesMax,
} as const;

const responsesPage = z.strictObject({
  form: z
    .strictObject({
      ...readFormFields,
      questions: z.array(storedQuestion).readonly().describe('The questions, in order.'),
    })
    .describe('The form.'),
  responses: z
    .array(
      z.strictObject({
        id: z.string().describe('The response ID.'),
        submittedAt: timestamp.describe('When the response was sent, in UTC.'),
        answers: z
          .record(z.string(), answer)
          .describe(
            'Answers by question ID: text, a number, or the chosen options. Unanswered questions are left out.',
          ),
        recipient: z
          .string()
          .optional()
          .meta({
            description: 'The recipient of the link that it was sent from; left out without one.',
            examples: ['Ada'],
          }),
      }),
    )
    .readonly()
    .describe('The responses on this page, oldest first; empty if there are none after the cursor.'),
  deleted: z
    .array(deletedResponse)
    .readonly()
    .describe('Responses that were deleted, by their place among those of this page.'),
  nextCursor: z
    .string()
    .describe('Never null. Request it with wait to get the next responses as soon as they are sent.'),
});

export const responses = freeOperation({
  id: 'forms.responses',
  category: 'forms',
  method: 'GET',
  path: '/v1/forms/{id}/responses',
  access: 'readToken',
  title: 'Read form responses',
  summary:
    'Read the responses to a form, oldest first, with Authorization: Bearer <readToken>. For CSV, send Accept: text/csv.',
  toolDescription:
    'Read the responses to a form, oldest first, with the readToken that forms_create returned.',
  params: z.strictObject({ id: formId }),
  query: responsesQuery,
  output: responsesPage,
  errors: ['invalid_input', 'form_not_found', 'form_gone', 'form_taken_down'],
  example: {
    params: { id: 'fm_7Yd2kTq0BvXn4sWc9LzRj3Hp' },
    output: {
      form: {
        ...exampleForm,
        responseCount: 1,
        deletedCount: 0,
        questions: [
          { id: 'q1', type: 'text', label: 'Your name', required: true, maxLength: 500 },
          {
            id: 'q2',
            type: 'choice',
            label: 'What would you like?',
            required: false,
            options: ['Soup', 'Salad'],
          },
        ],
      },
      responses: [
        {
          id: 'fr_5Kq8mTz2WvBn7sXc4LdRj9Hp',
          submittedAt: '2026-12-01T00:00:00.000Z',
          answers: { q1: 'Ada', q2: 'Soup' },
        },
      ],
      deleted: [],
      nextCursor: 'r1',
    },
  },
});

export type Answer = z.output<typeof answer>;

/** The response of `GET /v1/forms/{id}/responses`. */
export type ResponsesPage = z.output<typeof responsesPage>;

export type FormRequest = z.output<typeof formRequest>;
export type FormStatus = z.output<typeof formStatus>;
export type { QuestionType };

export const paid = [create];

export const free = [responses];
