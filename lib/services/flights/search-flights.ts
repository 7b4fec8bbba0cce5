import { z } from 'zod';
import { ApiError } from '@/lib/catalog/errors/api-error';
import { search } from '@/lib/catalog/flights';
import type { Input, Output } from '@/lib/catalog/operation';
import type { Platform } from '@/lib/platform/platform';
import type { WithUpstream } from '@/lib/platform/upstream/circuit-breakers';
import {
  callAsProbe,
  callPaid,
  callUnpaid,
  refuseUnlessAvailable,
  UpstreamFailure,
} from '@/lib/platform/upstream/failure';
import { service } from '@/lib/services/service';
import { callDuffel } from './duffel/call-duffel';
import { type DuffelOffer, duffelOffer } from './duffel/offer';
import { airlineCodesOf, itineraryOf } from './itineraries';
import { refusePastDates, refuseUnknownPlaces } from './journey';

/** What the functions below use. */
interface SearchDeps
  extends WithUpstream,
    Pick<Platform, 'settings' | 'clock' | 'timings' | 'log' | 'metrics'> {}

type Wishes = Pick<Input<typeof search>, 'nonStop' | 'maxPrice' | 'maxResults' | 'currency'>;

/** The offers that match the search, cheapest first, with warnings about the others. */
export function resultsOf(offers: readonly DuffelOffer[], wishes: Wishes, now: Date): Output<typeof search> {
  const { nonStop, maxPrice, maxResults, currency } = wishes;
  const direct = offers.filter(
    ({ slices }) => !nonStop || slices.every(({ segments }) => segments.length === 1),
  );
  const inCurrency = direct.filter((offer) => !isOtherCurrency(offer, wishes));
  const affordable = inCurrency.filter((offer) => maxPrice === undefined || amountOf(offer) <= maxPrice);
  const results = affordable
    .toSorted((one, other) => amountOf(one) - amountOf(other))
    .slice(0, maxResults)
    .map(resultOf);
  const currencies = new Set(affordable.map(({ total_currency }) => total_currency));
  const warnings = [
    offers.length === 0 ? 'No offers were found for this search.' : null,
    leftOut(offers.length - direct.length, 'because they are not non-stop'),
    leftOut(direct.length - inCurrency.length, `because they are not priced in ${currency}`),
    leftOut(inCurrency.length - affordable.length, 'because they cost more than maxPrice'),
    currency !== undefined && maxPrice === undefined ? 'currency has no effect without maxPrice.' : null,
    currencies.size > 1
      ? 'The offers are in different currencies and are sorted by amount without conversion.'
      : null,
  ].filter((warning) => warning !== null);
  return {
    results,
    meta: { resultCount: results.length, searchedAt: now.toISOString() },
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}

const amountOf = ({ total_amount }: DuffelOffer) => Number(total_amount);

function isOtherCurrency({ total_currency }: DuffelOffer, { maxPrice, currency }: Wishes): boolean {
  return maxPrice !== undefined && currency !== undefined && total_currency !== currency;
}

function leftOut(count: number, why: string): string | null {
  if (count === 0) return null;
  return count === 1 ? `1 offer was left out ${why}.` : `${count} offers were left out ${why}.`;
}

function resultOf(offer: DuffelOffer) {
  return {
    id: offer.id,
    source: 'flight_search' as const,
    totalPrice: offer.total_amount,
    currency: offer.total_currency,
    airlineCodes: airlineCodesOf(offer),
    itineraries: offer.slices.map(itineraryOf),
  };
}

type Search = Input<typeof search>;

/** How long Duffel waits for airlines, and how long a search may take in total. */
const supplierTimeoutMs = 20_000;
const timeoutMs = 130_000;

const target = { provider: 'duffel', operation: search.id } as const;

const offersOf = z.object({ offers: z.array(z.unknown()) });

export const flightSearch = service(search, {
  callsThirdParty: true,

  /** Checked here rather than in the schema, because a retry must be accepted after a date has passed. */
  async admit(app: SearchDeps, input, { now }) {
    refuseUnknownPlaces(input);
    refusePastDates(input, now);
    await refuseUnlessAvailable(app, target);
  },

  preparesWith: () => 'lookup',

  /**
   * Asks the provider about an unusual group before the charge, because it may not take it. Without offers, this is quick. Searches
   * before the charge when that shows whether a provider that failed works again.
   */
  async prepare(app: SearchDeps, input, { countWork, now }) {
    if (isUnusual(input)) {
      countWork(1);
      const refused = () => new ApiError('passengers_refused');
      await callUnpaid(app, target, () => ask(app, input, false), refused);
    }
    if (!app.circuitBreakers.isHalfOpen(target)) return null;
    const offers = await callAsProbe(app, target, async () => readOffers(app, await ask(app, input)));
    return offers && resultsOf(offers, input, now);
  },

  async deliver(app: SearchDeps, input, { paidCallId, now, prepared }) {
    if (prepared !== null) return search.output.parse(prepared);
    const offers = await callPaid(app, target, paidCallId, async () =>
      readOffers(app, await ask(app, input)),
    );
    return resultsOf(offers, input, now);
  },
});

/** Seats in a booking. Infants have none. */
const seatsMax = 9;

/** Whether a group is larger than a booking usually is, or has infants without a lap. */
function isUnusual({ adults, children, infants }: Search): boolean {
  return adults + children > seatsMax || infants > adults;
}

function ask(app: SearchDeps, input: Search, withOffers = true): Promise<unknown> {
  const query = new URLSearchParams({
    return_offers: String(withOffers),
    supplier_timeout: String(supplierTimeoutMs),
  });
  return callDuffel(app, {
    method: 'POST',
    path: `/air/offer_requests?${query}`,
    body: { data: requestOf(input) },
    timeoutMs,
  });
}

function requestOf({ origin, destination, departureDate, returnDate, ...wishes }: Search) {
  const { adults, children, infants, travelClass, nonStop } = wishes;
  const there = { origin, destination, departure_date: departureDate };
  const back = { origin: destination, destination: origin, departure_date: returnDate };
  // Duffel distinguishes children from infants by age. Fares differ little within each group.
  const times = (count: number, passenger: object) => Array.from({ length: count }, () => passenger);
  return {
    slices: returnDate === undefined ? [there] : [there, back],
    passengers: [
      ...times(adults, { type: 'adult' }),
      ...times(children, { age: 8 }),
      ...times(infants, { age: 1 }),
    ],
    cabin_class: travelClass.toLowerCase(),
    ...(nonStop ? { max_connections: 0 } : {}),
  };
}

/** Leaves out invalid offers. If all are invalid, the call fails. */
function readOffers(app: SearchDeps, data: unknown): DuffelOffer[] {
  const parsed = offersOf.safeParse(data);
  if (!parsed.success) throw new UpstreamFailure('failed', 'unexpected_shape');
  const { offers } = parsed.data;
  const read = offers.flatMap((offer) => duffelOffer.safeParse(offer).data ?? []);
  if (read.length < offers.length) {
    if (read.length === 0) throw new UpstreamFailure('failed', 'unexpected_shape');
    app.log.warn(
      { provider: 'duffel', offers: offers.length, read: read.length },
      'offers could not be read',
    );
  }
  return read;
}
