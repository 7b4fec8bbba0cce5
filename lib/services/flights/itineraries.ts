import type { DuffelOffer, DuffelSegment, DuffelSlice } from './duffel/offer';

/** Itineraries, for search results and offer details. */

/** Unknown facts are left out. */
const known = <T>(value: T | null | undefined): T | undefined => value ?? undefined;

/** One direction of an offer, in the catalog's shape. */
export function itineraryOf({ duration, segments }: DuffelSlice) {
  return { duration: known(duration), numberOfStops: stopsOf(segments), segments: segments.map(segmentOf) };
}

/** Changes of aircraft, and intermediate landings of a flight. */
function stopsOf(segments: readonly DuffelSegment[]): number {
  return segments.reduce((stops, segment) => stops + (segment.stops?.length ?? 0), segments.length - 1);
}

/** One flight of an itinerary. Times are local to the airport, as in Duffel's response. */
export function segmentOf(segment: DuffelSegment) {
  return {
    departure: { airportCode: known(segment.origin?.iata_code), at: known(segment.departing_at) },
    arrival: { airportCode: known(segment.destination?.iata_code), at: known(segment.arriving_at) },
    carrierCode: known(segment.marketing_carrier?.iata_code),
    operatingCarrierCode: known(segment.operating_carrier?.iata_code),
    flightNumber: flightNumberOf(segment),
    aircraft: known(segment.aircraft?.name),
    duration: known(segment.duration),
  };
}

/** As in timetables: `BA0117`. */
function flightNumberOf({ marketing_carrier, marketing_carrier_flight_number: number }: DuffelSegment) {
  return number ? `${marketing_carrier?.iata_code ?? ''}${number}` : undefined;
}

/** The airlines that sell the flights, in order of travel; the seller of the whole offer if they are not named. */
export function airlineCodesOf({ owner, slices }: DuffelOffer): string[] {
  const carriers = slices
    .flatMap(({ segments }) => segments)
    .flatMap(({ marketing_carrier }) => marketing_carrier?.iata_code ?? []);
  const sellers = carriers.length > 0 ? carriers : [owner?.iata_code ?? []].flat();
  return [...new Set(sellers)];
}
