import type { Steps } from '@/lib/platform/concurrency/steps';
import { type Airport, airportsPerStep, countries, loadAirports, metropolitanAreas } from './airports';
import { joined, withOtherSpellings, wordsOf as wordsOfName } from './text';
import { lettersOf } from './typos';

/** Positions in the list of airports, ascending: the likeliest destination first. */
type Places = readonly number[];

/** Names in alphabetical order, for prefix searches, with precomputed data for fast comparison. */
export interface Names {
  readonly list: readonly string[];
  readonly letters: Int32Array;
  readonly lengths: Uint8Array;
  readonly places: ReadonlyMap<string, Places>;
}

/** Everything that a query is compared with. */
export interface NameIndex {
  readonly airports: readonly Airport[];
  /** By IATA and metropolitan codes. */
  readonly codes: ReadonlyMap<string, Places>;
  /** By ICAO codes. */
  readonly icaoCodes: ReadonlyMap<string, number>;
  /** Whole names of cities, countries and airports, words joined. */
  readonly names: Names;
  /** Whole names of countries alone. */
  readonly countries: ReadonlyMap<string, Places>;
  /** Whole names of states and provinces. */
  readonly regions: ReadonlyMap<string, Places>;
  /** Single words out of all of these. */
  readonly words: Names;
  /** Single words out of the names of cities. */
  readonly cityWords: ReadonlyMap<string, Places>;
}

/** Builds the index of every airport in small steps. They go through every name, so callers keep the result. */
export function* buildIndex(): Steps<NameIndex> {
  const list = yield* loadAirports();
  const wordsOf = remembered(wordsOfName);
  const names = new Map<string, number[]>();
  const inCountries = new Map<string, number[]>();
  const regions = new Map<string, number[]>();
  const words = new Map<string, number[]>();
  const cityWords = new Map<string, number[]>();
  const areasOf = new Map<string, string[]>();
  for (const [area, members] of metropolitanAreas)
    for (const member of members) areasOf.set(member, [...(areasOf.get(member) ?? []), area]);
  const addAirport = (airport: Airport, place: number) => {
    const inCountry = countries.get(airport.countryCode) ?? [];
    const own = [airport.name, airport.cityName, ...airport.otherCities, ...airport.otherNames];
    const spelled = own.map((name) => wordsOf(name)).flatMap(withOtherSpellings);
    for (const name of spelled) add(names, joined(name), place);
    for (const name of inCountry) {
      add(names, joined(wordsOf(name)), place);
      add(inCountries, joined(wordsOf(name)), place);
    }
    if (airport.region) add(regions, joined(wordsOf(airport.region)), place);
    const inCodes = [airport.iataCode, ...(areasOf.get(airport.iataCode) ?? [])];
    const inWords = [...spelled.flat(), ...[...inCountry, airport.region, ...inCodes].flatMap(wordsOf)];
    for (const word of new Set(inWords)) add(words, word, place);
    for (const word of [airport.cityName, ...airport.otherCities].flatMap(wordsOf))
      add(cityWords, word, place);
  };
  for (const [place, airport] of list.entries()) {
    if (place % airportsPerStep === 0) yield;
    addAirport(airport, place);
  }
  const codes = codesOf(list);
  return {
    airports: list,
    codes,
    icaoCodes: new Map(list.flatMap(({ icaoCode }, place) => (icaoCode ? [[icaoCode, place] as const] : []))),
    countries: inCountries,
    names: yield* namesOf(names),
    regions,
    words: yield* namesOf(words),
    cityWords,
  };
}

/** Memoizes a function, because the names of countries come thousands of times. */
function remembered(words: (name: string) => string[]): (name: string) => string[] {
  const known = new Map<string, string[]>();
  return (name) => {
    const found = known.get(name) ?? words(name);
    known.set(name, found);
    return found;
  };
}

/** Airport and metropolitan codes. If a code is both, its airport comes first, then the city's other airports. */
function codesOf(list: readonly Airport[]): Map<string, Places> {
  const codes = new Map<string, Places>(list.map(({ iataCode }, place) => [iataCode, [place]]));
  const placeOf = (code: string) => codes.get(code)?.[0];
  const areas = [...metropolitanAreas].map(([code, members]) => {
    const own = placeOf(code);
    const others = members.map(placeOf).filter((place) => place !== undefined && place !== own);
    return [code, [...(own === undefined ? [] : [own]), ...others]] as const;
  });
  for (const [code, places] of areas)
    codes.set(
      code,
      places.filter((place) => place !== undefined),
    );
  return codes;
}

function add(map: Map<string, number[]>, name: string, place: number): void {
  if (name === '') return;
  const places = map.get(name);
  if (!places) map.set(name, [place]);
  // Airports are added in order, so if one of them has a name twice, its position is already the last entry.
  else if (places.at(-1) !== place) places.push(place);
}

function* namesOf(places: Map<string, number[]>): Steps<Names> {
  yield;
  const list = [...places.keys()].sort();
  yield;
  const lengths = Uint8Array.from(list, ({ length }) => Math.min(length, 255));
  return { list, letters: Int32Array.from(list, lettersOf), lengths, places };
}

/** Names that begin with `start`. */
export function* beginningWith({ list }: Names, start: string): Generator<string> {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] ?? '') < start) low = middle + 1;
    else high = middle;
  }
  for (let at = low; at < list.length; at += 1) {
    const name = list[at] ?? '';
    if (!name.startsWith(start)) return;
    yield name;
  }
}
