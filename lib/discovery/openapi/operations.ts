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
  account: 'from a prepaid account',
};

/** How a paid operation is called and answered on one rail. `security` is empty: the payment is the permission. */
export function paidOperation(operation: Operation, rail: RailName, components: Components, site: Site) {
  const { id, category, summary, params, output, example } = operation;
  const networks = offersOf(rail, site).map(({ network }) => network.name);
  const { variablePrice } = operation;
  const cost = variablePrice
    ? `the \`${variablePrice.field}\` in the body, ${variablePrice.min} to ${variablePrice.max}`
    : operation.price;
  const where = rail === 'account' ? '' : ` on ${networks.join(', ')}`;
  return {
    operationId: `${id}.${rail}`,
    tags: [category],
    summary,
    description: `Costs ${cost} USDC, paid ${rail === 'account' ? '' : 'over '}${railWords[rail]}${where}.`,
    security: rail === 'account' ? accountSecurity(components) : [],
    ...(rail === 'account' ? {} : { 'x-payment-info': paymentInfo(operation, rail, site) }),
    parameters: [...pathParameters(params, example.params), ...paymentParameters(rail, components, site)],
    ...requestBody(operation, components),
    responses: {
      200: {
        description: 'Paid and done.',
        headers: answerHeadersOf(paidHeaders[rail], components),
        content: answerContent(id, output, example.output, components),
      },
      ...(rail === 'account' ? {} : { 402: challengeResponse(rail, components) }),
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
    description: operation.access ? 'Free, for the holder of the account.' : 'Free.',
    security: operation.access ? accountSecurity(components) : [],
    parameters: [...pathParameters(params, example.params), ...queryParameters(operation)],
    ...('body' in operation ? requestBody(operation, components) : {}),
    responses: {
      200: {
        description: 'Done.',
        headers: answerHeadersOf(['Request-Id'], components),
        content: answerContent(id, output, example.output, components),
      },
      ...errorResponses(
        operation.access ? [...operation.errors, ...accessErrors] : operation.errors,
        null,
        components,
        site,
      ),
    },
  };
}

/** The bearer token of a prepaid account. */
function accountSecurity(components: Components): object[] {
  components.use('securitySchemes', 'accountToken', () => ({
    type: 'http',
    scheme: 'bearer',
    description: 'The token of a prepaid account: POST /v1/accounts gives one, free and without a name.',
  }));
  return [{ accountToken: [] }];
}

const accessErrors = ['account_token_required', 'account_token_wrong'] as const;

/** Shared by the rails of an operation, which answer alike. */
function answerContent(id: string, output: z.ZodType, example: unknown, components: Components) {
  const schema = components.use('schemas', `${id}.output`, () => jsonSchema(output, 'output'));
  const answer = components.use('examples', `${id}.output`, () => ({ value: example }));
  return { 'application/json': { schema, examples: { answer } } };
}
