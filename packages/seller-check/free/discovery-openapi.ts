import { Validator } from '@seriousme/openapi-schema-validator';
import { z } from 'zod';
import type { Finding, SellerCase } from '../case';
import { type Answer, jsonOf, mediaTypeOf } from '../http';
import { fail, notApplicable, pass } from './findings';
import { documents } from './rules';
import type { UnpaidSeller } from './seller';

const { mppDiscovery, openApi } = documents;

const record = z.record(z.string(), z.unknown());
const withPaths = z.looseObject({
  openapi: z.string(),
  paths: z.record(z.string(), record),
  servers: z
    .array(z.looseObject({ url: z.string() }))
    .optional()
    .catch(undefined),
});

/** Digits without leading zeros. */
const amount = z.string().regex(/^(0|[1-9]\d*)$/);
const offer = z.looseObject({
  intent: z.string().min(1),
  method: z.string().min(1),
  amount: amount.nullable(),
  currency: z.string().optional(),
});
type Offer = z.infer<typeof offer>;
const offers = z.looseObject({ offers: z.array(offer).min(1) });

type CheckDocument = (answer: Answer, document: unknown, seller: UnpaidSeller) => Finding | Promise<Finding>;

/** Reads the document of the seller's origin; discovery is optional. */
const withDocument =
  (check: CheckDocument) =>
  async (seller: UnpaidSeller): Promise<Finding> => {
    const answer = await seller.read('/openapi.json');
    return answer.status === 200
      ? check(answer, jsonOf(answer), seller)
      : notApplicable(`There is no /openapi.json (${answer.status}).`);
  };

/** The same for a rule of MPP's discovery, which is none for a seller that has nothing to do with MPP. */
const withDiscovery = (check: CheckDocument) =>
  withDocument(async (answer, document, seller) =>
    answer.body.includes('"x-payment-info"') || (await seller.mpp())
      ? check(answer, document, seller)
      : notApplicable('The seller does not take MPP, whose rule it is.'),
  );

interface Operation {
  readonly operation: Record<string, unknown>;
  readonly answer: Answer;
  readonly seller: UnpaidSeller;
}

/** Finds the call in the document. Paths without parameters come before others, as in OpenAPI. */
function findOperation(document: unknown, { call }: UnpaidSeller): Record<string, unknown> | undefined {
  const { data } = withPaths.safeParse(document);
  const bases = ['', ...(data?.servers ?? []).map(({ url }) => basePathOf(url, call.url))];
  const matches = Object.entries(data?.paths ?? {}).filter(([path]) =>
    bases.some((base) => matcherOf(base + path).test(call.url.pathname)),
  );
  const [, methods] = matches.toSorted(([a], [b]) => a.split('{').length - b.split('{').length)[0] ?? [];
  return record.safeParse(methods?.[call.method.toLowerCase()]).data;
}

/** The path of a server in the document, which may be relative, without a slash at its end. */
function basePathOf(server: string, url: URL): string {
  const address = URL.canParse(server, url) ? new URL(server, url) : url;
  return address.pathname.replace(/\/$/, '');
}

function matcherOf(path: string): RegExp {
  const parts = path.split(/\{[^{}]*\}/).map((part) => part.replaceAll(/[.*+?^$()|[\]{}\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^/]+')}$`);
}

const withOperation = (check: (found: Operation) => Finding | Promise<Finding>) =>
  withDiscovery((answer, document, seller) => {
    const operation = findOperation(document, seller);
    return operation
      ? check({ operation, answer, seller })
      : notApplicable('The document does not have the call.');
  });

const paymentInfoOf = ({ operation }: Operation) => operation['x-payment-info'];

/** The offers of a call in either form; none if they have another one. */
function offersOf(info: unknown): readonly Offer[] {
  const many = offers.safeParse(info).data?.offers;
  const one = offer.safeParse(info).data;
  return many ?? (one ? [one] : []);
}

const withOffers = (check: (found: readonly Offer[], place: Operation) => Finding | Promise<Finding>) =>
  withOperation((place) => {
    const found = offersOf(paymentInfoOf(place));
    return found.length === 0 ? notApplicable('The call has no offers there.') : check(found, place);
  });

/** What the seller wants for the call, over both protocols: amount and token. */
async function pricesOf(seller: UnpaidSeller): Promise<Set<string>> {
  const key = (value: unknown, token: unknown) => `${String(value)} ${String(token).toLowerCase()}`;
  const required = (await seller.x402())?.required;
  const offered = await seller.mpp();
  return new Set([
    ...(required?.accepts ?? []).map((entry) => key(entry.amount, entry.asset)),
    ...(offered?.challenges ?? []).map(({ request }) => key(request.amount, request.currency)),
  ]);
}

/** The OpenAPI document, in which agents look for paid calls. */
export const openApiCases: readonly SellerCase<UnpaidSeller>[] = [
  {
    id: 'openapi.media-type',
    title: '/openapi.json is application/json',
    rule: mppDiscovery(
      'Document Location',
      'name-document-location',
      'The document MUST be served over HTTPS with Content-Type: application/json.',
      'must',
    ),
    check: withDiscovery((answer) =>
      mediaTypeOf(answer) === 'application/json' ? pass : fail('It has another media type.', answer),
    ),
  },
  {
    id: 'openapi.fields',
    title: '/openapi.json has a version, a title and paths',
    rule: mppDiscovery(
      'Required Top-Level Fields',
      'name-required-top-level-fields',
      'The OpenAPI document MUST include the following standard fields: openapi, info.title, info.version, paths',
      'must',
    ),
    check: withDiscovery((answer, document) => {
      const info = z.looseObject({ title: z.string().min(1), version: z.string().min(1) });
      const { error } = withPaths.extend({ info }).safeParse(document);
      const missing = error?.issues.map(({ path }) => path.join('.') || 'document').join(', ');
      return missing === undefined ? pass : fail(`Missing or malformed: ${missing}.`, answer);
    }),
  },
  {
    id: 'openapi.valid',
    title: '/openapi.json is valid',
    rule: openApi(
      '4.8 Schema',
      'schema',
      'if a field is not explicitly REQUIRED or described with a MUST or SHALL, it can be considered OPTIONAL',
      'must',
    ),
    check: withDocument(async (answer, document) => {
      const { data } = record.safeParse(document);
      if (data === undefined) return fail('The document is no JSON object.', answer);
      const { valid, errors } = await new Validator().validate(data);
      return valid ? pass : fail(JSON.stringify(errors ?? []).slice(0, 500), answer);
    }),
  },
  {
    id: 'openapi.has-call',
    title: '/openapi.json has the call',
    rule: mppDiscovery(
      'OpenAPI Discovery',
      'openapi-discovery',
      'MUST publish an OpenAPI 3.x document that describes their API surface, including payment-enabled operations',
      'must',
    ),
    check: withDiscovery((answer, document, seller) =>
      findOperation(document, seller)
        ? pass
        : fail(`It does not have ${seller.call.method} ${seller.call.url.pathname}.`, {
            ...answer,
            body: Buffer.alloc(0),
          }),
    ),
  },
  {
    id: 'openapi.payment-info',
    title: 'The call has x-payment-info',
    rule: mppDiscovery(
      'Payment Extension: x-payment-info',
      'x-payment-info',
      'Each payable operation MUST include the x-payment-info extension object on the operation.',
      'must',
    ),
    async check(seller) {
      if (!(await seller.mpp())) return notApplicable('The seller does not take MPP, whose rule it is.');
      return withOperation((place) =>
        paymentInfoOf(place) === undefined ? fail('The call has none.', shortened(place.answer)) : pass,
      )(seller);
    },
  },
  {
    id: 'openapi.offers',
    title: 'x-payment-info has offers with method, intent and amount',
    rule: mppDiscovery(
      'Payment Offer Object',
      'name-payment-offer-object',
      'intent, method, amount: REQUIRED. Leading zeros MUST NOT be used except for the value "0".',
      'must',
    ),
    async check(seller) {
      if (!(await seller.mpp())) return notApplicable('The seller does not take MPP, whose rule it is.');
      return withOperation((place) => {
        const info = paymentInfoOf(place);
        if (info === undefined) return notApplicable('The call has no x-payment-info.');
        return offersOf(info).length > 0
          ? pass
          : fail(`x-payment-info is ${JSON.stringify(info).slice(0, 300)}.`, shortened(place.answer));
      })(seller);
    },
  },
  {
    id: 'openapi.declares-402',
    title: 'The call declares its 402',
    rule: mppDiscovery(
      '402 Response Declaration',
      'name-402-response-declaration',
      'Each payable operation MUST include a 402 response in its responses object',
      'must',
    ),
    check: withOperation((place) => {
      if (paymentInfoOf(place) === undefined) return notApplicable('The call has no x-payment-info.');
      const { success } = z.looseObject({ 402: record }).safeParse(place.operation.responses);
      return success ? pass : fail('The call declares no 402.', shortened(place.answer));
    }),
  },
  {
    id: 'openapi.price',
    title: 'The price there is the price of the challenge',
    rule: mppDiscovery(
      'Terminology',
      'name-terminology',
      'Multiple payment offers correspond to alternative runtime Payment challenges for the same operation.',
      'should',
    ),
    check: withOffers(async (found, { answer, seller }) => {
      const prices = await pricesOf(seller);
      const fixed = found.filter((one) => one.amount !== null && one.currency !== undefined);
      if (fixed.length === 0 || prices.size === 0) return notApplicable('The price is not fixed.');
      const isOffered = ({ amount: value, currency = '' }: Offer) =>
        prices.has(`${value} ${currency.toLowerCase()}`);
      return fixed.some(isOffered)
        ? pass
        : fail(
            `It offers ${JSON.stringify(fixed[0])}; the challenge wants ${[...prices].join(', ')}.`,
            shortened(answer),
          );
    }),
  },
  {
    id: 'openapi.input',
    title: 'The call has a schema of its body',
    rule: mppDiscovery(
      'Input Schema',
      'name-input-schema',
      'Each operation SHOULD define its input schema using the standard OpenAPI requestBody field',
      'should',
    ),
    check: withOperation(({ operation, answer, seller }) => {
      if (seller.call.body === undefined) return notApplicable('The call has no body.');
      return operation.requestBody === undefined ? fail('It has none.', shortened(answer)) : pass;
    }),
  },
];

/** The document is too long for the detail of a finding. */
const shortened = (answer: Answer): Answer => ({ ...answer, body: Buffer.alloc(0) });
