import { z } from 'zod';
import { questionTypes } from './form-rules';
import { deletedResponse, exampleForm, formId, readFormFields, responses } from './forms';
import { freeOperation } from './free-operation';

/** Besides reading them, what the holder of a form's read token does with its responses: add them up, and delete one. */

const count = z.number().int().min(0);

const numberSummary = z
  .strictObject({
    min: z.number().meta({ description: 'The smallest.', examples: [1] }),
    median: z.number().meta({
      description: 'The one in the middle, or halfway between the two in the middle.',
      examples: [2],
    }),
    max: z.number().meta({ description: 'The largest.', examples: [4] }),
  })
  .nullable();

const questionSummary = z.strictObject({
  id: z.string().describe('The question ID.'),
  type: z.enum(questionTypes).describe('Type of answer.'),
  label: z.string().describe('The question.'),
  answered: count.describe('Number of responses that answer it.'),
  options: z
    .array(
      z.strictObject({
        option: z.string().meta({ description: 'The option.', examples: ['Soup'] }),
        count: count.meta({ description: 'Number of responses that chose it.', examples: [2] }),
      }),
    )
    .readonly()
    .optional()
    .describe('For choice types: how often each option was chosen, in the order of the form.'),
  other: count
    .optional()
    .meta({ description: 'For choice types with allowOther: number of own answers.', examples: [0] }),
  numbers: numberSummary.optional().meta({
    description: 'For number: what the numbers span; null without any.',
    examples: [{ min: 1, median: 2, max: 4 }],
  }),
});

export const summary = freeOperation({
  id: 'forms.summary',
  category: 'forms',
  method: 'GET',
  path: '/v1/forms/{id}/summary',
  access: 'readToken',
  isHttpOnly: true,
  title: 'Summarize form responses',
  summary: 'Count responses by option, and summarize numbers.',
  params: z.strictObject({ id: formId }),
  output: z.strictObject({
    form: z.strictObject(readFormFields).describe('The form.'),
    questions: z.array(questionSummary).readonly().describe('The questions, in order.'),
  }),
  errors: ['invalid_input', 'form_not_found', 'form_gone', 'form_taken_down'],
  example: {
    params: responses.example.params,
    output: {
      form: { ...exampleForm, responseCount: 3, deletedCount: 1 },
      questions: [
        { id: 'q1', type: 'text', label: 'Your name', answered: 2 },
        {
          id: 'q2',
          type: 'choice',
          label: 'What would you like?',
          answered: 2,
          options: [
            { option: 'Soup', count: 2 },
            { option: 'Salad', count: 0 },
          ],
        },
      ],
    },
  },
});

export const deleteResponse = freeOperation({
  id: 'forms.deleteResponse',
  category: 'forms',
  method: 'DELETE',
  path: '/v1/forms/{id}/responses/{response}',
  access: 'readToken',
  isHttpOnly: true,
  title: 'Delete a response',
  summary: 'Erase a response to a form. It still counts, and its ID is listed as deleted.',
  params: z.strictObject({
    id: formId,
    response: z.string().meta({ description: 'The response ID.', examples: ['fr_5Kq8mTz2WvBn7sXc4LdRj9Hp'] }),
  }),
  output: deletedResponse,
  errors: ['invalid_input', 'form_not_found', 'response_not_found', 'form_gone', 'form_taken_down'],
  example: {
    params: { ...responses.example.params, response: 'fr_5Kq8mTz2WvBn7sXc4LdRj9Hp' },
    output: { id: 'fr_5Kq8mTz2WvBn7sXc4LdRj9Hp', deletedAt: '2026-12-02T00:00:00.000Z' },
  },
});

export const free = [summary, deleteResponse];
