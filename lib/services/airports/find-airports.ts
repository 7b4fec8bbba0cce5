import { finish, type Steps } from '@/lib/platform/concurrency/steps';
import type { Airport } from './airports';
import { beginningWith, buildIndex, type NameIndex, type Names } from './index-of-names';
import { isNear, splitPlaceCode } from './place-codes';
import { joined, withSpaces, wordsOf } from './text';
import { lettersOf, mayBeWithin, typosAllowed, typosBetween } from './typos';

/** How much likelier a destination must be to outweigh one more typo. */
const weightOfTypo = 150;
/** How many words of a query are used. */
const wordsMax = 10;
/** Shorter words must match a whole word, except at the start of a name. */
const beginningMin = 3;
/** The most airports in a response. */
const placesMax = 20;
/** With this many exact matches, typos are not considered. */
const enough = 3;

let building: Steps<NameIndex> | undefined;
let index: NameIndex | undefined;

/** Builds the index, which takes about 400 ms, in small steps. A search before the end does the rest of them. */
export function* prepareSearches(): Steps<NameIndex> {
  while (!index) {
    building ??= buildIndex();
    const step = building.next();
    if (!step.done) yield;
    else [index, building] = [step.value, undefined];
  }
  return index;
}

/**
 * Finds airports by code, city, name, country or region, best match first. Tolerates missing accents, an unfinished
 * last word and a few typos.
 */
export function findAirports(query: string): Airport[] {
  const known = index ?? finish(prepareSearches());
  const { airports } = known;
  const found = searchWithin(known, query) ?? search(known, query);
  return [...new Set(found)].slice(0, placesMax).flatMap((place) => airports[place] ?? []);
}

/** The airports of a name in the place whose code follows it, and those near them. Null when there are none. */
function searchWithin(index: NameIndex, query: string): readonly number[] | null {
  const parts = splitPlaceCode(query);
  if (!parts || index.names.places.has(joined(wordsOf(query)))) return null;
  const airportAt = (place: number) => index.airports[place];
  const found = search(index, parts.name);
  const within = found.flatMap((place) => {
    const airport = airportAt(place);
    return airport && parts.isWithin(airport) ? [airport] : [];
  });
  if (within.length === 0) return null;
  return found.filter((place) => {
    const airport = airportAt(place);
    return airport && within.some((one) => isNear(one, airport));
  });
}

function search(index: NameIndex, query: string): readonly number[] {
  const isKnown = (word: string) => index.names.places.has(word) || index.words.places.has(word);
  const typed = withoutBegunFiller(wordsOf(query).flatMap((word) => withSpaces(word, isKnown)));
  const words = [...new Set(typed)].slice(0, wordsMax);
  const name = joined(typed);
  if (name === '') return [];
  // A country comes before cities of the same name: Liberia is also a city in Costa Rica.
  const named = [index.countries, index.names.places, index.regions].flatMap((map) => map.get(name) ?? []);
  const code = codeIn(index, query, name);
  const isCode = isWrittenAsCode(query);
  // Capitals mean a code: GOA is Genoa and goa is Goa. PERU and LIMA are no codes, although they have four letters.
  if (isCode && code.length > 0) return query.trim().length === 4 ? codeOrName(code, named) : code;
  const exact = codeOrName(code, named);
  if (exact.length > 0 && named.length > 0) return exact;
  // Three letters that are no code, such as that of a closed airport, mean nothing else.
  if (isCode && query.trim().length === 3) return [];
  // A single word may be part of an airport's name: kennedy, logan.
  const namesakes = words.length === 1 ? (index.words.places.get(name) ?? []).slice(0, placesMax) : [];
  const likely = [...startingWith(index, name), ...namesakes].sort(byPlace);
  // A lowercase ICAO code may be the beginning of a name.
  const first = code.length > 0 && name.length === 4 ? codeOrName(code, likely) : [...exact, ...likely];
  const asTyped = [...first, ...withAllWords(index, words, false)];
  if (exact.length > 0 || asTyped.length >= enough || isCode) return asTyped;
  const guessed = [...asTyped, ...resembling(index.names, name, index.airports)];
  return guessed.length > 0 ? guessed : withAllWords(index, words, true);
}

/** Whether the query is one word of three or four capitals, and so a code of IATA or ICAO. */
const isWrittenAsCode = (query: string) => /^\s*[A-Z]{3,4}\s*$/.test(query);

/**
 * The airports of the code that the query is, if any. Among other words, four capitals are an ICAO code: `EGLL Heathrow`. IATA
 * codes are found there too, because they are among the words of an airport.
 */
function codeIn({ codes, icaoCodes }: NameIndex, query: string, name: string): readonly number[] {
  if (/^[a-z]{3}$/.test(name)) return codes.get(name.toUpperCase()) ?? [];
  const [icaoCode] = /^[a-z]{4}$/.test(name) ? [name.toUpperCase()] : (query.match(/\b[A-Z]{4}\b/g) ?? []);
  const place = /[a-z]/.test(query) || name.length === 4 ? icaoCodes.get(icaoCode ?? '') : undefined;
  return place === undefined ? [] : [place];
}

/** `hamburg air` is an unfinished `hamburg airport`. */
function withoutBegunFiller(words: string[]): string[] {
  const last = words.at(-1) ?? '';
  const isBegun = words.length > 1 && last.length >= beginningMin && 'airport'.startsWith(last);
  return isBegun ? words.slice(0, -1) : words;
}

/** A lowercase code may be a short name. Then the likelier destination comes first. */
function codeOrName(code: readonly number[], named: readonly number[]): number[] {
  const [first] = code;
  const isName = first !== undefined && named[0] !== undefined && named[0] < first;
  return isName ? [...named, ...code] : [...code, ...named];
}

const byPlace = (one: number, other: number) => one - other;

/** Airports with a name that starts like this. */
function startingWith({ airports, names }: NameIndex, start: string): number[] {
  const found = new Uint8Array(airports.length);
  for (const name of beginningWith(names, start)) {
    for (const place of names.places.get(name) ?? []) found[place] = 1;
  }
  return placesWith(found, 1);
}

/**
 * Airports whose names contain every word of the query. Those with more whole words, and more in the city's name, come
 * first.
 */
function withAllWords(index: NameIndex, words: readonly string[], mayGuess: boolean): number[] {
  const { airports, words: known, cityWords } = index;
  const found = new Uint8Array(airports.length);
  const score = new Uint8Array(airports.length);
  words.forEach((word, at) => {
    const others = word.length < beginningMin ? [word] : [...beginningWith(known, word)];
    const meant = mayGuess && others.length === 0 ? withTypos(known, word).map(({ name }) => name) : others;
    for (const other of meant) {
      for (const place of known.places.get(other) ?? []) if (found[place] === at) found[place] = at + 1;
    }
    for (const whole of [known.places.get(word), cityWords.get(word)]) {
      for (const place of whole ?? []) score[place] = (score[place] ?? 0) + 1;
    }
  });
  for (let place = 0; place < found.length; place += 1)
    if (found[place] !== words.length) score[place] = nowhere;
  const best = 2 * words.length;
  return Array.from({ length: best + 1 }, (_, less) => placesWith(score, best - less)).flat();
}

const nowhere = 255;

/** The indexes that hold this value, in the order of the airports, up to the size of a response. */
function placesWith(values: Uint8Array, value: number): number[] {
  const places: number[] = [];
  for (
    let at = values.indexOf(value);
    at >= 0 && places.length < placesMax;
    at = values.indexOf(value, at + 1)
  ) {
    places.push(at);
  }
  return places;
}

/** Names that differ by a few typos. */
function withTypos({ list, letters, lengths }: Names, name: string): { name: string; typos: number }[] {
  const allowed = typosAllowed(name.length);
  if (allowed === 0) return [];
  const bits = lettersOf(name);
  const found: { name: string; typos: number }[] = [];
  for (let at = 0; at < list.length; at += 1) {
    if (Math.abs((lengths[at] ?? 0) - name.length) > allowed) continue;
    if (!mayBeWithin(bits, letters[at] ?? 0, allowed)) continue;
    const candidate = list[at] ?? '';
    const typos = typosBetween(name, candidate, allowed);
    if (typos <= allowed) found.push({ name: candidate, typos });
  }
  return found;
}

function resembling(names: Names, name: string, list: readonly Airport[]): number[] {
  const costs = new Map<number, number>();
  for (const { name: candidate, typos } of withTypos(names, name)) {
    for (const place of names.places.get(candidate) ?? []) {
      const cost = typos * weightOfTypo - (list[place]?.weight ?? 0);
      if (cost < (costs.get(place) ?? Number.POSITIVE_INFINITY)) costs.set(place, cost);
    }
  }
  return [...costs]
    .sort(([one, cost], [other, otherCost]) => cost - otherCost || byPlace(one, other))
    .map(([place]) => place);
}
