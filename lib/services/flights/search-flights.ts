import { ApiError } from '@/lib/catalog/errors/api-error';
import { search } from '@/lib/catalog/flights';
import type { Input, Output } from '@/lib/catalog/operation';
import type { Platform } from '@/lib/platform/platform';
import type { WithUpstream } from '@/lib/platform/upstream/circuit-breakers';
import { callAsProbe, callPaid, callUnpaid, refuseUnlessAvailable } from '@/lib/platform/upstream/failure';
import { findProvider } from '@/lib/platform/upstream/providers';
import { service } from '@/lib/services/service';
import type { DuffelOffer } from './duffel/offer';
import {
  type Extent,
  type FoundOffers,
  pageLengthMax,
  readOffers,
  startSearch,
} from './duffel/search-offers';
import { airlineCodesOf, itineraryOf } from './itineraries';
import { refuseDistantDates, refusePastDates, refuseUnknownPlaces } from './journey';

interface SearchDeps
  extends WithUpstream,
    Pick<Platform, 'settings' | 'clock' | 'timings' | 'log' | 'metrics'> {}

type Wishes = Pick<Input<typeof search>, 'nonStop' | 'maxPrice' | 'maxResults' | 'currency'>;

/** The offers that match the search, and those that each filter left. */
function filtered(offers: readonly DuffelOffer[], wishes: Wishes) {
  const { nonStop, maxPrice } = wishes;
  const direct = offers.filter(
    ({ slices }) => !nonStop || slices.every(({ segments }) => segments.length === 1),
  );
  const inCurrency = direct.filter((offer) => !isOtherCurrency(offer, wishes));
  const affordable = inCurrency.filter((offer) => maxPrice === undefined || amountOf(offer) <= maxPrice);
  return { direct, inCurrency, affordable };
}

/** The offers that match the search, cheapest first, with warnings about the others. */
export function resultsOf(
  { offers, unreadable, hasMore }: FoundOffers,
  wishes: Wishes,
  now: Date,
): Output<typeof search> {
  const { maxPrice, maxResults, currency } = wishes;
  const { direct, inCurrency, affordable } = filtered(offers, wishes);
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
    leftOut(unreadable, 'as unreadable'),
    hasMore && affordable.length < maxResults && !isDearer(offers.at(-1), wishes)
      ? 'Only the cheapest offers were looked at.'
      : null,
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

/** Whether an offer costs more than the caller wants, and so do all that follow it. */
function isDearer(offer: DuffelOffer | undefined, { maxPrice }: Wishes): boolean {
  return maxPrice !== undefined && offer !== undefined && amountOf(offer) > maxPrice;
}

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

const target = { provider: 'duffel', operation: search.id } as const;

export const flightSearch = service(search, {
  callsThirdParty: true,

  /** Checked here rather than in the schema, because a retry must be accepted after a date has passed. */
  async admit(app: SearchDeps, input, { now }) {
    refuseUnknownPlaces(input);
    refusePastDates(input, now);
    // A sandbox has flights on every day.
    if (findProvider(app, 'duffel')?.isSandbox === false) refuseDistantDates(input, now);
    await refuseUnlessAvailable(app, target);
  },

  preparesWith: () => 'lookup',

  /**
   * Asks the provider about an unusual group before the charge, because it may not take it. Searches
   * before the charge when that shows whether a provider that failed works again.
   */
  async prepare(app: SearchDeps, input, { countWork, now }) {
    if (isUnusual(input)) {
      countWork(1);
      const refused = () => new ApiError('passengers_refused');
      await callUnpaid(app, target, () => startSearch(app, requestOf(input)), refused);
    }
    if (!app.circuitBreakers.isHalfOpen(target)) return null;
    const found = await callAsProbe(app, target, () => findOffers(app, input));
    return found && resultsOf(found, input, now);
  },

  async deliver(app: SearchDeps, input, { paidCallId, now, prepared }) {
    if (prepared !== null) return search.output.parse(prepared);
    const found = await callPaid(app, target, paidCallId, () => findOffers(app, input));
    return resultsOf(found, input, now);
  },
});

/** Seats in a booking. Infants have none. */
const seatsMax = 9;

/** Whether a group is larger than a booking usually is, or has infants without a lap. */
function isUnusual({ adults, children, infants }: Search): boolean {
  return adults + children > seatsMax || infants > adults;
}

async function findOffers(app: SearchDeps, input: Search): Promise<FoundOffers> {
  const found = await readOffers(app, await startSearch(app, requestOf(input)), extentOf(input));
  if (found.unreadable > 0)
    app.log.warn(
      { provider: 'duffel', read: found.offers.length, unreadable: found.unreadable },
      'offers could not be read',
    );
  return found;
}

/** As few offers as the search needs. Without a filter, the cheapest of them are the result. */
function extentOf(wishes: Wishes): Extent {
  const { nonStop, maxPrice, maxResults } = wishes;
  const isFiltered = nonStop === true || maxPrice !== undefined;
  return {
    pageLength: isFiltered ? pageLengthMax : maxResults,
    isEnough(offers) {
      return isDearer(offers.at(-1), wishes) || filtered(offers, wishes).affordable.length >= maxResults;
    },
  };
}

/** Connections per direction. Some places are two away from most others. */
const connectionsMax = 2;

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
    max_connections: nonStop ? 0 : connectionsMax,
  };
}
