import { type Airport, airports, metropolitanAreas } from './airports';

/** Whether the code is a known airport or metropolitan area. */
export function isPlace(code: string): boolean {
  return byCode().has(code) || metropolitanAreas.has(code);
}

/** The time zone of an airport or metropolitan area; null for an unknown code. */
export function timeZoneOf(code: string): string | null {
  const airport = byCode().get(code) ?? byCode().get(metropolitanAreas.get(code)?.[0] ?? '');
  return airport?.timeZone ?? null;
}

let airportsByCode: ReadonlyMap<string, Airport> | undefined;

function byCode(): ReadonlyMap<string, Airport> {
  airportsByCode ??= new Map(airports().map((airport) => [airport.iataCode, airport]));
  return airportsByCode;
}
