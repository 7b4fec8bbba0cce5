import type { z } from 'zod';
import type { FreeOperation } from '@/lib/catalog/free-operation';
import type { Operation, RailName } from '@/lib/catalog/operation';
import { ownErrors } from '@/lib/catalog/paid-errors';
import type { Components } from './components';
import { errorResponses } from './errors';
import { answerHeadersOf } from './headers';
import { jsonSchema } from './json-schema';
import { pathParameters, paymentParameters, queryParameters, requestBody } from './parameters';
import { challengeResponse, paidHeaders } from './payment-answers';
import { offersOf, paymentInfo } from './payment-info';
import type { Site } from './site';

const railWords: Readonly<Record<RailName, string>> = {
  x402: 'x402 (version 2, scheme exact)',
  mpp: 'MPP (method evm, intent charge; the credential goes into `Authorization: Payment`)',
};

/** How a paid operation is called and answered on one rail. `security` is empty: the payment is the permission. */
export function paidOperation(operation: Operation, rail: RailName, components: Components, site: Site) {
  const { id, category, summary, params, output, example } = operation;
  const networks = offersOf(rail, site).map(({ network }) => network.name);
  return {
    operationId: `${id}.${rail}`,
    tags: [category],
    summary,
    description: `Costs ${operation.price} USDC, paid over ${railWords[rail]} on ${networks.join(', ')}.`,
    security: [],
    'x-payment-info': paymentInfo(operation, rail, site),
    parameters: [...pathParameters(params, example.params), ...paymentParameters(rail, components, site)],
    ...requestBody(operation, components),
    responses: {
      200: {
        description: 'Paid and done.',
        headers: answerHeadersOf(paidHeaders[rail], components),
        content: answerContent(id, output, example.output, components),
      },
      402: challengeResponse(rail, components),
      ...errorResponses(ownErrors(operation, rail), rail, components, site),
    },
  };
}

export function freeOperation(operation: FreeOperation, components: Components, site: Site) {
  const { id, category, summary, params, output, example } = operation;
  return {
    operationId: id,
    tags: [category],
    summary,
    description: 'Free.',
    security: [],
    parameters: [...pathParameters(params, example.params), ...queryParameters(operation)],
    ...('body' in operation ? requestBody(operation, components) : {}),
    responses: {
      200: {
        description: 'Done.',
        headers: answerHeadersOf(['Request-Id'], components),
        content: answerContent(id, output, example.output, components),
      },
      ...errorResponses(operation.errors, null, components, site),
    },
  };
}

/** Shared by the rails of an operation, which answer alike. */
function answerContent(id: string, output: z.ZodType, example: unknown, components: Components) {
  const schema = components.use('schemas', `${id}.output`, () => jsonSchema(output, 'output'));
  const answer = components.use('examples', `${id}.output`, () => ({ value: example }));
  return { 'application/json': { schema, examples: { answer } } };
}
