import { categories } from '@/lib/catalog/categories';
import type { FreeOperation } from '@/lib/catalog/free-operation';
import { describeLinkLimits } from '@/lib/catalog/link-limits';
import { type Operation, operationIdOn, type RailName } from '@/lib/catalog/operation';
import { ownErrors } from '@/lib/catalog/paid-errors';
import { codeSamples } from '@/lib/discovery/code-samples';
import type { Site } from '@/lib/discovery/site-config';
import type { Components } from './components';
import { anyError, errorResponses } from './errors';
import { type AnswerHeader, answerHeadersOf } from './headers';
import { type Detail, jsonSchema, outline } from './json-schema';
import { pathParameters, paymentParameters, queryParameters, requestBody } from './parameters';
import { challengeResponse, paidHeaders, signInResponse } from './payment-answers';
import { offersOf, paymentInfo } from './payment-info';

const railWords: Readonly<Record<RailName, string>> = {
  x402: 'x402 (version 2, scheme exact)',
  mpp: 'MPP (method evm, intent charge; credential in Authorization: Payment)',
  account: 'from a prepaid account',
};

/** On an account, only the key distinguishes a retry from a second call. */
const retryWords: Readonly<Record<RailName, string>> = {
  x402: 'An identical retry is never charged again.',
  mpp: 'An identical retry is never charged again.',
  account: 'An identical retry, with the same Idempotency-Key, is never charged again.',
};

/** The operation object of a paid operation on one rail. `security` is empty, because the payment is the permission. */
export function paidOperation(
  operation: Operation,
  rail: RailName,
  components: Components,
  site: Site,
  detail: Detail,
) {
  const { category, title, params, example, paths } = operation;
  // The request and response are the same on every rail, so a brief document describes them once.
  const isDescribedElsewhere = detail === 'brief' && rail !== 'x402';
  return {
    operationId: operationIdOn(operation, rail),
    tags: [categories[category].title],
    summary: isDescribedElsewhere ? `Over ${rail === 'mpp' ? 'MPP' : 'an account'}` : title,
    description: isDescribedElsewhere
      ? `${operation.price} USDC.`
      : describePaid(operation, rail, site, detail),
    security: rail === 'account' ? accountSecurity(components) : [],
    ...(rail === 'account' ? {} : { 'x-payment-info': paymentInfo(operation, rail, site, detail) }),
    parameters: [...pathParameters(params, example.params), ...paymentParameters(rail, components, site)],
    ...requestBody(operation, components, detail),
    ...samplesOf(operation, paths[rail] ?? paths.x402, rail === 'x402', site, detail),
    responses: {
      200: answer(
        operation,
        detail === 'full' ? 'The call succeeded and was charged.' : 'OK',
        paidHeadersOf(operation, rail),
        components,
        detail,
      ),
      ...(rail === 'account' ? {} : { 402: challengeResponse(rail, components, detail) }),
      ...(detail === 'full'
        ? errorResponses(ownErrors(operation, rail), rail, components, site)
        : isDescribedElsewhere
          ? {}
          : anyError(components, site)),
    },
  };
}

/** The headers of a paid response; only responses that others may make have a source. */
function paidHeadersOf(
  { providers, answerHeaders = [] }: Operation,
  rail: RailName,
): readonly AnswerHeader[] {
  return [...paidHeaders[rail], ...(providers ? (['Source', 'Sandbox'] as const) : []), ...answerHeaders];
}

/** The operation object of a free operation. */
export function freeOperation(operation: FreeOperation, components: Components, site: Site, detail: Detail) {
  const { id, category, title, params, example } = operation;
  return {
    operationId: id,
    tags: [categories[category].title],
    summary: title,
    description: describeFree(operation, detail),
    security: securityOf(operation, components),
    parameters: [...pathParameters(params, example.params), ...queryParameters(operation, detail)],
    ...('body' in operation ? requestBody(operation, components, detail) : {}),
    ...samplesOf(operation, operation.path, true, site, detail),
    responses: {
      200: answer(operation, 'OK', ['Request-Id'], components, detail),
      ...(operation.access === 'wallet' && detail === 'full' ? { 402: signInResponse(components) } : {}),
      ...(detail === 'full'
        ? errorResponses(
            [
              ...operation.errors,
              ...(operation.access ? accessErrors[operation.access] : []),
              ...(operation.isUnlimited ? [] : (['rate_limited'] as const)),
            ],
            null,
            components,
            site,
          )
        : anyError(components, site)),
    },
  };
}

/**
 * Samples as an extension that other vendors' reference pages show. Those of our clients are the same for every rail,
 * so they are written once.
 */
function samplesOf(
  operation: Operation | FreeOperation,
  path: string,
  hasClients: boolean,
  site: Site,
  detail: Detail,
) {
  if (detail === 'brief') return {};
  const samples = codeSamples(operation, path, site).filter(({ name }) => hasClients || name === 'curl');
  return { 'x-codeSamples': samples.map(({ lang, label, source }) => ({ lang, label, source })) };
}

/** What a call does and costs, the limits of the link that it gives out, and what a retry costs. */
function describePaid(operation: Operation, rail: RailName, site: Site, detail: Detail): string {
  if (detail === 'brief') return operation.summary;
  const limits = operation.givesLink ? describeLinkLimits(site.linkLimits) : null;
  const parts = [operation.summary, costOf(operation, rail, site), limits, retryWords[rail]];
  return parts.filter((part) => part !== null).join(' ');
}

function costOf(operation: Operation, rail: RailName, site: Site): string {
  const { price, variablePrice } = operation;
  const cost = variablePrice
    ? `the \`${variablePrice.field}\` in the body, ${variablePrice.min} to ${variablePrice.max}`
    : price;
  if (rail === 'account') return `Costs ${cost} USDC, paid ${railWords[rail]}.`;
  const networks = offersOf(rail, site).map(({ network }) => network.name);
  return `Costs ${cost} USDC, paid over ${railWords[rail]} on ${networks.join(', ')}.`;
}

/** The bearer token of a prepaid account. Directories recognize it only under the name `apiKey`. */
function accountSecurity(components: Components): object[] {
  components.use('securitySchemes', 'apiKey', () => ({
    type: 'http',
    scheme: 'bearer',
    description: 'The token of a prepaid account. POST /v1/accounts opens an anonymous account for free.',
  }));
  return [{ apiKey: [] }];
}

/** A message that a wallet has signed. Directories recognize it by the name `siwx`. */
function walletSecurity(components: Components): object[] {
  components.use('securitySchemes', 'siwx', () => ({
    type: 'apiKey',
    in: 'header',
    name: 'SIGN-IN-WITH-X',
    description: 'The message of the 402, signed by a wallet.',
  }));
  return [{ siwx: [] }];
}

/** The read token of a form. */
function readTokenSecurity(components: Components): object[] {
  components.use('securitySchemes', 'readToken', () => ({
    type: 'http',
    scheme: 'bearer',
    description: 'The readToken that the creation of the form returned.',
  }));
  return [{ readToken: [] }];
}

const securities = {
  account: accountSecurity,
  readToken: readTokenSecurity,
  wallet: walletSecurity,
} as const;

function securityOf({ access }: FreeOperation, components: Components): object[] {
  return access === undefined ? [] : securities[access](components);
}

const accessWords = {
  account: 'Needs the account token.',
  readToken: "Needs the form's read token.",
  wallet: 'Signed in by wallet.',
} as const;

function describeFree({ summary, access }: FreeOperation, detail: Detail): string {
  if (detail === 'brief') return summary;
  if (access === undefined) return `${summary} Free.`;
  return `${summary} Free. ${accessWords[access]}`;
}

/** Errors of access to a free operation, in addition to the 402 that asks a wallet to sign in. */
export const accessErrors = {
  account: ['account_token_required', 'account_token_wrong'],
  readToken: ['read_token_required', 'read_token_wrong'],
  wallet: ['sign_in_refused', 'service_unavailable'],
} as const;

/** The success response. The rails of an operation share its schema and example. */
function answer(
  { id, output, example }: Pick<Operation | FreeOperation, 'id' | 'output' | 'example'>,
  description: string,
  headers: readonly AnswerHeader[],
  components: Components,
  detail: Detail,
) {
  if (detail === 'brief') {
    const schema = outline(jsonSchema(output, 'output'));
    const made = { description, content: { 'application/json': { schema } } };
    return components.shareEqual('responses', `${id}.200`, made);
  }
  const schema = components.use('schemas', `${id}.output`, () => jsonSchema(output, 'output'));
  const shown = components.use('examples', `${id}.output`, () => ({ value: example.output }));
  return {
    description,
    headers: answerHeadersOf(headers, components),
    content: { 'application/json': { schema, examples: { answer: shown } } },
  };
}
