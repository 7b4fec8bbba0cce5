import { z } from 'zod';
import { listUploads as listAccountUploads } from './account';
import { formLimits } from './form-questions';
import { create as createForm, formFields } from './forms';
import { paidCall } from './free';
import { type FreeReading, freeOperation, freeTool } from './free-operation';
import { noParams } from './operation';
import { nextCursor, pageQuery } from './page';

const timestamp = z.iso.datetime();

/** A cursor is the ID of the last entry of a page. */
const cursor = /^(up|fm|pc)_\w{1,61}$/;
/** Large pages, because each needs a signature. */
const page = pageQuery(cursor, 'up_3nKq0Zt7mVb2XsYd81PfLcRw', { usual: 100, max: 1_000 });

export const pageOfWallet = z.strictObject(page);

/** A free list of what a wallet has bought. */
function walletList<O extends z.ZodType, Q extends z.ZodObject>(
  entry: Omit<FreeReading<typeof noParams, O, Q>, 'category' | 'method' | 'access' | 'params' | 'errors'>,
) {
  return freeOperation({
    ...entry,
    category: 'wallet',
    method: 'GET',
    access: 'wallet',
    params: noParams,
    errors: ['invalid_input'],
  });
}

export const listUploads = walletList({
  id: 'wallet.uploads',
  path: '/v1/wallet/uploads',
  title: 'List wallet uploads',
  summary: 'List the uploads of the wallet that are neither deleted nor expired, newest first.',
  query: pageOfWallet,
  output: listAccountUploads.output,
  example: listAccountUploads.example,
});

const ownForm = z.strictObject({
  id: z.string().describe('The form ID.'),
  url: z.url().describe('The link to send to people.'),
  responsesUrl: z.url().describe('Where to read the responses with the readToken, which is not listed.'),
  title: formFields.title,
  status: formFields.status,
  responseCount: formFields.responseCount,
  maxResponses: formFields.maxResponses,
  createdAt: timestamp.describe('When the form was created, in UTC.'),
  closesAt: formFields.closesAt,
  readableUntil: timestamp.describe('When the form and its responses are deleted.'),
  takenDownAt: timestamp.nullable().describe('When the operator took the form down; null normally.'),
});

export const listForms = walletList({
  id: 'wallet.forms',
  path: '/v1/wallet/forms',
  title: 'List wallet forms',
  summary: 'List the forms of the wallet whose responses can still be read, newest first, without secrets.',
  query: pageOfWallet,
  output: z.strictObject({
    forms: z.array(ownForm).readonly().describe('The forms on this page, newest first.'),
    nextCursor,
  }),
  example: {
    params: {},
    output: {
      forms: [
        {
          id: createForm.example.output.id,
          url: createForm.example.output.url,
          responsesUrl: createForm.example.output.responsesUrl,
          title: createForm.example.body.title,
          status: 'open',
          responseCount: 0,
          maxResponses: formLimits.responsesMax,
          createdAt: '2026-12-01T00:00:00.000Z',
          closesAt: createForm.example.output.closesAt,
          readableUntil: createForm.example.output.readableUntil,
          takenDownAt: null,
        },
      ],
      nextCursor: null,
    },
  },
});

const day = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);
const moment = (description: string, example: string) =>
  z
    .string()
    .max(40)
    .refine((text) => day.safeParse(text).success, {
      error: 'must be a date such as 2026-12-01, or a time with its zone',
    })
    .optional()
    .meta({ description, examples: [example] });

export const callsOfWallet = z.strictObject({
  from: moment('Calls since this day (UTC) or time.', '2026-11-01'),
  to: moment('Calls before this day (UTC) or time.', '2026-12-01'),
  ...page,
});

export const listCalls = walletList({
  id: 'wallet.calls',
  path: '/v1/wallet/calls',
  title: 'List wallet calls',
  summary:
    'List the calls that the wallet has paid for, newest first. For its spending as CSV, send Accept: text/csv.',
  query: callsOfWallet,
  output: z.strictObject({
    calls: z.array(paidCall.output).readonly().describe('The paid calls on this page, newest first.'),
    nextCursor,
  }),
  example: { params: {}, output: { calls: [paidCall.example.output], nextCursor: null } },
});

/** How long the payer's words in a request for a refund are kept, unless it is declined before. */
export const refundMessageDays = 90;

/** Why a payer wants a refund. */
export const refundReasons = ['not_delivered', 'wrong_result', 'duplicate', 'other'] as const;

export const requestRefund = freeTool({
  id: 'wallet.requestRefund',
  category: 'wallet',
  method: 'POST',
  path: '/v1/paid-calls/{id}/refund-request',
  access: 'wallet',
  title: 'Request a refund',
  summary:
    'Request a refund of a call, or read the answer. Only the wallet that paid can do so, once per call. A person decides; nothing is refunded automatically.',
  params: paidCall.params,
  body: z.strictObject({
    reason: z.enum(refundReasons).describe('Why it should be refunded.'),
    message: z
      .string()
      .trim()
      .min(1)
      .max(1_000)
      .optional()
      .meta({
        description: `What went wrong, for the person who decides. Deleted once the request is declined, or after ${refundMessageDays} days.`,
        examples: ['The PDF has no second page.'],
      }),
  }),
  takesBody: true,
  output: z.strictObject({
    paidCallId: z.string().describe('The Paid-Call-Id.'),
    state: z
      .enum(['open', 'refunded', 'declined'])
      .describe(
        '`open` until the operator decides, `refunded` once the refund is on its way. Only the first request counts; later ones return its state.',
      ),
    reason: z.enum(refundReasons).describe('The reason of the first request.'),
    requestedAt: timestamp.describe('When it was requested, in UTC.'),
    answer: z.string().nullable().describe('What the operator says about a request that is declined.'),
    declinedAt: timestamp.nullable().describe('When it was declined, in UTC.'),
  }),
  minimalBody: { reason: 'wrong_result' },
  errors: ['invalid_input', 'body_too_large', 'paid_call_not_found', 'refund_not_possible'],
  example: {
    params: { id: paidCall.example.params.id },
    body: { reason: 'wrong_result', message: 'The PDF has no second page.' },
    output: {
      paidCallId: paidCall.example.params.id,
      state: 'open',
      reason: 'wrong_result',
      requestedAt: '2026-12-01T00:00:00.000Z',
      answer: null,
      declinedAt: null,
    },
  },
});

export const free = [listUploads, listForms, listCalls, requestRefund];
