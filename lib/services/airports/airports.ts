import { finish, type Steps } from '@/lib/platform/concurrency/steps';
import data from './airports.json' with { type: 'json' };

/** An airport with all of its names. `scripts/airports/build.mjs` writes the columns. */
export interface Airport {
  readonly iataCode: string;
  readonly name: string;
  readonly cityName: string;
  readonly countryCode: string;
  readonly countryName: string;
  readonly timeZone: string;
  readonly lat: number;
  readonly lng: number;
  /** A larger number is a likelier destination. Only the order matters. */
  readonly weight: number;
  /** State, province or similar; empty when unknown. */
  readonly region: string;
  /** Other names of the city or of the place. */
  readonly otherCities: readonly string[];
  readonly otherNames: readonly string[];
  /** Four letters; null for an airport without one. */
  readonly icaoCode: string | null;
}

const listOf = (cell: string | undefined) => (cell ? cell.split('|') : []);

/** The names of a country, English first. */
export const countries: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(data.countries).map(([code, names]) => [code, listOf(names)]),
);

/** The airports of each metropolitan code. */
export const metropolitanAreas: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(data.metropolitanAreas).map(([code, airports]) => [code, airports.split(' ')]),
);

/** So many take a millisecond or two, even before their code is optimized. */
export const airportsPerStep = 20;

let sorted: readonly Airport[] | undefined;

/** Every airport, likeliest destination first. Loaded from the data file when first needed. */
export function airports(): readonly Airport[] {
  return sorted ?? finish(loadAirports());
}

/** Loads them in small steps. */
export function* loadAirports(): Steps<readonly Airport[]> {
  const loaded: Airport[] = [];
  for (const line of data.airports) {
    loaded.push(airportOf(line));
    if (loaded.length % airportsPerStep === 0) yield;
  }
  sorted ??= loaded.sort(
    (one, other) => other.weight - one.weight || (one.iataCode < other.iataCode ? -1 : 1),
  );
  yield;
  return sorted;
}

function airportOf(line: string): Airport {
  const [iataCode = '', name = '', cityName = '', countryCode = '', timeZone = '', ...rest] =
    line.split('\t');
  const [lat, lng, weight, region = '', otherCities, otherNames, icaoCode] = rest;
  return {
    ...{ iataCode, name, cityName, countryCode, timeZone, region },
    countryName: countries.get(countryCode)?.[0] ?? countryCode,
    lat: Number(lat),
    lng: Number(lng),
    weight: Number(weight),
    otherCities: listOf(otherCities),
    otherNames: listOf(otherNames),
    icaoCode: icaoCode || null,
  };
}
