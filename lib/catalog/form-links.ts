import { z } from 'zod';
import { formLimits, shown } from './form-questions';
import { formId, responses } from './forms';
import { freeTool } from './free-operation';

/** Links to a form for one recipient each, with answers filled in beforehand. */

export const linkLimits = {
  linksMax: 100,
  recipientLengthMax: 100,
  /** Longer addresses are cut off by mail programs and proxies. */
  urlLengthMax: 4_000,
} as const;

const prefilledAnswer = z.union([
  z.string().max(formLimits.longTextLengthMax),
  z.number(),
  z.array(z.string().max(formLimits.optionLengthMax)).max(formLimits.optionsMax + 1),
]);

const linkRequest = z.strictObject({
  recipient: shown(linkLimits.recipientLengthMax)
    .optional()
    .meta({
      description: 'Shown on the page, and returned with the response.',
      examples: ['Ada'],
    }),
  answers: z
    .record(z.string(), prefilledAnswer)
    .optional()
    .meta({
      description: 'Answers to fill in, by question ID.',
      examples: [{ q1: 'Ada', q2: 'Soup' }],
    }),
});

export const createLinks = freeTool({
  id: 'forms.createLinks',
  category: 'forms',
  method: 'POST',
  path: '/v1/forms/{id}/links',
  access: 'readToken',
  isHttpOnly: true,
  title: 'Create form links',
  summary: 'Get a link for each recipient, with answers filled in.',
  params: z.strictObject({ id: formId }),
  body: z.strictObject({
    links: z.array(linkRequest).min(1).max(linkLimits.linksMax).describe('The links to make.'),
  }),
  takesBody: true,
  output: z.strictObject({
    links: z
      .array(
        z.strictObject({
          recipient: z
            .string()
            .optional()
            .meta({ description: 'Who the link is for, as requested.', examples: ['Ada'] }),
          url: z.url().describe('The link to send to the recipient.'),
        }),
      )
      .readonly()
      .describe('The links, in the order of the request.'),
  }),
  minimalBody: { links: [{ recipient: 'Ada' }] },
  errors: [
    'invalid_input',
    'body_too_large',
    'form_forbidden_content',
    'form_not_found',
    'form_gone',
    'form_taken_down',
  ],
  example: {
    params: responses.example.params,
    body: { links: [{ recipient: 'Ada', answers: { q1: 'Ada', q2: 'Soup' } }] },
    output: {
      links: [
        {
          recipient: 'Ada',
          url: 'https://api.example.com/f/fm_7Yd2kTq0BvXn4sWc9LzRj3Hp?link=Vx7dQmR2kT0bWn5LsYc8ZgP4hJ6uEa1oK3iM9rNfTq',
        },
      ],
    },
  },
});

export const free = [createLinks];
