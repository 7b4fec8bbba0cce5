import { z } from 'zod';
import {
  type FlightSearch,
  findOffer,
  findSearch,
  makeOffers,
  pageOfOffers,
  searchIdOf,
} from './duffel-offers';
import {
  findRequestedFailure,
  type ProviderRequest,
  type ProviderResponse,
  type SandboxProvider,
} from './provider';

/** The part of Duffel v2 that the service uses: offer requests, their offers page by page, and single offers. */

const date = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);
const times = z.strictObject({ from: z.string(), to: z.string() }).nullish();
const offerRequest = z.strictObject({
  data: z.strictObject({
    slices: z
      .array(
        z.strictObject({
          origin: z.string().regex(/^[A-Z]{3}$/),
          destination: z.string().regex(/^[A-Z]{3}$/),
          departure_date: date,
          departure_time: times,
          arrival_time: times,
        }),
      )
      .min(1),
    passengers: z
      .array(
        z.union([
          z.strictObject({ type: z.literal('adult') }),
          z.strictObject({ age: z.number().int().min(0).max(17) }),
        ]),
      )
      .min(1),
    cabin_class: z.enum(['economy', 'premium_economy', 'business', 'first']).default('economy'),
    max_connections: z.number().int().min(0).max(2).default(1),
  }),
});

/**
 * Every failure that Duffel documents, by name. The id `off_sandbox-fails-<name>` selects one for an offer. A search has no free
 * text, so its departure date does: see `failingDay`.
 */
const duffelFailures: Readonly<Record<string, ProviderResponse>> = {
  malformed: failure(400, 'invalid_request_error', 'malformed_request'),
  key: failure(401, 'authentication_error', 'access_token_not_found'),
  permission: failure(403, 'authentication_error', 'insufficient_permissions'),
  'not-found': failure(404, 'invalid_request_error', 'not_found'),
  'not-acceptable': failure(406, 'invalid_request_error', 'unsupported_format'),
  validation: failure(422, 'validation_error', 'validation_required'),
  gone: failure(422, 'airline_error', 'offer_no_longer_available'),
  airline: failure(422, 'airline_error', 'airline_internal'),
  'rate-limit': {
    ...failure(429, 'rate_limit_error', 'rate_limit_exceeded'),
    headers: {
      'ratelimit-limit': '4000',
      'ratelimit-remaining': '0',
      // An HTTP date, not a number of seconds.
      'ratelimit-reset': new Date(Date.now() + 1_000).toUTCString(),
    },
  },
  internal: failure(500, 'api_error', 'internal_server_error'),
  'bad-gateway': failure(502, 'airline_error', 'airline_unknown'),
  unavailable: failure(503, 'api_error', 'service_unavailable'),
  'gateway-timeout': failure(504, 'api_error', 'gateway_timeout_error'),
  'no-words': { status: 500, body: {} },
  'no-data': { status: 201, body: {} },
  'no-id': { status: 201, body: { data: { live_mode: false } } },
};

/** Failures of the list of offers, after a search that succeeded. They are selected by date in the same way. */
const listFailures: Readonly<Record<string, ProviderResponse>> = {
  'list-internal': failure(500, 'api_error', 'internal_server_error'),
  'no-offers': { status: 200, body: {} },
  'odd-offers': { status: 200, body: { data: [{ id: 7 }, {}], meta: { after: null } } },
};

/** Failures of the server itself, selected by date in the same way. */
const misbehaviours = ['drop', 'cut', 'text', 'array', 'redirect', 'flood'];
const days = [
  ...Object.keys(duffelFailures),
  ...Object.keys(listFailures),
  ...misbehaviours,
  'second-page',
  'one-odd-offer',
  'nothing',
];
const firstDay = Date.parse('2099-01-01T00:00:00Z');

/**
 * The departure date that selects a result: one of `duffelFailures`, one of `listFailures`, one of `misbehaviours`, `second-page` for a
 * second page that fails, `one-odd-offer` for a first offer that cannot be read, or `nothing` for no offers.
 */
export function failingDay(name: string): string {
  const at = days.indexOf(name);
  if (at < 0) throw new Error(`The sandbox has no failure ${name}.`);
  return new Date(firstDay + at * 86_400_000).toISOString().slice(0, 10);
}

export const duffel: SandboxProvider = (request) => {
  const rejected = rejectHeaders(request);
  if (rejected) return rejected;
  const path = request.path.replace(/\/$/, '');
  const [, id] = /^\/air\/offers\/([^/]+)$/.exec(path) ?? [];
  if (request.method === 'GET' && id) return offer(request, id);
  if (request.method === 'GET' && path === '/air/offers') return list(request);
  if (request.method === 'POST' && path === '/air/offer_requests') return search(request);
  return failure(404, 'invalid_request_error', 'not_found');
};

function rejectHeaders({ headers, method }: ProviderRequest): ProviderResponse | null {
  if (headers.authorization !== 'Bearer sandbox_duffel') {
    return failure(401, 'authentication_error', 'access_token_not_found');
  }
  if (headers['duffel-version'] !== 'v2') return failure(400, 'invalid_request_error', 'unsupported_version');
  const isJson = method === 'GET' || headers['content-type'] === 'application/json';
  if (headers.accept !== 'application/json' || !isJson) {
    return failure(406, 'invalid_request_error', 'unsupported_format');
  }
  return null;
}

function offer(request: ProviderRequest, id: string): ProviderResponse {
  const failing = findRequestedFailure(request, duffelFailures);
  if (failing) return failing;
  const found = findOffer(id);
  if (!found) return failure(404, 'invalid_request_error', 'not_found');
  return { status: 200, body: { data: { ...found, available_services: null } } };
}

function search({ body, path, query }: ProviderRequest): ProviderResponse {
  const parsed = offerRequest.safeParse(body);
  if (!parsed.success) return failure(422, 'validation_error', 'validation_required');
  const { data } = parsed.data;
  const name = dayOf(data);
  const isFailing = name !== undefined && (name in duffelFailures || misbehaviours.includes(name));
  const failing = isFailing ? `sandbox-fails-${name}` : '';
  const failed = findRequestedFailure({ path: `${path} ${failing}`, body: null }, duffelFailures);
  if (failed) return failed;
  const offers = query.get('return_offers') === 'false' ? {} : { offers: offersOf(data) };
  const facts = { id: searchIdOf(data), live_mode: false, cabin_class: data.cabin_class };
  return { status: 201, body: { data: { ...facts, ...offers } } };
}

function dayOf({ slices }: FlightSearch): string | undefined {
  return days[(Date.parse(slices[0]?.departure_date ?? '') - firstDay) / 86_400_000];
}

const offersOf = (search: FlightSearch) => (dayOf(search) === 'nothing' ? [] : makeOffers(search));

const listQuery = z.strictObject({
  offer_request_id: z.string(),
  sort: z.enum(['total_amount', 'total_duration']).default('total_amount'),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  after: z.coerce.number().int().optional(),
  max_connections: z.coerce.number().int().min(0).max(2).optional(),
});

/** The offers of a search, page by page. */
function list({ query }: ProviderRequest): ProviderResponse {
  const parsed = listQuery.safeParse(Object.fromEntries(query));
  if (!parsed.success) return failure(422, 'validation_error', 'validation_invalid');
  const { offer_request_id: id, limit, after } = parsed.data;
  const search = findSearch(id);
  if (!search) return failure(404, 'invalid_request_error', 'not_found');
  const name = dayOf(search);
  const failing = name === undefined ? undefined : listFailures[name];
  if (failing) return failing;
  if (name === 'second-page' && after !== undefined) return failure(503, 'api_error', 'service_unavailable');
  const page = name === 'nothing' ? nothing : pageOfOffers(search, limit, after);
  const data = name === 'one-odd-offer' ? [{ id: 7 }, ...page.data.slice(1)] : page.data;
  return { status: 200, body: { data, meta: { limit, after: page.after, before: page.before } } };
}

const nothing = { data: [], after: null, before: null };

/** Callers of the service must never see a provider's messages. */
function failure(status: number, type: string, code: string) {
  const error = { type, code, title: 'A secret of the sandbox', message: 'A secret of the sandbox.' };
  const errors = [{ ...error, documentation_url: 'https://duffel.com/docs' }];
  return { status, body: { errors, meta: { request_id: 'FZW0H3HdJwKk5HMAAKxB', status } } };
}
