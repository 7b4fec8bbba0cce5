import type { offer } from '@/lib/catalog/flights';
import type { Output } from '@/lib/catalog/operation';
import type { DuffelCondition, DuffelOffer, DuffelSegment, DuffelSlice } from './duffel/offer';
import { itineraryOf, segmentOf } from './itineraries';

type Details = Output<typeof offer>;
type Cabin = NonNullable<Details['cabin']>;
type Fees = DuffelOffer['conditions'];

const cabins: readonly Cabin[] = ['economy', 'premium_economy', 'business', 'first'];

export function detailsOf(offer: DuffelOffer, now: Date): Details {
  return {
    id: offer.id,
    totalPrice: offer.total_amount,
    currencyCode: offer.total_currency,
    validatingAirlineCodes: offer.owner?.iata_code ? [offer.owner.iata_code] : [],
    cabin: commonOf(segmentsOf(offer).map(cabinOf)),
    itineraries: offer.slices.map(detailedItineraryOf),
    baggageAllowance: { carryOn: bagsOf(offer, 'carry_on'), checked: bagsOf(offer, 'checked') },
    fareConditions: fareConditionsOf(offer),
    conditions: { description: wordsFor(offer.conditions) },
    searchedAt: now.toISOString(),
  };
}

function detailedItineraryOf(slice: DuffelSlice): Details['itineraries'][number] {
  const description = [
    slice.fare_brand_name ? `Fare: ${slice.fare_brand_name}.` : null,
    slice.conditions ? wordsForSlice(slice.conditions) : null,
  ]
    .filter(Boolean)
    .join(' ');
  return {
    ...itineraryOf(slice),
    segments: slice.segments.map((segment) => ({
      ...segmentOf(segment),
      cabin: cabinOf(segment),
      cabinMarketingName:
        commonOf(segment.passengers?.map((one) => one.cabin_class_marketing_name)) ?? undefined,
    })),
    ...(description ? { conditions: { description } } : {}),
  };
}

/** The cabin of a flight, if everybody has the same. */
function cabinOf({ passengers }: DuffelSegment): Cabin | undefined {
  const name = commonOf(passengers?.map(({ cabin_class }) => cabin_class));
  return cabins.find((cabin) => cabin === name);
}

function commonOf<Value>(values: readonly Value[] | null | undefined): Value | undefined {
  const [first, ...others] = values ?? [];
  return others.every((one) => one === first) ? first : undefined;
}

const segmentsOf = ({ slices }: DuffelOffer) => slices.flatMap(({ segments }) => segments);

/** The first passenger's allowance on every segment; unknown if one airline does not state it. */
function bagsOf(offer: DuffelOffer, type: string): number | undefined {
  const counts = segmentsOf(offer).map(({ passengers }) => {
    const bags = (passengers?.[0]?.baggages ?? []).filter((bag) => bag.type === type);
    return bags.length > 0 ? bags.reduce((sum, { quantity }) => sum + quantity, 0) : null;
  });
  return counts.every((count) => count !== null) ? Math.min(...counts) : undefined;
}

function fareConditionsOf(offer: DuffelOffer): Details['fareConditions'] {
  const { change_before_departure: change, refund_before_departure: refund } = offer.conditions ?? {};
  return {
    changeable: change?.allowed ?? undefined,
    changePenaltyAmount: change?.penalty_amount ?? undefined,
    changePenaltyCurrency: change?.penalty_currency ?? undefined,
    refundable: refund?.allowed ?? undefined,
    refundPenaltyAmount: refund?.penalty_amount ?? undefined,
    refundPenaltyCurrency: refund?.penalty_currency ?? undefined,
    supportedPassengerIdentityDocumentTypes: offer.supported_passenger_identity_document_types ?? undefined,
  };
}

const changes = 'Changes before departure';
const refunds = 'A refund before departure';

function wordsFor(conditions: Fees): string {
  return [
    sentence(changes, conditions?.change_before_departure),
    sentence(refunds, conditions?.refund_before_departure),
  ].join(' ');
}

/** Only the whole offer can be refunded, so the conditions of one direction may say nothing about that. */
function wordsForSlice(conditions: NonNullable<Fees>): string {
  const { change_before_departure: change, refund_before_departure: refund } = conditions;
  return [
    change === undefined ? null : sentence(changes, change),
    refund === undefined ? null : sentence(refunds, refund),
  ]
    .filter(Boolean)
    .join(' ');
}

function sentence(what: string, condition: DuffelCondition): string {
  if (typeof condition?.allowed !== 'boolean') return `${what}: not said by the airline.`;
  if (!condition.allowed) return `${what}: not allowed.`;
  const { penalty_amount: amount, penalty_currency: currency } = condition;
  if (amount === null || amount === undefined) return `${what}: allowed, for a fee that is not known.`;
  return Number(amount) === 0
    ? `${what}: free.`
    : `${what}: ${amount} ${currency ?? ''}`.trimEnd().concat('.');
}
