import type { search } from '@/lib/catalog/flights';
import type { Input, Output } from '@/lib/catalog/operation';
import type { DuffelOffer } from './duffel/offer';
import { airlineCodesOf, itineraryOf } from './itineraries';

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
