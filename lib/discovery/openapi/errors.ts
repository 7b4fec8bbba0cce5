import { z } from 'zod';
import { type ErrorCode, errors } from '@/lib/catalog/errors/codes';
import { errorBody } from '@/lib/catalog/errors/schema';
import type { RailName } from '@/lib/catalog/operation';
import { paidErrors } from '@/lib/catalog/paid-errors';
import type { Site } from '@/lib/discovery/site-config';
import type { Components, Reference } from './components';
import { answerHeader } from './headers';
import { jsonSchema } from './json-schema';

type Responses = Record<string, unknown>;

/**
 * The error responses of an operation, by status. Equal responses are written once and named by their content, because
 * registries stop reading at 64 KB.
 */
export function errorResponses(
  own: readonly ErrorCode[],
  rail: RailName | null,
  components: Components,
  site: Site,
): Responses {
  const shared: readonly ErrorCode[] = rail ? paidErrors[rail] : ['internal_error'];
  const statuses = [...new Set([...own, ...shared].map((code) => errors[code].status))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const isOfStatus = (code: ErrorCode) => errors[code].status === status;
      const sharedCodes = shared.filter(isOfStatus);
      const ownCodes = own.filter((code) => isOfStatus(code) && !sharedCodes.includes(code));
      const name = [...(sharedCodes.length > 0 ? [rail ?? 'free'] : []), status, ...ownCodes].join('.');
      const make = () => errorResponse([...ownCodes, ...sharedCodes], components, site);
      return [status, components.use('responses', name, make)];
    }),
  );
}

/** One response for all errors, for documents that have no room for each. */
export function anyError(components: Components, site: Site): Responses {
  const make = () => ({
    description: `An error: ${site.publicUrl}/docs/errors explains every code.`,
    content: { 'application/json': { schema: components.use('schemas', 'Error', outline) } },
  });
  // The page that the description names lists the codes.
  const outline = () =>
    jsonSchema(
      z.object({
        error: errorBody.shape.error.extend({ code: z.string() }).omit({ account: true, example: true }),
      }),
      'output',
      // The guidance of the document says what they are for.
      ['examples', 'description'],
    );
  return { default: components.use('responses', 'error', make) };
}

const errorSchema = (components: Components) =>
  components.use('schemas', 'Error', () => jsonSchema(errorBody, 'output'));

function errorResponse(codes: readonly ErrorCode[], components: Components, site: Site) {
  const aboutMoney = codes.some((code) => errors[code].payment !== 'none');
  const comesAgain = codes.some((code) => ['later', 'same_request'].includes(errors[code].retry));
  return {
    // The messages are in the examples.
    description: codes.map((code) => `\`${code}\``).join(', '),
    headers: {
      'Request-Id': answerHeader('Request-Id', components),
      ...(aboutMoney ? { 'Paid-Call-Id': answerHeader('Paid-Call-Id', components) } : {}),
      ...(comesAgain ? { 'Retry-After': answerHeader('Retry-After', components) } : {}),
    },
    content: {
      'application/json': {
        schema: errorSchema(components),
        examples: Object.fromEntries(codes.map((code) => [code, exampleOf(code, components, site)])),
      },
    },
  };
}

function exampleOf(code: ErrorCode, components: Components, site: Site): Reference {
  const { message, payment, retry } = errors[code];
  return components.use('examples', code, () => ({
    value: {
      error: {
        code,
        message,
        ...(code === 'invalid_input'
          ? { reason: code, issues: [{ path: 'body', rule: 'is required' }] }
          : {}),
        payment,
        retry,
        ...(payment === 'none' ? {} : { paidCallId: 'pc_4fQm9WzR2sKx7LdTn0VbYcHj' }),
        requestId: 'req_8kTn2Vb7Xq5LzRw0MdJs4FhC',
        docs: `${site.publicUrl}/docs/errors#${code}`,
      },
    },
  }));
}
